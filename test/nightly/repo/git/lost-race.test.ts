import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type CommitRequest, commitFiles } from '../../../../src/git/commit-files.ts'
import { openRepo } from '../../../../src/git/open-repo.ts'
import { cli } from '../../../repo/cli.ts'
import { makeRepo, type TempRepo } from '../../../repo/make-repo.ts'

const CONSTANT = { '.handoff/latest.md': 'pointer\n', '.handoff/README.md': 'readme\n' }

/** The first brief of a repository, by one of several creators: with the files that all of them bring. */
function first(repo: TempRepo, at: number): CommitRequest {
  const id = `20261122T01480${at}-1f3a9c0${at}`
  const files = Object.entries({ [`.handoff/briefs/${id}-x.md`]: `brief ${at}\n`, ...CONSTANT })
  for (const [path, content] of files) repo.write(path, content)
  return {
    id,
    files: files.map(([path, content]) => ({ path, content })),
    message: `x\n\nHandoff-Id: ${id}\n`,
  }
}

const staged = (repo: TempRepo) =>
  repo
    .git(['status', '--porcelain', '-uall'])
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('??'))

function script(path: string, text: string): void {
  writeFileSync(path, `#!/bin/sh\n${text}\n`)
  chmodSync(path, 0o755)
}

const hook = (repo: TempRepo, text: string) =>
  script(join(repo.root, '.git/hooks/reference-transaction'), text)

describe('creators that lose a race', () => {
  it('a git that had read the index before writes it without the brief: it is staged again', async () => {
    const repo = makeRepo()
    const request = first(repo, 1)
    hook(repo, '[ "$1" = prepared ] && git read-tree HEAD')
    const opened = await openRepo(repo.root, { env: repo.env })
    expect(await commitFiles(opened, request)).toMatchObject({ state: 'committed' })
    expect(staged(repo)).toEqual([])
    expect(repo.git(['ls-files', '.handoff']).split('\n')).toHaveLength(3)
  })

  it('a branch that is left in that moment leaves no file of its brief, so that it can be checked out again', async () => {
    const repo = makeRepo()
    repo.git(['branch', 'other'])
    hook(repo, 'if [ "$1" = committed ]; then git symbolic-ref HEAD refs/heads/other; fi')
    const args = ['create', 'finish the retry queue and document its limits', '--from', 'git', '--json']
    const { code, json } = await cli(repo, args)
    expect(code).toBe(0)
    expect(repo.git(['status', '--porcelain', '-uall'])).toBe('')
    repo.git(['switch', '-q', 'main'])
    expect(repo.read(json.path)).toContain(json.id)
  })

  it('nothing is staged again while an operation has begun', async () => {
    const repo = makeRepo()
    const request = first(repo, 1)
    const begin =
      'git read-tree HEAD; mkdir .git/rebase-merge; echo refs/heads/main > .git/rebase-merge/head-name'
    hook(repo, `[ "$1" = prepared ] && { ${begin}; }`)
    const opened = await openRepo(repo.root, { env: repo.env })
    expect(await commitFiles(opened, request)).toMatchObject({ state: 'committed' })
    expect(repo.git(['ls-files', '.handoff'])).toBe('')
  })

  it.each([true, false])('G6: leave nothing of each other staged; there are commits: %s', async (initial) => {
    const repo = makeRepo({ initial })
    mkdirSync(join(repo.root, '.git/refs/heads'), { recursive: true })
    writeFileSync(join(repo.root, '.git/refs/heads/main.lock'), '')
    const opened = await openRepo(repo.root, { env: repo.env })
    // As those that have waited for long: nobody waits for the others any more.
    const impatient = setInterval(
      () => void rm(join(repo.root, '.git/handoff/queue.lock'), { force: true }),
      5,
    )
    const made = [1, 2, 3].map((at) =>
      commitFiles(opened, { ...first(repo, at), patience: at === 2 ? 2000 : 900 }),
    )
    for (const one of await Promise.allSettled(made)) expect(one.status).toBe('rejected')
    clearInterval(impatient)
    rmSync(join(repo.root, '.git/refs/heads/main.lock'))
    expect(staged(repo)).toEqual([])
    expect(repo.tryGit(['ls-files', '.handoff']).stdout).toBe('')
  })

  it('G6: take nothing out of the index that another one has committed', async () => {
    const repo = makeRepo()
    const brief = '.handoff/briefs/20261122T014809-1f3a9c09-x.md'
    repo.write(brief, 'brief 9\n')
    hook(
      repo,
      `[ "$1" != prepared ] || exit 1
[ "$1" = aborted ] && [ ! -e '${repo.base}/once' ] || exit 0
: >'${repo.base}/once'
git update-index --add ${brief}
git -c core.hooksPath=/dev/null commit -q -m theirs -- ${brief} ${Object.keys(CONSTANT).join(' ')}`,
    )
    const failing = commitFiles(await openRepo(repo.root, { env: repo.env }), first(repo, 1))
    await expect(failing).rejects.toMatchObject({ code: 'E_NOT_COMMITTED' })
    expect(repo.git(['log', '-1', '--format=%s'])).toBe('theirs')
    expect(staged(repo)).toEqual([])
    expect(repo.git(['ls-files', '.handoff']).split('\n')).toEqual([
      '.handoff/README.md',
      brief,
      '.handoff/latest.md',
    ])
  })

  it('G6: go on while the user commits all the time', async () => {
    const repo = makeRepo()
    const gpg = join(repo.base, 'gpg')
    // The user commits other files each time between the look at the branch and the commit.
    script(
      gpg,
      `cat >/dev/null
n=$(wc -l <'${repo.base}/n' 2>/dev/null || echo 0)
echo x >>'${repo.base}/n'
[ "$n" -ge 4 ] || git update-ref HEAD "$(git commit-tree 'HEAD^{tree}' -p HEAD -m user)"
sleep 0.8
printf '\\n[GNUPG:] SIG_CREATED x\\n' >&2
echo signature`,
    )
    repo.git(['config', 'gpg.program', gpg])
    repo.git(['config', 'commit.gpgSign', 'true'])
    const opened = await openRepo(repo.root, { env: repo.env })
    const outcome = await commitFiles(opened, { ...first(repo, 1), patience: 20_000 })
    expect(outcome.state).toBe('committed')
    expect(
      repo
        .git(['log', '--format=%s'])
        .split('\n')
        .filter((one) => one === 'user'),
    ).toHaveLength(4)
    expect(staged(repo)).toEqual([])
  })
})

describe('a `git gc --prune=now` that looked before the branch moved', () => {
  it('takes objects: the command says so, and the next one commits', async () => {
    const repo = makeRepo()
    const bin = join(repo.base, 'bin')
    mkdirSync(bin)
    script(
      join(bin, 'git'),
      `PATH='${repo.env.PATH}'; export PATH
case " $* " in *" update-ref "*) mkdir '${repo.base}/once' 2>/dev/null && git prune --expire=now ;; esac
exec git "$@"`,
    )
    const opened = await openRepo(repo.root, {
      env: { ...repo.env, PATH: `${bin}${delimiter}${repo.env.PATH}` },
    })
    await expect(commitFiles(opened, first(repo, 1))).rejects.toThrow(/saved in .* but not committed/)
    expect(repo.git(['status', '--porcelain', '-uno'])).toBe('')
    const outcome = await commitFiles(opened, first(repo, 1))
    expect(outcome.state).toBe('committed')
    expect(repo.git(['fsck', '--full', '--no-dangling'])).toBe('')
    expect(repo.git(['log', '--format=%s']).split('\n')[0]).toBe('x')
    expect(staged(repo)).toEqual([])
  })
})
