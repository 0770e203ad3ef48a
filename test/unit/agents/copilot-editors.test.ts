import {
  appendFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { callerOf } from '../../../src/agents/caller.ts'
import { readJetbrainsRef, readVscodeRef } from '../../../src/agents/copilot-editors/files.ts'
import { copilotJetbrains, copilotVscode } from '../../../src/agents/copilot-editors/index.ts'
import { identifyFile } from '../../../src/agents/find.ts'
import type { Adapter } from '../../../src/types/agent.ts'

const home = join(import.meta.dirname, '../../fixtures/agents-home/copilot-editors')
const fixtures = join(import.meta.dirname, '../../fixtures/agents')
const roots = ['/home/dev/repo']
const idsOf = (refs: { id: string }[]): string[] => refs.map(({ id }) => id)
const promptsOf = async (adapter: Adapter, path: string): Promise<string[]> => {
  const ref = await adapter.identify(path, readFileSync(path, 'utf8'))
  const words: string[] = []
  if (ref)
    for await (const batch of adapter.read(ref, {}))
      words.push(...batch.flatMap((event) => (event.kind === 'prompt' ? [event.text] : [])))
  return words
}

describe('finding sessions of Copilot in VS Code', () => {
  it('takes those of workspaces here, and of workspaces that name no folder when they work here', async () => {
    const refs = await copilotVscode.find({ home, env: {} }, roots)
    // Not: an empty file, a torn one, one of Copilot CLI, a neighbour with a like name, work elsewhere.
    expect(idsOf(refs)).toEqual(['c-several-folders', 'a-in-repo', 'e-below', 'f-on-a-server'])
    expect(refs.map(({ cwd }) => cwd)).toEqual([
      '/home/dev/repo',
      '/home/dev/repo',
      '/home/dev/repo/my app',
      '/home/dev/repo',
    ])
    expect(refs[1]).toMatchObject({
      agent: 'copilot-vscode',
      startedAt: '2026-11-24T10:00:00.000Z',
      updatedAt: '2026-11-24T10:00:06.000Z',
    })
  })

  it('looks where the environment says, and finds nothing where VS Code never ran', async () => {
    const found = (env: Record<string, string>) =>
      copilotVscode.find({ home: '/nowhere', env }, roots).then(idsOf)
    expect(await found({ XDG_CONFIG_HOME: join(home, '.config') })).toHaveLength(3)
    expect(await found({ APPDATA: join(home, '.config') })).toHaveLength(3)
    expect(await found({})).toEqual([])
  })

  it('tells sessions of two installations apart, also where both hold the same', async () => {
    const two = mkdtempSync(join(tmpdir(), 'editors-'))
    const below = 'User/workspaceStorage/hash-a'
    const transcripts = (product: string) =>
      join(two, '.config', product, below, 'GitHub.copilot-chat/transcripts')
    for (const product of ['Code', 'Code - Insiders'])
      cpSync(join(home, '.config/Code', below), join(two, '.config', product, below), { recursive: true })
    const insiders = join(transcripts('Code - Insiders'), 'a.jsonl')
    const text = readFileSync(insiders, 'utf8')
    const find = () => copilotVscode.find({ home: two, env: {} }, roots)
    expect((await find()).map(({ id, path }) => [id, path])).toEqual([
      ['a-in-repo', insiders],
      ['a-in-repo', join(transcripts('Code'), 'a.jsonl')],
    ])
    writeFileSync(insiders, text.replaceAll('a-in-repo', 'b-insiders'))
    expect(idsOf(await find())).toEqual(['a-in-repo', 'b-insiders'])
  })

  describe('of a workspace on another machine', () => {
    const hex = (text: string) => Buffer.from(text).toString('hex')
    const found = async (folder: string) => {
      const two = mkdtempSync(join(tmpdir(), 'editors-'))
      const storage = join(two, '.config/Code/User/workspaceStorage/hash-a')
      cpSync(join(home, '.config/Code/User/workspaceStorage/hash-a'), storage, { recursive: true })
      writeFileSync(join(storage, 'workspace.json'), JSON.stringify({ folder }))
      const told: string[] = []
      const onUnread = ({ message }: Error) => void told.push(message)
      const refs = await copilotVscode.find({ home: two, env: {} }, roots, onUnread)
      return {
        cwd: refs.find(({ id }) => id === 'a-in-repo')?.cwd,
        told: told.map((one) => one.split(':', 1)[0]),
      }
    }

    it.each([
      ['WSL', 'vscode-remote://wsl%2Bubuntu/home/dev/repo'],
      ['SSH', 'vscode-remote://ssh-remote%2Bhost/home/dev/repo'],
      ['Live Share', 'vsls:/home/dev/repo'],
      ['a container', `vscode-remote://dev-container%2B${hex('/home/dev/repo')}/workspaces/repo`],
      [
        'a container, with its settings',
        `vscode-remote://dev-container%2B${hex('{"hostPath":"/home/dev/repo","localDocker":false}')}/workspaces/repo`,
      ],
      [
        'a container in WSL',
        `vscode-remote://dev-container%2B${hex(JSON.stringify({ hostPath: '\\\\wsl.localhost\\Ubuntu\\home\\dev\\repo' }))}/workspaces/repo`,
      ],
    ])('takes those of this folder: %s', async (_, folder) => {
      expect((await found(folder)).cwd).toBe('/home/dev/repo')
    })

    it('names one of another folder with the same name, and no other', async () => {
      const leftOut = async (folder: string) =>
        (await found(folder)).told.filter((one) => one?.includes('left out'))
      const like = 'vscode-remote://ssh-remote%2Bhost/srv/repo'
      expect(await leftOut(like)).toEqual(['Sessions of GitHub Copilot in VS Code are left out'])
      for (const other of [
        'vscode-remote://ssh-remote%2Bhost/srv/site',
        'file:///srv/repo',
        'vscode-remote://x%2B00/',
      ])
        expect(await leftOut(other)).toEqual([])
    })
  })

  it('takes a file by its content, with the folder of its workspace', async () => {
    const path = join(home, '.config/Code/User/workspaceStorage/hash-a/GitHub.copilot-chat/transcripts')
    expect((await identifyFile(join(path, 'a.jsonl'))).ref).toMatchObject({
      agent: 'copilot-vscode',
      cwd: '/home/dev/repo',
    })
    expect((await identifyFile(join(path, 'cli.jsonl'))).ref.agent).toBe('copilot-cli')
    for (const name of ['empty.jsonl', 'torn.jsonl'])
      await expect(identifyFile(join(path, name))).rejects.toMatchObject({ code: 'E_SESSION_FORMAT' })
  })

  it('knows its caller, and not that of Copilot CLI in one of its terminals', () => {
    expect(callerOf({ COPILOT_AGENT: '1', AI_AGENT: 'github_copilot_vscode_agent' })?.agent).toBe(
      'copilot-vscode',
    )
    expect(callerOf({ COPILOT_AGENT: '1', COPILOT_CLI: '1' })?.agent).toBe('copilot-cli')
  })
})

describe('finding chats that VS Code keeps itself', () => {
  const CHAT = 'c4a70000-0000-4000-8000-000000000002'
  const ONE = '331fed7f-0000-4000-8000-000000000003'
  const journal = readFileSync(
    join(fixtures, 'copilot-vscode/documented-chat-edits-plan-answer-and-stop-1.109/session.jsonl'),
    'utf8',
  )
  const one = readFileSync(
    join(fixtures, 'copilot-vscode/documented-chat-in-one-object-1.104/session.json'),
    'utf8',
  )
  const transcript = readFileSync(
    join(home, '.config/Code/User/workspaceStorage/hash-a/GitHub.copilot-chat/transcripts/a.jsonl'),
    'utf8',
  ).replaceAll('a-in-repo', CHAT)

  /** A home with these files below the user's folder of VS Code; the times are minutes before now. */
  function homeWith(files: Record<string, string>, ages: Record<string, number> = {}): string {
    const two = mkdtempSync(join(tmpdir(), 'chats-'))
    for (const [name, text] of Object.entries(files)) {
      const path = join(two, '.config/Code/User', name)
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, text)
      const at = new Date(Date.now() - (ages[name] ?? 0) * 60_000)
      utimesSync(path, at, at)
    }
    return two
  }
  async function found(two: string) {
    const told: string[] = []
    const onUnread = ({ message }: Error) => void told.push(message)
    return { refs: await copilotVscode.find({ home: two, env: {} }, roots, onUnread), told }
  }
  const HERE = JSON.stringify({ folder: 'file:///home/dev/repo' })

  it('takes journals and chats in one object, also of windows without a folder', async () => {
    const { refs, told } = await found(
      homeWith({
        'workspaceStorage/a/workspace.json': HERE,
        [`workspaceStorage/a/chatSessions/${CHAT}.jsonl`]: journal,
        'workspaceStorage/b/workspace.json': '{"folder":"file:///home/dev/site"}',
        'workspaceStorage/b/chatSessions/b.jsonl': journal,
        [`globalStorage/emptyWindowChatSessions/${ONE}.json`]: one,
        'globalStorage/emptyWindowChatSessions/x.jsonl': journal.replaceAll(
          '/home/dev/repo',
          '/home/dev/site',
        ),
      }),
    )
    expect(refs.map(({ id, cwd, title, startedAt }) => [id, cwd, title, startedAt])).toEqual([
      [CHAT, '/home/dev/repo', 'Adding subtract to "calc"', '2026-11-05T12:00:00.000Z'],
      [ONE, '/home/dev/repo', 'Greeting in English', '2026-11-05T11:59:59.000Z'],
    ])
    expect(refs[1]?.updatedAt).toBe('2026-11-05T12:01:00.000Z')
    expect(told).toEqual([])
  })

  it('takes none in which nothing was said, and tells of one that it does not understand', async () => {
    const [first = ''] = journal.split('\n')
    const { refs, told } = await found(
      homeWith({
        'workspaceStorage/a/workspace.json': HERE,
        'workspaceStorage/a/chatSessions/nothing.jsonl': `${first}\n{"kind":1,"k":["inputState","inputText"],"v":"x"}\n`,
        'workspaceStorage/a/chatSessions/nothing.json': '{"version":3,"responderUsername":"x","requests":[]}',
        'workspaceStorage/a/chatSessions/newer.jsonl': '{"op":"root","state":{"turns":[]}}\n',
        'workspaceStorage/a/chatSessions/empty.jsonl': '',
      }),
    )
    expect(refs).toEqual([])
    expect(told.map((text) => /empty\.jsonl|newer\.jsonl/.exec(text)?.[0]).sort()).toEqual([
      'empty.jsonl',
      'newer.jsonl',
    ])
  })

  it.each([
    ['the chat', 0, 1, 'chatSessions'],
    ['the transcript where nobody saved the chat since', 60, 1, 'transcripts'],
  ])('gives one session for a chat with a transcript: %s', async (_, chat, live, folder) => {
    const files = {
      'workspaceStorage/a/workspace.json': HERE,
      [`workspaceStorage/a/chatSessions/${CHAT}.jsonl`]: journal,
      [`workspaceStorage/a/GitHub.copilot-chat/transcripts/${CHAT}.jsonl`]: transcript,
    }
    const ages = {
      [`workspaceStorage/a/chatSessions/${CHAT}.jsonl`]: chat,
      [`workspaceStorage/a/GitHub.copilot-chat/transcripts/${CHAT}.jsonl`]: live,
    }
    const { refs } = await found(homeWith(files, ages))
    expect(idsOf(refs)).toEqual([CHAT])
    expect(refs[0]?.path).toContain(`/${folder}/`)
  })

  it('takes the one that went on of a chat that moved to another workspace, or to the journal', async () => {
    const files = {
      'workspaceStorage/a/workspace.json': HERE,
      [`workspaceStorage/a/chatSessions/${CHAT}.json`]: one,
      [`workspaceStorage/a/chatSessions/${CHAT}.jsonl`]: journal,
      [`globalStorage/emptyWindowChatSessions/${CHAT}.jsonl`]: journal,
    }
    const old = {
      [`workspaceStorage/a/chatSessions/${CHAT}.json`]: 9,
      [`globalStorage/emptyWindowChatSessions/${CHAT}.jsonl`]: 9,
    }
    const { refs } = await found(homeWith(files, old))
    expect(refs.filter(({ id }) => id === CHAT).map(({ path }) => path)).toEqual([
      expect.stringContaining(`/chatSessions/${CHAT}.jsonl`),
    ])
  })

  it('tells of several folders on another machine', async () => {
    const { told } = await found(
      homeWith({
        'workspaceStorage/a/workspace.json':
          '{"workspace":"vscode-remote://ssh-remote%2Bhost/srv/repo/all.code-workspace"}',
        [`workspaceStorage/a/chatSessions/${CHAT}.jsonl`]: journal,
      }),
    )
    expect(told.map((text) => text.split(':', 1)[0])).toEqual([
      'Sessions of GitHub Copilot in VS Code are left out',
    ])
  })

  it('takes a file by its content, with the folder of its workspace', async () => {
    const two = homeWith({
      'workspaceStorage/a/workspace.json': HERE,
      [`workspaceStorage/a/chatSessions/${CHAT}.jsonl`]: journal,
    })
    const path = join(two, `.config/Code/User/workspaceStorage/a/chatSessions/${CHAT}.jsonl`)
    expect((await identifyFile(path)).ref).toMatchObject({ agent: 'copilot-vscode', cwd: '/home/dev/repo' })
  })

  it('lets no journal reach what every object has, nor make a list of a thousand million', async () => {
    const path = join(
      homeWith({
        'x.jsonl': [
          '{"kind":0,"v":{"version":3,"creationDate":1,"sessionId":"x","requests":[{"message":"Go","response":"Done."}]}}',
          '{"kind":1,"k":["__proto__","polluted"],"v":1}',
          '{"kind":1,"k":["requests","__proto__"],"v":{"polluted":1}}',
          '{"kind":1,"k":["constructor","prototype","polluted"],"v":1}',
          '{"kind":1,"k":["requests",1000000000],"v":{}}',
          '{"kind":1,"k":["requests","length"],"v":1000000000}',
          '{"kind":2,"k":["requests"],"i":1000000000}',
          '{"kind":1,"k":[],"v":{}}',
          '{"kind":2,"k":["requests"],"v":[{"message":"Again"}]}',
        ].join('\n'),
      }),
      '.config/Code/User/x.jsonl',
    )
    expect(await promptsOf(copilotVscode, path)).toEqual(['Go', 'Again'])
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false)
  })

  it('cannot read one whose first entry is cut off', async () => {
    const path = join(
      homeWith({ 'x.jsonl': '{"kind":0,"v":{"creationDate":1,"requests":[{"message":"Go' }),
      '.config/Code/User/x.jsonl',
    )
    await expect(promptsOf(copilotVscode, path)).rejects.toMatchObject({ code: 'E_SESSION_UNREADABLE' })
  })
})

describe('finding sessions of Copilot in JetBrains', () => {
  it('takes those that name files here; empty ones and other files are none', async () => {
    const refs = await copilotJetbrains.find({ home, env: {} }, roots)
    expect(idsOf(refs)).toEqual(['g-in-repo', 'k'])
    expect(refs[0]).toMatchObject({ cwd: '/home/dev/repo', updatedAt: '2026-11-26T10:00:03.000Z' })
    const found = await copilotJetbrains.find({ home: '/x', env: { COPILOT_HOME: join(home, '.copilot') } }, [
      '/home/dev/other',
    ])
    expect(idsOf(found)).toEqual(['i-elsewhere'])
  })

  it('reads all partitions in the order of their numbers', async () => {
    const path = join(home, '.copilot/jb/g/partition-1.jsonl')
    expect(await promptsOf(copilotJetbrains, path)).toEqual(['First', 'Second', 'Third'])
  })

  it('takes no file of another product for its own, and reads on behind a damaged line', async () => {
    for (const other of ['claude-code/compaction', 'copilot-cli/api-error-1.0', 'plain/jsonl']) {
      const path = join(fixtures, other, 'session.jsonl')
      expect(readVscodeRef(path, null)).toBeNull()
      expect(readJetbrainsRef(path)).toBeNull()
    }
    const folder = mkdtempSync(join(tmpdir(), 'jetbrains-'))
    cpSync(join(home, '.copilot/jb/g'), folder, { recursive: true })
    appendFileSync(join(folder, 'partition-1.jsonl'), 'not json\n{"type":"user.mess')
    writeFileSync(join(folder, 'partition-2.jsonl'), '')
    expect(await promptsOf(copilotJetbrains, join(folder, 'partition-1.jsonl'))).toEqual(['First', 'Third'])
  })
})
