import { statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { entriesOf, entryAt, readIndexFile } from '../../../src/git/index-file.ts'
import { openObjects } from '../../../src/git/objects.ts'
import { openRepo } from '../../../src/git/open-repo.ts'
import { takeSnapshot } from '../../../src/git/snapshot.ts'
import { readSettings } from '../../../src/git/settings.ts'
import { makeRepo, type TempRepo } from '../make-repo.ts'

const open = (temp: TempRepo, signal?: AbortSignal) => openRepo(temp.root, { env: temp.env, signal })

describe('readIndexFile', () => {
  const listed = (temp: TempRepo) => temp.git(['ls-files', '-s', '-z']).split('\0').filter(Boolean)
  const stored = async (temp: TempRepo) => {
    const index = await readIndexFile(await open(temp))
    if (index === null) return null
    return Array.from(index.entries, (_, number) => {
      const { mode, oid, stage, path } = entryAt(index, number)
      return `${mode} ${oid} ${stage}\t${path}`
    })
  }

  test('says what git ls-files says: odd names, links, conflicts, intent to add, sha256', async () => {
    const temp = makeRepo()
    const names = Array.from({ length: 20 }, (_, at) => `${'x'.repeat(at + 1)}.txt`)
    for (const name of [...names, 'sp ace.txt', 'nëw "q".txt', 'deep/er/a.txt']) temp.write(name, `${name}\n`)
    temp.git(['add', '.'])
    temp.git(['update-index', '--add', '--cacheinfo', `120000,${temp.git(['rev-parse', 'HEAD:a.txt'])},link`])
    temp.commit('names')
    expect(await stored(temp)).toEqual(listed(temp))
    temp.write('later.txt', 'later\n')
    temp.git(['add', '-N', 'later.txt'])
    expect(await stored(temp)).toEqual(listed(temp))
    const oid = temp.git(['rev-parse', 'HEAD:a.txt'])
    const stages = [1, 2, 3].map((stage) => `100644 ${oid} ${stage}\tboth.txt\n`).join('')
    temp.git(['update-index', '--index-info'], { input: stages })
    expect(await stored(temp)).toEqual(listed(temp))
  })

  test('leaves to git what it does not know: version 4, a split index, a damaged file', async () => {
    const temp = makeRepo()
    temp.git(['update-index', '--index-version=4'])
    expect(await stored(temp)).toBeNull()
    temp.git(['update-index', '--index-version=2'])
    expect(await stored(temp)).toEqual(listed(temp))
    temp.git(['update-index', '--split-index'])
    expect(await stored(temp)).toBeNull()
    const index = join(temp.root, '.git/index')
    writeFileSync(index, 'DIRC')
    expect(await stored(temp)).toBeNull()
    writeFileSync(index, Buffer.alloc(2 * 1024 * 1024))
    expect(await stored(temp)).toBeNull()
  })

  test('finds the entries of a path: one, none, three in a conflict', async () => {
    const temp = makeRepo()
    const oid = temp.git(['rev-parse', 'HEAD:a.txt'])
    const stages = [1, 2, 3].map((stage) => `100644 ${oid} ${stage}\tboth.txt\n`).join('')
    temp.git(['update-index', '--index-info'], { input: stages })
    const index = (await readIndexFile(await open(temp))) ?? expect.fail('an index of git')
    const found = (path: string) => entriesOf(index, path).map(({ path, stage, oid }) => [path, stage, oid])
    expect(found('a.txt')).toEqual([['a.txt', 0, oid]])
    expect(found('both.txt')).toEqual([1, 2, 3].map((stage) => ['both.txt', stage, oid]))
    expect(['', 'a', 'a.tx', 'a.txt/', 'c', 'zzz'].flatMap(found)).toEqual([])
  })

  test('reads a large one as well, and paths longer than the flags can say', async () => {
    const temp = makeRepo()
    const oid = temp.git(['rev-parse', 'HEAD:a.txt'])
    const names = Array.from({ length: 12_000 }, (_, at) => `src/${'deep/'.repeat(at % 9)}file-${at}.ts`)
    const long = `${'long/'.repeat(818)}name.ts`
    expect([long.length > 4095, long.length]).toEqual([true, 4097])
    const lines = [...names, long].map((name) => `100644 ${oid} 0\t${name}\n`)
    temp.git(['update-index', '--index-info'], { input: lines.join('') })
    expect(statSync(join(temp.root, '.git/index')).size).toBeGreaterThan(1024 * 1024)
    expect(await stored(temp)).toEqual(listed(temp))
  })

  test('is empty before the first commit', async () => {
    expect(await stored(makeRepo({ initial: false }))).toEqual([])
  })
})

describe('openObjects', () => {
  test('answers in order, one question after the other, with what is there at that moment', async () => {
    const temp = makeRepo()
    temp.commit('two', { 'sp ace.txt': 'two words\n', 'big.txt': 'x'.repeat(300_000) })
    const objects = openObjects(await open(temp))
    const read = async (...names: string[]) =>
      (await objects.read(names, 1000)).map((found) => found?.content.toString('utf8') ?? null)
    expect(await read('HEAD:sp ace.txt', 'HEAD:none', 'no such ref', 'HEAD:a.txt')).toEqual([
      'two words\n',
      null,
      null,
      temp.read('a.txt'),
    ])
    // A large one is not sent, and what was asked after it is answered all the same.
    expect(await read('HEAD:big.txt', 'HEAD:sp ace.txt')).toEqual([null, 'two words\n'])
    expect((await objects.read(['HEAD:big.txt']))[0]?.content.length).toBe(300_000)
    temp.commit('three', { 'sp ace.txt': 'three words\n' })
    expect(await read('HEAD:sp ace.txt')).toEqual(['three words\n'])
    objects.close()
    expect(await read('HEAD:sp ace.txt')).toEqual(['three words\n'])
    objects.close()
  })

  test('tells why git failed, and ends on abort', async () => {
    const temp = makeRepo()
    const broken = await open(temp)
    const objects = openObjects({ signal: undefined, child: () => ({ ...broken.child(), cwd: '/' }) })
    await expect(objects.read(['HEAD'])).rejects.toMatchObject({ code: 'E_GIT' })
    const abort = new AbortController()
    const aborted = openObjects(await open(temp, abort.signal))
    const waiting = aborted.read(['HEAD'])
    abort.abort(new Error('stop'))
    await expect(waiting).rejects.toThrow('stop')
    await expect(aborted.read(['HEAD'])).rejects.toThrow('stop')
  })
})

describe('takeSnapshot', () => {
  test('knows without asking HEAD that no brief was ever made, and asks when one was', async () => {
    const temp = makeRepo()
    const isUnused = async () => {
      const reading = takeSnapshot(await open(temp))
      try {
        return await reading.isUnused()
      } finally {
        reading.objects.close()
      }
    }
    expect(await isUnused()).toBe(true)
    const path = '.handoff/briefs/20261122T014800-1f3a9c07-x.md'
    temp.commit('brief', { [path]: 'x\n' })
    expect(await isUnused()).toBe(false)
    // Gone from the work tree and the index; HEAD still has it.
    temp.git(['rm', '-rq', '.handoff'])
    expect(await isUnused()).toBe(false)
    temp.commit('gone')
    expect(await isUnused()).toBe(true)
  })
})

describe('readSettings', () => {
  test('the last value holds, words for yes are many, an unknown one is left to git', async () => {
    const temp = makeRepo()
    const read = async () => readSettings(await open(temp))
    expect((await read()).filter).toEqual({ local: null, final: null })
    temp.git(['config', 'filter.handoff.clean', 'cat'])
    expect((await read()).filter).toEqual({ local: 'cat', final: 'cat' })
    for (const [word, signs] of [
      ['yes', true],
      ['On', true],
      ['1', true],
      ['off', false],
      ['0', false],
      ['2', null],
      ['', null],
    ] as const) {
      temp.git(['config', 'commit.gpgSign', word])
      expect([word, (await read()).signs]).toEqual([word, signs])
    }
    temp.git(['config', '--add', 'user.name', 'Second\nline'])
    expect((await read()).identity.name).toBe('Second\nline')
  })
})
