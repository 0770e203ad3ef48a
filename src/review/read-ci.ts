import { readFile, stat } from 'node:fs/promises'
import type { Place } from '../types/place.ts'

/** What the environment of a CI server says about the change it runs for. */
export interface CiFacts {
  /** Full commit ids; null when it is not said. */
  base: string | null
  head: string | null
  /** Name of the branch that the change is to be merged into. */
  baseName: string | null
  /** Name of the branch that is to be merged; of a push the branch itself. */
  branch: string | null
  /** `base` is where the branch stood before, not where it is going. */
  isPush: boolean
}

/** Events of GitHub are at most 25 MB (docs.github.com, "Webhook events and payloads"). */
const MAX_EVENT = 32 * 1024 * 1024

/** Null where no CI server that we know has called. A file that cannot be read tells nothing. */
export async function readCi(env: Place['env']): Promise<CiFacts | null> {
  if (env.GITHUB_ACTIONS === 'true' || (env.GITHUB_EVENT_PATH ?? '') !== '')
    return fromEvent(await readEvent(env.GITHUB_EVENT_PATH ?? ''), env)
  if (env.GITLAB_CI === 'true') return fromGitLab(env)
  return null
}

function fromEvent(event: Json, env: Place['env']): CiFacts {
  const { pull_request: request, merge_group: group } = event
  if (isRecord(request)) {
    const [base, head] = [recordAt(request, 'base'), recordAt(request, 'head')]
    return {
      base: commitId(base.sha),
      head: commitId(head.sha),
      baseName: text(base.ref) ?? text(env.GITHUB_BASE_REF),
      branch: text(head.ref) ?? text(env.GITHUB_HEAD_REF),
      isPush: false,
    }
  }
  if (isRecord(group)) {
    const name = (ref: unknown) => text(ref)?.replace(/^refs\/heads\//, '') ?? null
    const [base, head] = [commitId(group.base_sha), commitId(group.head_sha)]
    return { base, head, baseName: name(group.base_ref), branch: name(group.head_ref), isPush: false }
  }
  const pushed = text(event.ref)
  return {
    base: commitId(event.before),
    head: commitId(event.after),
    baseName: text(recordAt(event, 'repository').default_branch),
    branch: pushed?.startsWith('refs/heads/')
      ? pushed.slice('refs/heads/'.length)
      : text(env.GITHUB_HEAD_REF),
    isPush: true,
  }
}

function fromGitLab(env: Place['env']): CiFacts {
  const isRequest = text(env.CI_MERGE_REQUEST_IID) !== null
  return {
    base: commitId(isRequest ? env.CI_MERGE_REQUEST_DIFF_BASE_SHA : env.CI_COMMIT_BEFORE_SHA),
    // In a pipeline of a merged result CI_COMMIT_SHA is the merge.
    head: commitId(env.CI_MERGE_REQUEST_SOURCE_BRANCH_SHA) ?? commitId(env.CI_COMMIT_SHA),
    baseName: text(env.CI_MERGE_REQUEST_TARGET_BRANCH_NAME) ?? text(env.CI_DEFAULT_BRANCH),
    branch: text(env.CI_MERGE_REQUEST_SOURCE_BRANCH_NAME) ?? text(env.CI_COMMIT_BRANCH),
    isPush: !isRequest,
  }
}

type Json = Record<string, unknown>

async function readEvent(path: string): Promise<Json> {
  try {
    if (path === '' || (await stat(path)).size > MAX_EVENT) return {}
    const value: unknown = JSON.parse(await readFile(path, 'utf8'))
    return isRecord(value) ? value : {}
  } catch {
    return {} // Then the other variables tell what they can.
  }
}

const isRecord = (value: unknown): value is Json => typeof value === 'object' && value !== null
const recordAt = (value: Json, key: string): Json => (isRecord(value[key]) ? (value[key] as Json) : {})
/** No name of a branch holds a space or control character. */
const text = (value: unknown): string | null =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
  typeof value === 'string' && /^[^\x00-\x20\x7f]+$/.test(value) ? value : null

/** Null for the zeros of a branch that is new. */
const commitId = (value: unknown): string | null =>
  typeof value === 'string' && /^(?!0+$)[0-9a-f]{40,64}$/.test(value) ? value : null
