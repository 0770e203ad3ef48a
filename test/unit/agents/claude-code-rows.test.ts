import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { claudeCode } from '../../../src/agents/claude-code/index.ts'
import { rowOf } from '../../../src/agents/claude-code/rows.ts'
import type { SessionEvent } from '../../../src/types/session.ts'

const command = (name: string, args: string) =>
  `<command-message>${name}</command-message>\n<command-name>/${name}</command-name>\n<command-args>${args}</command-args>`
const NOTICE = '{"task_id":"b1","tool_use_id":"t1","description":"Run all tests","task_type":"shell"}'

describe('a row in the name of the person', () => {
  it.each<[string, string]>([
    [NOTICE, 'injected'],
    ['<ci-monitor-event>\nmain is red\n</ci-monitor-event>', 'injected'],
    ['<local-command-stdout>ok</local-command-stdout>', 'injected'],
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
