import { hookRefused, remoteDenied, remoteMissing, unreachable } from '../errors/remote.ts'
import { personEnvironment } from './environment.ts'
import { failure, type GitOptions } from './git.ts'
import type { Repo } from './open-repo.ts'
import { WORK } from './refs.ts'

/** A remote, by its name or address, and whether somebody can answer what git or ssh asks. */
export interface Far {
  remote: string
  isAttended: boolean
}

/** As the person would run it: with a terminal where there is one, else in a session of its own, where ssh cannot wait for an answer. */
const asPerson = (repo: Repo, { isAttended }: Far): Partial<GitOptions> => ({
  env: personEnvironment(repo.env, isAttended),
  foreground: isAttended,
})

async function askRemote(repo: Repo, far: Far, args: readonly string[]): Promise<string> {
  const result = await repo.run(args, asPerson(repo, far))
  if (result.code !== 0) throw failureOf(far, args, result)
  return result.stdout.toString('utf8')
}

/** Commit ids of these refs of a remote, by full name. Throws what `failureOf` gives. */
export async function listRemote(
  repo: Repo,
  far: Far,
  patterns: readonly string[],
): Promise<Map<string, string>> {
  const args = ['ls-remote', '--quiet', '--', far.remote, ...patterns]
  const lines = (await askRemote(repo, far, args)).matchAll(/^([0-9a-f]{40,64})\t(.+)$/gm)
  return new Map([...lines].map(([, oid = '', ref = '']) => [ref, oid]))
}

/** Fetches these refs and nothing else. Throws what `failureOf` gives. */
export async function fetchRefs(repo: Repo, far: Far, specs: readonly string[]): Promise<void> {
  const only = ['--quiet', '--no-tags', '--no-recurse-submodules', '--no-write-fetch-head']
  await askRemote(repo, far, ['fetch', ...only, '--', far.remote, ...specs])
}

/** What became of a ref that was pushed. */
export interface Pushed {
  /** Full name there. */
  ref: string
  state: 'new' | 'moved' | 'same' | 'deleted' | 'refused'
  /** What git says of it: two commits, or the reason. */
  says: string
}

/** As `git push --porcelain` marks them (git 2.39); only one with a lease may be forced. */
const STATES: Readonly<Record<string, Pushed['state']>> = {
  '*': 'new',
  ' ': 'moved',
  '+': 'moved',
  '-': 'deleted',
  '=': 'same',
  '!': 'refused',
}

/** What is pushed: an empty `ref` deletes; `lease`: what the remote must have there, empty for nothing, so that it may be replaced. */
export type PushSpec = readonly [ref: string, to: string, lease?: string]

/**
 * Pushes each ref to that of the remote, without tags, and by force only under a lease. `flags`: `--dry-run`, `--no-verify`. `said`: what
 * hooks and the remote print. Throws `hookRefused` and what `failureOf` gives; a ref that the remote refuses is told in the list.
 */
export async function pushRefs(
  repo: Repo,
  far: Far,
  refs: readonly PushSpec[],
  flags: readonly string[] = [],
): Promise<{ pushed: Pushed[]; said: string }> {
  const held = refs.filter(([, , lease]) => lease !== undefined)
  const leases = held.map(([, to, lease]) => `--force-with-lease=${to}:${lease}`)
  const specs = refs.map(([ref, to]) => `${ref}:${to}`)
  // Git tries each of 100 new files against ten others, which takes 1 s; against three, what it sends is 2 % larger.
  const tries = refs.some(([, to]) => to.startsWith(WORK)) ? ['-c', 'pack.window=3'] : []
  const only = ['--porcelain', '--no-follow-tags', '--no-recurse-submodules', ...flags]
  const args = [...tries, 'push', ...only, ...leases, '--', far.remote, ...specs]
  const result = await repo.run(args, asPerson(repo, far))
  const stdout = result.stdout.toString('utf8')
  const pushed = [...stdout.matchAll(REF)].flatMap(([, mark = '', ref = '', says = '']) => {
    const state = STATES[mark]
    return state === undefined ? [] : [{ ref, state, says }]
  })
  const said =
    `${stdout.replace(REF, '').replace(/^(?:To .*|Done|\s*)\n/gm, '')}${result.stderr.replace(END, '')}`.trim()
  // Git has refused nothing, the remote was not asked, and still it failed to push: what says no before is the hook.
  if (result.code !== 0 && pushed.length === 0)
    throw END.test(result.stderr) ? hookRefused(said) : failureOf(far, args, result)
  return { pushed, said }
}

const REF = /^([-+*=! ])\t[^\t\n]*:([^\t\n]*)\t(.*)$/gm
const END = /^error: failed to push some refs to .*\n(?:hint: .*\n?)*/m

/** Words of git, ssh, curl and hosts for why a remote did not serve us, and what that is to a person; the first that fits. */
const REASONS = [
  [
    /could not resolve|network is unreachable|no route to host|connection (?:refused|reset|closed|timed out)|timed out|(?:failed|couldn't|could not) (?:to )?connect|name resolution/i,
    unreachable,
  ],
  [
    /authentication failed|could not read (?:username|password)|prompts disabled|permission denied|permission to \S+ denied|host key verification failed|returned error: 40[13]|access denied|not allowed to/i,
    remoteDenied,
  ],
  [/not found|does not appear to be a git repository|does not exist|no such/i, remoteMissing],
] as const

function failureOf({ remote }: Far, args: readonly string[], result: Parameters<typeof failure>[1]): Error {
  const lines = result.stderr.split('\n')
  for (const [words, make] of REASONS) {
    const line = lines.find((one) => words.test(one))
    if (line !== undefined)
      return make(remote, line.replace(/^(?:(?:fatal|error|ssh|remote): *)+/gi, '').replace(/[.\s]+$/, ''))
  }
  return failure(args, result)
}
