import type { Invocation } from '../command.ts'
import { isHandoffError } from '../errors/handoff-error.ts'
import { workWithoutBrief } from '../errors/work.ts'
import { withoutAbort } from '../git/open-repo.ts'
import { readWorkRecord } from '../store/works.ts'
import { bytesText, plural } from '../text/count.ts'
import { codeSpan } from '../text/safe-text.ts'
import type { FrontMatter } from '../types/brief.ts'
import { askForGood, mayAsk } from '../workspace/at-terminal.ts'
import { openScanner } from '../workspace/input-secrets.ts'
import type { RepoWorkspace, Workspace } from '../workspace/workspace.ts'
import { type KeptWork, keepWork, readKept } from './keep-work.ts'
import { type Change, type Left, readChanges, readWork } from './read-work.ts'

/** The brief that work goes beside, and what was said of that: undefined: nothing. */
export interface Wanted {
  id: string | null
  branch: string
  isWanted: boolean | undefined
  /** What happens to it: `Sends`, `Keeps`. */
  verb: string
  dryRun?: boolean
}

/** `create --work`: what is uncommitted, beside the brief, which stands whatever becomes of that. Lines that say what is next. */
export async function keepBeside(
  invocation: Invocation,
  { request, workspace: { repo, loaded } }: { request: { work?: boolean }; workspace: Workspace },
  { id, branch }: Pick<FrontMatter, 'id' | 'branch'>,
  isCommitted: boolean,
): Promise<string[]> {
  if (request.work !== true || repo === null) return []
  const { out } = invocation
  if (branch === null || !isCommitted) {
    out.warn('uncommitted files go only beside a brief that is committed on a branch')
    return []
  }
  const wanted = { id, branch, isWanted: true, verb: 'Keeps' }
  const kept = await keepWanted(invocation, { repo: withoutAbort(repo), loaded }, wanted).catch(
    (error: unknown) => {
      if (!isHandoffError(error)) throw error
      out.warn(`${error.message} ${error.hint}`)
    },
  )
  return kept ? ['`git handoff push` sends them with the branch.'] : []
}

/**
 * Keeps what is uncommitted beside the open brief, where the person wants that, and says what goes and what stays. Null: nothing goes.
 * Throws `workWithoutBrief` and what `readWork` throws.
 */
export async function keepWanted(
  invocation: Invocation,
  workspace: Pick<RepoWorkspace, 'repo' | 'loaded'>,
  { id, branch, isWanted, verb, dryRun = false }: Wanted,
): Promise<KeptWork | null> {
  const { out, place } = invocation
  const { repo, loaded } = workspace
  const way = isWanted === undefined ? loaded.own.work : isWanted ? 'always' : 'never'
  const record = id === null ? null : await readWorkRecord(repo.commonDir, id)
  const kept = record?.state === 'kept' && id !== null ? await readKept(repo, id, record.commit) : null
  if (way === 'never' || (way === 'ask' && (kept !== null || !mayAsk(invocation))))
    return isWanted === false ? null : kept
  const changes = await readChanges(repo).catch((error: unknown) => {
    if (isWanted !== true && isHandoffError(error) && error.code === 'E_IN_PROGRESS') return []
    throw error
  })
  if (changes.length === 0) return kept
  if (id === null && isWanted !== true) return null
  if (id === null) throw workWithoutBrief(branch)
  if (way === 'ask' && !(await offer(invocation, loaded.ownFile, changes))) return null
  const work = await readWork(repo, await openScanner(place, repo.root, loaded.config), changes)
  const stays = work.left.length === 0 ? '' : `; it stays here: ${leftText(work.left)}`
  const staged = work.staged === 0 ? '' : `${work.staged} staged, `
  out.say(
    work.files === 0
      ? `Nothing uncommitted goes along${stays}`
      : `${dryRun ? 'Would take along' : verb} ${plural(work.files, 'uncommitted file')} (${staged}${bytesText(work.bytes)}) beside ${id}, on no branch${stays}`,
  )
  if (work.files === 0 || dryRun) return null
  return keepWork(repo, { id, branch, now: place.now() }, work)
}

/** Files named in a line. */
const MOST_NAMES = 8

/** What stays and why, in one line. */
export function leftText(left: readonly Left[]): string {
  const names = left.slice(0, MOST_NAMES).map(({ path, why }) => `${codeSpan(path)} (${why})`)
  return `${names.join(', ')}${left.length > MOST_NAMES ? ` and ${left.length - MOST_NAMES} more` : ''}`
}

const offer = (invocation: Invocation, file: string, changes: readonly Change[]): Promise<boolean> =>
  askForGood(
    invocation,
    { key: 'work', file, shown: file },
    `${plural(changes.length, 'file')} here ${changes.length === 1 ? 'is' : 'are'} uncommitted. Send them beside the brief, on no branch?`,
    'the branch alone',
  )
