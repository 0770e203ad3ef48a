import { spawn, spawnSync } from 'node:child_process'
import { existsSync, linkSync, mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { describe, expect, test } from 'vitest'
import { commitFiles } from '../../../src/git/commit-files.ts'
import { heal } from '../../../src/git/heal.ts'
import { openRepo } from '../../../src/git/open-repo.ts'
import { ownName } from '../../../src/git/private-folder.ts'
import { makeFolder, makeRepo, type TempRepo } from '../make-repo.ts'
import { BRIEF, CONTENT, expectNoHarm, ID, leftovers, MESSAGE, snapshot } from './harm.ts'

/** Process id of a process that has ended. */
const deadPid = () => String(spawnSync('true').pid)
const deadName = (kind: 'index' | 'ref' | 'queue') => ownName(kind).replace(String(process.pid), deadPid())

function privateFolder(temp: TempRepo): string {
  const folder = join(temp.root, '.git/handoff')
  mkdirSync(folder, { recursive: true })
  return folder
}

const request = { id: ID, files: [{ path: BRIEF, content: CONTENT }], message: MESSAGE }

async function nextCreateWorks(temp: TempRepo): Promise<void> {
  temp.write(BRIEF, CONTENT)
  await commitFiles(await openRepo(temp.root, { env: temp.env }), request)
  expect(temp.git(['status', '--porcelain'])).toBe('')
  expect(leftovers(join(temp.root, '.git'))).toEqual([])
}

describe('heal', () => {
  test('removes an index.lock that is the private copy of a dead writer', async () => {
    const temp = makeRepo()
    const copy = join(privateFolder(temp), deadName('index'))
    writeFileSync(copy, 'copy')
    linkSync(copy, join(temp.root, '.git/index.lock'))
    const repo = await openRepo(temp.root, { env: temp.env })
    expect(await heal(repo)).toEqual({ removed: [join(temp.root, '.git/index.lock')], left: [] })
    await nextCreateWorks(temp)
  })

  test("leaves somebody else's index.lock, and a living writer's", async () => {
    const temp = makeRepo()
    const folder = privateFolder(temp)
    writeFileSync(join(folder, deadName('index')), 'copy')
    temp.write('.git/index.lock', '')
    const repo = await openRepo(temp.root, { env: temp.env })
    expect(await heal(repo)).toEqual({ removed: [], left: [] })
    expect(existsSync(join(temp.root, '.git/index.lock'))).toBe(true)
    const living = ownName('index')
    writeFileSync(join(folder, living), 'copy')
    await heal(repo)
    expect(readdirSync(folder)).toEqual([living])
  })

  test('removes ref locks of a dead writer: with our commit in them, or empty and made with it', async () => {
    const temp = makeRepo()
    const oid = temp.git(['rev-parse', 'HEAD'])
    const time = Date.now() - 5000
    const moves = [{ ref: 'refs/heads/main', to: oid, from: oid }]
    writeFileSync(join(privateFolder(temp), deadName('ref')), JSON.stringify({ moves, time }))
    const locks = ['.git/refs/heads/main.lock', '.git/HEAD.lock'].map((path) => join(temp.root, path))
    writeFileSync(locks[0] ?? '', `${oid}\n`)
    writeFileSync(locks[1] ?? '', '')
    for (const lock of locks) utimesSync(lock, time / 1000, time / 1000)
    const { removed, left } = await heal(await openRepo(temp.root, { env: temp.env }))
    expect({ removed: removed.sort(), left }).toEqual({ removed: locks.sort(), left: [] })
    await nextCreateWorks(temp)
  })

  test('only reports a ref lock that nobody can be proved to have left', async () => {
    const temp = makeRepo()
    const oid = temp.git(['rev-parse', 'HEAD'])
    const time = Date.now() - 60_000
    const moves = [{ ref: 'refs/heads/main', to: oid, from: oid }]
    writeFileSync(join(privateFolder(temp), deadName('ref')), JSON.stringify({ moves, time }))
    const lock = join(temp.root, '.git/refs/heads/main.lock')
    writeFileSync(lock, '')
    utimesSync(lock, time / 1000 + 40, time / 1000 + 40)
    const healed = await heal(await openRepo(temp.root, { env: temp.env }))
    expect(healed).toEqual({ removed: [], left: [lock] })
    expect(existsSync(lock)).toBe(true)
  })

  test('passes over a record that was cut off, files of others, and a place in the queue of the dead', async () => {
    const temp = makeRepo()
    const folder = privateFolder(temp)
    writeFileSync(join(folder, deadName('ref')), '{"moves":[{"re')
    writeFileSync(join(folder, 'notes.json'), '{}')
    const place = join(folder, deadName('queue'))
    writeFileSync(place, place.slice(folder.length + 1))
    linkSync(place, join(folder, 'queue.lock'))
    await nextCreateWorks(temp)
    expect(readdirSync(folder)).toEqual(['notes.json'])
  })
})

describe('a writer killed at any moment', () => {
  test('leaves nothing that the next create or the user trips over', async () => {
    const script = join(makeFolder(), 'writer.mjs')
    const source = new URL('../../../src/git/', import.meta.url).pathname
    await build({
      stdin: {
        contents: `import { commitFiles } from './commit-files.ts'
import { openRepo } from './open-repo.ts'
const repo = await openRepo(process.argv[2], { env: process.env })
process.stdout.write('ready')
await commitFiles(repo, ${JSON.stringify(request)})`,
        resolveDir: source,
        loader: 'ts',
      },
      bundle: true,
      platform: 'node',
      format: 'esm',
      banner: {
        js: `import { createRequire } from 'node:module'; const require = createRequire(${JSON.stringify(pathToFileURL(source).href)});`,
      },
      outfile: script,
      logLevel: 'error',
    })
    let stopped = 0
    for (let delay = 0; delay < 90; delay += 9) {
      const temp = makeRepo()
      temp.write('a.txt', 'staged by the user\n')
      temp.git(['add', 'a.txt'])
      temp.write(BRIEF, CONTENT)
      const before = snapshot(temp)
      const child = spawn(process.execPath, [script, temp.root], {
        env: temp.env,
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      await new Promise((ready) => child.stdout?.once('data', ready))
      const ended = new Promise((resolve) => child.once('close', resolve))
      await new Promise((done) => setTimeout(done, delay))
      child.kill('SIGKILL')
      await ended
      if (temp.git(['rev-list', '--count', 'HEAD']) === '1') stopped++
      // Never a staged deletion: the brief is absent, staged or committed.
      expect(temp.git(['status', '--porcelain', '--', '.handoff'])).toMatch(/^(|A {2}.*|\?\? .*)$/)
      const repo = await openRepo(temp.root, { env: temp.env })
      const outcome = await commitFiles(repo, request)
      expect(['committed', 'already']).toContain(outcome.state)
      expect(temp.git(['rev-list', '--count', 'HEAD'])).toBe('2')
      expectNoHarm(temp, before)
      temp.git(['commit', '-q', '-m', 'by the user'])
      expect(temp.git(['show', '--format=', '--name-only', 'HEAD'])).toBe('a.txt')
    }
    expect(stopped).toBeGreaterThan(0)
  })
})
