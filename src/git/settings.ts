import { join } from 'node:path'
import { configLocked, writeFailed } from '../errors/writing.ts'
import type { Repo } from './open-repo.ts'
import { isPassing, keepTrying } from './retry.ts'

/** What the configuration of git says of the few keys that handoff asks for. */
export interface Settings {
  /** `user.name` and `user.email`; empty when unset. */
  identity: { name: string; email: string }
  sparse: boolean
  /** `commit.gpgSign`; null when it is no word that everybody reads alike, which git must then judge. */
  signs: boolean | null
  /** `filter.handoff.clean` as this repository sets it, and as it holds in the end; null when unset. */
  filter: { local: string | null; final: string | null }
}

const KEYS = '^(user\\.(name|email)|core\\.sparsecheckout|commit\\.gpgsign|filter\\.handoff\\.clean)$'

/** Reads all of them in one process. Throws `gitFailed`. */
export async function readSettings(repo: Repo): Promise<Settings> {
  const args = ['config', '-z', '--show-scope', '--get-regexp', KEYS]
  // 1 means that none is set.
  const listing = await repo.git(args, { answers: [1] })
  const final = new Map<string, string>()
  let local: string | null = null
  const fields = listing.split('\0')
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [scope, entry = ''] = [fields[at], fields[at + 1]]
    const cut = entry.indexOf('\n')
    // A key without `=` means true.
    const [key, value] = cut === -1 ? [entry, 'true'] : [entry.slice(0, cut), entry.slice(cut + 1)]
    final.set(key, value)
    if (key === FILTER && scope === 'local') local = value
  }
  return {
    identity: { name: final.get('user.name') ?? '', email: final.get('user.email') ?? '' },
    sparse: isTrue(final.get('core.sparsecheckout') ?? 'false') === true,
    signs: isTrue(final.get('commit.gpgsign') ?? 'false'),
    filter: { local, final: final.get(FILTER) ?? null },
  }
}

const FILTER = 'filter.handoff.clean'

function isTrue(value: string): boolean | null {
  if (/^(true|yes|on|1)$/i.test(value)) return true
  return /^(false|no|off|0)$/i.test(value) ? false : null
}

const asked = new WeakMap<Repo, Promise<string | null>>()

/**
 * Where `origin` is fetched from, by git's own rules, without the login that an address may hold: a token that is made anew is
 * no other remote. Null when there is none. Asked once for each opened repository. Throws `gitMissing`.
 */
export function originUrl(repo: Repo): Promise<string | null> {
  const known = asked.get(repo) ?? ask(repo)
  asked.set(repo, known)
  return known
}

async function ask(repo: Repo): Promise<string | null> {
  const { code, stdout } = await repo.run(['remote', 'get-url', 'origin'])
  const url = stdout.toString('utf8').replace(/\n$/, '')
  return code !== 0 || url === '' ? null : withoutLogin(url)
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
 * Changes the repository's own configuration, with what comes after `git config --local`. Throws `writeFailed`, or `configLocked` when
 * another holds it for longer than `patience` (ms); rejects with the signal's reason before git is started, and never while it runs.
 */
export async function writeConfig(repo: Repo, args: readonly string[], patience = PATIENCE): Promise<void> {
  const write = async (): Promise<void> => {
    repo.signal?.throwIfAborted()
    await repo.git(['config', '--local', ...args], { signal: undefined })
  }
  try {
    await keepTrying(write, patience, repo.signal)
  } catch (error) {
    repo.signal?.throwIfAborted()
    // Git names the file and not the reason.
    throw isPassing(error)
      ? configLocked(join(repo.commonDir, 'config.lock'), error as Error)
      : writeFailed('.git/config', error)
  }
}
