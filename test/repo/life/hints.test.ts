import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { sampled } from '../../sampled.ts'
import { type CliOptions, cli } from '../cli.ts'
import { forked } from '../git/operation-cases.ts'
import { atFolder, cloneOf, makeEnv, makeFolder, makeRepo, type TempRepo } from '../make-repo.ts'
import { BRANCH, done, fromFork, hook, makeTeam, PAGE, pushed } from '../remote/team.ts'
import { AGENT, GOAL, later, made, usual, withBrief } from '../usual.ts'
import { commandsIn, follow } from './hinted.ts'

const ERRORS = new URL('../../../src/errors/', import.meta.url)
/** Commands in the text of an error, as its source has them. */
const COMMAND = /\\?`(?:git(?! \$\{(?:command|example)\})|gh|npm) [^`]*\\?`/

/** Every way to fail whose hint names a command, as `errors/` has them. */
const HINTED = readdirSync(ERRORS).flatMap((file) =>
  readFileSync(new URL(file, ERRORS), 'utf8')
    .split(/^(?=export )/m)
    .flatMap((part) => {
      const name = /^export (?:const|function) (\w+)/.exec(part)?.[1]
      return name !== undefined && COMMAND.test(part) ? [name] : []
    }),
)

/** What raises an error, and how its hint is followed. */
interface Case {
  repo: TempRepo
  argv: string[]
  code: string
  options?: CliOptions
  /** For the places in the commands: `<id>`. */
  words?: Record<string, string>
  /** What the hint asks for in words, before its command. */
  before?: (repo: TempRepo) => void
  /** Why a command may fail in another way. */
  fails?: RegExp
  /** The first command runs after it, once all of the hint is done, and must not fail in the same way. */
  isMended?: true
}

const GIT = ['--from', 'git']
const none = '20261122T990000-00000000'

async function parkedElsewhere(): Promise<Case> {
  const repo = forked()
  repo.git(['switch', '-q', '-c', 'f'])
  repo.commit('own', { 'a.txt': 'own\n' })
  repo.tryGit(['merge', 'side'])
  await made(repo, GIT)
  repo.git(['merge', '--abort'])
  repo.git(['switch', '-q', 'main'])
  return { repo, argv: ['show'], code: 'E_NO_BRIEF' }
}

async function behind(): Promise<{ ann: TempRepo; bob: TempRepo }> {
  const team = await pushed()
  team.bob.git(['fetch', '-q'])
  team.bob.git(['switch', '-q', BRANCH])
  team.ann.commit('faster')
  await done(team.ann, ['push'])
  return team
}

async function inTeam(
  change: (team: Awaited<ReturnType<typeof makeTeam>>) => void,
  more: Omit<Case, 'repo'>,
): Promise<Case> {
  const team = await makeTeam()
  change(team)
  return { repo: team.ann, ...more }
}

/** A folder that is in no repository. */
function outside(): TempRepo {
  const base = makeFolder()
  mkdirSync(join(base, 'work'))
  return atFolder(base, join(base, 'work'), makeEnv(join(base, 'home')))
}

const CASES: Record<string, (() => Promise<Case>)[]> = {
  badId: [async () => ({ repo: usual(), argv: ['show', 'zzz'], code: 'E_BAD_ID' })],
  questionNotQuoted: [
    async () => ({ repo: (await withBrief()).repo, argv: ['ask', 'why', 'was'], code: 'E_BAD_ID' }),
  ],
  unknownId: [async () => ({ repo: (await pushed()).bob, argv: ['show', none], code: 'E_UNKNOWN_ID' })],
  ambiguousId: [
    async () => {
      const { repo } = await withBrief()
      repo.commit('more', { 'src/queue.ts': 'more\n' })
      await made(repo, GIT, { now: later(5) })
      return { repo, argv: ['show', '2026'], code: 'E_AMBIGUOUS_ID' }
    },
  ],
  noBrief: [
    async () => ({ repo: usual(), argv: ['show'], code: 'E_NO_BRIEF', isMended: true }),
    async () => {
      const { ann } = await pushed()
      ann.git(['switch', '-q', 'main'])
      ann.git(['merge', '-q', '--no-ff', '--no-edit', BRANCH])
      return { repo: ann, argv: ['show'], code: 'E_NO_BRIEF', isMended: true }
    },
  ],
  onlyParked: [parkedElsewhere],
  noOrigin: [
    async () => {
      const { repo, id } = await withBrief()
      const words = { '<url>': 'https://example.com/shop.git', '<id>': id }
      return { repo, argv: ['trust', '--origin'], code: 'E_NO_ORIGIN', words, isMended: true }
    },
  ],
  noParent: [
    async () => {
      const { repo, id } = await withBrief()
      return { repo, argv: ['diff'], code: 'E_NO_PARENT', words: { '<older>': id, '<newer>': id } }
    },
  ],
  chainClosed: [
    async () => {
      const { repo } = await withBrief()
      await cli(repo, ['done', 'it is in'], { now: later(5) })
      return { repo, argv: ['resume'], code: 'E_CHAIN_CLOSED', isMended: true }
    },
  ],
  parentMissing: [
    async () => {
      const { repo, first } = await withBrief()
      repo.commit('more', { 'src/queue.ts': 'more\n' })
      const { id } = await made(repo, GIT, { now: later(5) })
      repo.git(['rm', '-q', first.path])
      repo.git(['commit', '-q', '-m', 'take it out'])
      const shallow = cloneOf(repo, { args: ['--depth', '1'] })
      return { repo: shallow, argv: ['diff', id], code: 'E_PARENT_MISSING', isMended: true }
    },
  ],
  briefUnreadable: [
    async () => {
      const { repo, path } = await withBrief()
      repo.write(path, 'nothing that is a brief\n')
      // It lists what is wrong and ends with 1 for that.
      return { repo, argv: ['show', path], code: 'E_BRIEF_UNREADABLE', fails: /errors?, \d+ warning/ }
    },
  ],
  noRequest: [
    async () => ({
      repo: usual(),
      argv: ['await'],
      code: 'E_NO_REQUEST',
      fails: /No hooks reported/,
    }),
  ],
  notARepository: [
    async () => ({ repo: outside(), argv: ['status'], code: 'E_NO_REPOSITORY', isMended: true }),
  ],
  nowhereToKeep: [
    async () => {
      const repo = outside()
      const words = { '<goal>': GOAL }
      return {
        repo,
        argv: ['create', GOAL, ...GIT],
        code: 'E_NO_REPOSITORY',
        words,
        isMended: true,
        fails: /No agent session/,
      }
    },
  ],
  bareRepository: [
    async () => {
      const { hub } = await makeTeam()
      return { repo: hub, argv: ['status'], code: 'E_BARE_REPOSITORY' }
    },
  ],
  noRange: [
    async () => {
      const repo = makeRepo({ branch: 'work' })
      repo.commit('more', { 'b.txt': 'b\n' })
      return { repo, argv: ['review'], code: 'E_NO_RANGE', words: { '<commit>': 'HEAD~1' } }
    },
    async () => {
      const repo = makeRepo({ branch: 'work' })
      repo.git(['switch', '-q', '-c', 'side'])
      repo.commit('side', { 'b.txt': 'b\n' })
      repo.git(['switch', '-q', 'work'])
      repo.git(['merge', '-q', '--no-ff', '--no-edit', 'side'])
      repo.git(['branch', '-q', '-d', 'side'])
      return { repo, argv: ['review'], code: 'E_NO_RANGE' }
    },
  ],
  noRemote: [
    async () => {
      const { hub, ann } = await makeTeam()
      ann.git(['remote', 'remove', 'origin'])
      return { repo: ann, argv: ['push'], code: 'E_NO_REMOTE', words: { '<url>': hub.root }, isMended: true }
    },
    () =>
      inTeam(
        ({ ann, hub }) => {
          ann.git(['remote', 'rename', 'origin', 'one'])
          ann.git(['remote', 'add', 'two', hub.root])
        },
        { argv: ['push'], code: 'E_NO_REMOTE', words: { '<remote>': 'two' }, isMended: true },
      ),
  ],
  noBranchHere: [
    () =>
      inTeam(({ ann }) => ann.git(['checkout', '-q', '--detach']), {
        argv: ['push'],
        code: 'E_NO_BRANCH',
        isMended: true,
      }),
    () =>
      inTeam(
        ({ ann }) => {
          ann.git(['switch', '-q', '--orphan', 'empty'])
          ann.write('new.ts', 'x\n')
        },
        {
          argv: ['push'],
          code: 'E_NO_BRANCH',
          isMended: true,
        },
      ),
  ],
  noSuchBranch: [() => inTeam(() => undefined, { argv: ['open', 'nowhere'], code: 'E_NO_BRANCH' })],
  notThere: [
    () => inTeam(() => undefined, { argv: ['pull'], code: 'E_NO_BRANCH', isMended: true }),
    async () => {
      const { ann, hub } = await pushed()
      hub.git(['update-ref', '-d', `refs/heads/${BRANCH}`])
      return { repo: ann, argv: ['pull'], code: 'E_NO_BRANCH' }
    },
  ],
  pushNowhere: [
    async () => {
      const { bob } = await pushed()
      bob.git(['fetch', '-q'])
      bob.git(['switch', '-q', '-c', 'pr12', '--track', `origin/${BRANCH}`])
      return { repo: bob, argv: ['push'], code: 'E_NO_BRANCH', isMended: true }
    },
  ],
  briefWithoutBranch: [
    async () => {
      const { ann } = await makeTeam()
      ann.git(['checkout', '-q', '--detach'])
      const { id } = await made(ann, GIT)
      return { repo: ann, argv: ['open', id], code: 'E_NO_BRANCH' }
    },
  ],
  copyOfRequest: [
    async () => {
      const { bob } = await fromFork(12)
      await done(bob, ['open', `${PAGE}/pull/12`])
      return { repo: bob, argv: ['push'], code: 'E_NO_BRANCH', isMended: true }
    },
  ],
  unreachable: [
    () =>
      inTeam(({ ann }) => ann.git(['remote', 'set-url', 'origin', 'http://127.0.0.1:9/x.git']), {
        argv: ['push'],
        code: 'E_UNREACHABLE',
      }),
  ],
  remoteMissing: [
    () =>
      inTeam(({ hub }) => renameSync(hub.root, `${hub.root}.gone`), {
        argv: ['push'],
        code: 'E_REMOTE_MISSING',
      }),
  ],
  hookRefused: [
    () =>
      inTeam(({ ann }) => hook(join(ann.root, '.git/hooks/pre-push'), 'echo "lint: 3 errors"; exit 1'), {
        argv: ['push'],
        code: 'E_PUSH_REFUSED',
        before: (repo) => rmSync(join(repo.root, '.git/hooks/pre-push')),
      }),
  ],
  pushBehind: [
    async () => ({ repo: (await behind()).bob, argv: ['push'], code: 'E_PUSH_BEHIND', isMended: true }),
    async () => {
      const { bob } = await behind()
      await made(bob, GIT)
      return { repo: bob, argv: ['push'], code: 'E_PUSH_BEHIND', isMended: true }
    },
  ],
  workWithoutBrief: [
    () =>
      inTeam(({ ann }) => ann.write('src/api.ts', 'mine\n'), {
        argv: ['push', '--work'],
        code: 'E_NO_BRIEF',
        isMended: true,
      }),
  ],
  workInTheWay: [
    async () => {
      const { ann, bob } = await pushed()
      await done(bob, ['open', BRANCH])
      ann.write('src/api.ts', 'hers\n')
      await done(ann, ['push', '--work'])
      bob.write('src/api.ts', 'his\n')
      return { repo: bob, argv: ['open', BRANCH], code: 'E_IN_THE_WAY', isMended: true }
    },
  ],
  pushRewritten: [
    async () => {
      const { ann } = await pushed()
      ann.git(['commit', '-q', '--amend', '-m', 'said better'])
      return { repo: ann, argv: ['push'], code: 'E_PUSH_BEHIND', isMended: true }
    },
  ],
  pushRefused: [
    () =>
      inTeam(({ hub }) => hook(join(hub.root, 'hooks/update'), `test "$1" != refs/heads/${BRANCH}`), {
        argv: ['push'],
        code: 'E_PUSH_REFUSED',
        isMended: true,
      }),
  ],
  parted: [
    async () => {
      const { bob } = await behind()
      bob.commit('mine')
      return { repo: bob, argv: ['pull'], code: 'E_PARTED', isMended: true }
    },
    async () => {
      const { ann, bob, head } = await fromFork(12)
      await done(bob, ['open', `${PAGE}/pull/12`])
      bob.commit('mine')
      ann.git(['reset', '-q', '--hard', `${head}~1`])
      ann.commit('rewritten')
      ann.git(['push', '-q', '--force', 'origin', 'HEAD:refs/pull/12/head'])
      return {
        repo: bob,
        argv: ['open', `${PAGE}/pull/12`],
        code: 'E_PARTED',
        before: (repo) => repo.git(['switch', '-q', 'main']),
        isMended: true,
      }
    },
  ],
  notCloned: [
    async () => {
      const { ann, hub } = await makeTeam()
      ann.git(['clone', '-q', '--bare', hub.root, join(hub.root, '../other.git')])
      return { repo: ann, argv: ['open', 'https://github.com/acme/other/tree/main'], code: 'E_NOT_CLONED' }
    },
  ],
  noSession: [
    async () => ({ repo: makeRepo(), argv: ['create', GOAL, '--from', 'claude-code'], code: 'E_NO_SESSION' }),
  ],
  nobodyToAsk: [
    async () => ({ repo: makeRepo(), argv: ['request'], code: 'E_NO_SESSION', fails: /Be specific/ }),
  ],
  sessionUnknown: [
    async () => ({ repo: usual(), argv: ['create', GOAL, '--session', 'zzz'], code: 'E_SESSION_UNKNOWN' }),
  ],
  sessionUnreadable: [
    async () => {
      const repo = usual()
      return {
        repo,
        argv: ['create', GOAL, '--session', repo.base],
        code: 'E_SESSION_UNREADABLE',
        words: { '<id>': '1111' },
      }
    },
  ],
  sessionFormat: [
    async () => {
      const repo = usual()
      writeFileSync(join(repo.base, 'x.jsonl'), 'nothing\n')
      return {
        repo,
        argv: ['create', GOAL, '--session', join(repo.base, 'x.jsonl')],
        code: 'E_SESSION_FORMAT',
      }
    },
  ],
  noDestination: [
    async () => ({
      repo: usual(),
      argv: ['create', GOAL, '--to', 'nobody'],
      code: 'E_NO_DESTINATION',
      fails: /`codex` is not on PATH/,
    }),
  ],
  untrustedBrief: [
    async () => {
      const { repo } = await withBrief()
      return {
        repo: cloneOf(repo),
        argv: ['resume', '--to', 'codex'],
        code: 'E_NOT_TRUSTED',
        fails: /no `codex` on PATH/,
        isMended: true,
      }
    },
  ],
  unshownBrief: [
    async () => ({
      repo: cloneOf((await withBrief()).repo),
      argv: ['show'],
      code: 'E_NOT_TRUSTED',
      options: AGENT,
      isMended: true,
    }),
  ],
  unknownCommand: [async () => ({ repo: usual(), argv: ['zzz'], code: 'E_USAGE' })],
  badConfig: [
    async () => {
      const repo = usual()
      repo.write('.handoff/config.yaml', 'nothing: {here: 1\n')
      return { repo, argv: ['status'], code: 'E_CONFIG' }
    },
  ],
  badSettings: [
    async () => {
      const repo = usual()
      repo.write('.claude/settings.json', '{"hooks": ')
      return {
        repo,
        argv: ['init', '--yes', '--agent', 'claude-code'],
        code: 'E_SETTINGS',
        before: (one) => one.write('.claude/settings.json', '{}'),
        fails: /--agent/,
      }
    },
  ],
  badNotes: [
    async () => ({ repo: usual(), argv: ['note', '-'], code: 'E_NOTES', options: { stdin: '{"a": 1}' } }),
  ],
  emptyBrief: [
    async () => {
      const repo = makeRepo({ initial: false })
      return {
        repo,
        argv: ['create', GOAL, ...GIT],
        code: 'E_EMPTY',
        words: { '<id>': '1111' },
        fails: /No session "1111"/,
      }
    },
  ],
  notesRequired: [
    async () => ({
      repo: usual(),
      argv: ['create', GOAL, ...GIT, '--require-notes'],
      code: 'E_NOTES_REQUIRED',
      words: { '<step>': 'document the limits' },
      isMended: true,
    }),
  ],
  branchInTheWay: [
    async () => {
      const repo = usual()
      repo.git(['branch', 'handoff'])
      return {
        repo,
        argv: ['create', GOAL, ...GIT, '--branch', 'separate'],
        code: 'E_BRANCH_IN_THE_WAY',
        isMended: true,
      }
    },
  ],
}

/** Hints that no temporary repository raises, or whose commands leave it. */
const LISTED: Record<string, string> = {
  headUnknown: 'receipt.test.ts follows it: on another branch, of a remote, in a shallow clone',
  notPruned: 'the command fits only where git failed half-way; prune.test.ts raises it',
  newerSchema: 'npm',
  tokenizerMissing: 'npm',
  badChoice: 'a wrong choice of an option; the hint shows one that is right',
  noDocument: 'needs a live session; request.test.ts',
  requestEnded: 'needs a live session; request.test.ts',
  requestTimeout: 'needs a live session that does not answer; request.test.ts',
  sessionEnded: 'needs hooks of a live session; request.test.ts',
  secretInDocument: 'needs a live session that answers with a secret; request.test.ts',
  dubiousOwner: 'needs files of another Unix user',
  gitTooOld: 'names a version, no command',
  gitFailed: 'names the command that failed, which is to be run for its words',
  badRevision: 'names `git rev-parse` for what it knows',
  remoteDenied: 'needs a host that knows one; `git ls-remote` is to fail alike',
  bringsProgram: 'needs the program itself in the repository; hostile.test.ts',
  settingsReadOnly: 'not raised for root; init.test.ts',
  settingsChanged: 'a race of milliseconds; init-keeps.test.ts',
  notesWanted: 'a here-document; notes-wanted.test.ts runs it',
  editorFailed: 'needs a terminal; edit.test.ts',
  conversationMissing: 'a session that is nowhere cannot be handed over; conversation.test.ts raises it',
  outsideSparse: 'work/odd-repositories.test.ts follows it, with a folder that only its reader knows',
  workConflicts: 'work/travel.test.ts follows it; a merge by hand ends in conflicts',
  workPushRefused: 'work/travel.test.ts raises it; somebody else must take theirs first',
}

const rows = Object.entries(CASES).flatMap(([name, made]) =>
  made.map((make, at): [string, () => Promise<Case>] => [made.length > 1 ? `${name} ${at + 1}` : name, make]),
)

describe('what a hint says', () => {
  it('G-L9, G-L11: is followed for every error that names a command, or there is a reason', () => {
    expect([...Object.keys(CASES), ...Object.keys(LISTED)].sort()).toEqual([...HINTED].sort())
  })

  it.each(sampled(rows, 4))('does not end in the same error: %s', async (_, make) => {
    const { repo, argv, code, options = {}, words = {}, before, fails, isMended } = await make()
    const raised = await cli(repo, ['--json', ...argv], { now: later(50), ...options })
    expect(raised.json.errors).toMatchObject([{ code }])
    const [{ message, hint }] = raised.json.errors
    const commands = commandsIn(hint)
    expect(commands).not.toEqual([])
    before?.(repo)
    for (const [at, command] of commands.entries()) {
      const filled = command.replace(/<[a-z]+>/g, (place) => words[place] ?? DEFAULTS[place] ?? place)
      expect(filled, 'a place that no word fills').not.toMatch(/<[a-z]+>/)
      const { code: exit, said } = await follow(repo, filled, { now: later(60 + at) })
      expect(said, filled).not.toContain(message)
      if (exit !== 0) expect(said, filled).toMatch(fails ?? /^no reason to fail$/)
    }
    if (isMended !== true) return
    const again = await cli(repo, ['--json', ...argv], { now: later(80), ...options })
    expect(again.json.errors ?? []).not.toMatchObject([{ code, message }])
  })
})

const DEFAULTS: Record<string, string> = { '<goal>': GOAL, '<name>': 'another' }
