import { orNull } from '../errors/handoff-error.ts'
import { usage } from '../errors/usage.ts'

/** Where a link to a pull request or a branch leads. */
export interface Link {
  /** `github.com/owner/name`. */
  place: string
  /** The address to clone from. */
  clone: string
  /** What the host keeps the request under, and what its branch is called here where it has no other name; null: a link to a branch. */
  request: { ref: string; branch: string } | null
  branch: string | null
}

const REPOSITORY = String.raw`\/((?:(?!-)[\w.-]+\/)+?(?!-)[\w.-]+)`
/** What stands behind the name of a repository: on GitHub and Gitea, on GitLab, on all three and Bitbucket. */
const FORMS = [
  { pattern: new RegExp(`^${REPOSITORY}/pulls?/([1-9]\\d{0,9})(?:/|$)`), ref: 'pull', short: 'pr' },
  {
    pattern: new RegExp(`^${REPOSITORY}(?:/-)?/merge_requests/([1-9]\\d{0,9})(?:/|$)`),
    ref: 'merge-requests',
    short: 'mr',
  },
  { pattern: new RegExp(`^${REPOSITORY}(?:/-)?/(?:tree|src/branch|branch)/(.+?)/?$`) },
]

/** Reads a link; null for what is none: the name of a branch never has a colon. Throws `usage` for a link that leads nowhere. */
export function readLink(text: string): Link | null {
  if (!text.includes(':')) return null
  const url = URL.canParse(text) ? new URL(text) : null
  if (
    url !== null &&
    ['http:', 'https:'].includes(url.protocol) &&
    url.username === '' &&
    url.password === ''
  )
    for (const { pattern, ref, short } of FORMS) {
      const [, path, rest = ''] = pattern.exec(url.pathname) ?? []
      if (path === undefined) continue
      const place = `${url.hostname}/${path}`
      const clone = `${url.origin}/${path}.git`
      return ref === undefined
        ? { place, clone, request: null, branch: orNull(() => decodeURIComponent(rest)) ?? rest }
        : {
            place,
            clone,
            request: { ref: `refs/${ref}/${rest}/head`, branch: `${short}/${rest}` },
            branch: null,
          }
    }
  throw usage(
    'This is no link to a pull request, merge request or branch that git can fetch.',
    'Give one such as https://github.com/owner/name/pull/12, or the name of the branch. Bitbucket keeps no ref of its pull requests.',
  )
}

/** `github.com/owner/name` of the address of a remote; null for a path. */
export function placeOf(url: string): string | null {
  const [, host = '', path = ''] =
    /^[a-z][a-z+]*:\/\/(?:[^@/]*@)?([^:/]+)(?::\d+)?\/(.+)$/i.exec(url) ??
    /^(?:[^@/:]+@)?([^/:]+):(?!\/\/|:)(.+)$/.exec(url) ??
    []
  // Both hosts serve ssh on port 443 under a name of its own.
  const name = host.toLowerCase().replace(/^(?:alt)?ssh\./, '')
  return name === '' ? null : `${name}/${path.replace(/^\/+|(?:\.git)?\/*$/g, '')}`
}

/** The remote that a link leads to. A host without a dot is an alias in somebody's own configuration, so the path alone tells. */
export function remoteOf<R extends { url: string }>(list: readonly R[], { place }: Link): R | undefined {
  const wanted = place.toLowerCase()
  return list.find(({ url }) => {
    const found = placeOf(url)?.toLowerCase() ?? ''
    return found === wanted || (/^[^./]+\//.test(found) && tail(found) === tail(wanted))
  })
}

const tail = (place: string): string => place.slice(place.indexOf('/'))

/** The page of a branch on a host that is known; null elsewhere. */
export function pageOf(url: string, branch: string): string | null {
  const place = placeOf(url)
  const host = /^(?:[\w-]+\.)*(github|gitlab)\.[\w.-]+\//.exec(place ?? '')?.[1]
  const name = branch.split('/').map(encodeURIComponent).join('/')
  return host === undefined ? null : `https://${place}/${host === 'gitlab' ? '-/' : ''}tree/${name}`
}
