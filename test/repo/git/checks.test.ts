import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { forgetStat } from '../../../src/git/commit-files.ts'
import { openRepo } from '../../../src/git/open-repo.ts'
import { changedBlobs, stagedBlobs } from '../../../src/git/read-history.ts'
import { CLEAN_FILTER, ensureFilter, writeConfig } from '../../../src/git/settings.ts'
import { isIgnored } from '../../../src/git/status.ts'
import { trustFacts } from '../../../src/git/trust-facts.ts'
import { byNight, sampled } from '../../sampled.ts'
import { makeFolder, makeRepo, type TempRepo } from '../make-repo.ts'
import { leftovers } from './harm.ts'

const open = (temp: TempRepo, env: Record<string, string> = {}) =>
  openRepo(temp.root, { env: { ...temp.env, ...env } })
const LATEST = '.handoff/latest.md'
const POINTER = 'where to look\n'
const EXPANDED = `${POINTER}<!-- handoff:begin branch=main -->\nthe whole brief\n`

/** A repository in which `latest.md` is committed with its attributes. */
function withLatest(): TempRepo {
  const temp = makeRepo()
  temp.commit('handoff', {
    '.handoff/.gitattributes':
      '* text eol=lf -filter -ident -working-tree-encoding\n/latest.md filter=handoff\n',
    [LATEST]: POINTER,
  })
  return temp
}

/** What the index has of `latest.md`. */
const entryOf = (temp: TempRepo) => ({
  path: LATEST,
  mode: '100644',
  oid: temp.git(['rev-parse', `:${LATEST}`]),
})

describe('latest.md', () => {
  test('ensureFilter sets the local setting once', async () => {
    const temp = makeRepo()
    const repo = await open(temp)
    expect(await ensureFilter(repo)).toBe(true)
    expect(temp.git(['config', '--local', '--get', 'filter.handoff.clean'])).toBe(CLEAN_FILTER)
    const config = temp.read('.git/config')
    expect(await ensureFilter(repo)).toBe(false)
    expect(temp.read('.git/config')).toBe(config)
  })

  test('ensureFilter waits for another who writes the configuration', async () => {
    const temp = makeRepo()
    const repo = await open(temp)
    const lock = join(temp.root, '.git/config.lock')
    writeFileSync(lock, '')
    const freed = setTimeout(() => unlinkSync(lock), 300)
    expect(await ensureFilter(repo)).toBe(true)
    clearTimeout(freed)
    expect(temp.git(['config', '--local', '--get', 'filter.handoff.clean'])).toBe(CLEAN_FILTER)
  })

  test('a lock of the configuration that stays is named, with what to do, and left', async () => {
    const temp = makeRepo()
    const repo = await open(temp)
    const lock = join(temp.root, '.git/config.lock')
    writeFileSync(lock, '')
    const failed = await writeConfig(repo, ['--add', 'some.key', 'value'], 100).catch(
      (error: unknown) => error,
    )
    expect(failed).toMatchObject({
      code: 'E_WRITE',
      message: expect.stringContaining(lock),
      hint: expect.stringContaining('remove that file'),
    })
    expect(existsSync(lock)).toBe(true)
  })

  byNight('an expanded copy of any length leaves the status clean', async () => {
    const temp = withLatest()
    temp.write('a.txt', 'staged\n')
    temp.git(['add', 'a.txt'])
    const repo = await open(temp)
    await ensureFilter(repo)
    const index = temp.git(['ls-files', '-s'])
    for (const text of [EXPANDED, EXPANDED.repeat(3), POINTER]) {
      temp.write(LATEST, text)
      expect(await forgetStat(repo, entryOf(temp))).toBeNull()
      expect(temp.git(['--no-optional-locks', 'status', '--porcelain'])).toBe('M  a.txt')
      // A plain status notes what it has read.
      expect(temp.git(['status', '--porcelain'])).toBe('M  a.txt')
      expect(temp.tryGit(['diff-files', '--quiet']).status).toBe(0)
      expect(temp.git(['ls-files', '-s'])).toBe(index)
    }
    temp.write(LATEST, EXPANDED)
    await forgetStat(repo, entryOf(temp))
    temp.git(['commit', '-q', '-a', '-m', 'by the user'])
    expect(temp.git(['cat-file', 'blob', `HEAD:${LATEST}`])).toBe(POINTER.trimEnd())
  })

  test('S6: a branch that binds the filter to other files loses no line of them', async () => {
    const temp = withLatest()
    const repo = await open(temp)
    temp.git(['config', 'filter.handoff.clean', "sed '/^<!-- handoff:begin/,$d'"])
    expect(await ensureFilter(repo)).toBe(true)
    temp.write('.gitattributes', '* filter=handoff\n')
    const paths = ["it's $(touch ran) a note.md", 'deep/.handoff/latest.md', 'plain.md']
    for (const path of paths) temp.write(path, EXPANDED)
    temp.git(['add', '-A'])
    for (const path of paths) expect(temp.git(['cat-file', 'blob', `:${path}`])).toBe(EXPANDED.trimEnd())
    expect(existsSync(join(temp.root, 'ran'))).toBe(false)
    temp.write(LATEST, EXPANDED)
    temp.git(['add', LATEST])
    expect(temp.git(['cat-file', 'blob', `:${LATEST}`])).toBe(POINTER.trimEnd())
  })

  test('without the filter the expanded copy is never staged', async () => {
    const temp = withLatest()
    const index = temp.git(['ls-files', '-s'])
    temp.write(LATEST, EXPANDED)
    expect(await forgetStat(await open(temp), entryOf(temp))).toBeNull()
    expect(temp.git(['ls-files', '-s'])).toBe(index)
  })

  test('writing our entry hides no change that git was still in doubt about', async () => {
    const temp = withLatest()
    const repo = await open(temp)
    await ensureFilter(repo)
    // Changed after the index was written, with the same size, and as if within the same tick of the clock.
    temp.write('a.txt', 'one\n')
    temp.git(['add', 'a.txt'])
    // Cut off, not rounded: a moment after the file the index would hold no doubt.
    const mtime = new Date(Math.floor(lstatSync(join(temp.root, 'a.txt')).mtimeMs))
    utimesSync(join(temp.root, '.git/index'), mtime, mtime)
    temp.write('a.txt', 'two\n')
    utimesSync(join(temp.root, 'a.txt'), mtime, mtime)
    temp.write(LATEST, EXPANDED)
    expect(await forgetStat(repo, entryOf(temp))).toBeNull()
    expect(temp.git(['--no-optional-locks', 'status', '--porcelain'])).toMatch(/^MM? a\.txt$/m)
  })

  test('a held index.lock is reported after a second, not thrown, and left alone', async () => {
    const temp = withLatest()
    temp.write('.git/index.lock', '')
    expect(await forgetStat(await open(temp), entryOf(temp))).toMatch(/index\.lock': File exists/)
    expect(leftovers(join(temp.root, '.git'))).toEqual(['index.lock'])
  })
})

describe('ignored and tracked', () => {
  test('names the rule, also for tracked paths; a rule taken back does not count', async () => {
    const temp = makeRepo()
    const repo = await open(temp)
    expect(await isIgnored(repo, LATEST)).toBeNull()
    temp.commit('ignore', { [LATEST]: POINTER, '.gitignore': '*.log\n.handoff/\n' })
    expect(await isIgnored(repo, LATEST)).toBe('.gitignore:2: .handoff/')
    temp.write('.gitignore', '.*\n!.handoff/\n')
    expect(await isIgnored(repo, LATEST)).toBeNull()
    temp.write('.git/info/exclude', '/.handoff/briefs\n')
    expect(await isIgnored(repo, '.handoff/briefs/x y.md')).toBe('.git/info/exclude:1: /.handoff/briefs')
  })
})

describe('stagedBlobs', () => {
  const briefs = '.handoff/briefs'
  const list = async (temp: TempRepo, env?: Record<string, string>) =>
    (await stagedBlobs(await open(temp, env), '.handoff')).map(({ path, state }) => `${state} ${path}`)

  test('what the next commit changes under the prefix, before the first commit too', async () => {
    const temp = makeRepo({ initial: false })
    temp.write(`${briefs}/a.md`, 'a\n')
    temp.write('other.txt', 'o\n')
    temp.git(['add', '-A'])
    const [blob] = await stagedBlobs(await open(temp), '.handoff')
    expect(blob).toEqual({
      path: `${briefs}/a.md`,
      oid: temp.git(['hash-object', `${briefs}/a.md`]),
      mode: '100644',
      state: 'added',
    })
    temp.commit('first')
    temp.write(`${briefs}/a.md`, 'changed\n')
    temp.write(`${briefs}/b.md`, 'b\n')
    temp.git(['add', `${briefs}/a.md`])
    expect(await list(temp)).toEqual([`modified ${briefs}/a.md`])
    temp.git(['rm', '-q', '-f', `${briefs}/a.md`])
    expect(await list(temp)).toEqual([`deleted ${briefs}/a.md`])
  })

  test.each(
    sampled(
      [
        ['commit -a', ['commit', '-q', '-a', '-m', 'x']],
        ['commit of one path', ['commit', '-q', '-m', 'x', '--', `${briefs}/a.md`]],
        ['commit in a linked worktree', ['commit', '-q', '-a', '-m', 'x']],
      ],
      1,
    ),
  )('inside the pre-commit hook of %s it sees the index that git commits', async (name, args) => {
    const main = makeRepo()
    main.commit('brief', { [`${briefs}/a.md`]: 'a\n', [`${briefs}/b.md`]: 'b\n' })
    const linked = name.includes('linked')
    if (linked) main.git(['worktree', 'add', '-q', '-b', 'w', '../w'])
    const root = linked ? join(main.base, 'w') : main.root
    const seen = join(main.base, 'env')
    main.write(
      '.git/hooks/pre-commit',
      `#!/bin/sh\nenv > ${seen}\ncp "$GIT_INDEX_FILE" ${seen}.index\nsleep 0.01; exit 1\n`,
    )
    chmodSync(join(main.root, '.git/hooks/pre-commit'), 0o755)
    const temp: TempRepo = linked ? { ...main, root } : main
    writeFileSync(join(root, briefs, 'a.md'), 'changed a\n')
    writeFileSync(join(root, briefs, 'b.md'), 'changed b\n')
    main.git(['add', `${briefs}/b.md`], { cwd: root })
    expect(await list(temp)).toEqual([`modified ${briefs}/b.md`])
    main.tryGit(args, { cwd: root })
    const given = /^GIT_INDEX_FILE=(.*)$/m.exec(readFileSync(seen, 'utf8'))?.[1] ?? ''
    // The index is gone with the hook: put its copy where git had it.
    const path = given.startsWith('/') ? given : join(root, given)
    writeFileSync(path, readFileSync(`${seen}.index`))
    const expected = name.includes('one path') ? ['a'] : ['a', 'b']
    expect(await list(temp, { GIT_INDEX_FILE: given })).toEqual(
      expected.map((file) => `modified ${briefs}/${file}.md`),
    )
    rmSync(path)
  })

  test("another repository's index is not taken", async () => {
    const temp = makeRepo()
    const other = makeRepo()
    other.write('.handoff/x.md', 'x\n')
    other.git(['add', '.handoff'])
    expect(await list(temp, { GIT_INDEX_FILE: join(other.root, '.git/index') })).toEqual([])
  })
})

describe('changedBlobs', () => {
  byNight('every blob a range brought, also what is gone again or came by a merge alone', async () => {
    const temp = makeRepo()
    temp.commit('before', { '.handoff/old.md': 'old\n', '.handoff/gone.md': 'g\n' })
    const a = temp.git(['rev-parse', 'HEAD'])
    temp.commit('kept', { '.handoff/kept.md': 'v1\n' })
    temp.commit('secret', { '.handoff/secret.md': 's\n' })
    temp.git(['rm', '-q', '.handoff/secret.md', '.handoff/gone.md'])
    temp.commit('removed', { '.handoff/kept.md': 'v2\n' })
    temp.git(['switch', '-q', '-c', 'side', a])
    temp.commit('side', { 's.txt': 's\n' })
    temp.git(['switch', '-q', 'main'])
    temp.git(['merge', '-q', '--no-commit', 'side'])
    temp.write('.handoff/evil.md', 'e\n')
    temp.git(['add', '-A'])
    temp.git(['commit', '-q', '-m', 'merge'])
    const blobs = await changedBlobs(await open(temp), `${a}..HEAD`, '.handoff')
    expect(blobs.map(({ path, state, final }) => [path, state, final])).toEqual([
      ['.handoff/evil.md', 'added', true],
      ['.handoff/gone.md', 'deleted', true],
      ['.handoff/kept.md', 'modified', true],
      ['.handoff/kept.md', 'added', false],
      ['.handoff/secret.md', 'added', false],
    ])
    expect(blobs[0]?.commit).toBe(temp.git(['rev-parse', 'HEAD']))
    expect((await changedBlobs(await open(temp), a, '.handoff')).length).toBe(5)
  })

  byNight('three dots start where the branches parted', async () => {
    const temp = makeRepo()
    temp.git(['switch', '-q', '-c', 'work'])
    temp.commit('work', { '.handoff/w.md': 'w\n' })
    temp.git(['switch', '-q', 'main'])
    temp.commit('main', { '.handoff/m.md': 'm\n' })
    const repo = await open(temp)
    const paths = async (range: string) =>
      (await changedBlobs(repo, range, '.handoff')).map(({ path, state }) => `${state} ${path}`)
    expect(await paths('main...work')).toEqual(['added .handoff/w.md'])
    expect(await paths('main..work')).toEqual(['deleted .handoff/m.md', 'added .handoff/w.md'])
  })

  test.each(
    sampled(
      [
        '--output=/tmp/x',
        '--output=/tmp/x..HEAD',
        'HEAD..--all',
        'nope..HEAD',
        '-',
        '..-p',
        'HEAD^{tree}',
        '$(id)',
      ],
      2,
    ),
  )('refuses %j', async (range) => {
    const repo = await open(makeRepo())
    await expect(changedBlobs(repo, range, '.handoff')).rejects.toMatchObject({ code: 'E_BAD_REVISION' })
  })
})

describe('trustFacts', () => {
  const path = '.handoff/briefs/x.md'

  function committed() {
    const temp = makeRepo()
    temp.commit('brief', { [path]: 'brief\n' })
    return { temp, oid: temp.git(['rev-parse', `HEAD:${path}`]) }
  }

  test('a plain committed file on no remote, unsigned', async () => {
    const { temp, oid } = committed()
    const facts = await trustFacts(await open(temp), path, oid)
    expect(facts).toMatchObject({ isPlain: true, matchesHead: true })
    expect(await facts.remoteBranch()).toBeNull()
    expect(await facts.lastChange()).toEqual({ commit: temp.git(['rev-parse', 'HEAD']), letter: 'N' })
  })

  test('an edited, missing or linked work file does not equal HEAD', async () => {
    const { temp, oid } = committed()
    const equals = async () => (await trustFacts(await open(temp), path, oid)).matchesHead
    temp.write(path, 'brief!\n')
    expect(await equals()).toBe(false)
    rmSync(join(temp.root, path))
    expect(await equals()).toBe(false)
    const outside = join(makeFolder(), 'same')
    writeFileSync(outside, 'brief\n')
    symlinkSync(outside, join(temp.root, path))
    expect(await equals()).toBe(false)
    rmSync(join(temp.root, path))
    mkdirSync(join(temp.root, path))
    expect(await equals()).toBe(false)
  })

  byNight('the same blob at the same path on a branch of origin, not on pull request refs', async () => {
    const { temp, oid } = committed()
    const branch = async () => (await trustFacts(await open(temp), path, oid)).remoteBranch()
    for (const ref of ['origin/pr/7', 'origin/pull/7/head', 'fork/main', 'origin/merge-requests/7/head'])
      temp.git(['update-ref', `refs/remotes/${ref}`, 'HEAD'])
    temp.git(['update-ref', 'refs/remotes/origin/old', 'HEAD~1'])
    expect(await branch()).toBeNull()
    temp.git(['update-ref', 'refs/remotes/origin/feature/x', 'HEAD'])
    expect(await branch()).toBe('origin/feature/x')
  })

  byNight(
    'not on refs below origin that another refspec fills: of a remote called origin/fork, or of what is no branch there',
    async () => {
      const { temp, oid } = committed()
      const branch = async () => (await trustFacts(await open(temp), path, oid)).remoteBranch()
      temp.git(['config', 'remote.origin.fetch', '+refs/heads/*:refs/remotes/origin/*'])
      temp.git(['config', '--add', 'remote.origin.fetch', '+refs/pull/*/head:refs/remotes/origin/reviews/*'])
      temp.git(['config', 'remote.origin/fork.fetch', '+refs/heads/*:refs/remotes/origin/fork/*'])
      for (const ref of ['origin/fork/main', 'origin/reviews/7'])
        temp.git(['update-ref', `refs/remotes/${ref}`, 'HEAD'])
      expect(await branch()).toBeNull()
      temp.git(['update-ref', 'refs/remotes/origin/forks', 'HEAD'])
      expect(await branch()).toBe('origin/forks')
    },
  )

  byNight('S13: not on what one fetch stored below origin from refs that are no branches there', async () => {
    const { temp, oid } = committed()
    const branch = async () => (await trustFacts(await open(temp), path, oid)).remoteBranch()
    const origin = makeFolder()
    temp.git(['init', '-q', '--bare', origin])
    temp.git(['remote', 'add', 'origin', origin])
    temp.git([
      'push',
      '-q',
      origin,
      'HEAD:refs/merge-requests/1/head',
      'HEAD:refs/changes/01/1/2',
      'HEAD:refs/heads/x',
    ])
    const fetch = (spec: string) => temp.git(['fetch', '-q', 'origin', spec])
    fetch('+refs/merge-requests/*/head:refs/remotes/origin/mr/*')
    fetch('+refs/changes/*:refs/remotes/origin/changes/*')
    fetch('+refs/changes/*:refs/remotes/origin/gerrit/*')
    fetch('+refs/merge-requests/1/head:refs/remotes/origin/theirs')
    // The names that are usual are none of a branch, where git keeps no reflog either.
    temp.git(['-c', 'core.logAllRefUpdates=false', 'update-ref', 'refs/remotes/origin/mr/2', 'HEAD'])
    temp.git(['-c', 'core.logAllRefUpdates=false', 'update-ref', 'refs/remotes/origin/changes/2', 'HEAD'])
    expect(await branch()).toBeNull()
    fetch('+refs/heads/*:refs/remotes/origin/*')
    expect(await branch()).toBe('origin/x')
    temp.git(['update-ref', '-d', 'refs/remotes/origin/x'])
    fetch(`${temp.git(['rev-parse', 'HEAD'])}:refs/remotes/origin/ci`)
    expect(await branch()).toBe('origin/ci')
  })

  test('a committed link, another blob, and no commit at all', async () => {
    const temp = makeRepo()
    mkdirSync(join(temp.root, '.handoff/briefs'), { recursive: true })
    symlinkSync('/etc/passwd', join(temp.root, path))
    temp.commit('link')
    const oid = temp.git(['rev-parse', `HEAD:${path}`])
    expect(await trustFacts(await open(temp), path, oid)).toMatchObject({
      isPlain: false,
      matchesHead: false,
    })
    expect(await trustFacts(await open(temp), path, '0'.repeat(40))).toMatchObject({ matchesHead: false })
    const unborn = await trustFacts(await open(makeRepo({ initial: false })), path, oid)
    expect(unborn).toMatchObject({ isPlain: false, matchesHead: false })
    expect(await unborn.remoteBranch()).toBeNull()
  })
})
