import { createHash } from 'node:crypto'
import {
  chmodSync,
  mkdirSync,
  readFileSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { findSessions } from '../../../src/agents/find.ts'
import { dashed } from '../../../src/agents/session-files.ts'
import type { HandoffError } from '../../../src/errors/handoff-error.ts'
import { byNight, sampled } from '../../sampled.ts'
import { USUAL, writeClaudeSession } from '../claude-session.ts'
import { cli } from '../cli.ts'
import { makeRepo, type TempRepo } from '../make-repo.ts'
import { GOAL, later, succeeded, usual } from '../usual.ts'

/** Where a session of this repository would lie below a home, by agent. */
const PLACES: Readonly<Record<string, (root: string) => string>> = {
  'claude-code': (root) => `.claude/projects/${dashed(root)}/a.jsonl`,
  codex: () =>
    '.codex/sessions/2026/11/22/rollout-2026-11-22T09-00-00-0199aaaa-2222-7333-8444-555555555555.jsonl',
  'qwen-code': (root) => `.qwen/projects/${dashed(root)}/chats/a.jsonl`,
  cline: () => '.cline/data/sessions/s1/s1.messages.json',
  continue: () => '.continue/sessions/a.json',
  cursor: (root) => `.cursor/projects/${dashed(root).slice(1)}/agent-transcripts/a.jsonl`,
  'copilot-cli': () => '.copilot/session-state/s1/events.jsonl',
  antigravity: () => '.gemini/antigravity-cli/brain/s1/.system_generated/logs/transcript.jsonl',
  pi: (root) => `.pi/agent/sessions/-${dashed(root)}--/a.jsonl`,
  droid: () => '.factory/sessions/p/a.jsonl',
  amp: () => '.local/share/amp/threads/T-1.json',
  'gemini-cli': (root) =>
    `.gemini/tmp/${createHash('sha256').update(root).digest('hex')}/chats/session-a.jsonl`,
  'oh-my-pi': () => '.omp/agent/sessions/-tmp-repo/a.jsonl',
  'copilot-vscode': () => '.config/Code/User/workspaceStorage/w1/GitHub.copilot-chat/transcripts/a.jsonl',
  'copilot-jetbrains': () => '.copilot/jb/s1/partition-1.jsonl',
  kiro: () => '.kiro/sessions/cli/a.jsonl',
  'kiro (IDE)': () => '.kiro/sessions/1a2b/sess_7/messages.jsonl',
  junie: () => '.junie/sessions/s1/events.jsonl',
  aider: (root) => join(root, '.aider.chat.history.md'),
}

const DATABASES = ['goose/sessions/sessions.db', 'kilo/kilo.db', 'opencode/opencode.db']

function put(repo: TempRepo, path: string, text: string): string {
  const file = resolve(repo.home, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
  utimesSync(file, later(60), later(60))
  return file
}

const missed = async (repo: TempRepo): Promise<string[]> => {
  const said: HandoffError[] = []
  const place = { home: repo.home, env: {} }
  await findSessions(place, [repo.root], undefined, { onMissed: (error) => said.push(error) })
  return said.map(({ message }) => message)
}

/** A recorded session of each agent whose sessions are lines, and the file beside it that names its directory. */
const LINES: Readonly<
  Record<string, [fixture: string, beside?: [name: string, text: (root: string) => string]]>
> = {
  'claude-code': ['parallel-calls'],
  codex: ['parallel-calls'],
  'qwen-code': ['two-turns-edit-failing-test-0.15'],
  cursor: ['documented-plan-question-edits-and-stop-3.13'],
  'copilot-cli': ['two-turns-edit-failing-test-1.0'],
  antigravity: ['documented-edits-question-and-commands-1.1'],
  pi: ['compaction-user-shell-and-name-0.74'],
  droid: ['documented-edit-todo-compaction-2026.9'],
  'gemini-cli': ['edits-todos-and-failing-test'],
  'oh-my-pi': ['two-turns-failing-test-18.2'],
  'copilot-vscode': ['documented-edit-question-and-unknown-0.42'],
  'copilot-jetbrains': ['documented-failing-test-and-edit-2026.1'],
  kiro: [
    'documented-cli-reply-in-pieces-2.22',
    ['a.json', (root) => JSON.stringify({ session_id: 's', cwd: root })],
  ],
  junie: ['documented-blocks-written-anew-3110'],
}

/** A recorded session, as if of this repository and of the hour after `NOW`. */
const sessionOf = (agent: string, fixture: string, root: string): string =>
  readFileSync(resolve('test/fixtures/agents', agent, fixture, 'session.jsonl'), 'utf8')
    .trimEnd()
    .replaceAll(/\/home\/dev\/(?:repo|shop)/g, root)
    .replace(/\b20\d\d-\d\d-\d\dT\d\d:\d\d/g, '2026-11-22T11:00')
    .replace(/("(?:b|gitB)ranch":)"[^"]*"/g, '$1"main"')

/** A session as a client to come may write it: the records have other names. */
const renamed = (text: string, isFirst: boolean): string => {
  const [first = '', ...rest] = text.split('\n')
  const named = (line: string) => line.replace(/"(type|kind|role)":"/g, '"$1":"new-')
  return [isFirst ? named(first) : first, ...rest.map(named)].join('\n')
}

describe('a session in which no record is known any more', () => {
  it.each(sampled(Object.entries(LINES), 2))(
    'of %s is named, and nothing else is taken for it',
    async (agent, [fixture, beside]) => {
      const repo = usual()
      const text = sessionOf(agent, fixture, repo.root)
      for (const isFirst of [true, false]) {
        const file = put(repo, PLACES[agent]?.(repo.root) ?? '', renamed(text, isFirst))
        if (beside) put(repo, join(dirname(file), beside[0]), beside[1](repo.root))
        const { warnings, session } = succeeded(await cli(repo, ['create', GOAL, '--json', '--dry-run']))
        expect({ isFirst, agent: session.agent, warnings }).toEqual({
          ...{ isFirst, agent: 'claude-code' },
          warnings: [expect.stringContaining(`was not understood: ${file}`)],
        })
      }
    },
  )
})

it.each(['codex', 'junie'])('a torn first line of %s is told, and the rest is handed over', async (agent) => {
  const repo = usual()
  const [fixture = ''] = LINES[agent] ?? []
  const text = sessionOf(agent, fixture, repo.root)
  const end = text.indexOf('\n')
  put(repo, PLACES[agent]?.(repo.root) ?? '', text.slice(0, end / 2) + text.slice(end))
  const { warnings, session } = succeeded(await cli(repo, ['create', GOAL, '--json', '--dry-run']))
  expect(session.agent).toBe(agent)
  expect(warnings).toEqual(['A record of the session cannot be read (line 1): what stood there is left out'])
})

it('a large session in which no record is known any more is given up with a word', async () => {
  const repo = usual()
  const header = JSON.stringify({ type: 'session_start', id: 's1', cwd: repo.root })
  const said = JSON.stringify({ type: 'words', timestamp: '2026-11-22T11:00:00Z', text: 'x'.repeat(70_000) })
  const file = put(repo, PLACES.droid?.(repo.root) ?? '', `${header}\n${said}\n`)
  const { json } = await cli(repo, ['create', GOAL, '--json', '--dry-run'])
  expect(json.errors).toMatchObject([
    {
      code: 'E_SESSION_FORMAT',
      message: expect.stringContaining(`The session file was not understood: ${file}`),
    },
  ])
})

describe('a file in the place of sessions that is none', () => {
  it.each(sampled(Object.entries(PLACES), 3))('of %s is named with what is wrong', async (_, placeOf) => {
    const repo = makeRepo()
    const file = put(repo, placeOf(repo.root), `{"format":99,"where":${JSON.stringify(repo.root)}}\n`)
    expect(await missed(repo)).toEqual([
      `A newer session file was not understood: ${file} (its records are of no known kind)`,
    ])
    writeFileSync(file, '')
    expect(await missed(repo)).toEqual([`A newer session file is empty: ${file}`])
    // Root is barred from nothing.
    if (process.getuid?.() === 0) return
    for (const path of [file, dirname(file)]) {
      // Of the top of the repository git itself would tell.
      if (path === repo.root) continue
      chmodSync(path, 0)
      expect(await missed(repo)).toEqual([expect.stringMatching(/^The session file cannot be read: /)])
      // To be swept.
      chmodSync(path, 0o700)
    }
  })

  it('of a Qwen Code to come is named, one in which it only noted what it did is not', async () => {
    const repo = makeRepo()
    const record = (type: string) =>
      `{"uuid":"1","parentUuid":null,"sessionId":"s1","type":"${type}","cwd":${JSON.stringify(repo.root)}}\n`
    const file = put(repo, PLACES['qwen-code']?.(repo.root) ?? '', record('system'))
    expect(await missed(repo)).toEqual([])
    for (const text of [record('said'), record('user').slice(0, 60)]) {
      writeFileSync(file, text)
      expect(await missed(repo)).toEqual([expect.stringContaining(`was not understood: ${file}`)])
    }
  })

  it.each(DATABASES)('as a database that is none, %s, is named; one without a byte is none', async (name) => {
    const repo = makeRepo()
    const file = put(repo, join('.local/share', name), `no database, but of ${repo.root}`)
    expect(await missed(repo)).toEqual([expect.stringContaining(`sessions cannot be read: ${file}: `)])
    writeFileSync(file, '')
    expect(await missed(repo)).toEqual([])
  })

  it.each(sampled(DATABASES, 1))(
    'as a database that nobody can look at, %s, is told, and another session is handed over',
    async (name) => {
      const repo = usual()
      const file = join(repo.home, '.local/share', name)
      mkdirSync(dirname(file), { recursive: true })
      // A link to itself is closed to root, too.
      symlinkSync(file, file)
      const { warnings, session } = succeeded(await cli(repo, ['create', GOAL, '--json', '--dry-run']))
      expect(warnings).toContainEqual(expect.stringContaining(`The session file cannot be read: ${file}`))
      expect(session.agent).toBe('claude-code')
    },
  )

  byNight('with a line that no memory holds is given up with a word', async () => {
    const repo = makeRepo()
    const file = writeClaudeSession(repo, USUAL)
    truncateSync(file, 600 * 1024 * 1024)
    const { json } = await cli(repo, ['create', GOAL, '--json', '--dry-run'])
    expect(json.errors).toMatchObject([
      { code: 'E_SESSION_UNREADABLE', message: expect.stringContaining('more than 256 MB') },
    ])
  })

  byNight('whose last session is longer than can be read is given up with a word', async () => {
    const repo = makeRepo()
    const file = join(repo.root, '.aider.chat.history.md')
    writeFileSync(file, '# aider chat started at 2026-08-02 10:00:00\n')
    truncateSync(file, 129 * 1024 * 1024)
    expect(await missed(repo)).toEqual([
      `The session file cannot be read: ${file} (its last session has more than 128 MB)`,
    ])
  })

  byNight('that is one line of many megabytes is found at once, and told before it is read', async () => {
    const repo = makeRepo()
    const head = `{"sessionId":"s1","title":"t","workspaceDirectory":${JSON.stringify(repo.root)},"history":[{`
    truncateSync(put(repo, PLACES.continue?.(repo.root) ?? '', head), 101 * 1024 * 1024)
    const { code, stderr } = await cli(repo, ['create', GOAL, '--dry-run'], { now: later(90) })
    expect(stderr).toMatch(/^Session: Continue s1, .*, 101\.0 MB, which takes a while to read$/m)
    expect([code, stderr]).toEqual([2, expect.stringContaining('cut off or damaged')])
  })

  it('is told before an older session of another agent is handed over', async () => {
    const repo = usual()
    const head =
      '{"version":2,"updated_at":"2026-11-22T10:00:00.000Z","agent":"lead","sessionId":"s1","messages":[{'
    const file = put(repo, PLACES.cline?.(repo.root) ?? '', head)
    const { warnings } = succeeded(
      await cli(repo, ['create', GOAL, '--json', '--dry-run'], { now: later(90) }),
    )
    expect(warnings).toContainEqual(
      expect.stringContaining(`A newer session file was not understood: ${file}`),
    )
    // One that is older than the session was not meant.
    utimesSync(file, later(-9000), later(-9000))
    const again = succeeded(await cli(repo, ['create', GOAL, '--json', '--dry-run'], { now: later(90) }))
    expect(again.warnings).toEqual([])
  })
})
