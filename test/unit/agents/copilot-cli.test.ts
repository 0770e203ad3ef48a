import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { callerBy } from '../../../src/agents/caller.ts'
import { copilotCli } from '../../../src/agents/copilot-cli/index.ts'
import { copilotAction, createCopilotTranslator } from '../../../src/agents/copilot-cli/read.ts'
import { createTodos } from '../../../src/agents/copilot-cli/todos.ts'
import type { SetupPlace } from '../../../src/types/agent.ts'

const home = join(import.meta.dirname, '../../fixtures/agents-home/copilot-cli')
const idsOf = (refs: { id: string }[]): string[] => refs.map(({ id }) => id)

describe('finding Copilot CLI sessions', () => {
  it('asks the file beside the events, which follows a session as it moves; newest first', async () => {
    const refs = await copilotCli.find({ home, env: {} }, ['/home/dev/repo'])
    expect(idsOf(refs)).toEqual(['moved-here', 'root-session'])
    expect(refs[1]).toMatchObject({
      agent: 'copilot-cli',
      cwd: '/home/dev/repo',
      branch: 'main',
      title: "The person's queue",
      startedAt: '2026-11-21T09:00:00.000Z',
      updatedAt: '2026-11-21T09:05:00.000Z',
    })
  })

  it('finds one without that file by its first record, and none that the client runs by itself', async () => {
    expect(idsOf(await copilotCli.find({ home, env: {} }, ['/home/dev/other']))).toEqual(['no-workspace'])
  })

  it('looks where COPILOT_HOME is, and finds nothing where the client never ran', async () => {
    const env = { COPILOT_HOME: join(home, '.copilot') }
    expect(idsOf(await copilotCli.find({ home: '/nowhere', env }, ['/home/dev/repo']))).toHaveLength(2)
    expect(await copilotCli.find({ home: '/nowhere', env: {} }, ['/home/dev/repo'])).toEqual([])
  })

  it('knows its caller by the session id that every command of the agent gets', () => {
    expect(callerBy(copilotCli, { COPILOT_CLI: '1', COPILOT_AGENT_SESSION_ID: 's' })).toEqual({
      agent: 'copilot-cli',
      sessionId: 's',
      path: null,
    })
    expect(callerBy(copilotCli, { COPILOT_HOME: '/x', COPILOT_MODEL: 'm' })).toBeNull()
  })
})

describe('how full a session is', () => {
  const path = (id: string) => join(home, '.copilot', 'session-state', id, 'events.jsonl')
  const fullness = (id: string) => copilotCli.fullness?.({ id, path: path(id) }, { home, env: {} })

  it('is its last request, not that of a subagent', async () => {
    expect(await fullness('root-session')).toEqual({ tokens: 61_000, window: 100_000, compactsAt: 80_000 })
  })

  it('is what a compaction left when nothing came after it', async () => {
    expect(await fullness('moved-here')).toEqual({ tokens: 9000, window: 100_000, compactsAt: 80_000 })
  })

  it('is not known before the first request', async () => {
    expect(await fullness('no-workspace')).toBeNull()
    expect(await fullness('never-written')).toBeNull()
  })
})

describe('a record', () => {
  const at = '2026-11-21T10:00:00.000Z'
  const record = (type: string, data: object, agentId?: string) => ({
    type,
    data,
    id: 'r1',
    timestamp: at,
    ...(agentId ? { agentId } : {}),
  })
  const ask = (name: string, given: unknown, id = 'c') =>
    record('assistant.message', { content: '', toolRequests: [{ toolCallId: id, name, arguments: given }] })
  const end = (data: object, id = 'c') =>
    record('tool.execution_complete', { toolCallId: id, success: true, ...data })

  it('of a prompt holds the words as they were typed; nobody typed what agents, skills and the autopilot send', () => {
    const { add } = createCopilotTranslator()
    const said = (data: object) => add(record('user.message', data))?.map(({ kind }) => kind)
    expect(said({ content: 'Fix it', transformedContent: '<current_datetime>…' })).toEqual(['prompt'])
    expect(said({ content: 'Find it', source: 'agent-1' })).toEqual([])
    expect(said({ content: 'the text of a skill', source: 'skill-pdf' })).toEqual([])
    expect(said({ content: 'Continue', isAutopilotContinuation: true })).toEqual([])
  })

  it('of a called skill leaves the words behind its name; our own stays as it was typed, expanded or not', () => {
    const { add } = createCopilotTranslator()
    const sent = (name: string) => `…\n\n<skill-context name="${name}">\nBase directory…`
    const typed = (content: string, name: string) =>
      add(record('user.message', { content, transformedContent: sent(name) }))
    expect(typed('/edges look at sum', 'edges')).toMatchObject([{ kind: 'prompt', text: 'look at sum' }])
    expect(typed('/home/dev is full', 'edges')).toMatchObject([{ text: '/home/dev is full' }])
    const own = { kind: 'prompt', text: '/handoff port the queue' }
    expect(typed(own.text, 'handoff')).toMatchObject([own])
    expect(add(record('user.message', { content: own.text }))).toMatchObject([own])
    expect(add(record('skill.invoked', { name: 'handoff' }))).toEqual([])
    expect(add(record('skill.invoked', { name: 'edges' }))).toMatchObject([{ kind: 'skill', name: 'edges' }])
  })

  it("of the person's own command has its output and status", () => {
    const { add } = createCopilotTranslator()
    const given = { toolCallId: 'u', toolName: 'local_shell', arguments: { command: 'make; false' } }
    expect(add(record('tool.user_requested', given))).toMatchObject([
      { kind: 'call', id: 'u', tool: '!', by: 'user', action: { type: 'run', command: 'make; false' } },
    ])
    const failed = { success: false, shellExecution: { exitCode: 2 }, error: { message: 'no rule' } }
    expect(add(end(failed, 'u'))).toMatchObject([{ ok: false, exitCode: 2, text: 'no rule' }])
  })

  it('of a command that goes on has no end until the agent or the client looks after it', () => {
    const { add, end: finish } = createCopilotTranslator()
    for (const [id, shell] of [
      ['c', 'a'],
      ['d', 'b'],
    ] as const) {
      add(ask('bash', { command: `sleep ${shell}`, mode: 'async' }, id))
      const started = `<command started in background with shellId: ${shell}>`
      expect(add(end({ result: { content: started } }, id))).toEqual([])
    }
    expect(add(ask('read_bash', { shellId: 'a' }, 'p'))).toEqual([])
    const poll = { result: { content: 'half\n<shellId: a completed with exit code 3>' } }
    expect(add(end(poll, 'p'))).toMatchObject([
      { kind: 'result', id: 'c', ok: false, exitCode: 3, text: 'half' },
    ])
    expect(finish()).toMatchObject([{ kind: 'result', id: 'd', unsure: true }])
  })

  it('of a call that only its start tells is told once', () => {
    const { add } = createCopilotTranslator()
    const start = record('tool.execution_start', {
      toolCallId: 'c',
      toolName: 'view',
      arguments: { path: 'a.ts' },
    })
    expect(add(start)).toMatchObject([{ kind: 'call', action: { type: 'read', paths: ['a.ts'] } }])
    expect(add(start)).toEqual([])
  })

  it('of a call is told again when its id comes back in a later reply, and an error of a subagent is not the session’s', () => {
    const { add } = createCopilotTranslator()
    expect(add(ask('view', { path: 'a.ts' }))).toHaveLength(1)
    add(end({ result: { content: '' } }))
    expect(add(ask('view', { path: 'b.ts' }))).toMatchObject([{ action: { paths: ['b.ts'] } }])
    expect(add(record('session.error', { message: '429' }, 'sub'))).toEqual([])
    expect(add(record('session.error', { message: '429' }))).toMatchObject([{ kind: 'failure', text: '429' }])
  })

  it('of a receipt counts once, and of a plan that was not accepted says so with the words', () => {
    const { add, end: finish } = createCopilotTranslator()
    const usage = { inputTokens: 5, outputTokens: 1, accounting: { sourceSessionId: 's', sequence: 1 } }
    expect(add(record('session.usage_record', { usage }))).toHaveLength(1)
    expect(add(record('session.usage_record', { usage }))).toEqual([])
    add(ask('exit_plan_mode', { summary: 'Port it' }))
    const response = { responseKind: 'exit_plan_mode', approved: false, feedback: 'Keep the old one' }
    expect(add(record('human_response.recorded', { toolCallId: 'c', response }))).toMatchObject([
      { kind: 'proposal', text: 'Port it', accepted: false },
      { kind: 'prompt', text: 'Keep the old one' },
    ])
    add(ask('exit_plan_mode', { summary: 'Drop it' }, 'd'))
    expect(finish()).toMatchObject([{ kind: 'proposal', text: 'Drop it', accepted: null }])
  })

  it('counts a receipt whose words are none, nested by the thousand', () => {
    const deep = JSON.parse(`${'['.repeat(20_000)}${']'.repeat(20_000)}`) as unknown
    const { add } = createCopilotTranslator()
    for (const accounting of [
      { sourceSessionId: deep, sequence: 1 },
      { sourceSessionId: 's', sequence: deep },
    ])
      expect(
        add(record('session.usage_record', { usage: { accounting, inputTokens: 5, outputTokens: 1 } })),
      ).toMatchObject([{ kind: 'usage', inputTokens: 5 }])
  })

  it('of an answer is read from the words of the result where nothing else holds it', () => {
    const { add } = createCopilotTranslator()
    add(ask('ask_user', { question: 'Which?', choices: ['A', 'B'] }))
    expect(add(end({ result: { content: 'User responded: B' } }))?.[1]).toMatchObject({
      kind: 'answer',
      text: 'B',
    })
  })

  it('of a move changes the directory for what follows', () => {
    const { add } = createCopilotTranslator()
    add(record('session.start', { sessionId: 's', context: { cwd: '/a', branch: 'x' } }))
    add(record('session.context_changed', { cwd: '/b', branch: 'y' }))
    expect(add(record('assistant.message', { content: 'Moved.' }))).toMatchObject([{ cwd: '/b' }])
  })

  it('of an unknown kind is said to be unknown', () => {
    expect(createCopilotTranslator().add(record('fax.received', {}))).toBeNull()
  })
})

describe('what a tool attempts', () => {
  it('is told by its own names of things', () => {
    expect(copilotAction('rg', { pattern: 'x', paths: ['a', 'b'] })).toEqual({
      type: 'search',
      pattern: 'x',
      paths: ['a', 'b'],
    })
    expect(copilotAction('create', { path: '/r/a', file_text: '' })).toEqual({
      type: 'edit',
      files: [{ path: '/r/a', change: 'create' }],
    })
    expect(copilotAction('handoff-handoff_note', { note: 'x' })).toEqual({ type: 'other', paths: [] })
  })
})

describe('a plan that is kept as rows of a table', () => {
  const seeded = () => {
    const apply = createTodos()
    apply("INSERT INTO todos (id, title) VALUES ('a', 'It''s (one)'), ('b', 'Two; too')", '')
    return apply
  }

  it('is built, changed and shortened by the statements of the agent', () => {
    const apply = createTodos()
    expect(apply("INSERT OR REPLACE INTO todos (id, title, status) VALUES ('a', 'One', 'done')", '')).toEqual(
      [{ text: 'One', status: 'done', id: 'a' }],
    )
    const two = seeded()
    expect(
      two("UPDATE todos SET status = 'in_progress', updated_at = now() WHERE id IN ('a', 'b')", ''),
    ).toEqual([
      { text: "It's (one)", status: 'in_progress', id: 'a' },
      { text: 'Two; too', status: 'in_progress', id: 'b' },
    ])
    expect(
      two("UPDATE todos SET status='done' WHERE status='in_progress'; DELETE FROM todos WHERE id='a'", ''),
    ).toEqual([{ text: 'Two; too', status: 'done', id: 'b' }])
    expect(two('DELETE FROM todos', '')).toEqual([])
  })

  it('knows what waits for what, and does not repeat itself', () => {
    const apply = seeded()
    const blocked = apply("INSERT INTO todo_deps (todo_id, depends_on) VALUES ('b', 'a')", '')
    expect(blocked?.[1]).toEqual({ text: 'Two; too', status: 'pending', blockedBy: ['a'], id: 'b' })
    expect(
      apply("SELECT count(*) FROM todos WHERE status = 'done'", '| count(*) |\n| --- |\n| 0 |'),
    ).toBeNull()
    expect(apply("INSERT INTO notes (id) VALUES ('x')", '')).toBeNull()
  })

  it('is put right by a listing', () => {
    const listed = '1 row(s) returned:\n\n| id | title | status |\n| --- | --- | --- |\n| b | Two | blocked |'
    expect(seeded()('SELECT id, title, status FROM todos', listed)?.[1]).toEqual({
      text: 'Two',
      status: 'pending',
      id: 'b',
    })
  })
})

describe('hooks of Copilot CLI', () => {
  it('read what each event says', () => {
    expect(
      copilotCli.hooks?.read({
        sessionId: 's',
        timestamp: 1_795_306_475_805,
        cwd: '/r',
        transcriptPath: '/h/.copilot/session-state/s/events.jsonl',
        stopReason: 'end_turn',
        stop_hook_active: false,
      }),
    ).toEqual({
      sessionId: 's',
      path: '/h/.copilot/session-state/s/events.jsonl',
      cwd: '/r',
      source: 'end_turn',
      text: null,
      fullness: null,
    })
    expect(
      copilotCli.hooks?.read({ sessionId: 's', cwd: '/r', source: 'new', initialPrompt: 'Go' }),
    ).toMatchObject({
      path: null,
      source: 'new',
      text: 'Go',
    })
    expect(copilotCli.hooks?.read('nonsense')).toMatchObject({ sessionId: null, cwd: null })
  })

  it('answer where an answer is heard, with text for the model only', () => {
    const answer = copilotCli.hooks?.answer
    expect(answer?.('session-start', { context: 'Read it.', notice: null })).toBe(
      '{"additionalContext":"Read it."}\n',
    )
    expect(answer?.('prompt', { context: null, notice: 'Full.' })).toMatch(
      /^\{"additionalContext":".*Full\."\}\n$/,
    )
    expect(answer?.('stop', { context: 'x', notice: 'y' })).toBe('')
    expect(answer?.('prompt', { context: null, notice: null })).toBe('')
    expect(copilotCli.hooks?.isHeard?.('stop', copilotCli.hooks.read({}))).toBe(false)
  })
})

describe('set-up of Copilot CLI', () => {
  const place: SetupPlace = {
    root: '/r',
    home: '/h',
    env: {},
    hookCommand: (event) => `run ${event}`,
    mcp: { command: 'sh', args: ['-c', 'serve'] },
    template: (name) => `text of ${name}`,
  }

  it('stays in .github, in files of its own', () => {
    const edits = copilotCli.setup?.(place) ?? []
    expect(edits.map(({ path }) => path)).toEqual([
      '/r/.github/hooks/handoff.json',
      '/r/.github/skills/handoff/SKILL.md',
      '/r/.github/mcp.json',
    ])
    const [hooks] = edits
    const content = hooks?.type === 'file' ? JSON.parse(hooks.content) : null
    expect(content.version).toBe(1)
    expect(Object.keys(content.hooks)).toEqual([
      'sessionStart',
      'userPromptSubmitted',
      'agentStop',
      'preCompact',
      'sessionEnd',
    ])
    expect(content.hooks.agentStop).toEqual([
      { type: 'command', bash: 'run stop', powershell: 'run stop', timeoutSec: 10 },
    ])
  })

  it('starts a successor with the prompt as it stands', () => {
    expect(copilotCli.launch?.interactive('Go "on"').args).toEqual(['-i', 'Go "on"'])
    expect(copilotCli.launch?.headless('Go on')).toEqual({ args: ['-p', 'Go on'] })
  })
})
