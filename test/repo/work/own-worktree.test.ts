import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { byNight, sampled } from '../../sampled.ts'
import { cli } from '../cli.ts'
import { fakeAgent } from '../fake-agent.ts'
import { atFolder, type TempRepo } from '../make-repo.ts'
import { canMount, leftOn, onSmallDisk } from '../small-disk.ts'
import { GOAL, later } from '../usual.ts'
import { runKilled } from './kill-git.ts'
import { BRANCH, done, makePair, stateOf } from './pair.ts'
import { states } from './states.ts'

const GIT = ['--from', 'git', '--allow-vague']
const TO = ['--to', 'codex', '--headless', '--worktree']

/** Codex that says where it is; the folder of a successor, as a repository. */
function successorOf(repo: TempRepo, folder = `${repo.root}-feature-queue-codex`) {
  const { env, seen } = fakeAgent(repo, 'codex')
  return { env, seen, there: { ...atFolder(repo.base, folder, repo.env), home: repo.home } }
}
const begin = (repo: TempRepo, env: Record<string, string>, ...extra: string[]) =>
  cli(repo, ['--json', 'create', GOAL, ...GIT, ...TO, ...extra], { env, now: later(40) })

/** Index as bytes, work tree, refs but for the branch, and stash: what a successor beside it must not touch. */
const untouched = (repo: TempRepo) => ({
  ...stateOf(repo),
  stash: repo.git(['stash', 'list']),
  work: repo.git(['for-each-ref', 'refs/handoff']),
})
/** Without the brief, which is committed here before. */
const withoutBriefs = ({ index, files }: ReturnType<typeof stateOf>) => ({
  index: index.split('\0').filter((line) => !line.includes('\t.handoff/')),
  files: Object.fromEntries(Object.entries(files).filter(([path]) => !path.startsWith('.handoff/'))),
})
const worktrees = (repo: TempRepo): string[] =>
  repo.git(['worktree', 'list', '--porcelain']).match(/^worktree .*$/gm) ?? []
const branches = (repo: TempRepo): string =>
  repo.git(['for-each-ref', '--format=%(refname:short)', 'refs/heads'])

describe('a successor in a worktree of its own', () => {
  it.each(sampled(states, 1))('has what is uncommitted, and nothing changes here: %s', async (_, make) => {
    const { ann } = await makePair()
    make(ann)
    const before = withoutBriefs(untouched(ann))
    const { env, seen, there } = successorOf(ann)
    const { code, json } = await begin(ann, env, '--work')
    expect([code, json.errors]).toEqual([0, []])
    expect(withoutBriefs(untouched(ann))).toEqual(before)
    expect(ann.git(['for-each-ref', 'refs/handoff'])).toBe('')
    expect(stateOf(there)).toEqual(stateOf(ann))
    expect(seen()?.cwd).toBe(there.root)
    expect(json).toMatchObject({
      successor: { agent: 'codex', cwd: there.root },
      worktree: { folder: there.root, branch: `${BRANCH}-codex` },
    })
    // The brief is open there, and its words are this person's own.
    expect(there.read('.handoff/latest.md')).toContain(json.id)
    const shown = await done(there, ['show'])
    expect([shown.id, shown.trusted]).toEqual([json.id, true])
    expect(there.git(['rev-parse', 'HEAD'])).toBe(ann.git(['rev-parse', 'HEAD']))
  })

  byNight('is told where it is and how it goes, and finds another name the next time', async () => {
    const { ann } = await makePair()
    ann.write('a.txt', 'changed\n')
    ann.write('.env', 'x\n')
    ann.write('.git/info/exclude', '.env\n')
    const { env } = successorOf(ann)
    const { stderr } = await cli(ann, ['create', GOAL, ...GIT, ...TO, '--work'], { env, now: later(40) })
    const folder = `${ann.root}-feature-queue-codex`
    expect(stderr).toContain(
      `Made ${folder} on the new branch \`feature/queue-codex\`, with 1 uncommitted file. Files that git ignores are not there\n`,
    )
    expect(stderr).toContain(
      `When its work is merged: \`git -C ${ann.root} worktree remove ${folder}\`, then \`git branch -d feature/queue-codex\`\n`,
    )
    expect(existsSync(join(folder, '.env'))).toBe(false)
    const second = await begin(ann, env)
    expect(second.json.worktree).toEqual({
      ...{ folder: `${folder}-2`, branch: 'feature/queue-codex-2', files: 0, staged: 0, left: [] },
    })
    expect(atFolder(ann.base, `${folder}-2`, ann.env).git(['status', '--porcelain'])).toBe('')
    const named = await begin(ann, env, '../named')
    expect(named.json.worktree.folder).toBe(join(ann.base, 'named'))
  })

  byNight('can be begun on the trunk', async () => {
    const { ann } = await makePair()
    ann.git(['switch', '-q', 'main'])
    ann.write('a.txt', 'changed\n')
    const { env, there } = successorOf(ann, `${ann.root}-main-codex`)
    const { json } = await begin(ann, env, '--work')
    expect(json.successor).toMatchObject({ cwd: there.root, exit: 0 })
    expect((await done(there, ['show'])).id).toBe(json.id)
    expect(there.read('a.txt')).toBe('changed\n')
  })

  it.each(
    sampled<[string, string[], (repo: TempRepo) => unknown, string, RegExp]>(
      [
        [
          'a folder that is there',
          ['--worktree', '../full'],
          ({ base }) => mkdirSync(join(base, 'full')),
          'E_USAGE',
          /full is there already/,
        ],
        [
          'a folder in the work tree',
          ['--worktree', 'inside'],
          () => undefined,
          'E_USAGE',
          /is inside this work tree/,
        ],
        [
          'a detached HEAD',
          [],
          ({ git }) => git(['switch', '-q', '--detach']),
          'E_USAGE',
          /HEAD is detached/,
        ],
        [
          'a merge in progress',
          [],
          ({ root, git }) => writeFileSync(join(root, '.git/MERGE_HEAD'), git(['rev-parse', 'HEAD'])),
          'E_IN_PROGRESS',
          /a merge is in progress/,
        ],
        [
          'a brief that is not committed',
          ['--no-commit'],
          () => undefined,
          'E_USAGE',
          /begins at the commit/,
        ],
        [
          'a brief on a branch of its own',
          ['--branch', 'separate'],
          () => undefined,
          'E_USAGE',
          /begins at the commit/,
        ],
      ],
      2,
    ),
  )('is refused before anything is made: %s', async (_, extra, prepare, code, message) => {
    const { ann } = await makePair()
    prepare(ann)
    const before = [ann.git(['rev-parse', 'HEAD']), worktrees(ann), branches(ann)]
    const { env, seen } = successorOf(ann)
    const { json } = await begin(ann, env, ...extra)
    expect(json.errors[0]).toMatchObject({ code, message: expect.stringMatching(message) })
    expect([ann.git(['rev-parse', 'HEAD']), worktrees(ann), branches(ann), seen()]).toEqual([...before, null])
  })

  it('needs somebody to start, and one place', async () => {
    const { ann } = await makePair()
    const alone = await cli(ann, ['--json', 'create', GOAL, ...GIT, '--worktree'])
    expect(alone.json.errors[0].message).toBe('--worktree needs --to.')
    const { env } = successorOf(ann)
    ann.git(['init', '-q', join(ann.base, 'place')])
    const twice = await cli(ann, ['--json', 'create', GOAL, ...GIT, '--to', '../place', '--worktree'], {
      env,
    })
    expect(twice.json.errors[0].message).toMatch(/names a place, and --worktree makes another one/)
  })

  // Each start of git from the worktree on fails in turn.
  byNight('leaves neither folder nor branch where any step of it fails', { timeout: 600_000 }, async () => {
    const whole = await makePair()
    const starts = await failingAt(whole.ann, null)
    const first = starts.findIndex((line) => line.startsWith('worktree add'))
    const last = starts.findLastIndex((line) => /read-tree -m -i/.test(line))
    expect([first > 0, last > first]).toEqual([true, true])
    const steps = starts.slice(first, last + 1).map((_, at) => first + at + 1)
    for (const at of sampled(steps, 2)) {
      const { ann } = await makePair()
      dirty(ann)
      const before = withoutBriefs(untouched(ann))
      const [kept, names] = [worktrees(ann), branches(ann)]
      const line = await failingAt(ann, at)
      // Some only look, and their failure changes nothing.
      if (worktrees(ann).length > 1) expect(stateOf(successorOf(ann).there)).toEqual(stateOf(ann))
      else expect([line.at(-1), worktrees(ann), branches(ann)]).toEqual([line.at(-1), kept, names])
      expect(withoutBriefs(untouched(ann))).toEqual(before)
      expect(readdirSync(ann.base).filter((name) => name.endsWith('-codex'))).toHaveLength(
        worktrees(ann).length - 1,
      )
    }
  })

  byNight(
    'touches nothing here if it is killed, and is made the next time',
    { timeout: 1_800_000 },
    async () => {
      const argv = ['create', GOAL, ...GIT, ...TO, '--work']
      const whole = await makePair()
      dirty(whole.ann)
      const { starts } = runKilled(whole.ann, argv, 0, fakeAgent(whole.ann, 'codex').env)
      const steps = Array.from({ length: starts }, (_, at) => at + 1)
      for (const at of steps) {
        const { ann } = await makePair()
        dirty(ann)
        const before = withoutBriefs(untouched(ann))
        const { env } = fakeAgent(ann, 'codex')
        runKilled(ann, argv, at, env)
        const { code, said } = runKilled(ann, argv, 0, env)
        expect([at, code, said]).toEqual([at, 0, said])
        expect(withoutBriefs(untouched(ann))).toEqual(before)
        const folder = /Made (\S+) on the new branch/.exec(said)?.[1] ?? ''
        expect(withoutBriefs(stateOf({ ...ann, ...atFolder(ann.base, folder, ann.env) }))).toEqual(
          withoutBriefs(stateOf(ann)),
        )
      }
    },
  )

  byNight.runIf(canMount)('leaves nothing where the disk is full', async () => {
    await onSmallDisk('8m', async (repo) => {
      const { env } = fakeAgent(repo, 'codex')
      repo.commit('large', { 'large.bin': 'x'.repeat(3_000_000) })
      writeFileSync(join(repo.root, '../fill'), Buffer.alloc((leftOn(repo) - 2500) * 1024))
      repo.write('a.txt', 'changed\n')
      const { json } = await begin(repo, env, '--work')
      expect(json).toMatchObject({ ok: false, successor: null, errors: [{ code: 'E_GIT' }] })
      expect([worktrees(repo).length, branches(repo)]).toEqual([1, 'main'])
      expect(existsSync(`${repo.root}-main-codex`)).toBe(false)
      expect(repo.read('a.txt')).toBe('changed\n')
    })
  })
})

const dirty = (repo: TempRepo): void => {
  repo.write('a.txt', 'staged\n')
  repo.git(['add', 'a.txt'])
  repo.write('a.txt', 'and more\n')
  repo.write('new.txt', 'new\n')
}

/** Runs it with a git whose `at`th start fails; what git was started with. */
async function failingAt(repo: TempRepo, at: number | null): Promise<string[]> {
  if (at === null) dirty(repo)
  const bin = join(repo.base, 'failing')
  const log = join(repo.base, 'log')
  mkdirSync(bin)
  writeFileSync(log, '')
  const script = [
    '#!/bin/sh',
    `echo "$*" | sed 's/^\\(-c [^ ]* \\)*//' >> '${log}'`,
    `[ "$(wc -l < '${log}')" -eq ${at ?? 0} ] && { echo "fatal: no" >&2; exit 128; }`,
    `PATH='${repo.env.PATH}' exec git "$@"`,
  ]
  writeFileSync(join(bin, 'git'), `${script.join('\n')}\n`)
  chmodSync(join(bin, 'git'), 0o755)
  const { env } = fakeAgent(repo, 'codex')
  await begin(repo, { ...env, PATH: `${bin}:${env.PATH}` }, '--work')
  return readFileSync(log, 'utf8').trim().split('\n')
}
