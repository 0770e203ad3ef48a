import { gitFailed } from '../errors.ts'
import type { Repo } from './open-repo.ts'
import { spawnGit } from './spawn.ts'

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
  const { code, stdout, stderr } = await spawnGit(args, repo.child())
  // 1 means that none is set.
  if (code !== 0 && code !== 1) throw gitFailed(args, stderr || `exit ${code ?? 'by a signal'}`)
  const final = new Map<string, string>()
  let local: string | null = null
  const fields = stdout.toString('utf8').split('\0')
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
