import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gitFailed } from '../errors/git.ts'
import { configLocked, failedToWrite } from '../errors/writing.ts'
import { Busy, keepTrying, underLock } from './locks.ts'
import { type Repo, remember } from './open-repo.ts'

/** Keys that `git init` sets in every repository. */
const IN_EACH = /^core\.(bare|repositoryformatversion)$/

/** What the configuration says, in the order in which git reads it. Throws `gitFailed`. */
export async function readConfig(repo: Repo) {
  const entries = await remember(repo, CONFIG, () => listConfig(repo))
  const all = (key: string): string[] => entries.flatMap((one) => (one.key === key ? one.value : []))
  const local = (name: string): string | null =>
    entries.findLast(({ key, scope }) => key === name && scope === 'local')?.value ?? null
  const last = (key: string): string | undefined => all(key).at(-1)
  return {
    ...{ entries, all, local, last, isOn: (key: string): boolean => isTrue(last(key)) },
    /** Empty when unset. */
    identity: { name: last('user.name') ?? '', email: last('user.email') ?? '' },
  }
}

/** How the memory of a repository names it. */
const CONFIG = 'config'

/** Every key, since a process for each question would cost more. */
async function listConfig(repo: Repo): Promise<{ scope: string; key: string; value: string }[]> {
  const args = ['config', '-z', '--show-scope', '--list']
  // A key without `=` means true.
  const found = [...(await repo.git(args)).matchAll(/([^\0]*)\0([^\0\n]*)(?:\n([^\0]*))?\0/g)].map(
    ([, scope = '', key = '', value = 'true']) => ({ scope, key, value }),
  )
  // Git goes on without a file that it could not open, and takes itself to be in no repository without HEAD (git 2.39).
  const isRead = found.some(({ scope, key }) => scope === 'local' && IN_EACH.test(key))
  const file = join(repo.commonDir, 'config')
  const held = isRead || !existsSync(file) ? '' : readFileSync(file, 'utf8')
  if (/^\s*(?:bare|repositoryformatversion)\s*=/im.test(held)) throw gitFailed(args, `${file} cannot be read`)
  return found
}

export const FILTER = 'filter.handoff.clean'

/** As git reads a boolean; what it would refuse counts as true. */
const isTrue = (value = ''): boolean => !/^(false|no|off|0*)$/i.test(value)

/** Where `origin` is fetched from, without a login in the address, as tokens change. Null: no such remote. */
export async function originUrl(repo: Repo): Promise<string | null> {
  const [url = ''] = (await readConfig(repo)).all('remote.origin.url')
  return url === '' ? null : withoutLogin(url)
}

/** One word: kept in a list of lines, and shown. */
const withoutLogin = (url: string): string =>
  url
    .replace(/^(https?:\/\/)[^/?#]*@/i, '$1')
    .replace(/^([a-z][a-z0-9+.-]*:\/\/[^/?#@:]*):[^/?#]*@/i, '$1@')
    .replace(/[\s\p{C}]/gu, (char) => `%${char.codePointAt(0)?.toString(16)}`)

/** Milliseconds to wait for others who write the configuration; each of them holds it for a few. */
const PATIENCE = 5000

/**
 * Runs `git config --local`. Throws `configLocked` when another holds it for `patience` ms, `failedToWrite`, and the signal's reason before
 * git starts.
 */
export async function writeConfig(repo: Repo, args: readonly string[], patience = PATIENCE): Promise<void> {
  const lock = join(repo.commonDir, 'config.lock')
  const write = (): Promise<void> => {
    repo.signal?.throwIfAborted()
    return underLock(lock, () => repo.git(['config', '--local', ...args], { signal: undefined }))
  }
  try {
    await keepTrying(write, patience, repo.signal)
    repo.memory.delete(CONFIG)
  } catch (error) {
    repo.signal?.throwIfAborted()
    // Git names the file and not the reason.
    throw error instanceof Busy ? configLocked(lock, error) : failedToWrite('.git/config', error)
  }
}

/**
 * Cuts the copy off `latest.md` and leaves other files alone, since a branch brings the attributes. POSIX sh and sed: a clone may lack
 * node.
 */
export const CLEAN_FILTER = "case %f in .handoff/latest.md) sed '/^<!-- handoff:begin/,$d';; *) cat;; esac"

/** Sets the filter of `latest.md`; true when it was not set. Throws what `writeConfig` throws. */
export async function ensureFilter(repo: Repo): Promise<boolean> {
  if (await isFilterOurs(repo)) return false
  // Not through simple-git, which takes every filter for an attack.
  await writeConfig(repo, ['--replace-all', FILTER, CLEAN_FILTER])
  return true
}

/** The setting is as `ensureFilter` made it, and nobody's own. */
export const isFilterOurs = async (repo: Repo) => (await readConfig(repo)).local(FILTER) === CLEAN_FILTER

/** Takes that setting back. Throws what `writeConfig` throws. */
export const removeFilter = (repo: Repo): Promise<void> => writeConfig(repo, ['--unset-all', FILTER])

/** True when git would store `oid` for this content at `path`: it runs the filter that attributes and configuration name. */
export async function isStoredAs(repo: Repo, path: string, content: string, oid: string): Promise<boolean> {
  const { code, stdout } = await repo.run(['hash-object', '--stdin', `--path=${path}`], { input: content })
  return code === 0 && stdout.toString('utf8').trim() === oid
}
