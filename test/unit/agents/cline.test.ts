import { cpSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { callerBy } from '../../../src/agents/caller.ts'
import { cline, clineAttempt, clineCall, clineResult } from '../../../src/agents/cline.ts'

const home = join(import.meta.dirname, '../../fixtures/agents-home/cline')
const fixtures = join(import.meta.dirname, '../../fixtures/agents')
const idsOf = (refs: { id: string }[]): string[] => refs.map(({ id }) => id.slice(0, 1))
const identify = (path: string) => cline.identify(path, readFileSync(path, 'utf8'))

describe('finding sessions of Cline', () => {
  it('takes those of this directory and below, newest first, in which somebody said something', async () => {
    const refs = await cline.find({ home, env: {} }, ['/home/dev/repo'])
    // b: no message. d: a torn manifest. e: a neighbour with a like name. f: an empty file.
    expect(idsOf(refs)).toEqual(['c', 'a'])
    expect(refs[1]).toMatchObject({
      agent: 'cline',
      cwd: '/home/dev/repo',
      branch: 'main',
      title: 'Fix the sum',
      startedAt: '2026-11-23T11:00:00.000Z',
      updatedAt: '2026-11-23T11:10:00.000Z',
    })
  })

  it('looks where the environment says, and finds nothing where Cline never ran', async () => {
    const found = (env: Record<string, string>) =>
      cline.find({ home: '/nowhere', env }, ['/home/dev/repo']).then(idsOf)
    const dir = join(home, '.cline')
    expect(await found({ CLINE_DIR: dir })).toHaveLength(2)
    expect(await found({ CLINE_DIR: '/x', CLINE_DATA_DIR: join(dir, 'data') })).toHaveLength(2)
    const sessions = join(dir, 'data', 'sessions')
    expect(await found({ CLINE_DATA_DIR: '/x', CLINE_SESSION_DATA_DIR: sessions })).toHaveLength(2)
    expect(await found({})).toEqual([])
  })

  it('knows its caller, in a terminal and in an editor', () => {
    const caller = { agent: 'cline', sessionId: null, path: null }
    expect(callerBy(cline, { CLINE_CONNECTOR_CLI_LAUNCH: '{}' })).toEqual(caller)
    expect(callerBy(cline, { CLINE_ACTIVE: 'true' })).toEqual(caller)
    expect(callerBy(cline, { CLINE_DIR: '/x' })).toBeNull()
  })

  it('takes each file of a session for it, and no file of another product', async () => {
    const folder = join(fixtures, 'cline', 'plan-asked-refused-subagent-compaction-3.0')
    for (const name of ['session.json', 'session.messages.json', 'session.compaction.json'])
      expect((await identify(join(folder, name)))?.path).toBe(join(folder, 'session.messages.json'))
    const other = join(mkdtempSync(join(tmpdir(), 'cline-')), 'a.messages.json')
    for (const text of ['', '{"version":1,"messages":[{"role":"user"}]}', '[{"role":"user","content":[]}]']) {
      writeFileSync(other, text)
      expect(await identify(other)).toBeNull()
    }
    expect(await identify(join(fixtures, 'claude-code', 'compaction', 'session.jsonl'))).toBeNull()
  })

  it('is no session where the file names none', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'cline-'))
    const path = join(folder, 'a.messages.json')
    writeFileSync(
      path,
      '{"version": 1, "agent": "lead", "updated_at": "2026-11-26T00:00:00Z", "messages": [{"id": "m"}]}',
    )
    expect(await identify(path)).toBeNull()
  })

  it('refuses to read a file that holds no message, and reads on where a file beside it is damaged', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'cline-'))
    cpSync(join(fixtures, 'cline', 'plan-asked-refused-subagent-compaction-3.0'), folder, { recursive: true })
    const path = join(folder, 'session.messages.json')
    const ref = await identify(path)
    for (const name of ['session.compaction.json', 'agent_1.messages.json'])
      writeFileSync(join(folder, name), '{"ver')
    const kinds: string[] = []
    if (ref) for await (const batch of cline.read(ref, {})) kinds.push(...batch.map(({ kind }) => kind))
    expect(kinds.filter((kind) => kind === 'prompt')).toHaveLength(3)
    expect(kinds).not.toContain('compaction')
    writeFileSync(path, '{\n  "version": 1,\n  "messages": [\n    {\n      "id"')
    const read = async () => {
      if (ref) for await (const _ of cline.read(ref, {}));
    }
    await expect(read()).rejects.toMatchObject({ code: 'E_SESSION_UNREADABLE' })
  })
})

describe('a call', () => {
  it.each([
    ['npm test', ['npm test']],
    [{ commands: 'npm test' }, ['npm test']],
    [{ cmd: 'npm test' }, ['npm test']],
    [{ command: 'npm', args: ['test'] }, ['npm test']],
    [{ commands: ['a', { command: 'npm', args: ['test'] }] }, ['a', 'npm test']],
    [{}, ['']],
  ])('runs the commands of %j', (input, commands) => {
    expect(clineCall('run_commands', input).commands).toEqual(commands)
  })

  it.each([
    ['/r/a.js'],
    [['/r/a.js']],
    [{ files: '/r/a.js' }],
    [{ files: [{ path: '/r/a.js', start_line: 1 }] }],
    [{ paths: { path: '/r/a.js' } }],
    [[{ file_path: '/r/a.js' }]],
  ])('reads the files of %j', (input) => {
    const [call] = clineAttempt('1', clineCall('read_files', input))
    expect(call).toMatchObject({ action: { type: 'read', paths: ['/r/a.js'] } })
  })
})

describe('the result of a call', () => {
  const of = (tool: string, content: unknown, isError = false) =>
    clineResult('1', clineCall(tool, { commands: ['x', 'y'], path: '/r/a' }), { content, is_error: isError })
  const refusal = (error: string, tool = 'editor') => of(tool, JSON.stringify({ error }), true)[0]

  it('of several commands is one for each', () => {
    const told = of('run_commands', [
      {
        query: 'x',
        result: '[Command exited with code 3]\nno',
        error: 'Command exited with code 3',
        success: false,
      },
      { query: 'y', result: 'yes', success: true },
    ])
    expect(told).toMatchObject([
      { id: '1', ok: false, exitCode: 3, text: 'no' },
      { id: '1#2', ok: true, exitCode: 0, text: 'yes' },
    ])
    const denied = of('run_commands', '{"error":"Tool \\"run_commands\\" was denied by user"}', true)
    expect(denied).toMatchObject([{ refused: true }, { id: '1#2', refused: true }])
  })

  it('tells what ended without an exit code', () => {
    const shell = (part: object) => of('run_commands', [part])[0]
    expect(shell({ result: '', error: 'Command timed out after 30000ms', success: false })).toMatchObject({
      ok: false,
      exitCode: null,
    })
    expect(shell({ result: '', error: 'Command failed: Command was aborted', success: false })).toMatchObject(
      {
        refused: true,
      },
    )
    const unseen = '[Command completion could not be observed; it may still be running.]\nx'
    expect(shell({ result: unseen, error: 'Command exited with code 1', success: false })).toMatchObject({
      unsure: true,
    })
  })

  it('is a refusal of the person or of the client, with the words of the person', () => {
    const said =
      'User denied the tool execution The user provided the following feedback:\n<feedback>\nNot so.\n</feedback>'
    expect(refusal(said)).toMatchObject({ refused: true, reason: 'Not so.', text: '' })
    expect(refusal('Denied by Slack user')).toMatchObject({ refused: true })
    expect(refusal('Tool "editor" is disabled by policy')).toMatchObject({ refused: true, byClient: true })
    expect(refusal('Unknown tool: editor')).not.toHaveProperty('refused')
    expect(of('ask_question', '[User dismissed the question]')).toMatchObject([{ refused: true }])
  })

  it('fails where the tool says so', () => {
    const failed = { query: 'edit:/r/a', result: '', error: 'Editor operation failed: x', success: false }
    expect(of('editor', JSON.stringify(failed))[0]).toMatchObject({
      ok: false,
      text: 'Editor operation failed: x',
    })
  })
})
