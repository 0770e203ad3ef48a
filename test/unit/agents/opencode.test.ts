import { describe, expect, it } from 'vitest'
import { callerBy } from '../../../src/agents/caller.ts'
import { openCodeEvents } from '../../../src/agents/opencode/events.ts'
import { opencode } from '../../../src/agents/opencode/index.ts'

const info = { id: 'ses_1', directory: '/r', version: '1.18.33', time: { created: 1795305516102 } }
const user = (id: string, ...parts: object[]) => ({ info: { id, sessionID: 'ses_1', role: 'user' }, parts })
const assistant = (fields: object, ...parts: object[]) => ({
  info: { id: 'a', sessionID: 'ses_1', role: 'assistant', path: { cwd: '/r' }, ...fields },
  parts,
})
const tool = (name: string, state: object) => ({
  type: 'tool',
  tool: name,
  callID: `c-${name}`,
  state: { status: 'completed', ...state },
})
const eventsOf = (messages: object[], more: object = {}) =>
  [...openCodeEvents({ info: { ...info, ...more }, messages }, {})].flat().slice(1)
const text = (value: string, flags: object = {}) => ({ type: 'text', text: value, ...flags })

describe('the words of the person', () => {
  const promptsOf = (value: string) =>
    eventsOf([user('u', text(value))]).map((event) => (event.kind === 'prompt' ? event.text : event.kind))

  it('lose the quotes that `opencode run` stores, and no others', () => {
    expect(promptsOf('"Fix the failing test"')).toEqual(['Fix the failing test'])
    expect(promptsOf('"Say \\"hi\\" twice"')).toEqual(['Say "hi" twice'])
    for (const said of ['"word"', 'Say "hi there"', '"a b" and "c d"'])
      expect(promptsOf(said)).toEqual([said])
  })

  it('are the goal alone where our command put its text before it', () => {
    const command = '# Hand the work over\n\nChange nothing else.\n\nThe goal: make sub pass'
    expect(promptsOf(command)).toEqual(['/handoff make sub pass'])
  })

  it('are neither synthetic nor ignored parts, and an attached file is a read', () => {
    const file = { type: 'file', id: 'p', mime: 'text/plain', url: 'file:///r/a%20b.ts' }
    const events = eventsOf([
      user('u', text('Called the Read tool', { synthetic: true }), text('pruned', { ignored: true }), file),
    ])
    expect(events).toMatchObject([
      { kind: 'call', tool: '@', action: { type: 'read', paths: ['/r/a b.ts'] }, by: 'user' },
      { kind: 'result', ok: true },
    ])
  })

  it('include the commands they ran with `!`', () => {
    const shell = tool('bash', { input: { command: 'ls' }, output: 'x', metadata: {} })
    for (const parent of [{ parentID: 'u' }, {}]) {
      const row = user('u', text('The following tool was executed by the user', { synthetic: true }))
      expect(eventsOf([row, assistant(parent, shell)])[0]).toMatchObject({ kind: 'call', by: 'user' })
    }
  })
})

describe('tool parts', () => {
  const resultOf = (part: object) => eventsOf([assistant({}, part)]).find(({ kind }) => kind === 'result')

  it('of a shell fail by exit code, time-out and interruption although they are completed', () => {
    const bash = (output: string, exit: number | null) =>
      tool('bash', { input: {}, output, metadata: { exit } })
    expect(resultOf(bash('no', 2))).toMatchObject({ ok: false, exitCode: 2 })
    expect(resultOf(bash('yes', 0))).toMatchObject({ ok: true, exitCode: 0 })
    const note = (words: string) => `x\n\n<shell_metadata>\n${words}\n</shell_metadata>`
    const late = 'shell tool terminated command after exceeding timeout 5 ms.'
    expect(resultOf(bash(note(late), null))).toMatchObject({ ok: false, exitCode: null })
    expect(resultOf(bash(note('User aborted the command'), null))).toMatchObject({ ok: false, refused: true })
  })

  it('that the person refused did not happen; other errors are failures', () => {
    const refused = 'Error: The user rejected permission to use this specific tool call.'
    expect(resultOf(tool('edit', { status: 'error', error: refused }))).toMatchObject({
      ok: false,
      refused: true,
    })
    expect(resultOf(tool('edit', { status: 'error', error: 'oldString not found' }))).not.toHaveProperty(
      'refused',
    )
  })

  it("that a rule forbade did not happen, and words given with a refusal are the person's", () => {
    const rule = 'The user has specified a rule which prevents you from using this specific tool call. Here'
    expect(resultOf(tool('bash', { status: 'error', error: rule }))).toMatchObject({ refused: true })
    const words =
      'The user rejected permission to use this specific tool call with the following feedback: use pnpm\nplease'
    const events = eventsOf([assistant({}, tool('bash', { status: 'error', error: words }))])
    expect(events.slice(1)).toMatchObject([
      { kind: 'result', refused: true },
      { kind: 'prompt', text: 'use pnpm\nplease' },
    ])
  })

  it('still running have a call and no result', () => {
    const events = eventsOf([
      assistant({}, tool('bash', { status: 'running', input: { command: 'sleep 9' } })),
    ])
    expect(events.map(({ kind }) => kind)).toEqual(['call'])
  })

  it('that write files tell new ones from old ones, also in patches', () => {
    const actionOf = (part: object) =>
      eventsOf([assistant({}, part)]).flatMap((event) => (event.kind === 'call' ? [event.action] : []))[0]
    const write = (exists: boolean) => tool('write', { input: { filePath: 'a.ts' }, metadata: { exists } })
    expect(actionOf(write(false))).toEqual({ type: 'edit', files: [{ path: 'a.ts', change: 'create' }] })
    expect(actionOf(write(true))).toEqual({ type: 'edit', files: [{ path: 'a.ts', change: 'update' }] })
    const patchText = [
      '*** Begin Patch',
      '*** Add File: n.ts',
      '+x',
      '*** Update File: o.ts',
      '*** Move to: p.ts',
      '*** Delete File: d.ts',
      '*** End Patch',
    ].join('\n')
    expect(actionOf(tool('apply_patch', { input: { patchText } }))).toEqual({
      type: 'edit',
      files: [
        { path: 'n.ts', change: 'create' },
        { path: 'p.ts', change: 'rename', from: 'o.ts' },
        { path: 'd.ts', change: 'delete' },
      ],
    })
  })

  it('keep plan, question and skill', () => {
    const todos = [
      { content: 'Port', status: 'completed' },
      { content: 'Test', status: 'in_progress' },
    ]
    const questions = [{ question: 'Which?', options: [{ label: 'A' }, { label: 'B' }] }]
    const events = eventsOf([
      assistant(
        {},
        tool('todowrite', { input: { todos }, metadata: { todos } }),
        tool('question', { input: { questions }, metadata: { answers: [['A', 'B']] } }),
        tool('skill', { input: { name: 'design' } }),
        tool('skill', { input: { name: 'handoff' } }),
      ),
    ])
    expect(events.filter(({ kind }) => kind !== 'call' && kind !== 'result')).toMatchObject([
      {
        kind: 'plan',
        items: [
          { text: 'Port', status: 'done' },
          { text: 'Test', status: 'in_progress' },
        ],
      },
      { kind: 'question', id: 'c-question:0', text: 'Which?', options: ['A', 'B'] },
      { kind: 'answer', id: 'c-question:0', text: 'A, B' },
      { kind: 'skill', name: 'design' },
    ])
  })

  it('run where the call says', () => {
    const [call] = eventsOf([
      assistant({}, tool('bash', { input: { command: 'ls', workdir: 'packages/ui' } })),
    ])
    expect(call).toMatchObject({ cwd: '/r/packages/ui' })
  })
})

describe('a patch part', () => {
  const edit = tool('edit', {
    input: { filePath: 'a.ts', oldString: 'x' },
    metadata: { filediff: { file: '/r/a.ts' } },
  })
  const patch = { type: 'patch', id: 'p', files: ['/r/a.ts', '/r/gen.ts'] }

  it('gives what no edit names to the command of the step', () => {
    const run = tool('bash', { input: { command: 'gen' }, metadata: { exit: 0 } })
    const results = eventsOf([assistant({}, edit, run, patch)]).filter(({ kind }) => kind === 'result')
    expect(results).toMatchObject([
      { id: 'c-edit', files: [{ path: '/r/a.ts' }] },
      { id: 'c-bash', files: [{ path: '/r/gen.ts', change: 'update' }] },
    ])
  })

  it('stands for itself without a command, and for nothing when the edits say it all', () => {
    expect(eventsOf([assistant({}, edit, patch)]).slice(2)).toMatchObject([
      { kind: 'call', tool: 'patch', action: { files: [{ path: '/r/gen.ts' }] } },
      { kind: 'result', ok: true },
    ])
    expect(eventsOf([assistant({}, edit, { ...patch, files: ['/r/a.ts'] })])).toHaveLength(2)
  })
})

describe('a session', () => {
  it('ends where the person undid it', () => {
    const messages = [user('u1', text('keep')), user('u2', text('undone')), assistant({}, text('undone too'))]
    const prompts = (revert: object) =>
      eventsOf(messages, { revert }).map((event) => 'text' in event && event.text)
    expect(prompts({ messageID: 'u2' })).toEqual(['keep'])
    expect(prompts({ messageID: 'nowhere' })).toEqual(['keep', 'undone', 'undone too'])
  })

  it('marks the messages of a child session', () => {
    const child = assistant({ sessionID: 'ses_2' }, text('from below'))
    expect(eventsOf([user('u', text('go')), child])[1]).toMatchObject({ kind: 'reply', sub: 'ses_2' })
  })

  it('counts usage once a message, skips zeros, and tells failures from an Escape', () => {
    const tokens = { total: 133, input: 100, output: 5, reasoning: 8, cache: { read: 20, write: 0 } }
    expect(eventsOf([assistant({ tokens }, { type: 'step-finish', tokens })])).toMatchObject([
      { kind: 'usage', inputTokens: 120, outputTokens: 13, contextTokens: 133 },
    ])
    const failed = {
      tokens: { input: 0, output: 0 },
      error: { name: 'UnknownError', data: { message: '503' } },
    }
    expect(eventsOf([assistant(failed)])).toMatchObject([{ kind: 'failure', text: '503' }])
    expect(eventsOf([assistant({ error: { name: 'MessageAbortedError' } })])).toMatchObject([
      { kind: 'interrupt' },
    ])
  })

  it('waits with what a subagent was answered, and all behind it, until the subagent has spoken', () => {
    const task = tool('task', { input: { prompt: 'look' }, output: 'found it' })
    const messages = [
      assistant({ sessionID: 'ses_1' }, text('I ask.'), task, text('after')),
      { ...user('u2', text('look')), info: { role: 'user', id: 'u2', sessionID: 'ses_2' } },
      assistant({ sessionID: 'ses_2' }, text('from below')),
      assistant({ sessionID: 'ses_1' }, text('done')),
    ]
    expect(eventsOf(messages).map((event) => ('text' in event ? event.text : event.kind))).toEqual([
      'I ask.',
      'call',
      'from below',
      'found it',
      'after',
      'done',
    ])
    expect(eventsOf(messages.slice(0, 1)).map(({ kind }) => kind)).toEqual([
      'reply',
      'call',
      'result',
      'reply',
    ])
  })

  it('names its caller only where our plugin told the session', () => {
    expect(callerBy(opencode, { OPENCODE: '1' })).toEqual({ agent: 'opencode', sessionId: null, path: null })
    expect(callerBy(opencode, { OPENCODE: '1', HANDOFF_OPENCODE_SESSION: 'ses_1' })?.sessionId).toBe('ses_1')
    // Left over in a shell that OpenCode did not start.
    expect(callerBy(opencode, { HANDOFF_OPENCODE_SESSION: 'ses_1' })).toBeNull()
    expect(callerBy(opencode, {})).toBeNull()
  })
})
