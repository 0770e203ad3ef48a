import { chmodSync, mkdirSync, readdirSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readCheckout } from '../../../../src/briefs/current.ts'
import { commitFiles } from '../../../../src/git/commit-files.ts'
import { readChanged, readSince, refWith } from '../../../../src/git/compare-commits.ts'
import { holdsBlob } from '../../../../src/git/files.ts'
import { openRepo } from '../../../../src/git/open-repo.ts'
import { isBehind } from '../../../../src/git/operation.ts'
import { listTipBriefs, readBriefTrees } from '../../../../src/git/read-briefs.ts'
import { hasCommits, readRefs, resolveRevision } from '../../../../src/git/refs.ts'
import { readConfig } from '../../../../src/git/settings.ts'
import { readHeadView } from '../../../../src/git/snapshot.ts'
import { readStatus } from '../../../../src/git/status.ts'
import { defaultRange } from '../../../../src/review/default-range.ts'
import { adoptHere, BRIEF, CONTENT, ID, MESSAGE } from '../../../repo/git/harm.ts'
import { handOver } from '../../../repo/life/lines.ts'
import { makeRepo, type TempRepo } from '../../../repo/make-repo.ts'

/** A git that does something first, or else, the first `times` times that it is asked for `command`; `asked` counts all of them. */
async function oddGit(temp: TempRepo, command: string, times: number, deed: string) {
  const bin = join(temp.base, 'bin')
  mkdirSync(join(bin, 'calls'), { recursive: true })
  const script = `case " $* " in *' ${command} '*)
  n=1; while ! mkdir '${bin}/calls/'$n 2>/dev/null; do n=$((n+1)); done
  [ $n -le ${times} ] && { ${deed}; } ;;
esac
PATH='${temp.env.PATH}' exec git "$@"`
  writeFileSync(join(bin, 'git'), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
  const repo = await openRepo(temp.root, { env: { ...temp.env, PATH: `${bin}:${temp.env.PATH}` } })
  return { repo, asked: () => readdirSync(join(bin, 'calls')).length }
}

const says = (line: string): string => `echo "${line}" >&2`

describe('a file that nobody can read', () => {
  test('holds no blob that anybody knows of', async () => {
    const temp = makeRepo()
    const repo = await openRepo(temp.root, { env: temp.env })
    const oid = temp.git(['rev-parse', 'HEAD:a.txt'])
    expect(['a.txt', 'none.txt', '.git'].map((path) => holdsBlob(repo, path, oid))).toEqual([
      true,
      false,
      false,
    ])
    for (const folder of [temp.base, temp.root]) chmodSync(folder, 0o755)
    chmodSync(join(temp.root, 'a.txt'), 0)
    const isRoot = process.getuid?.() === 0
    if (isRoot) process.seteuid?.(65534)
    try {
      // Whether somebody has changed it nobody knows.
      expect(() => holdsBlob(repo, 'a.txt', oid)).toThrow('EACCES')
    } finally {
      if (isRoot) process.seteuid?.(0)
    }
  })
})

describe('the folder of briefs of another branch', () => {
  async function withBranch() {
    const temp = makeRepo()
    temp.git(['switch', '-q', '-c', 'x'])
    const { id } = await handOver(temp)
    const oid = temp.git(['rev-parse', 'x:.handoff/briefs'])
    temp.git(['switch', '-q', 'main'])
    const repo = await openRepo(temp.root, { env: temp.env })
    const heads = temp.git(['rev-parse', 'x', 'main']).split('\n')
    return { temp, repo, id, heads, file: join(temp.root, '.git/objects', oid.slice(0, 2), oid.slice(2)) }
  }

  test('is none where it is not there', async () => {
    const { repo, heads, id } = await withBranch()
    expect((await readBriefTrees(repo, heads)).map((briefs) => briefs.map((one) => one.id))).toEqual([
      [id],
      [],
    ])
  })

  test('is not called none where it cannot be read, but for a list of all there is', async () => {
    const { temp, repo, heads, file } = await withBranch()
    unlinkSync(file)
    const failed = { code: 'E_GIT', message: expect.stringContaining('cannot be read') }
    await expect(readBriefTrees(repo, heads)).rejects.toMatchObject(failed)
    expect(await listTipBriefs(repo)).toEqual([])
    // A partial clone may lack it.
    mkdirSync(join(temp.root, '.git/objects/pack'), { recursive: true })
    writeFileSync(join(temp.root, '.git/objects/pack/pack-1.promisor'), '')
    expect(await readBriefTrees(repo, heads)).toEqual([[], []])
  })
})

describe('a git that died of what it could not read', () => {
  const CORRUPT = 'fatal: loose object 0123 (stored in .git/objects/01/23) is corrupt'
  const dies = (line: string) => `${says(line)}; exit 128`

  test('has not said which of two trunks is the newer one, or that nothing was merged', async () => {
    const temp = makeRepo()
    temp.git(['switch', '-q', '-c', 'x'])
    await handOver(temp)
    temp.git(['update-ref', 'refs/remotes/origin/main', 'x'])
    const failed = { code: 'E_GIT', message: expect.stringContaining('is corrupt') }
    const first = await oddGit(temp, 'merge-base', 9, dies(CORRUPT))
    await expect(readCheckout(first.repo)).rejects.toMatchObject(failed)
    const second = await oddGit(temp, 'rev-list', 9, dies(CORRUPT))
    temp.git(['branch', '-q', '-m', 'main', 'y'])
    temp.git(['update-ref', '-d', 'refs/remotes/origin/main'])
    temp.git(['switch', '-q', 'y'])
    await expect(defaultRange(second.repo)).rejects.toMatchObject(failed)
  })

  test('has not said that there is no such commit, or none at all', async () => {
    const temp = makeRepo()
    const failed = { code: 'E_GIT', message: expect.stringContaining('is corrupt') }
    const [{ repo }, dead] = [
      await oddGit(temp, 'rev-parse -q', 99, dies(CORRUPT)),
      await oddGit(makeRepo(), 'cat-file --batch', 99, dies(CORRUPT)),
    ]
    await expect(hasCommits(dead.repo)).rejects.toMatchObject(failed)
    await expect(resolveRevision(repo, 'HEAD')).rejects.toMatchObject(failed)
    const killed = await oddGit(makeRepo(), 'rev-parse -q', 99, 'kill -9 $$')
    await expect(resolveRevision(killed.repo, 'HEAD@{0}')).rejects.toMatchObject({ code: 'E_GIT' })
    const sound = await openRepo(temp.root, { env: temp.env })
    for (const rev of ['nope', 'HEAD@{99}', '@{u}', 'HEAD:a.txt'])
      await expect(resolveRevision(sound, rev)).rejects.toMatchObject({ code: 'E_BAD_REVISION' })
  })
})

test('a git that failed has not said that nothing was committed since, nor that a commit is not here', async () => {
  const gone = '0123456789'.repeat(4)
  for (const command of ['log', 'diff', 'merge-base', 'for-each-ref']) {
    const temp = makeRepo()
    const head = temp.git(['rev-parse', 'HEAD'])
    const { repo } = await oddGit(temp, command, 99, `${says('fatal: planted')}; exit 128`)
    const ask = {
      log: (from: string) => readSince(repo, from, 'HEAD'),
      diff: (from: string) => readChanged(repo, from, 'HEAD'),
      'merge-base': (from: string) => isBehind(repo, from),
      'for-each-ref': (from: string) => refWith(repo, from, 'main'),
    }[command]
    await expect(ask?.(head)).rejects.toMatchObject({
      code: 'E_GIT',
      message: expect.stringContaining('planted'),
    })
    expect(await ask?.(gone)).toBe(null)
  }
})

describe('what is taken away when git calls something missing', () => {
  /** Takes an object out of a repository: git says nothing else of one that it cannot read. */
  const lose = (temp: TempRepo, rev: string): void => {
    const oid = temp.git(['rev-parse', rev])
    unlinkSync(join(temp.root, '.git/objects', oid.slice(0, 2), oid.slice(2)))
  }

  test('no ref of a brief that waits for its branch', async () => {
    const temp = makeRepo()
    const repo = await openRepo(temp.root, { env: temp.env })
    temp.write('.git/MERGE_HEAD', `${temp.git(['rev-parse', 'HEAD'])}\n`)
    temp.write(BRIEF, CONTENT)
    const files = [{ path: BRIEF, content: CONTENT }]
    expect(await commitFiles(repo, { id: ID, files, message: MESSAGE })).toMatchObject({ state: 'parked' })
    unlinkSync(join(temp.root, '.git/MERGE_HEAD'))
    lose(temp, `refs/handoff/${ID}:${BRIEF}`)
    expect(await adoptHere(repo)).toEqual({
      adopted: [],
      left: [{ id: ID, why: `${BRIEF} cannot be read` }],
    })
    expect(temp.git(['for-each-ref', '--format=%(refname)', 'refs/handoff'])).toBe(`refs/handoff/${ID}`)
  })
})

describe('an object that git calls missing because it could not read it', () => {
  test('is an error where the commit names it: without it a new commit would take out what it holds', async () => {
    const temp = makeRepo()
    temp.commit('briefs', { '.handoff/briefs/20261122T014800-1f3a9c07-x.md': 'x\n' })
    const tree = temp.git(['rev-parse', 'HEAD:.handoff/briefs'])
    unlinkSync(join(temp.root, '.git/objects', tree.slice(0, 2), tree.slice(2)))
    const repo = await openRepo(temp.root, { env: temp.env })
    const message = expect.stringContaining('the tree of .handoff/briefs cannot be read')
    await expect(readHeadView(repo)).rejects.toMatchObject({ code: 'E_GIT', message })
    for (const rev of ['HEAD', 'refs/heads/main'])
      await expect(readBriefTrees(repo, [rev])).rejects.toMatchObject({ code: 'E_GIT', message })
    const head = temp.git(['rev-parse', 'HEAD'])
    temp.write(BRIEF, CONTENT)
    const files = [{ path: BRIEF, content: CONTENT }]
    await expect(commitFiles(repo, { id: ID, files, message: MESSAGE, patience: 300 })).rejects.toMatchObject(
      { code: 'E_NOT_COMMITTED', message },
    )
    expect(temp.git(['rev-parse', 'HEAD'])).toBe(head)
  })
})

describe('a branch that git calls unborn because it could not read it', () => {
  test('is an error, where it stays so and has a ref', async () => {
    const { repo } = await oddGit(
      makeRepo(),
      'cat-file --batch',
      99,
      'while read name; do echo "$name missing"; done; exit 0',
    )
    const failed = { code: 'E_GIT', message: expect.stringContaining('the commit of HEAD cannot be read') }
    for (const ask of [hasCommits, readHeadView]) await expect(ask(repo)).rejects.toMatchObject(failed)
  })

  test('is an error, where git passes its ref over', async () => {
    const warning = 'warning: ignoring broken ref refs/heads/main'
    const { repo } = await oddGit(makeRepo(), 'for-each-ref', 99, `${says(warning)}; exit 0`)
    const failed = { code: 'E_GIT', message: expect.stringContaining(warning) }
    await expect(readRefs(repo, ['refs/heads'])).rejects.toMatchObject(failed)
  })

  test('is an error, where a listing leaves its ref out without a word', async () => {
    const deed = 'case "$*" in *cat-file*) while read name; do echo "$name missing"; done;; esac; exit 0'
    const { repo } = await oddGit(makeRepo(), "cat-file --batch '*|*' for-each-ref", 99, deed)
    const message = expect.stringContaining('the commit of HEAD cannot be read')
    await expect(hasCommits(repo)).rejects.toMatchObject({ code: 'E_GIT', message })
  })

  test('so is a configuration of the repository that git could not open and reads on without', async () => {
    const temp = makeRepo()
    // So git takes itself to be in no repository, as it does without a HEAD that it can open.
    const { repo } = await oddGit(temp, 'config', 99, 'cd /')
    const message = expect.stringContaining('.git/config cannot be read')
    await expect(readConfig(repo)).rejects.toMatchObject({ code: 'E_GIT', message })
    temp.write('.git/config', '[user]\n  name = Dev Three\n')
    const bare = await openRepo(temp.root, { env: temp.env })
    expect(await readConfig(bare)).toMatchObject({ identity: { name: 'Dev Three' } })
    temp.write('.git/config', '')
    expect((await readConfig(bare)).isOn('core.sparsecheckout')).toBe(false)
  })

  test('is asked for again, and is there', async () => {
    const once = async (command: string, deed: string) => {
      const temp = makeRepo()
      return { oid: temp.git(['rev-parse', 'HEAD']), repo: (await oddGit(temp, command, 1, deed)).repo }
    }
    const missing = await once('cat-file --batch', 'read name; echo "$name missing"')
    expect((await readHeadView(missing.repo)).commit).toBe(missing.oid)
    const initial = await once('status', "printf '# branch.oid (initial)\\0# branch.head main\\0'; exit 0")
    expect(await readStatus(initial.repo)).toMatchObject({ head: initial.oid, branch: 'main' })
    const unknown = await once(
      'status',
      `printf '# branch.oid ${initial.oid}\\0# branch.head (unknown)\\0'; exit 0`,
    )
    expect(await readStatus(unknown.repo)).toMatchObject({ branch: 'main' })
  })

  test('has none where it is unborn, and a ref that a power cut left empty is passed over', async () => {
    const temp = makeRepo({ initial: false })
    const repo = await openRepo(temp.root, { env: temp.env })
    expect(await hasCommits(repo)).toBe(false)
    expect(await readHeadView(repo)).toMatchObject({ commit: null })
    expect(await readBriefTrees(repo, ['HEAD', 'refs/heads/none'])).toEqual([[], []])
    expect(await readStatus(repo)).toMatchObject({ head: null, branch: 'main' })
    const born = makeRepo()
    born.write('.git/refs/heads/torn', '')
    const refs = await readRefs(await openRepo(born.root, { env: born.env }), ['refs/heads'])
    expect(refs.map(({ name }) => name)).toEqual(['refs/heads/main'])
  })
})
