import { plural, shortSha, someOf } from '../text/count.ts'
import { clipLine, codeSpan, escapeText } from '../text/safe-text.ts'
import type { Brief, FrontMatter } from '../types/brief.ts'
import type {
  AgentFacts,
  CheckFact,
  Evidence,
  FileFact,
  Reference,
  SessionWork,
  TextFact,
} from '../types/evidence.ts'
import type { GitChange, GitState } from '../types/git.ts'
import type { SessionCut } from '../types/session.ts'

const MAX_ERROR = 160
/** File names listed per kind of change, folders named in Status. */
const MAX_NAMES = 6
const MAX_FOLDERS = 4
const MAX_BRANCHES = 3

/** Said of a check or a commit. */
export const EDITED_SINCE = 'files were edited since'

/** The Status lines, most important first, safe as they are. */
export function statusLines(git: GitState | null, evidence: Evidence): string[] {
  const { lastCheck, work, references } = evidence
  const place = work === null ? '' : placeOfWork(work, git)
  const isAway = place.startsWith(AWAY) || Boolean(work?.worktree)
  return [
    ...(work?.cut ? [cutLine(work.cut)] : []),
    ...(isAway ? [place] : []),
    ...(git === null ? ['No git repository here: git facts are left out.'] : gitLines(git)),
    ...(isAway || place === '' ? [] : [place]),
    ...(git === null || (git.base === null && work?.isElsewhere) ? [] : effectLine(git, evidence.files)),
    ...(work === null ? [] : workLine(work, git)),
    ...(work?.running ? [`A turn was under way: ${codeSpan(work.running)} had not ended`] : []),
    ...(lastCheck === null ? [] : [`Last check: ${ended(lastCheck)}${since(lastCheck, git, work)}`]),
    ...(references.length === 0 ? [] : [`Named last: ${references.map(referenceText).join(', ')}`]),
  ]
}

/** Files that were not committed cannot be had as they were then. */
const cutLine = ({ until, turn, turns, at }: SessionCut): string => {
  const when = [...(until.startsWith('turn') ? [] : [until]), ...(at === null ? [] : [`begun ${at}`])].join(
    ', ',
  )
  return `The session counts up to turn ${turn} of ${turns}${when && ` (${when})`}, as the user chose. Git and files are of now, with what was done since`
}

/** What was open may be merged by now, and nobody looked. */
const referenceText = ({ name, url, state }: Reference): string =>
  `${name}${state === undefined || state === 'open' ? '' : ` ${state}`}${url === null ? '' : ` (${escapeText(url)})`}`

function gitLines(git: GitState): string[] {
  const at = git.head === null ? ', no commits yet' : ` at \`${shortSha(git.head)}\``
  const where = git.branch === null ? `Detached HEAD${at}` : `Branch ${codeSpan(git.branch)}${at}`
  return [
    `${where}${remote(git)}`,
    workTree(git.changes),
    ...(git.operation === null
      ? []
      : [`Operation in progress: ${git.operation}, neither finished nor aborted`]),
    ...(git.stashes === 0 ? [] : [`${plural(git.stashes, 'stash', 'stashes')} kept aside`]),
  ]
}

function remote({ branch, head, upstream, ahead, behind, unpushed }: GitState): string {
  if (branch === null) return ''
  const isElsewhere = head !== null && unpushed?.has(head) === false
  const other = isElsewhere ? 'pushed to another branch of a remote' : 'not pushed'
  if (upstream === null) return `, no upstream: ${other}`
  if (ahead === null || behind === null) return `, upstream ${codeSpan(upstream)}`
  if (ahead === 0 && behind === 0) return `, level with ${codeSpan(upstream)}: pushed`
  const state = ahead > 0 ? other : 'pushed'
  if (behind === 0) return `, ${ahead} ahead of ${codeSpan(upstream)}: ${state}`
  return `, ${ahead > 0 ? `${ahead} ahead and ` : ''}${behind} behind ${codeSpan(upstream)}: ${state}`
}

/** How many uncommitted changes there are, of which kinds, in which folders. */
export function workTree(changes: readonly GitChange[]): string {
  if (changes.length === 0) return 'Work tree clean'
  const count = (test: (change: GitChange) => boolean, word: string): string[] => {
    const n = changes.filter(test).length
    return n === 0 ? [] : [`${n} ${word}`]
  }
  const kinds = [
    ...count((change) => change.state === 'conflicted', 'conflicted'),
    ...count((change) => change.staged && change.state !== 'conflicted', 'staged'),
    ...count(
      (change) => change.unstaged && change.state !== 'conflicted' && change.state !== 'untracked',
      'not staged',
    ),
    ...count((change) => change.state === 'untracked', 'untracked'),
  ]
  return `Work tree: ${plural(changes.length, 'uncommitted change')} (${kinds.join(', ')})${folders(changes)}`
}

function folders(changes: readonly GitChange[]): string {
  const counts = new Map<string, number>()
  for (const { path } of changes) {
    const folder = path.includes('/') ? `${path.slice(0, path.lastIndexOf('/'))}/` : './'
    counts.set(folder, (counts.get(folder) ?? 0) + 1)
  }
  const most = [...counts].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1))
  const named = most.slice(0, MAX_FOLDERS).map(([folder, n]) => `${n} in ${codeSpan(folder)}`)
  const more = most.length > MAX_FOLDERS ? `, ${plural(most.length - MAX_FOLDERS, 'more folder')}` : ''
  return `: ${named.join(', ')}${more}`
}

/** What the commits since base did to files, but for what the list of files tells: a session seldom tells what a command deleted, renamed or made. */
function effectLine({ effect, base }: GitState, files: readonly FileFact[]): string[] {
  const told = new Map(files.map(({ path, evidence }) => [path, evidence]))
  const kinds = (['created', 'deleted', 'renamed', 'changed'] as const).flatMap((kind) => {
    const asTold = kind === 'changed' ? 'edited' : kind
    const some = (effect ?? []).filter((one) => one.kind === kind && !told.get(one.path)?.includes(asTold))
    if (some.length === 0) return []
    return [`${kind} ${someOf(some, MAX_NAMES, nameText)}`]
  })
  const since = base === null ? '' : ` since ${codeSpan(base.ref)}`
  const besides = told.size === 0 ? '' : ', besides the files below'
  return kinds.length === 0 ? [] : [`Commits${since}${besides}: ${kinds.join('; ')}`]
}

const nameText = ({ path, from }: Pick<GitChange, 'path' | 'from'>): string =>
  from === undefined ? codeSpan(path) : `${codeSpan(from)} → ${codeSpan(path)}`

/** Where one has to go first, when the session ended on another branch or in another worktree than this one. */
function placeOfWork({ branch, commits, worktree, isElsewhere }: SessionWork, git: GitState | null): string {
  const isOther = branch !== null && branch !== git?.branch
  if (!isOther && worktree === null) return ''
  const isOpen = !isElsewhere && commits.some((one) => one.branch === branch && one.isPushed === false)
  const where = [
    ...(isOther ? [`on branch ${codeSpan(branch)}`] : []),
    ...(worktree === null ? [] : [`in the worktree ${codeSpan(worktree)}`]),
  ].join(' ')
  const away = isElsewhere || git === null ? '' : ', which is not checked out here'
  return `${isOpen ? AWAY : 'The session was last'} ${where}${away}`
}
const AWAY = 'The work is'

/** What the session committed, where the commits of this repository do not tell it: the last commit of each branch. */
function workLine({ commits, isEdited }: SessionWork, git: GitState | null): string[] {
  const isHere = (sha: string | null): boolean =>
    sha !== null && git?.commits.some((commit) => commit.sha.startsWith(sha)) === true
  const last = new Map(commits.map((commit) => [`${commit.branch} ${commit.place}`, commit]))
  const ends = [...last.values()].filter(
    ({ sha, subject }) => !isHere(sha) && (sha !== null || subject !== ''),
  )
  if (ends.length === 0) return []
  const lines = ends
    .slice(-MAX_BRANCHES)
    .map(({ branch: on, sha, subject, isPushed, place }) =>
      [
        ...(sha === null ? [] : [codeSpan(sha)]),
        ...(subject === '' ? [] : [escapeText(clipLine(subject, 120))]),
        ...(on === null ? [] : [`on branch ${escapeText(on)}`]),
        ...(place === undefined ? [] : [`in the repository ${codeSpan(place)}`]),
        ...(isPushed === null ? [] : [isPushed ? '(pushed)' : '(not pushed)']),
      ].join(' '),
    )
  const each = lines.length === 1 ? '' : ` of ${lines.length} branches`
  const which = commits.length === lines.length ? '' : `, the last${each}`
  const edited = isEdited ? `; ${EDITED_SINCE}` : ''
  return [`The session made ${plural(commits.length, 'commit')}${which}: ${lines.join('; ')}${edited}`]
}

/** Whether one time comes after another; nothing comes after a time that is not known. */
const isAfter = (at: string, time: string | null): boolean =>
  time !== null && Date.parse(at) > Date.parse(time)

function ended({ command, outcome, exitCode, firstError }: CheckFact): string {
  const first = command.split('\n')[0] ?? ''
  const said = outcome === 'ok' ? 'passed' : outcome === 'failed' ? 'failed' : 'ended with an unknown outcome'
  const exit = outcome === 'failed' && exitCode !== null ? ` (exit ${exitCode})` : ''
  const error = firstError === null ? '' : `: ${escapeText(clipLine(firstError, MAX_ERROR))}`
  return `${codeSpan(first === command ? first : `${first} …`)} ${said}${exit}${error}`
}

/** The commit that a check ran at, and whether it still speaks of the files as they are. */
function since({ at, stale }: CheckFact, git: GitState | null, work: SessionWork | null): string {
  const edited = stale ? `; ${EDITED_SINCE}` : ''
  if (git === null || at === null || work?.isElsewhere) return edited
  const before = git.commits.find((commit) => !isAfter(commit.at, at))
  const later = git.commits.filter((commit) => isAfter(commit.at, at) && commit.files.length > 0)
  // What was checked and committed then is what HEAD holds.
  const isOwn = ({ sha }: { sha: string }): boolean =>
    !stale && work?.commits.some((commit) => commit.sha !== null && sha.startsWith(commit.sha)) === true
  if (later.length > 0 && later.every(isOwn)) return edited
  const where = before === undefined ? '' : ` at \`${before.sha.slice(0, 8)}\``
  return `${where}${later.length === 0 ? '' : `; ${plural(later.length, 'commit')} since`}${edited}`
}

/** Commits since base, oldest first, as Progress tells them. Without a base they count from the session's begin on, if it was of here. */
export const commitFacts = (git: GitState, work: SessionWork | null): TextFact[] =>
  git.base === null && work?.isElsewhere
    ? []
    : git.commits.toReversed().map((commit) => ({
        text: `\`${commit.sha.slice(0, 8)}\` ${clipLine(commit.subject, 200)}`,
        source: 'git',
        at: commit.at,
      }))

const GROUPS = ['conflicted', 'modified', 'added', 'renamed', 'deleted', 'type-changed', 'untracked'] as const

/** The lines of Progress that list what was not committed, as `dirtyFacts` wrote them. */
export const changesListed = ({ progress }: Brief): TextFact[] =>
  progress.inProgress.filter(({ source, text }) => source === 'git' && /^\d+ [a-z ]+: `/.test(text))

export const dirtyFacts = (git: GitState): TextFact[] =>
  GROUPS.flatMap((state) => {
    const changes = git.changes.filter((change) => change.state === state)
    if (changes.length === 0) return []
    const names = someOf(changes, MAX_NAMES, nameText)
    const word = state === 'type-changed' ? 'changed in type' : state
    return [{ text: `${changes.length} ${word}: ${names}`, source: 'git', at: null }]
  })

/**
 * Which agent and model wrote this, in one line, safe as it is: without code spans, which a stray backtick before them could open.
 * Nothing in it grows while a session goes on.
 */
export function sessionLine(meta: FrontMatter, agent: AgentFacts | null): string {
  const { model, thinking, version } = meta.agent
  const skill = meta.skills?.at(-1)
  const parts = [
    agent === null
      ? 'none, git facts alone'
      : `${escapeText(agent.label)}${version === undefined ? '' : ` ${escapeText(version)}`}`,
    ...(model === undefined
      ? []
      : [
          `model ${escapeText(model)}${thinking === undefined ? '' : ` (thinking: ${escapeText(thinking)})`}`,
        ]),
    ...(skill === undefined ? [] : [`prior skill ${escapeText(skill)}`]),
    ...(meta.persona === undefined ? [] : [`persona ${escapeText(meta.persona)}`]),
  ]
  return `Session: ${parts.join(', ')}`
}
