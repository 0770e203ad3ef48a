import { chmodSync, lstatSync, readdirSync, readFileSync, readlinkSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { cli } from '../cli.ts'
import { atFolder, makeEnv, makeRepo, prepared, type TempRepo } from '../make-repo.ts'
import { later, made } from '../usual.ts'

export const BRANCH = 'feature/queue'

/** Two people with homes of their own and a bare repository between them; both have the branch, and Ann has handed over on it. */
export interface Pair {
  ann: TempRepo
  bob: TempRepo
  hub: TempRepo
  /** Of Ann's brief. */
  id: string
}

const FILES = {
  'a.txt': 'one\ntwo\nthree\nfour\nfive\nsix\nseven\n',
  'dir/b.txt': 'b\n',
  'dir/c.txt': 'c\n',
  'gone.txt': 'gone\n',
  'moved.txt': `${'a line that stays\n'.repeat(20)}`,
  'run.sh': '#!/bin/sh\n',
  'sp ace.txt': 's\n',
  'name.md': 'n\n',
  'other/name.md': 'o\n',
}

export const makePair = prepared(async (init: string[] = [], hubConfig: string[] = []): Promise<Pair> => {
  const ann = makeRepo(init.length === 0 ? {} : { init })
  ann.git(['config', '--global', 'user.name', 'Ann'])
  for (const [path, content] of Object.entries(FILES)) ann.write(path, content)
  chmodSync(join(ann.root, 'run.sh'), 0o755)
  symlinkSync('a.txt', join(ann.root, 'link'))
  ann.commit('work begins')
  const { base, env } = ann
  const hub = atFolder(base, join(base, 'hub.git'), env)
  ann.git(['clone', '-q', '--bare', ann.root, hub.root])
  if (hubConfig.length > 0) hub.git(['config', ...hubConfig])
  ann.git(['remote', 'add', 'origin', `file://${hub.root}`])
  ann.git(['fetch', '-q'])
  ann.git(['switch', '-q', '-c', BRANCH])
  const bob = atFolder(base, join(base, 'bob'), makeEnv(join(base, 'bob-home')))
  bob.git(['config', '--global', 'user.name', 'Bob'], { cwd: base })
  bob.git(['clone', '-q', `file://${hub.root}`, bob.root], { cwd: base })
  const { id } = await made(ann, ['--from', 'git'])
  await done(ann, ['push'])
  await done(bob, ['open', BRANCH])
  return { ann, bob, hub, id }
})

let minutes = 30

/** A command that must succeed, as JSON. */
export async function done(repo: TempRepo, argv: string[], options: Parameters<typeof cli>[2] = {}) {
  const { code, json, stderr } = await cli(repo, ['--json', ...argv], { now: later(minutes++), ...options })
  if (code !== 0) throw new Error(`${argv.join(' ')}: ${JSON.stringify(json?.errors)} ${stderr}`)
  return json
}

/** The only error of a command that must fail. */
export async function refused(repo: TempRepo, argv: string[], options: Parameters<typeof cli>[2] = {}) {
  const { code, json } = await cli(repo, ['--json', ...argv], { now: later(minutes++), ...options })
  if (code === 0) throw new Error(JSON.stringify(json))
  return json.errors[0]
}

/** Hands over with a brief of its own, and sends what is uncommitted. */
export async function handOver(repo: TempRepo, goal: string): Promise<string> {
  const { id } = await done(repo, ['create', `finish ${goal} and document its limits`, '--from', 'git'])
  const { work } = await done(repo, ['push', '--work'])
  if (work === null) throw new Error('nothing was sent')
  return id
}

/** The index, and every file of the work tree: bytes, mode and link, by names of any bytes. The copy of the brief is left out. */
export function stateOf(repo: TempRepo): { index: string; files: Record<string, string> } {
  const files: Record<string, string> = {}
  const walk = (folder: Buffer): void => {
    for (const name of readdirSync(Buffer.concat([Buffer.from(`${repo.root}/`), folder]), {
      encoding: 'buffer',
    })) {
      const path = folder.length === 0 ? name : Buffer.concat([folder, Buffer.from('/'), name])
      const key = path.toString('latin1')
      if (key === '.git' || key === '.handoff/latest.md') continue
      const place = Buffer.concat([Buffer.from(`${repo.root}/`), path])
      const found = lstatSync(place)
      if (found.isDirectory()) walk(path)
      else if (found.isSymbolicLink()) files[key] = `-> ${readlinkSync(place, 'latin1')}`
      else if (!found.isFile()) files[key] = 'no file'
      else files[key] = `${found.mode & 0o100 ? 'x' : '-'} ${readFileSync(place, 'base64')}`
    }
  }
  walk(Buffer.alloc(0))
  const intent = repo.git(['diff', '--name-only', '--diff-filter=A', '-z'])
  return { index: `${repo.git(['ls-files', '-s', '-z'])}\n${intent}`, files }
}

/** What the hub has beside branches. */
export const refsBeside = ({ hub }: Pair): string[] =>
  hub
    .git(['for-each-ref', '--format=%(refname)'])
    .split('\n')
    .filter((ref) => ref.includes('handoff/'))
