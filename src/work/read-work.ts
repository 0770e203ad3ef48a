import { copyFileSync, existsSync, lstatSync, readFileSync, rmSync, statSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { badRevision } from '../errors/git.ts'
import { orNull } from '../errors/handoff-error.ts'
import { workNotTaken, workTooLarge } from '../errors/work.ts'
import { NO_HOOKS } from '../git/environment.ts'
import { blobId } from '../git/files.ts'
import { failure, type GitOptions } from '../git/git.ts'
import type { Repo } from '../git/open-repo.ts'
import { readOperation } from '../git/operation.ts'
import { readCommit, zeroId } from '../git/refs.ts'
import { makePrivate, privateFolder } from '../private-folder.ts'
import type { Scanner } from '../secrets/scanner.ts'
import { LATEST } from '../store/folder.ts'
import { bytesText } from '../text/count.ts'

/** Bytes of one file, bytes of all, and how many go beside a brief. A larger file stays, and is named. */
const MOST = { file: 10 << 20, bytes: 50 << 20, files: 5000 }

/** A path as git has it: one character for each byte, because names need not be UTF-8. */
type RawPath = string

/** Such a path for people. */
export const shown = (path: RawPath): string => Buffer.from(path, 'latin1').toString('utf8')

/** A file that stays, and why. */
export interface Left {
  path: string
  why: string
}

/** What is uncommitted in a work tree, as git would store it: two trees on HEAD. */
export interface Work {
  head: string
  /** Tree of the index. */
  index: string
  /** Tree of the work tree, with new files. */
  tree: string
  /** Entered with `git add --intent-to-add`. */
  intent: RawPath[]
  left: Left[]
  files: number
  staged: number
  bytes: number
}

/** A line of `git status`. */
export interface Change {
  path: RawPath
  /** Letters for index and work tree; `??` for a new file. */
  xy: string
  /** What is changed in a submodule; null for all else. */
  submodule: string | null
  /** Mode and id in HEAD and in the index; `000000` where it is not there. */
  before: Entry
  staged: Entry
}

export interface Entry {
  mode: string
  oid: string
}

const NONE: Entry = { mode: '000000', oid: '' }
const LINK_TO_COMMIT = '160000'

/** All that is uncommitted but the copy of the brief. Throws `workNotTaken` for conflicts and what is in progress, and `gitFailed`. */
export async function readChanges(repo: Repo): Promise<Change[]> {
  const operation = readOperation(repo.gitDir)
  if (operation !== null) throw workNotTaken(`a ${operation} is in progress`)
  const args = ['status', '--porcelain=v2', '-z', '--untracked-files=all', '--no-renames']
  const listing = await rawGit(repo, [...args, '--ignore-submodules=none'])
  return listing.split('\0').flatMap((record): Change[] => {
    const [kind, xy = '', sub = '', mH = '', mI = '', , hH = '', hI = ''] = record.split(' ')
    if (kind === 'u') throw workNotTaken('the index has conflicts')
    const path = record
      .split(' ')
      .slice(kind === '?' ? 1 : 8)
      .join(' ')
    if (record === '' || path === LATEST) return []
    if (kind === '?') return [{ path, xy: '??', submodule: null, before: NONE, staged: NONE }]
    const submodule = sub.startsWith('S') ? sub : null
    return [{ path, xy, submodule, before: { mode: mH, oid: hH }, staged: { mode: mI, oid: hI } }]
  })
}

/**
 * Stores what is uncommitted as objects of git, by its own filters and in an index of its own: index, work tree and stash stay as they are.
 * A file stays that is too large, no file, of another repository, or holds a secret that HEAD has not. Throws `workTooLarge` and what
 * `readChanges` throws.
 */
export async function readWork(repo: Repo, scanner: Scanner, known?: readonly Change[]): Promise<Work> {
  const changes = known ?? (await readChanges(repo))
  const head = (await readCommit(repo, 'HEAD'))?.oid
  if (head === undefined) throw badRevision('HEAD')
  const left = new Map<RawPath, string>()
  const put: RawPath[] = []
  let bytes = 0
  for (const change of changes) {
    const { path, xy, submodule } = change
    const why = submodule === null ? whyNotFile(repo, change) : await whyNotSubmodule(repo, change)
    if (why !== null) left.set(path, why)
    else if (xy[1] !== '.' && xy[1] !== 'D') put.push(path)
    if (why === null && xy[1] !== 'D' && submodule === null) bytes += sizeOf(repo, path)
  }
  const going = changes.filter(({ path }) => !left.has(path))
  checkSize(going.length, bytes)
  const [scratch, copy] = [scratchIndex(repo), scratchIndex(repo)]
  try {
    const gone = going.filter(({ xy }) => xy[1] === 'D').map(({ path }) => path)
    await updateIndex(repo, scratch, ['--force-remove', '-z', '--stdin'], gone)
    // Git takes as long to store files as we to look for secrets in them.
    const [scanned] = await Promise.all([
      scanFiles(repo, scanner, put),
      updateIndex(repo, scratch, ['--add', '--replace', '--remove', '-z', '--stdin'], put),
    ])
    let [tree, index] = await Promise.all([writeTree(repo, scratch), writeTree(repo, copy)])
    for (const [path, rule] of await unsent(repo, scanner, going, { head, tree, scanned }))
      left.set(path, rule)
    const back = changes.filter(({ path, submodule }) => left.has(path) && submodule?.[1] !== '.')
    if (back.length > 0) {
      for (const place of [scratch, copy]) await setEntries(repo, place, back)
      ;[tree, index] = [await writeTree(repo, scratch), await writeTree(repo, copy)]
    }
    const sent = going.filter(({ path }) => !left.has(path))
    return {
      ...{ head, index, tree, bytes },
      intent: sent
        .filter(({ xy, before }) => xy === '.A' && before.mode === NONE.mode)
        .map(({ path }) => path),
      left: await Promise.all([...left].map(([path, why]) => namedLeft(scanner, path, why))),
      files: sent.length,
      staged: sent.filter(({ xy }) => !/^[.?]/.test(xy)).length,
    }
  } finally {
    for (const place of [scratch, copy]) rmSync(place, { force: true })
  }
}

const placeOf = ({ root }: Repo, path: RawPath): Buffer =>
  Buffer.concat([Buffer.from(`${root}/`), Buffer.from(path, 'latin1')])

const sizeOf = (repo: Repo, path: RawPath): number => orNull(() => lstatSync(placeOf(repo, path)).size) ?? 0

function whyNotFile(repo: Repo, { path, xy }: Change): string | null {
  if (path.endsWith('/')) return 'a repository of its own'
  const found = xy[1] === 'D' ? null : orNull(() => lstatSync(placeOf(repo, path)))
  if (found === null || found.isSymbolicLink()) return null
  if (!found.isFile()) return 'no file'
  return found.size > MOST.file ? bytesText(found.size) : null
}

/** A commit in a submodule goes along where a remote of it has that; what is changed inside never does. */
async function whyNotSubmodule(repo: Repo, { path, xy, submodule, staged }: Change): Promise<string | null> {
  const cwd = join(repo.root, shown(path))
  const here = submodule?.[1] === 'C' ? await repo.run(['rev-parse', 'HEAD'], { cwd }) : null
  const commits = [
    ...(xy[0] !== '.' && staged.mode === LINK_TO_COMMIT ? [staged.oid] : []),
    ...(here === null ? [] : [here.stdout.toString().trim()]),
  ]
  for (const commit of commits) {
    if (!existsSync(cwd)) return 'a submodule that is not here'
    const { code, stdout } = await repo.run(['rev-list', '-1', commit, '--not', '--remotes'], { cwd })
    if (code !== 0 || stdout.length > 0) return 'a submodule at a commit that its remote may lack'
  }
  return submodule?.slice(2) === '..' ? null : 'changes inside a submodule'
}

/** Bytes of a blob, and the secrets in it. */
interface Scanned {
  size: number
  hits: Awaited<ReturnType<typeof secretsIn>>
}

const scan = async (scanner: Scanner, content: Buffer): Promise<Scanned> => ({
  size: content.length,
  hits: await secretsIn(scanner, content),
})

/** Files of the work tree by the blob that they are where no filter changes them. */
async function scanFiles(
  repo: Repo,
  scanner: Scanner,
  paths: readonly RawPath[],
): Promise<Map<string, Scanned>> {
  const found = new Map<string, Scanned>()
  for (const place of paths.map((path) => placeOf(repo, path))) {
    const content = orNull(() => (lstatSync(place).isFile() ? readFileSync(place) : null))
    if (content !== null) found.set(blobId(repo, content), await scan(scanner, content))
  }
  return found
}

/**
 * Those whose stored contents are too large or hold a secret, with the reason. A secret that HEAD has at that path goes with the branch
 * anyway. Throws `workTooLarge`.
 */
async function unsent(
  repo: Repo,
  scanner: Scanner,
  going: readonly Change[],
  { head, tree, scanned }: { head: string; tree: string; scanned: Map<string, Scanned> },
): Promise<[RawPath, string][]> {
  const inTree = new Map((await readDiff(repo, head, tree)).map(({ path, now }) => [path, now]))
  const plans = going.map(({ path, xy, staged, before }) => {
    const entries = [...(/^[.?]/.test(xy) ? [] : [staged]), inTree.get(path) ?? NONE]
    return { path, before, oids: new Set(entries.filter(isBlob).map(({ oid }) => oid)) }
  })
  const all = new Set(plans.flatMap(({ oids }) => [...oids]))
  const others = await repo.objects.read(
    [...all].filter((oid) => !scanned.has(oid)),
    MOST.file,
  )
  for (const one of others) if (one !== null) scanned.set(one.oid, await scan(scanner, one.content))
  checkSize(
    going.length,
    [...all].reduce((sum, oid) => sum + (scanned.get(oid)?.size ?? 0), 0),
  )
  const found: [RawPath, string][] = []
  const isOdd = (await scanner.find(going.map(({ path }) => shown(path)).join('\n'))).length > 0
  for (const { path, before, oids } of plans) {
    const blobs = [...oids].flatMap((oid) => scanned.get(oid) ?? [])
    if (blobs.length < oids.size) {
      found.push([path, `more than ${bytesText(MOST.file)}`])
      continue
    }
    const hits = [...(isOdd ? await scanner.find(shown(path)) : []), ...blobs.flatMap((one) => one.hits)]
    if (hits.length === 0) continue
    const [held] = isBlob(before) ? await repo.objects.read([before.oid], MOST.file) : []
    const known = new Set((await secretsIn(scanner, held?.content)).map(({ fingerprint }) => fingerprint))
    const hit = hits.find(({ fingerprint }) => !known.has(fingerprint))
    if (hit !== undefined) found.push([path, `a secret: ${hit.rule}`])
  }
  return found
}

const isBlob = ({ mode }: Entry): boolean => mode !== NONE.mode && mode !== LINK_TO_COMMIT

function checkSize(files: number, bytes: number): void {
  if (files > MOST.files || bytes > MOST.bytes)
    throw workTooLarge(
      files,
      bytesText(bytes),
      `${MOST.files.toLocaleString('en')} files and ${bytesText(MOST.bytes)}`,
    )
}

/** Of what is no text the texts in it: any bytes look like a key now and then. */
function secretsIn(scanner: Scanner, content: Buffer = Buffer.alloc(0)) {
  const isText = !content.subarray(0, 8000).includes(0)
  const texts = isText ? null : content.toString('latin1').match(/[\t\x20-\x7e]{12,}/g)
  return scanner.find(isText ? content.toString('utf8') : (texts ?? []).join('\n'))
}

async function namedLeft(scanner: Scanner, path: RawPath, why: string): Promise<Left> {
  return { path: (await scanner.redact(shown(path))).value, why }
}

/** One path that differs between two trees. */
export interface Difference {
  path: RawPath
  was: Entry
  now: Entry
}

export async function readDiff(repo: Repo, from: string, to: string): Promise<Difference[]> {
  const listing = await rawGit(repo, ['diff-tree', '-r', '-z', '--raw', '--no-renames', from, to])
  return [...listing.matchAll(/:(\d+) (\d+) ([0-9a-f]+) ([0-9a-f]+) [^\0]*\0([^\0]*)\0/g)].map(
    ([, was = '', now = '', before = '', after = '', path = '']) => ({
      ...{ path, was: { mode: was, oid: before }, now: { mode: now, oid: after } },
    }),
  )
}

/** What git prints, one character for each byte. Throws `gitFailed`. */
async function rawGit(repo: Repo, args: readonly string[], extra: Partial<GitOptions> = {}): Promise<string> {
  const ended = await repo.run(args, extra)
  if (ended.code !== 0) throw failure(args, ended)
  return ended.stdout.toString('latin1')
}

let made = 0

/** A copy of the index beside it, which a later handoff removes if this one is killed. Its time stays that of the index, or git would trust files that changed right after it. */
export function scratchIndex(repo: Repo): string {
  const folder = privateFolder(repo.gitDir)
  makePrivate(repo.gitDir, folder)
  const path = join(folder, `aside.${process.pid}.i${made++}`)
  const found = orNull(() => statSync(repo.indexPath))
  if (found === null) throw workNotTaken('git has no index here; `git checkout` makes one')
  copyFileSync(repo.indexPath, path)
  const time = Math.floor(found.mtimeMs / 1000)
  utimesSync(path, time, time)
  return path
}

/** Settings for an index that nobody else reads: whole, and without hooks. */
const ALONE = ['-c', NO_HOOKS, '-c', 'core.splitIndex=false', '-c', 'core.untrackedCache=false']

/** Git with that index. Throws `gitFailed`. */
export const withIndex = (
  repo: Repo,
  index: string,
  args: readonly string[],
  extra: Partial<GitOptions> = {},
): Promise<string> =>
  rawGit(repo, [...ALONE, ...args], { ...extra, env: { ...extra.env, GIT_INDEX_FILE: index } })

async function updateIndex(repo: Repo, index: string, flags: string[], paths: readonly RawPath[]) {
  if (paths.length === 0) return
  const input = Buffer.from(paths.map((path) => `${path}\0`).join(''), 'latin1')
  await withIndex(repo, index, ['-c', 'core.safecrlf=false', 'update-index', ...flags], { input })
}

const writeTree = async (repo: Repo, index: string): Promise<string> =>
  (await withIndex(repo, index, ['write-tree'])).trim()

/** Gives these paths the entries that they have in HEAD. */
export async function setEntries(
  repo: Repo,
  index: string,
  entries: readonly Pick<Change, 'path' | 'before'>[],
): Promise<void> {
  const lines = entries.map(({ path, before: { mode, oid } }) =>
    mode === NONE.mode ? `0 ${zeroId(repo)}\t${path}` : `${mode} ${oid}\t${path}`,
  )
  await updateIndex(repo, index, ['--add', '--replace', '-z', '--index-info'], lines)
}
