import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { callerBy } from '../../../src/agents/caller.ts'
import { qwenCode } from '../../../src/agents/qwen-code/index.ts'
import {
  createQwenTranslator,
  type QwenCall,
  qwenNotified,
  qwenResult,
  typedFor,
} from '../../../src/agents/qwen-code/read.ts'

const home = join(import.meta.dirname, '../../fixtures/agents-home/qwen-code')
const idsOf = (refs: { id: string }[]): string[] => refs.map(({ id }) => id.slice(0, 1))

describe('finding sessions of Qwen Code', () => {
  it('takes those of this directory and below, newest first, in which somebody said something', async () => {
    const refs = await qwenCode.find({ home, env: {} }, ['/home/dev/repo'])
    // b: a command of the client alone. e: a neighbour with a like name.
    expect(idsOf(refs)).toEqual(['c', 'a', 'd'])
    expect(refs[1]).toMatchObject({
      agent: 'qwen-code',
      cwd: '/home/dev/repo',
      branch: 'main',
      title: 'Fix the sum',
      startedAt: '2026-11-21T09:00:00.000Z',
      updatedAt: '2026-11-21T09:02:00.000Z',
    })
  })

  it('looks where the environment says, and finds nothing where Qwen Code never ran', async () => {
    const found = (env: Record<string, string>) =>
      qwenCode.find({ home: '/nowhere', env }, ['/home/dev/repo']).then(idsOf)
    expect(await found({ QWEN_HOME: join(home, '.qwen') })).toHaveLength(3)
    expect(await found({ QWEN_HOME: '/nowhere', QWEN_RUNTIME_DIR: join(home, '.qwen') })).toHaveLength(3)
    expect(await found({})).toEqual([])
  })

  it('knows its caller; only later clients tell the session', () => {
    expect(callerBy(qwenCode, { QWEN_CODE: '1' })).toEqual({
      agent: 'qwen-code',
      sessionId: null,
      path: null,
    })
    expect(callerBy(qwenCode, { QWEN_CODE: '1', QWEN_CODE_SESSION_ID: 's' })?.sessionId).toBe('s')
    expect(callerBy(qwenCode, { QWEN_HOME: '/x' })).toBeNull()
  })

  it('takes no session of Claude Code for its own', async () => {
    const path = join(import.meta.dirname, '../../fixtures/agents/claude-code/compaction/session.jsonl')
    expect(await qwenCode.identify(path, readFileSync(path, 'utf8'))).toBeNull()
  })
})

describe('the result of a call', () => {
  const shell: QwenCall = { tool: 'run_shell_command', args: { command: 'x' } }
  const of = (output: string, told: object = { status: 'success' }, call = shell) =>
    qwenResult('1', call, {
      message: { parts: [{ functionResponse: { id: '1', response: { output } } }] },
      toolCallResult: { callId: '1', ...told },
    })
  const framed = (output: string, code: string, signal = '(none)') =>
    `Command: x\nDirectory: (root)\nOutput: ${output}\nError: (none)\nExit Code: ${code}\nSignal: ${signal}\nProcess Group PGID: 7`

  it('has the exit code that stands behind the output, also when a hint or a cut is around it', () => {
    expect(of(framed('Exit Code: 0', '3'))[0]).toMatchObject({ ok: false, exitCode: 3, text: 'Exit Code: 0' })
    expect(of(framed('(empty)', '0'))[0]).toMatchObject({ ok: true, exitCode: 0, text: '' })
    const cut = `Tool output was too large and has been truncated.\nTruncated part of the output:\n${framed('a', '1', '0')}\n\nNote: this foreground command ran for 70s.`
    expect(of(cut)[0]).toMatchObject({ ok: false, exitCode: 1, text: 'a' })
    expect(of(framed('(empty)', '(none)', '9'))[0]).toMatchObject({ ok: false, exitCode: null })
  })

  it('tells what ended without one', () => {
    expect(of('Command timed out after 1000ms before it could complete.')[0]).toMatchObject({ ok: false })
    expect(of('Background shell started.\nid: bg_1')[0]).toMatchObject({ unsure: true })
    expect(of('', { status: 'error', errorType: 'execution_denied' })[0]).toMatchObject({
      refused: true,
      byClient: true,
    })
  })

  it('of a subagent’s transcript has no status: an error tells', () => {
    const told = (response: object) =>
      qwenResult(
        '1',
        { tool: 'read_file', args: {} },
        { message: { parts: [{ functionResponse: { response } }] } },
      )
    expect(told({ output: 'x' })[0]).toMatchObject({ ok: true, text: '' })
    expect(told({ error: 'not there' })[0]).toMatchObject({ ok: false, text: 'not there' })
  })

  it('has an answer for each question that was answered', () => {
    const questions = [{ header: 'Order' }, { header: 'Colour' }, { header: 'Size' }]
    const said = of(
      'User has provided the following answers:\n\n**Order**: add\nthen sub\n**Size**: 3',
      { status: 'success' },
      { tool: 'ask_user_question', args: { questions } },
    )
    expect(said.slice(1)).toEqual([
      { kind: 'answer', id: '1', text: 'add\nthen sub' },
      { kind: 'answer', id: '1#3', text: '3' },
    ])
  })

  it('of a subagent in the background comes later', () => {
    const text = (status: string) =>
      `<task-notification>\n<tool-use-id>1</tool-use-id>\n<status>${status}</status>\n<result>a <b>\nc</result>\n</task-notification>`
    expect(qwenNotified(text('completed'))).toMatchObject([{ id: '1', ok: true, text: 'a <b>\nc' }])
    expect(qwenNotified(text('failed'))).toMatchObject([{ id: '1', ok: false }])
    expect(qwenNotified('anything else')).toEqual([])
  })
})

describe('words of the person', () => {
  const at = (second: number, ms = 0) => `2026-11-21T09:00:0${second}.${String(ms).padStart(3, '0')}Z`
  const said = (...records: object[]) => {
    const add = createQwenTranslator(null, new Set())
    return records
      .flatMap((record) => add({ timestamp: at(1), ...record }) ?? [])
      .map((event) => `${event.kind} ${'text' in event ? event.text : 'name' in event ? event.name : ''}`)
  }
  const user = (text: string, more: object = {}, ...others: string[]) => ({
    ...{ type: 'user', uuid: 'u', parentUuid: 'c' },
    message: { role: 'user', parts: [text, ...others].map((part) => ({ text: part })) },
    ...more,
  })
  const command = (rawCommand: string) => ({
    ...{ type: 'system', subtype: 'slash_command', uuid: 'c' },
    systemPayload: { phase: 'result', rawCommand, outputHistoryItems: [] },
  })

  it('are neither those of hooks behind them nor those of a schedule', () => {
    expect(said(user('Fix it', {}, 'An open brief is here.'))).toEqual(['prompt Fix it'])
    expect(said(user('Every day', { subtype: 'cron' }))).toEqual([])
  })

  it('are as they were shown where the client says so', () => {
    const shown = { subtype: 'mid_turn_user_message', systemPayload: { displayText: 'quick' } }
    expect(said(user('\n[User message received during tool execution]: quick', shown))).toEqual([
      'prompt quick',
    ])
  })

  it('are the command, not what the client sends for it at once', () => {
    const sent = user('expanded', { timestamp: at(1, 40) })
    expect(said(command('/greet the world'), sent)).toEqual(['skill greet', 'prompt the world'])
    expect(said(command('/handoff add it'), sent)).toEqual(['prompt /handoff add it'])
    expect(said(command('/theme'), user('Fix it', { timestamp: at(4) }))).toEqual(['prompt Fix it'])
  })
})

describe('hooks of Qwen Code', () => {
  const { hooks } = qwenCode

  it('are read as recorded', () => {
    const recorded = {
      session_id: 'da9e89d0',
      transcript_path: '/h/.qwen/projects/-r/chats/da9e89d0.jsonl',
      cwd: '/r',
      hook_event_name: 'SessionStart',
      timestamp: '2026-11-26T02:25:33.975Z',
      permission_mode: 'default',
      source: 'startup',
    }
    expect(hooks?.read(recorded)).toMatchObject({
      sessionId: 'da9e89d0',
      cwd: '/r',
      source: 'startup',
      text: null,
    })
    expect(hooks?.read({ ...recorded, source: undefined, prompt: 'Go' })).toMatchObject({ text: 'Go' })
    expect(hooks?.read('nonsense')).toMatchObject({ sessionId: null, path: null })
  })

  it('reach the model at a prompt, and the person at a stop', () => {
    expect(JSON.parse(hooks?.answer('prompt', { context: 'Read it.', notice: null }) ?? '')).toEqual({
      hookSpecificOutput: { hookEventName: 'UserPromptSubmit', additionalContext: 'Read it.' },
    })
    expect(hooks?.answer('stop', { context: 'x', notice: 'Full.' })).toBe('{"systemMessage":"Full."}\n')
    expect(hooks?.answer('session-start', { context: 'x', notice: null })).toBe('')
    expect(hooks?.isHeard?.('session-start', hooks.read({}))).toBe(false)
    expect(hooks?.isHeard?.('prompt', hooks.read({}))).toBe(true)
  })
})

describe('what init puts into Qwen Code', () => {
  const text = (name: string) =>
    readFileSync(join(import.meta.dirname, '../../../templates/agents', name), 'utf8')
  const edits =
    qwenCode.setup?.({
      root: '/r',
      home: '/h',
      env: {},
      hookCommand: (event) => `run ${event}`,
      mcp: { command: 'sh', args: ['-c', 'mcp'] },
      template: text,
    }) ?? []

  it('are hooks and the server in its settings', () => {
    const inside = edits.flatMap((edit) => (edit.type === 'file' || edit.type === 'block' ? [] : [edit]))
    expect(inside.map((edit) => edit.path)).toEqual(Array(6).fill('/r/.qwen/settings.json'))
    expect(inside[1]).toMatchObject({
      at: ['hooks', 'UserPromptSubmit'],
      value: { hooks: [{ name: 'handoff', type: 'command', command: 'run prompt', timeout: 10_000 }] },
    })
    expect(inside.at(-1)).toMatchObject({ at: ['mcpServers', 'handoff'], value: { command: 'sh' } })
  })

  it('are a command in markdown, which is read as it was typed', () => {
    const command = edits.find((edit) => edit.type === 'file')
    const content = command?.type === 'file' ? command.content : ''
    expect(command?.path).toBe('/r/.qwen/commands/handoff.md')
    const [, head = '', body = ''] =
      /^---\n(description: ".+")\n---\n\n(# Hand the work over\n[\s\S]+)$/.exec(content) ?? []
    expect(head).toContain('/handoff <what the next session must achieve>')
    expect(typedFor(body.replace('{{args}}', 'finish `sub`\n\nand add'))).toBe(
      '/handoff finish `sub`\n\nand add',
    )
    expect(typedFor('# Hand the work over\n\nsaid the chief')).toBe('# Hand the work over\n\nsaid the chief')
  })

  it('starts a successor with the prompt as it stands', () => {
    expect(qwenCode.launch?.interactive('Go "on"').args).toEqual(['-i', 'Go "on"'])
    expect(qwenCode.launch?.headless('Go on')).toEqual({ args: ['-p', ''], stdin: 'Go on' })
  })
})
