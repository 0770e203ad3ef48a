import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { rowOf } from '../../../src/agents/claude-code/calls.ts'
import { claudeCode } from '../../../src/agents/claude-code/index.ts'
import type { SessionEvent } from '../../../src/types/session.ts'

const command = (name: string, args: string) =>
  `<command-message>${name}</command-message>\n<command-name>/${name}</command-name>\n<command-args>${args}</command-args>`
const NOTICE = '{"task_id":"b1","tool_use_id":"t1","description":"Run all tests","task_type":"shell"}'

describe('a row in the name of the person', () => {
  it.each<[string, string]>([
    [NOTICE, 'injected'],
    ['<ci-monitor-event>\nmain is red\n</ci-monitor-event>', 'injected'],
    ['<local-command-stdout>ok</local-command-stdout>', 'injected'],
    ['/compact keep the plan', 'injected'],
    ['/compactor is what I call it', 'words'],
    ['[Request interrupted by user]', 'interrupt'],
    ['[Request interrupted by user for tool use]', 'injected'],
    ['<command-name>/clear</command-name>', 'injected'],
    [command('review', 'src/a.ts'), 'command'],
    ['{"task": "b1"}', 'words'],
    ['{ not json, but mine: "task_id" }', 'words'],
    ['{"task_id":', 'words'],
    ['What does [Request interrupted by user] mean?', 'words'],
  ])('%s', (text, is) => {
    expect(rowOf(text).is).toBe(is)
  })
})

it('is without the note that the client puts below a plan', () => {
  const note =
    'If you need specific details from before exiting plan mode (like exact code snippets), read the full transcript at: /home/dev/a.jsonl'
  expect(rowOf(`Implement the following plan:\n\n# Retry\n\n- Add a queue\n\n\n${note}`)).toEqual({
    is: 'words',
    text: 'Implement the following plan:\n\n# Retry\n\n- Add a queue',
  })
})

/** Events of a session with these rows of the person. */
async function eventsOf(...rows: object[]): Promise<SessionEvent[]> {
  const folder = mkdtempSync(join(tmpdir(), 'rows-'))
  const path = join(folder, 'aaaaaaaa-0000-4000-8000-000000000001.jsonl')
  const stamp = {
    sessionId: 'aaaaaaaa-0000-4000-8000-000000000001',
    cwd: '/home/dev/repo',
    version: '2.1.330',
  }
  const lines = rows.map((row, i) =>
    JSON.stringify({ ...stamp, uuid: `u${i}`, parentUuid: i ? `u${i - 1}` : null, ...row }),
  )
  writeFileSync(path, `${lines.join('\n')}\n`)
  try {
    const ref = await claudeCode.identify(path, lines.join('\n'))
    const events: SessionEvent[] = []
    if (ref) for await (const batch of claudeCode.read(ref, {})) events.push(...batch)
    return events
  } finally {
    rmSync(folder, { recursive: true })
  }
}
const user = (content: string) => ({ type: 'user', message: { role: 'user', content } })
const queued = (operation: string, content?: string) => ({ type: 'queue-operation', operation, content })

describe('what the person said', () => {
  it('stands where the agent heard it, whatever notices wait on the queue', async () => {
    const says = (text: string) => ({
      type: 'assistant',
      message: { role: 'assistant', content: [{ type: 'text', text }] },
    })
    const events = await eventsOf(
      user('Fix it.'),
      queued('enqueue', NOTICE),
      queued('enqueue', 'The desktop as well.'),
      queued('remove'),
      says('Done, the desktop as well.'),
      queued('enqueue', 'Then push.'),
      queued('dequeue'),
      user('Then push.'),
      says('Pushed.'),
    )
    const told = events.flatMap((event) =>
      event.kind === 'prompt' || event.kind === 'reply' ? [event.text] : [],
    )
    expect(told).toEqual([
      'Fix it.',
      'The desktop as well.',
      'Done, the desktop as well.',
      'Then push.',
      'Pushed.',
    ])
  })

  it('is no notice that stood on the queue, keeps the name of a command, and tells an interrupt', async () => {
    const events = await eventsOf(
      user('Fix it.'),
      queued('enqueue', NOTICE),
      queued('remove', NOTICE),
      queued('enqueue', 'And sub.'),
      queued('remove', 'And sub.'),
      user('[Request interrupted by user]'),
      user(command('review', 'src/a.ts')),
      user(command('init', '')),
      user(command('git-handoff:handoff', 'go on')),
      queued('enqueue', NOTICE),
    )
    const told = events.flatMap((event) =>
      event.kind === 'prompt'
        ? [event.text]
        : event.kind === 'interrupt' || event.kind === 'skill'
          ? [event.kind]
          : [],
    )
    expect(told).toEqual([
      'Fix it.',
      'And sub.',
      'interrupt',
      'skill',
      '/review src/a.ts',
      'skill',
      '/init',
      '/handoff go on',
    ])
  })
})

// The texts of 1.0.124 and 2.0.76, which write no `toolDenialKind`.
const REJECTED =
  "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file)."
const STOP = 'STOP what you are doing and wait for the user to tell you how to proceed.'
const STOPPED = '[Request interrupted by user for tool use]'

describe('a call that the person refused or stopped, in a record without a kind of denial', () => {
  const outcomeOf = async (version: string, content: string) => {
    const input = { command: 'npm publish' }
    const made = { type: 'tool_use', id: 't1', name: 'Bash', input }
    const result = { type: 'tool_result', content, is_error: true, tool_use_id: 't1' }
    const events = await eventsOf(
      { version, type: 'assistant', message: { role: 'assistant', content: [made] } },
      { version, type: 'user', message: { role: 'user', content: [result] } },
    )
    const outcome = events.find((event) => event.kind === 'result')
    const words = events.flatMap((event) => (event.kind === 'prompt' ? [event.text] : []))
    return { outcome, words }
  }

  it.each<[string, string, string[]]>([
    ['1.0.124', `${REJECTED} ${STOP}`, []],
    ['1.0.124', `The user doesn't want to take this action right now. ${STOP}`, []],
    ['1.0.124', `${STOPPED}\nhalf an output`, []],
    ['2.0.76', `${REJECTED} ${STOP}`, []],
    [
      '2.0.76',
      `${REJECTED} To tell you how to proceed, the user said:\nrun the tests first`,
      ['run the tests first'],
    ],
    ['2.0.76', `Exit code 137\n${STOPPED}\nhalf an output`, []],
    [
      'SDK',
      `${REJECTED} The user provided the following reason for the rejection:  not on a Friday`,
      ['not on a Friday'],
    ],
    [
      '2.1.38',
      `${REJECTED} To tell you how to proceed, the user said:\nThe user wants to clarify these questions. Ask them.`,
      [],
    ],
    [
      '2.1.330',
      `${REJECTED} To tell you how to proceed, the user said:\nno\n\nNote: The user's next message may contain a correction or preference.`,
      ['no'],
    ],
  ])('%s: %s', async (version, content, said) => {
    const { outcome, words } = await outcomeOf(version, content)
    expect(outcome).toMatchObject({ ok: false, refused: true })
    expect(outcome).not.toHaveProperty('byClient')
    expect(words).toEqual(said)
  })

  it.each([
    ['1.0.124', `not ok 1 - says "${REJECTED}"`],
    ['2.0.76', `Exit code 1\n${REJECTED} ${STOP}`],
    ['2.0.76', 'Exit code 137\nKilled'],
  ])('is no command that failed: %s: %s', async (version, content) => {
    expect((await outcomeOf(version, content)).outcome).not.toHaveProperty('refused')
  })
})
