import { createHash } from 'node:crypto'
import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { fakeAgent } from '../../../repo/fake-agent.ts'
import { atFolder, makeEnv, makeFolder, type TempRepo } from '../../../repo/make-repo.ts'
import { canMount, leftOn, onSmallDisk } from '../../../repo/small-disk.ts'
import { BRANCH, done, handOver, makePair, refsBeside, refused, stateOf } from '../../../repo/work/pair.ts'

/** A bare repository and another clone on the large disk, for a repository on a small one. */
function besideSmall(repo: TempRepo): TempRepo {
  const base = makeFolder()
  const hub = join(base, 'hub.git')
  repo.git(['clone', '-q', '--bare', repo.root, hub])
  repo.git(['remote', 'add', 'origin', hub])
  repo.git(['fetch', '-q'])
  const other = atFolder(base, join(base, 'other'), makeEnv(join(base, 'other-home')))
  other.git(['clone', '-q', hub, other.root], { cwd: base })
  other.git(['switch', '-q', '-c', BRANCH])
  return other
}

const fill = (repo: TempRepo, kilobytes: number): string => {
  const path = join(repo.root, '..', 'fill')
  writeFileSync(path, Buffer.alloc((leftOn(repo) - kilobytes) * 1024))
  return path
}

/** Bytes that nothing makes smaller, the same in every run. */
const noise = (name: string, length: number): string => {
  const parts: string[] = []
  for (let at = 0; parts.length * 64 < length; at++)
    parts.push(createHash('sha256').update(`${name} ${at}`).digest('hex'))
  return parts.join('').slice(0, length)
}

const FILES = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => `part-${name}.txt`)

describe.runIf(canMount)('a full disk in the midst', () => {
  it('stops a restore, and the next one goes on when there is room', async () => {
    await onSmallDisk('8m', async (bob) => {
      const ann = besideSmall(bob)
      bob.git(['switch', '-q', '-c', 'own'])
      for (const name of FILES) ann.write(name, noise(name, 400_000))
      ann.git(['add', FILES[0] ?? ''])
      await handOver(ann, 'the queue')
      await done(bob, ['open', BRANCH, '--no-work'])
      // Room for the objects, and for half of the files.
      const path = fill(bob, 2600)
      const error = await refused(bob, ['open', BRANCH])
      expect(error.message).toMatch(/No space left|cannot|failed|could not|unable/i)
      expect(stateOf(bob)).not.toEqual(stateOf(ann))
      rmSync(path)
      const { work } = await done(bob, ['open', BRANCH])
      expect(work).toMatchObject({ files: FILES.length, left: [] })
      expect(stateOf(bob)).toEqual(stateOf(ann))
      expect(bob.git(['fsck', '--no-dangling'])).toBe('')
    })
  })

  it('stops a push, which changes nothing here or there', async () => {
    await onSmallDisk('8m', async (ann) => {
      const bob = besideSmall(ann)
      ann.git(['switch', '-q', '-c', BRANCH])
      for (const name of FILES) ann.write(name, noise(name, 400_000))
      ann.git(['add', FILES[0] ?? ''])
      await done(ann, ['create', 'finish the queue and document its limits', '--from', 'git'])
      const path = fill(ann, 300)
      const before = [stateOf(ann), readFileSync(join(ann.root, '.git/index'), 'base64')]
      await refused(ann, ['push', '--work'])
      expect([stateOf(ann), readFileSync(join(ann.root, '.git/index'), 'base64')]).toEqual(before)
      expect(bob.git(['ls-remote', 'origin', 'refs/handoff/*'])).toBe('')
      rmSync(path)
      await done(ann, ['push', '--work'])
      await done(bob, ['open', BRANCH])
      expect(stateOf(bob)).toEqual(stateOf(ann))
    })
  })
})

/**
 * Git LFS as it is set up: `clean` leaves a pointer, `smudge` fetches what it names, and the pre-push hook sends objects to `store`. The
 * pointers are those of its specification.
 */
function withLfs(repo: TempRepo, store: string): void {
  const program = join(repo.base, `lfs-${repo.root.split('/').at(-1)}.cjs`)
  const objects = join(repo.root, '.git/lfs/objects')
  mkdirSync(objects, { recursive: true })
  mkdirSync(store, { recursive: true })
  writeFileSync(
    program,
    `const { copyFileSync, existsSync, readdirSync, readFileSync, writeFileSync } = require('node:fs')
const { createHash } = require('node:crypto')
const [objects, store] = ${JSON.stringify([objects, store])}
const [, , does] = process.argv
if (does === 'pre-push') for (const oid of readdirSync(objects)) copyFileSync(objects + '/' + oid, store + '/' + oid)
else {
  const input = readFileSync(0)
  const pointed = /^version https:\\/\\/git-lfs\\.github\\.com\\/spec\\/v1\\noid sha256:([0-9a-f]{64})\\nsize \\d+\\n$/.exec(input.toString('latin1'))?.[1]
  if (does === 'clean' && pointed === undefined) {
    const oid = createHash('sha256').update(input).digest('hex')
    writeFileSync(objects + '/' + oid, input)
    process.stdout.write('version https://git-lfs.github.com/spec/v1\\noid sha256:' + oid + '\\nsize ' + input.length + '\\n')
  } else if (does === 'smudge' && pointed !== undefined) {
    const from = [objects, store].map((place) => place + '/' + pointed).find((path) => existsSync(path))
    if (from === undefined) {
      process.stderr.write('Error downloading object: ' + pointed.slice(0, 7) + ': [404] Object does not exist on the server\\n')
      process.exit(2)
    }
    process.stdout.write(readFileSync(from))
  } else process.stdout.write(input)
}
`,
  )
  for (const way of ['clean', 'smudge'])
    repo.git(['config', `filter.lfs.${way}`, `'${process.execPath}' '${program}' ${way}`])
  repo.git(['config', 'filter.lfs.required', 'true'])
  const hook = join(repo.root, '.git/hooks/pre-push')
  mkdirSync(join(repo.root, '.git/hooks'), { recursive: true })
  writeFileSync(hook, `#!/bin/sh\nexec '${process.execPath}' '${program}' pre-push\n`)
  chmodSync(hook, 0o755)
}

describe('files of Git LFS', () => {
  const changed = (repo: TempRepo): void => {
    repo.write('model.bin', 'weights, changed\0\n')
    repo.git(['add', 'model.bin'])
    repo.write('model.bin', 'weights, changed again\0\n')
    repo.write('new.bin', 'new weights\0\n')
  }
  async function withModel() {
    const pair = await makePair()
    const { ann, bob } = pair
    const store = join(ann.base, 'lfs-store')
    for (const repo of [ann, bob]) withLfs(repo, store)
    ann.commit('model', {
      '.gitattributes': '*.bin filter=lfs diff=lfs merge=lfs -text\n',
      'model.bin': 'weights\0\n',
    })
    await done(ann, ['push'])
    await done(bob, ['open', BRANCH])
    expect(bob.read('model.bin')).toBe('weights\0\n')
    return { ...pair, store }
  }

  it('travel as pointers there and back, each side with its contents', async () => {
    const pair = await withModel()
    const { ann, bob, hub } = pair
    changed(ann)
    await handOver(ann, 'the model')
    const commit = hub.git(['for-each-ref', '--format=%(objectname)', 'refs/handoff/work'])
    for (const path of ['model.bin', 'new.bin'])
      expect(hub.git(['show', `${commit}:${path}`])).toMatch(
        /^version https:\/\/git-lfs\.github\.com\/spec\/v1\n/,
      )
    await done(bob, ['open', BRANCH])
    expect(stateOf(bob)).toEqual(stateOf(ann))
    expect(bob.read('model.bin')).toBe('weights, changed again\0\n')
    bob.write('new.bin', 'new weights, his\0\n')
    await handOver(bob, 'the model, back')
    await done(ann, ['open', BRANCH])
    expect(stateOf(ann)).toEqual(stateOf(bob))
    expect(refsBeside(pair)).toEqual([expect.stringContaining('refs/handoff/taken/')])
  })

  it('that the server does not have stop the restore, and the next one goes on', async () => {
    const pair = await withModel()
    const { ann, bob, store } = pair
    changed(ann)
    ann.write('a.txt', 'changed\n')
    await handOver(ann, 'the model')
    rmSync(store, { recursive: true })
    mkdirSync(store)
    const error = await refused(bob, ['open', BRANCH])
    expect(error.message).toContain('Object does not exist on the server')
    // Nothing is said to be picked up.
    expect(refsBeside(pair).join()).toContain('refs/handoff/work/')
    await done(ann, ['push', '--work'])
    ann.git(['push', '-q', 'origin', `${BRANCH}:again`])
    await done(bob, ['open', BRANCH])
    expect(stateOf(bob)).toEqual(stateOf(ann))
  })

  it('are there in a worktree of a successor', async () => {
    const { ann } = await withModel()
    changed(ann)
    const before = stateOf(ann)
    const { env } = fakeAgent(ann, 'codex')
    const goal = 'finish the model and document its limits'
    const argv = ['create', goal, '--from', 'git', '--to', 'codex', '--headless', '--work', '--worktree']
    const { worktree } = await done(ann, argv, { env })
    const there = { ...ann, ...atFolder(ann.base, worktree.folder, ann.env) }
    expect(stateOf(there)).toEqual(stateOf(ann))
    expect(stateOf(ann).files).toMatchObject(before.files)
  })
})
