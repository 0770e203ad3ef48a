import { describe, expect, test, vi } from 'vitest'
import { readEntries } from '../../../src/git/commit-files.ts'
import { watch } from '../../../src/git/git.ts'
import { openObjects } from '../../../src/git/objects.ts'
import { openRepo } from '../../../src/git/open-repo.ts'
import { FILTER, readConfig } from '../../../src/git/settings.ts'
import { byNight, describeByNight, sampled } from '../../sampled.ts'
import { makeRepo, type TempRepo } from '../make-repo.ts'

const open = (temp: TempRepo, signal?: AbortSignal) => openRepo(temp.root, { env: temp.env, signal })

describe('readEntries', () => {
  test('says of these paths what git ls-files says, whatever the index is: odd names, conflicts, intent to add', async () => {
    const temp = makeRepo()
    const oid = temp.git(['rev-parse', 'HEAD:a.txt'])
    for (const name of ['sp ace.txt', 'nëw "q".txt', 'deep/er/a.txt']) temp.write(name, `${name}\n`)
    temp.git(['add', '.'])
    temp.git(['update-index', '--add', '--cacheinfo', `120000,${oid},link`])
    temp.write('later.txt', 'later\n')
    temp.git(['add', '-N', 'later.txt'])
    const stages = [1, 2, 3].map((stage) => `100644 ${oid} ${stage}\tboth.txt\n`).join('')
    temp.git(['update-index', '--index-info'], { input: stages })
    const plain = (path: string) => ({ mode: '100644', oid: temp.git(['rev-parse', `:${path}`]) })
    for (const form of ['--index-version=2', '--index-version=4', '--split-index']) {
      temp.git(['update-index', form])
      const repo = await open(temp)
      const paths = ['a.txt', 'nëw "q".txt', 'deep/er/a.txt', 'later.txt']
      const found = await readEntries(
        repo,
        [...paths, 'link', 'both.txt', 'deep', '', 'none'].filter(Boolean),
      )
      expect(found).toEqual(
        new Map([...paths.map((path) => [path, plain(path)] as const), ['link', { mode: '120000', oid }]]),
      )
      expect(await readEntries(repo, [])).toEqual(new Map())
    }
  })
})

describe('openObjects', () => {
  test('answers in order, one question after the other, with what is there at that moment', async () => {
    const temp = makeRepo()
    temp.commit('two', { 'sp ace.txt': 'two words\n', 'big.txt': 'x'.repeat(300_000) })
    const objects = (await open(temp)).objects
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
  })

  test('tells why git failed, and ends on abort', async () => {
    const temp = makeRepo()
    const broken = await open(temp)
    const objects = openObjects(() => ({ ...broken.child(), cwd: '/' }))
    await expect(objects.read(['HEAD'])).rejects.toMatchObject({ code: 'E_GIT' })
    const abort = new AbortController()
    const aborted = (await open(temp, abort.signal)).objects
    const waiting = aborted.read(['HEAD'])
    abort.abort(new Error('stop'))
    await expect(waiting).rejects.toThrow('stop')
    await expect(aborted.read(['HEAD'])).rejects.toThrow('stop')
  })
})

describeByNight('readConfig', () => {
  byNight('the last value holds, words for yes are many', async () => {
    const temp = makeRepo()
    const read = async () => readConfig(await open(temp))
    const filter = async () => [(await read()).local(FILTER), (await read()).last(FILTER)]
    expect(await filter()).toEqual([null, undefined])
    temp.git(['config', FILTER, 'cat'])
    expect(await filter()).toEqual(['cat', 'cat'])
    const words = { yes: true, On: true, 1: true, off: false, 0: false, 2: true, '': false }
    for (const [word, signs] of sampled(Object.entries(words), 4)) {
      temp.git(['config', 'commit.gpgSign', word])
      expect([word, (await read()).isOn('commit.gpgsign')]).toEqual([word, signs])
    }
    temp.git(['config', '--add', 'user.name', 'Second\nline'])
    expect((await read()).identity.name).toBe('Second\nline')
  })
})

test('a person is told which command is waited for, without the settings before it', () => {
  vi.useFakeTimers()
  const told: string[] = []
  watch((command) => told.push(command), ['-c', 'core.hooksPath=/dev/null', 'update-index', '-z'])
  vi.advanceTimersByTime(10_000)
  vi.useRealTimers()
  expect(told).toEqual(['update-index'])
})
