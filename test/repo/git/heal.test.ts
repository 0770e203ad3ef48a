import { spawn, spawnSync } from 'node:child_process'
import {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { describe, expect, test } from 'vitest'
import { commitFiles } from '../../../src/git/commit-files.ts'
import { ownName, type PrivateKind } from '../../../src/git/files.ts'
import { dropFiles, heal } from '../../../src/git/heal.ts'
import { openRepo } from '../../../src/git/open-repo.ts'
import { blobId } from '../../../src/git/work-file.ts'
import { makeFolder, makeRepo, type TempRepo } from '../make-repo.ts'
import { BRIEF, CONTENT, expectNoHarm, ID, leftovers, MESSAGE, snapshot } from './harm.ts'

/** Process id of a process that has ended. */
const deadPid = () => String(spawnSync('true').pid)
const deadName = (kind: PrivateKind) => ownName(kind).replace(String(process.pid), deadPid())

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
    expect(await heal(repo)).toEqual({ removed: [join(temp.root, '.git/index.lock')], left: [], kept: [] })
    await nextCreateWorks(temp)
  })

  test('finishes a prune whose removal stayed staged, when somebody has committed that', async () => {
    const temp = makeRepo()
    temp.commit('brief', { [BRIEF]: CONTENT })
    const folder = privateFolder(temp)
    const repo = await openRepo(temp.root, { env: temp.env })
    const files = [{ path: BRIEF, oid: temp.git(['rev-parse', `HEAD:${BRIEF}`]) }]
    const records = () => readdirSync(folder).filter((name) => name.startsWith('drop.'))
    const failing = (deed: () => void) =>
      dropFiles(repo, files, async () => {
        deed()
        throw new Error('the disk is full')
      })
    await expect(failing(() => undefined)).rejects.toThrow('the disk is full')
    expect(records()).toEqual([])
    // As on a disk on which the index cannot be put back either.
    await expect(failing(() => temp.git(['rm', '-q', '--cached', BRIEF]))).rejects.toThrow('the disk is full')
    renameSync(join(folder, records()[0] ?? ''), join(folder, deadName('drop')))
    await heal(repo)
    expect([temp.read(BRIEF), records().length]).toEqual([CONTENT, 1])
    temp.git(['commit', '-q', '-m', 'By the user'])
    await heal(repo)
    expect([existsSync(join(temp.root, BRIEF)), records()]).toEqual([false, []])
  })

  test('removes the place in the queue that the dead could not give back', async () => {
    const temp = makeRepo()
    const lock = join(privateFolder(temp), 'queue.lock')
    const repo = await openRepo(temp.root, { env: temp.env })
    writeFileSync(lock, ownName('queue'))
    await heal(repo)
    expect(existsSync(lock)).toBe(true)
    writeFileSync(lock, deadName('queue'))
    await heal(repo)
    expect(existsSync(lock)).toBe(false)
  })

  test("leaves somebody else's index.lock, and a living writer's", async () => {
    const temp = makeRepo()
    const folder = privateFolder(temp)
    writeFileSync(join(folder, deadName('index')), 'copy')
    temp.write('.git/index.lock', '')
    const repo = await openRepo(temp.root, { env: temp.env })
    expect(await heal(repo)).toEqual({ removed: [], left: [], kept: [] })
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
    expect(healed).toEqual({ removed: [], left: [lock], kept: [] })
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

describe('heal, of what a kill cut off', () => {
  const GONE = 60_000
  const age = (path: string) => utimesSync(path, (Date.now() - GONE) / 1000, (Date.now() - GONE) / 1000)

  test('removes the lock of the configuration that was made with our record, and no other', async () => {
    const temp = makeRepo()
    const lock = join(temp.root, '.git/config.lock')
    const record = join(privateFolder(temp), deadName('config'))
    for (const path of [lock, record]) {
      writeFileSync(path, '')
      age(path)
    }
    const repo = await openRepo(temp.root, { env: temp.env })
    expect((await heal(repo)).removed).toEqual([lock])
    writeFileSync(lock, '')
    age(lock)
    writeFileSync(join(privateFolder(temp), deadName('config')), '')
    expect(await heal(repo)).toMatchObject({ removed: [], left: [lock] })
    expect(existsSync(lock)).toBe(true)
  })

  test('waits 2 s for a lock of an hour to come, which the clock has made by going back', async () => {
    const temp = makeRepo()
    const lock = join(temp.root, '.git/config.lock')
    const later = Date.now() / 1000 + 3600
    for (const path of [lock, join(privateFolder(temp), deadName('config'))]) {
      writeFileSync(path, '')
      utimesSync(path, later, later)
    }
    const { removed } = await heal(await openRepo(temp.root, { env: temp.env }))
    expect(removed).toEqual([lock])
  })

  test('removes a ref lock with half of our commit in it', async () => {
    const temp = makeRepo()
    const oid = temp.git(['rev-parse', 'HEAD'])
    const time = Date.now() - 5000
    const moves = [{ ref: 'refs/heads/main', to: oid, from: oid }]
    writeFileSync(join(privateFolder(temp), deadName('ref')), JSON.stringify({ moves, time }))
    const lock = join(temp.root, '.git/refs/heads/main.lock')
    writeFileSync(lock, oid.slice(0, 20))
    utimesSync(lock, time / 1000, time / 1000)
    expect((await heal(await openRepo(temp.root, { env: temp.env }))).removed).toEqual([lock])
  })

  test('keeps a brief aside that was never committed, and takes the files made with it', async () => {
    const temp = makeRepo()
    const repo = await openRepo(temp.root, { env: temp.env })
    temp.write(BRIEF, CONTENT)
    temp.write('.handoff/latest.md', 'pointer\n')
    temp.write('.handoff/README.md', 'changed by the user\n')
    const made = [
      { path: BRIEF, oid: blobId(repo, CONTENT), isBrief: true },
      { path: '.handoff/latest.md', oid: blobId(repo, 'pointer\n'), isBrief: false },
      { path: '.handoff/README.md', oid: blobId(repo, 'ours\n'), isBrief: false },
    ]
    writeFileSync(join(privateFolder(temp), deadName('made')), JSON.stringify(made))
    const { kept } = await heal(repo)
    expect(kept).toHaveLength(1)
    expect(readFileSync(kept[0] ?? '', 'utf8')).toBe(CONTENT)
    expect(temp.git(['status', '--porcelain', '-uall'])).toBe('?? .handoff/README.md')
  })

  test('leaves a brief that is staged: the next commit takes it along', async () => {
    const temp = makeRepo()
    const repo = await openRepo(temp.root, { env: temp.env })
    temp.write(BRIEF, CONTENT)
    temp.git(['add', BRIEF])
    const made = [{ path: BRIEF, oid: blobId(repo, CONTENT), isBrief: true }]
    writeFileSync(join(privateFolder(temp), deadName('made')), JSON.stringify(made))
    expect((await heal(repo)).kept).toEqual([])
    expect(temp.git(['status', '--porcelain'])).toBe(`A  ${BRIEF}`)
  })

  test('finishes a prune: files go that HEAD does not hold any more, when nobody changed them', async () => {
    const temp = makeRepo()
    const others = ['.handoff/briefs/held.md', '.handoff/briefs/changed.md']
    temp.commit('briefs', { [others[0] ?? '']: CONTENT })
    temp.write(BRIEF, CONTENT)
    temp.write(others[1] ?? '', 'changed by the user\n')
    const repo = await openRepo(temp.root, { env: temp.env })
    const dropped = [BRIEF, ...others].map((path) => ({ path, oid: blobId(repo, CONTENT) }))
    writeFileSync(join(privateFolder(temp), deadName('drop')), JSON.stringify(dropped))
    await heal(repo)
    expect(readdirSync(join(temp.root, '.handoff/briefs')).sort()).toEqual(['changed.md', 'held.md'])
  })

  test('sweeps what was written aside and the place in the queue', async () => {
    const temp = makeRepo()
    const folder = privateFolder(temp)
    const aside = join(folder, `aside.${deadPid()}.p3`)
    const young = join(folder, `aside.${process.pid}.0`)
    const place = join(folder, deadName('queue'))
    for (const path of [aside, young, place]) writeFileSync(path, 'x')
    linkSync(place, join(folder, 'queue.lock'))
    age(aside)
    await heal(await openRepo(temp.root, { env: temp.env }))
    expect(readdirSync(folder)).toEqual([`aside.${process.pid}.0`])
  })
})

describe('a branch that has moved though git says that it failed', () => {
  test('is believed: the reflog of HEAD could not be written', async () => {
    const temp = makeRepo()
    const before = temp.git(['rev-parse', 'HEAD'])
    temp.write(BRIEF, CONTENT)
    rmSync(join(temp.root, '.git/logs/HEAD'))
    temp.write('.git/logs/HEAD/in the way', '')
    const repo = await openRepo(temp.root, { env: temp.env })
    const outcome = await commitFiles(repo, request)
    expect(outcome.state).toBe('committed')
    expect(temp.git(['rev-parse', 'HEAD^'])).toBe(before)
    // Taking the index back would have staged the deletion of what was committed.
    expect(temp.git(['status', '--porcelain', '--', '.handoff'])).toBe('')
  })
})

function killGroup(leader: number): void {
  try {
    process.kill(-leader, 'SIGKILL')
  } catch (error) {
    // It ended by itself just now.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

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
        detached: true,
      })
      await new Promise((ready) => child.stdout?.once('data', ready))
      const ended = new Promise((resolve) => child.once('close', resolve))
      await new Promise((done) => setTimeout(done, delay))
      // Its git as well: one that goes on alone may finish a private file after the next create has swept.
      if (child.exitCode === null && child.pid !== undefined) killGroup(child.pid)
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
