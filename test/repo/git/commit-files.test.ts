import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type CommitRequest, commitFiles } from '../../../src/git/commit-files.ts'
import { openRepo, type Repo } from '../../../src/git/open-repo.ts'
import { byNight, runs, sampled } from '../../sampled.ts'
import { makeRepo, type TempRepo } from '../make-repo.ts'
import { canMount, leftOn, onSmallDisk } from '../small-disk.ts'
import { BRIEF, CONTENT, expectNoHarm, expectOnlyOurs, ID, leftovers, MESSAGE, snapshot } from './harm.ts'

const open = (temp: TempRepo, signal?: AbortSignal): Promise<Repo> =>
  openRepo(temp.root, { env: temp.env, signal })

const request = (extra: Partial<CommitRequest> = {}): CommitRequest => ({
  id: ID,
  files: [{ path: BRIEF, content: CONTENT }],
  message: MESSAGE,
  ...extra,
})

/** A brief of its own for each writer. */
function numbered(at: number): CommitRequest & { path: string } {
  const id = `20261122T0148${String(at).padStart(2, '0')}-1f3a9c${String(at).padStart(2, '0')}`
  const path = `.handoff/briefs/${id}-x.md`
  return { id, path, files: [{ path, content: `brief ${at}\n` }], message: `x\n\nHandoff-Id: ${id}\n` }
}

describe('what is committed', () => {
  test('the given content under the given message, with the id in the reflog of branch and HEAD', async () => {
    const temp = makeRepo()
    temp.write(BRIEF, CONTENT)
    const tip = temp.git(['rev-parse', 'HEAD'])
    const outcome = await commitFiles(await open(temp), request())
    expect(outcome).toMatchObject({
      state: 'committed',
      ref: 'refs/heads/main',
      operation: null,
      identity: 'own',
    })
    expect(temp.git(['log', '-1', '--format=%P %an <%ae>'])).toBe(`${tip} Dev One <dev@example.com>`)
    expect(temp.git(['log', '-1', '--format=%B']).trimEnd()).toBe(MESSAGE.trimEnd())
    expect(`${temp.git(['cat-file', 'blob', `HEAD:${BRIEF}`])}\n`).toBe(CONTENT)
    for (const ref of ['HEAD', 'main'])
      expect(temp.git(['log', '-g', '-1', '--format=%gs', ref])).toBe(`handoff: ${ID}`)
    expect(temp.git(['status', '--porcelain'])).toBe('')
    // Not even a command that trusts stat data alone finds a difference.
    expect(temp.tryGit(['diff-files', '--quiet']).status).toBe(0)
  })

  test('the constant text of latest.md, while the work tree holds the expanded copy', async () => {
    const temp = makeRepo()
    const pointer = 'where to look\n'
    temp.write(BRIEF, CONTENT)
    temp.write('.handoff/latest.md', `${pointer}<!-- handoff:begin x -->\nthe whole brief\n`)
    const files = [...request().files, { path: '.handoff/latest.md', content: pointer }]
    await commitFiles(await open(temp), request({ files }))
    expect(temp.git(['cat-file', 'blob', 'HEAD:.handoff/latest.md'])).toBe(pointer.trimEnd())
    expect(temp.git(['diff', '--cached', '--name-only'])).toBe('')
  })

  test('bytes that are no UTF-8, beside names that are none', async () => {
    const temp = makeRepo()
    const content = Buffer.from([0x66, 0xff, 0x00, 0x0a])
    const odd = Buffer.concat([Buffer.from(`${temp.root}/b`), Buffer.from([0xe9]), Buffer.from('.txt')])
    writeFileSync(odd, 'latin1 name\n')
    temp.commit('odd')
    temp.write(BRIEF, content)
    const { commit } = await commitFiles(await open(temp), request({ files: [{ path: BRIEF, content }] }))
    expectOnlyOurs(temp, commit)
    const blob = execFileSync('git', ['cat-file', 'blob', `HEAD:${BRIEF}`], { cwd: temp.root, env: temp.env })
    expect(blob).toEqual(content)
    expect(temp.git(['status', '--porcelain'])).toBe('')
    temp.git(['fsck', '--strict'])
  })

  test('a path taken out of the tree takes empty folders along', async () => {
    const temp = makeRepo()
    temp.commit('brief', { [BRIEF]: CONTENT })
    unlinkSync(join(temp.root, BRIEF))
    await commitFiles(await open(temp), request({ files: [{ path: BRIEF, content: null }] }))
    expect(temp.git(['ls-tree', '-r', '--name-only', 'HEAD'])).toBe('a.txt')
    expect(temp.git(['status', '--porcelain'])).toBe('')
    temp.git(['fsck', '--strict'])
  })

  test('nothing, when the branch holds it already', async () => {
    const temp = makeRepo()
    const tip = temp.commit('brief', { [BRIEF]: CONTENT })
    expect(await commitFiles(await open(temp), request())).toMatchObject({ state: 'already', commit: tip })
    expect(temp.git(['rev-parse', 'HEAD'])).toBe(tip)
  })

  byNight('is told as it is where the branch has moved though git says that it failed', async () => {
    const temp = makeRepo()
    const before = temp.git(['rev-parse', 'HEAD'])
    temp.write(BRIEF, CONTENT)
    // The reflog of HEAD cannot be written.
    unlinkSync(join(temp.root, '.git/logs/HEAD'))
    temp.write('.git/logs/HEAD/in the way', '')
    const outcome = await commitFiles(await open(temp), request())
    expect(outcome.state).toBe('committed')
    expect(temp.git(['rev-parse', 'HEAD^'])).toBe(before)
    // Taking the index back would have staged the deletion of what was committed.
    expect(temp.git(['status', '--porcelain', '--', '.handoff'])).toBe('')
  })

  byNight('on a branch of its own, leaving HEAD, index and work tree alone', async () => {
    const temp = makeRepo()
    const before = snapshot(temp)
    const tip = temp.git(['rev-parse', 'HEAD'])
    const ref = 'refs/heads/handoff/main'
    const first = await commitFiles(await open(temp), request({ ref }))
    const second = await commitFiles(await open(temp), { ...numbered(7), ref })
    expect(temp.git(['rev-list', ref]).split('\n')).toEqual([second.commit, first.commit])
    expect(temp.git(['ls-tree', '-r', '--name-only', ref])).toBe(`${numbered(7).path}\n${BRIEF}`)
    expect(temp.git(['rev-parse', 'HEAD'])).toBe(tip)
    expectNoHarm(temp, before)
  })
})

describe('hooks', () => {
  test('reference-transaction runs, the four commit hooks do not', async () => {
    const temp = makeRepo()
    const names = ['pre-commit', 'prepare-commit-msg', 'commit-msg', 'post-commit', 'reference-transaction']
    for (const name of names) {
      temp.write(`.git/hooks/${name}`, `#!/bin/sh\necho ${name} "$@" >> ${temp.base}/ran\n`)
      chmodSync(join(temp.root, '.git/hooks', name), 0o755)
    }
    temp.write(BRIEF, CONTENT)
    await commitFiles(await open(temp), request())
    expect(execFileSync('cat', [`${temp.base}/ran`], { encoding: 'utf8' }).split('\n')).toEqual([
      'reference-transaction prepared',
      'reference-transaction committed',
      '',
    ])
  })
})

/** As many as commit at once. */
const CROWD = runs(5, 10)

describe('others at work', () => {
  test(`${CROWD} creators in one worktree: none lost, each once, one line of history`, async () => {
    const temp = makeRepo()
    temp.write('a.txt', 'staged by the user\n')
    temp.git(['add', 'a.txt'])
    const all = Array.from({ length: CROWD }, (_, at) => numbered(at))
    for (const one of all) temp.write(one.path, String(one.files[0]?.content))
    const outcomes = await Promise.all(all.map(async (one) => commitFiles(await open(temp), one)))
    expect(new Set(outcomes.map((outcome) => outcome.commit)).size).toBe(CROWD)
    expect(temp.git(['rev-list', '--count', '--first-parent', 'HEAD'])).toBe(String(CROWD + 1))
    expect(temp.git(['ls-tree', '-r', '--name-only', 'HEAD', '.handoff/']).split('\n')).toEqual(
      all.map((one) => one.path).sort(),
    )
    expect(temp.git(['status', '--porcelain'])).toBe('M  a.txt')
    expect(leftovers(join(temp.root, '.git'))).toEqual([])
    temp.git(['fsck', '--strict'])
  })

  byNight('three creators before the first commit', async () => {
    const temp = makeRepo({ initial: false })
    const all = [numbered(1), numbered(2), numbered(3)]
    for (const one of all) temp.write(one.path, String(one.files[0]?.content))
    await Promise.all(all.map(async (one) => commitFiles(await open(temp), one)))
    expect(temp.git(['rev-list', '--count', 'HEAD'])).toBe('3')
    expect(temp.git(['status', '--porcelain'])).toBe('')
  })

  test.each(sampled(['index.lock', 'refs/heads/main.lock', 'HEAD.lock'], 1))(
    'waits for %s to go',
    async (lock) => {
      const temp = makeRepo()
      temp.write(BRIEF, CONTENT)
      temp.write(`.git/${lock}`, '')
      setTimeout(() => unlinkSync(join(temp.root, '.git', lock)), 250)
      expect(await commitFiles(await open(temp), request())).toMatchObject({ state: 'committed' })
      expect(temp.git(['status', '--porcelain'])).toBe('')
    },
  )

  test('a failure in the end gives an older staged version of the same file back', async () => {
    const temp = makeRepo()
    temp.write('.handoff/latest.md', 'old\n')
    temp.git(['add', '.handoff'])
    const staged = temp.git(['ls-files', '-s'])
    temp.write('.git/refs/heads/main.lock', '')
    temp.write('.handoff/latest.md', 'new\n')
    const files = [{ path: '.handoff/latest.md', content: 'new\n' }]
    const attempt = commitFiles(await open(temp), request({ files, patience: 100 }))
    await expect(attempt).rejects.toMatchObject({
      code: 'E_NOT_COMMITTED',
      data: { path: '.handoff/latest.md' },
    })
    expect(temp.git(['ls-files', '-s'])).toBe(staged)
    expect(temp.read('.handoff/latest.md')).toBe('new\n')
  })
})

describe('abort', () => {
  byNight('at any moment: no lock, no entry and no commit, or the finished commit', async () => {
    const seen = new Set<string>()
    for (let delay = 0; delay <= 120; delay += 12) {
      const temp = makeRepo()
      temp.write(BRIEF, CONTENT)
      const before = snapshot(temp)
      const tip = temp.git(['rev-parse', 'HEAD'])
      const stop = new AbortController()
      const repo = await open(temp, stop.signal)
      const reason = new Error('stopped by the user')
      setTimeout(() => stop.abort(reason), delay)
      const result = await commitFiles(repo, request()).catch((error: unknown) => error)
      if (result === reason) {
        expect(temp.git(['rev-parse', 'HEAD'])).toBe(tip)
        expect(temp.git(['ls-files', '.handoff'])).toBe('')
      } else expect(result).toMatchObject({ state: 'committed', commit: temp.git(['rev-parse', 'HEAD']) })
      seen.add(result === reason ? 'stopped' : 'finished')
      expectNoHarm(temp, before, { fsck: false })
    }
    expect(seen).toContain('stopped')
  })

  test('before the first step nothing is touched', async () => {
    const temp = makeRepo()
    const stop = new AbortController()
    const repo = await open(temp, stop.signal)
    stop.abort()
    await expect(commitFiles(repo, request())).rejects.toMatchObject({ name: 'AbortError' })
    expect(existsSync(join(temp.root, '.git/handoff'))).toBe(false)
  })
})

describe.runIf(canMount)('disks that fail', () => {
  const onDisk: typeof onSmallDisk = (size, work) =>
    onSmallDisk(size, (temp, remount) => {
      temp.write(BRIEF, CONTENT)
      return work(temp, remount)
    })

  test('read-only: a clear failure at once', async () => {
    await onDisk('4m', async (temp, remount) => {
      const before = snapshot(temp)
      remount('ro')
      const started = Date.now()
      const failed = await commitFiles(await open(temp), request()).catch((error: unknown) => error)
      expect(failed).toMatchObject({
        code: 'E_NOT_COMMITTED',
        message: expect.stringMatching(/read-only|EROFS/i),
      })
      expect(Date.now() - started).toBeLessThan(5000)
      remount('rw')
      expectNoHarm(temp, before)
    })
  })

  byNight('full, with 0 to 44 KB left: committed or cleanly refused, and the next one works', async () => {
    const seen = new Set<string>()
    for (let free = 0; free <= 44; free += 11) {
      await onDisk('1m', async (temp) => {
        const before = snapshot(temp)
        const tip = temp.git(['rev-parse', 'HEAD'])
        const filler = join(temp.base, 'disk/filler')
        writeFileSync(filler, Buffer.alloc(Math.max(0, leftOn(temp) - free) * 1024))
        const result = await commitFiles(await open(temp), request({ patience: 200 })).catch(
          (error: unknown) => error,
        )
        unlinkSync(filler)
        if (result instanceof Error) {
          expect(result).toMatchObject({ code: 'E_NOT_COMMITTED' })
          expect(temp.git(['rev-parse', 'HEAD'])).toBe(tip)
          seen.add('refused')
        } else seen.add('committed')
        expectNoHarm(temp, before)
        expect(await commitFiles(await open(temp), request())).toMatchObject({
          state: result instanceof Error ? 'committed' : 'already',
        })
        expect(temp.git(['status', '--porcelain'])).toBe('')
      })
    }
    expect([...seen].sort()).toEqual(['committed', 'refused'])
  })
})
