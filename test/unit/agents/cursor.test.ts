import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { callerBy } from '../../../src/agents/caller.ts'
import {
  createCursorTranslator,
  cursor,
  promptTime,
  promptWords,
  readCursorRef,
} from '../../../src/agents/cursor.ts'
import { identifyFile } from '../../../src/agents/find.ts'

const home = join(import.meta.dirname, '../../fixtures/agents-home/cursor')
const fixtures = join(import.meta.dirname, '../../fixtures/agents')
const roots = ['/home/dev/repo']
const idsOf = (refs: { id: string }[]): string[] => refs.map(({ id }) => id.slice(0, 1)).sort()

describe('finding sessions of Cursor', () => {
  it('takes those of workspaces here, in a folder of their own or not', async () => {
    const refs = await cursor.find({ home, env: {} }, roots)
    // c: its commands ran in a directory with the same name. d: empty. e: another product. g: a neighbour, by its log.
    // i: a workspace that nothing names. torn: half a line.
    expect(idsOf(refs)).toEqual(['a', 'b', 'f', 'h'])
    expect(new Map(refs.map(({ id, cwd }) => [id.slice(0, 1), cwd]))).toEqual(
      new Map([
        ['a', '/home/dev/repo'],
        ['b', '/home/dev/repo'],
        ['f', '/home/dev/repo/app'],
        ['h', '/home/dev/repo/lib'],
      ]),
    )
    expect(idsOf(await cursor.find({ home, env: {} }, ['/home/dev/repo-two']))).toEqual(['g'])
  })

  it('looks where the environment says, and finds nothing where Cursor never ran', async () => {
    const found = (env: Record<string, string>) => cursor.find({ home: '/nowhere', env }, roots).then(idsOf)
    expect(await found({ CURSOR_DATA_DIR: join(home, '.cursor') })).toHaveLength(4)
    expect(await found({})).toEqual([])
  })

  it('finds a project whose name was cut off', async () => {
    const root = `/home/dev/${'long/'.repeat(20)}repo`
    const folder = mkdtempSync(join(tmpdir(), 'cursor-'))
    const name = `${root.slice(1).replaceAll('/', '-').slice(0, 84)}-1a2b3c4`
    const transcripts = join(folder, 'projects', name, 'agent-transcripts')
    mkdirSync(transcripts, { recursive: true })
    writeFileSync(join(folder, 'projects', name, 'worker.log'), `[info] workspacePath=${root}\n`)
    writeFileSync(join(transcripts, 'x.jsonl'), '{"role":"user","message":{"content":"Fix"}}\n')
    expect(idsOf(await cursor.find({ home: '/x', env: { CURSOR_DATA_DIR: folder } }, [root]))).toEqual(['x'])
  })

  it.each(['c', 'C'])('finds a project of Windows with the drive %s (A-14)', async (drive) => {
    const folder = mkdtempSync(join(tmpdir(), 'cursor-'))
    const project = join(folder, 'projects', `${drive}-Users-me-repo`)
    mkdirSync(join(project, 'agent-transcripts'), { recursive: true })
    writeFileSync(join(project, 'worker.log'), `[info] workspacePath=${drive}:/Users/me/repo\n`)
    writeFileSync(
      join(project, 'agent-transcripts', 'x.jsonl'),
      '{"role":"user","message":{"content":"Fix"}}\n',
    )
    const env = { CURSOR_DATA_DIR: folder }
    expect(idsOf(await cursor.find({ home: '/x', env }, ['C:/Users/me/repo']))).toEqual(['x'])
  })

  it('takes no file of another product for its own', async () => {
    for (const other of [
      'claude-code/compaction',
      'plain/jsonl',
      'copilot-vscode/documented-history-written-again-0.42',
    ])
      expect(readCursorRef(join(fixtures, other, 'session.jsonl'))).toBeNull()
    const folder = join(home, '.cursor/projects/home-dev-repo/agent-transcripts')
    for (const name of ['d-empty/d-empty.jsonl', 'torn/torn.jsonl'])
      await expect(identifyFile(join(folder, name))).rejects.toMatchObject({ code: 'E_SESSION_FORMAT' })
    expect((await identifyFile(join(folder, 'b-flat.jsonl'))).ref.agent).toBe('cursor')
  })

  it('knows its caller and the session', () => {
    expect(callerBy(cursor, { CURSOR_AGENT: '1', CURSOR_CONVERSATION_ID: 'x' })).toMatchObject({
      sessionId: 'x',
    })
    expect(callerBy(cursor, { CURSOR_TRACE_ID: 'x' })).toBeNull()
  })
})

describe('the words of a prompt', () => {
  it.each([
    ['Wednesday, Sep 16, 2026, 3:37 PM (UTC-4)', '2026-09-16T19:37:00.000Z'],
    ['Sunday, Nov 1, 2026, 12:05 AM (UTC+5:30)', '2026-10-31T18:35:00.000Z'],
    ['Tuesday, December 1, 2026, 15:50 (UTC)', '2026-12-01T15:50:00.000Z'],
    ['Mittwoch, 16. Sept. 2026', null],
  ])('have the time %s', (written, time) => {
    expect(promptTime(`<timestamp>${written}</timestamp>\n<user_query>x</user_query>`)).toBe(time)
  })

  it('have no time that the person pasted, and no text of the client', () => {
    const tag = '<timestamp>Wednesday, Sep 16, 2026, 3:37 PM (UTC-4)</timestamp>'
    expect(promptTime(`<user_query>What is ${tag}?</user_query>`)).toBeNull()
    expect(promptWords(`${tag}\n<user_query>\na\n</user_query>`)).toBe('a')
    expect(promptWords('<system_reminder>x</system_reminder> b')).toBe('b')
    expect(promptWords('<user_query>cut off')).toBe('cut off')
  })
})

describe('reading a session of Cursor', () => {
  it('says of every call that its end is not known, in the directory of the command', () => {
    const { add } = createCursorTranslator('/r', 'side')
    const input = { command: 'ls', working_directory: '/r/lib' }
    const record = { role: 'assistant', message: { content: [{ type: 'tool_use', name: 'Shell', input }] } }
    const line = { bytes: Buffer.from(''), index: 4, offset: 0, torn: false }
    expect(add(record, line)).toMatchObject([
      { kind: 'call', id: 'side:4:0', cwd: '/r/lib', sub: 'side' },
      { kind: 'result', id: 'side:4:0', unsure: true, text: '' },
    ])
  })

  it('counts what it does not know, and refuses nothing odd', async () => {
    const path = join(mkdtempSync(join(tmpdir(), 'cursor-')), 'x.jsonl')
    const odd = [
      null,
      [],
      4,
      { role: 'robot' },
      { role: 'user', message: 4 },
      { role: 'assistant', message: { content: [4] } },
    ]
    const tool = { type: 'tool_use', name: 4, input: [[]] }
    const records = [
      { role: 'user', message: { content: 'Fix' } },
      ...odd,
      { role: 'assistant', message: { content: [tool] } },
    ]
    writeFileSync(path, records.map((record) => JSON.stringify(record)).join('\n'))
    const ref = await cursor.identify(path, readFileSync(path, 'utf8'))
    const skipped: string[] = []
    const kinds: string[] = []
    if (ref)
      for await (const batch of cursor.read(ref, { onSkip: (why) => skipped.push(why) }))
        kinds.push(...batch.map(({ kind }) => kind))
    expect(kinds).toEqual(['prompt', 'call', 'result'])
    expect(skipped).toEqual(['unknown', 'unknown', 'unknown', 'unknown', 'unknown'])
  })
})

describe('hooks of Cursor', () => {
  const { read, answer, isHeard } = cursor.hooks ?? expect.fail('no hooks')

  it('tell session and folder, and take the pointer at the start alone', () => {
    const payload = { conversation_id: 'c1', workspace_roots: ['/home/dev/repo'], prompt: 'Fix sub' }
    expect(read(payload)).toMatchObject({ sessionId: 'c1', cwd: '/home/dev/repo', text: 'Fix sub' })
    expect(read(null)).toMatchObject({ sessionId: null, cwd: null })
    const say = { context: 'Read .handoff/latest.md', notice: null }
    expect(JSON.parse(answer('session-start', say))).toEqual({ additional_context: say.context })
    expect(answer('prompt', say)).toBe('')
    expect(isHeard?.('prompt', read(payload))).toBe(false)
  })
})
