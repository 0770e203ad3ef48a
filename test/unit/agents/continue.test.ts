import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { continueDev } from '../../../src/agents/continue.ts'
import type { SessionEvent } from '../../../src/types/session.ts'

const home = join(import.meta.dirname, '../../fixtures/agents-home/continue')
const fixtures = join(import.meta.dirname, '../../fixtures/agents')
const idsOf = (refs: { id: string }[]): string[] => refs.map(({ id }) => id.slice(0, 1)).sort()
const identify = (path: string) => continueDev.identify(path, readFileSync(path, 'utf8'))

describe('finding sessions of Continue', () => {
  it('takes those of this directory and below, of the CLI and the extension', async () => {
    const refs = await continueDev.find({ home, env: {} }, ['/home/dev/repo'])
    // b: no message. d: a neighbour with a like name. e: another machine. f: an empty file. g: another product.
    expect(idsOf(refs)).toEqual(['a', 'c'])
    expect(refs.find(({ id }) => id.startsWith('a'))).toMatchObject({
      agent: 'continue',
      cwd: '/home/dev/repo',
      title: 'Fix the sum',
      startedAt: '2026-11-23T11:18:20.000Z',
    })
    expect(refs.find(({ id }) => id.startsWith('c'))).toMatchObject({ cwd: '/home/dev/repo/src' })
    expect(refs.find(({ id }) => id.startsWith('c'))).not.toHaveProperty('title')
  })

  it('looks where the environment says, and finds nothing where Continue never ran', async () => {
    const found = (env: Record<string, string>) =>
      continueDev.find({ home: '/nowhere', env }, ['/home/dev/repo'])
    expect(await found({ CONTINUE_GLOBAL_DIR: join(home, '.continue') })).toHaveLength(2)
    expect(await found({})).toEqual([])
  })

  it('takes no list of sessions and no file of another product for its own', async () => {
    const sessions = join(home, '.continue', 'sessions')
    for (const name of ['sessions.json', 'f.json', 'g.json'])
      expect(await identify(join(sessions, name))).toBeNull()
    expect(await identify(join(fixtures, 'claude-code', 'compaction', 'session.jsonl'))).toBeNull()
  })
})

describe('reading a session of Continue', () => {
  const eventsOf = async (history: object[], cut = 0): Promise<SessionEvent[]> => {
    const path = join(mkdtempSync(join(tmpdir(), 'continue-')), 'a.json')
    const session = { sessionId: 'a', title: 'New Session', workspaceDirectory: '/r', history }
    const text = JSON.stringify(session, undefined, 2)
    writeFileSync(path, text)
    const ref = await identify(path)
    writeFileSync(path, text.slice(0, text.length - cut))
    const events: SessionEvent[] = []
    if (ref) for await (const batch of continueDev.read(ref, {})) events.push(...batch)
    return events
  }
  const user = (content: string) => ({ message: { role: 'user', content }, contextItems: [] })
  const call = (name: string, args: object, status: string, content: string, told?: string) => ({
    message: { role: 'assistant', content: '' },
    toolCallStates: [
      {
        toolCallId: '1',
        toolCall: { id: '1', function: { name, arguments: JSON.stringify(args) } },
        status,
        output: [{ content, ...(told === undefined ? {} : { status: told }) }],
      },
    ],
  })
  const resultOf = async (...given: Parameters<typeof call>) =>
    (await eventsOf([call(...given)])).find(({ kind }) => kind === 'result')

  it('tells the end of a command where the client does', async () => {
    const bash = (status: string, text: string) => resultOf('Bash', { command: 'x' }, status, text)
    expect(await bash('errored', 'Error executing tool Bash: Error (exit code 3): no')).toMatchObject({
      ok: false,
      exitCode: 3,
      text: 'no',
    })
    expect(await bash('done', 'not ok 1')).toMatchObject({ exitCode: null, unsure: true, text: 'not ok 1' })
    const late = await bash('done', 'x\n\n[Command timed out after 180 seconds of no output]')
    expect(late).toMatchObject({ ok: false })
    expect(late).not.toHaveProperty('unsure')
    const editor = (told: string) => resultOf('run_terminal_command', { command: 'x' }, 'done', 'x', told)
    expect(await editor('Command completed')).toMatchObject({ ok: true, exitCode: 0 })
    expect(await editor('Command failed with exit code 2')).toMatchObject({ ok: false, exitCode: 2 })
    expect(await editor('Command is running in the background...')).toMatchObject({ unsure: true })
  })

  it('tells who refused, and no result of a call that waits', async () => {
    const edit = (status: string, text: string) => resultOf('Edit', { file_path: 'a' }, status, text)
    expect(await edit('canceled', 'Permission denied by user')).toMatchObject({ refused: true, text: '' })
    expect(await edit('canceled', 'Permission denied by user')).not.toHaveProperty('byClient')
    expect(await edit('canceled', 'Command blocked by security policy')).toMatchObject({ byClient: true })
    expect(await edit('generated', '')).toBeUndefined()
  })

  it('leaves out the word of the client behind a compaction, not that of the person', async () => {
    const summary = { message: { role: 'assistant', content: 'S' }, conversationSummary: 'S' }
    const told = await eventsOf([
      user('continue'),
      summary,
      user('continue'),
      user('Now test'),
      user('continue'),
    ])
    const words = told.flatMap((event) => (event.kind === 'prompt' ? [event.text] : []))
    expect(words).toEqual(['continue', 'Now test', 'continue'])
    expect(told.filter(({ kind }) => kind === 'reply')).toEqual([])
  })

  it('reads the whole messages of a file that is cut off, and refuses one that has none', async () => {
    const told = await eventsOf([user('a'), user('b'), user('c')], 60)
    expect(told.map((event) => event.kind === 'prompt' && event.text)).toEqual(['a', 'b'])
    await expect(eventsOf([user('a')], 60)).rejects.toMatchObject({ code: 'E_SESSION_UNREADABLE' })
  })
})
