import type { Repo } from './open-repo.ts'
import { spawnGit } from './spawn.ts'

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
  const { code, stdout } = await spawnGit(['remote', 'get-url', 'origin'], repo.child())
  const url = stdout.toString('utf8').replace(/\n$/, '')
  return code !== 0 || url === '' ? null : withoutLogin(url)
}

/** One word: kept in a list of lines, and shown. */
const withoutLogin = (url: string): string =>
  url
    .replace(/^(https?:\/\/)[^/?#]*@/i, '$1')
    .replace(/^([a-z][a-z0-9+.-]*:\/\/[^/?#@:]*):[^/?#]*@/i, '$1@')
    .replace(/[\s\p{C}]/gu, (char) => `%${char.codePointAt(0)?.toString(16)}`)
