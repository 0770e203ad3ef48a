import type { CheckFact, CommandFact, Evidence, GitChange, GitState, TextFact } from '../types.ts'
import { plural, shortSha } from './count.ts'
import { clipLine, codeSpan, escapeText } from './safe-text.ts'

/** Characters of a quoted request or reply. */
const QUOTE = 240
const ERROR = 160
/** File names listed per group of the dirty tree. */
const NAMES = 6

const quote = (text: string): string => `"${escapeText(clipLine(text, QUOTE))}"`

/** The Status lines, most important first, safe as they are. */
export function statusLines(git: GitState | null, evidence: Evidence): string[] {
  const { lastRequest, agent } = evidence
  return [
    ...(git === null ? ['No git repository here: git facts are left out.'] : gitLines(git)),
    ...(evidence.lastCheck !== null
      ? [checkLine(evidence.lastCheck)]
      : agent === null
        ? []
        : [
            `Last check: ${evidence.commands.some(isCheck) ? 'none whose outcome is known' : 'none ran in the session'}`,
          ]),
    ...(lastRequest === null ? [] : [`Last request: ${quote(lastRequest.text)} [${lastRequest.source}]`]),
    ...outcomeLines(evidence),
  ]
}

/** What came of the last request: how the last command ended when nothing was said after it, else the last reply. */
function outcomeLines({ lastRequest, lastReply, lastCommand, lastCheck }: Evidence): string[] {
  if (lastCommand !== undefined) {
    const isCheck = lastCheck?.at === lastCommand.at && lastCheck.command === lastCommand.command
    return [
      `Last outcome: ${isCheck ? 'that check; nothing was said after it' : ended(lastCommand)} [transcript]`,
    ]
  }
  if (lastReply === null) return []
  const isEarlier = lastReply.at !== null && lastRequest?.at != null && lastReply.at < lastRequest.at
  return [
    `Last outcome: ${isEarlier ? 'the last request was not answered; before it ' : ''}${quote(lastReply.text)} [${lastReply.source}]`,
  ]
}

const isCheck = ({ kind, habit, from }: CommandFact): boolean =>
  habit !== true && from === undefined && (kind === 'test' || kind === 'build' || kind === 'lint')

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

function remote({ branch, upstream, ahead, behind }: GitState): string {
  if (branch === null) return ''
  if (upstream === null) return ', no upstream'
  if (ahead === null || behind === null) return `, upstream ${codeSpan(upstream)}`
  if (ahead === 0 && behind === 0) return `, level with ${codeSpan(upstream)}`
  if (behind === 0) return `, ${ahead} ahead of ${codeSpan(upstream)}`
  return `, ${ahead > 0 ? `${ahead} ahead and ` : ''}${behind} behind ${codeSpan(upstream)}`
}

/** How many uncommitted changes there are, and of which kinds. */
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
  return `Work tree: ${plural(changes.length, 'uncommitted change')} (${kinds.join(', ')})`
}

const checkLine = (check: CheckFact): string => `Last check: ${ended(check)}`

function ended({ command, outcome, exitCode, firstError }: CheckFact): string {
  const first = command.split('\n')[0] ?? ''
  const said = outcome === 'ok' ? 'passed' : outcome === 'failed' ? 'failed' : 'ended with an unknown outcome'
  const exit = outcome === 'failed' && exitCode !== null ? ` (exit ${exitCode})` : ''
  const error = firstError === null ? '' : `: ${escapeText(clipLine(firstError, ERROR))}`
  return `${codeSpan(first === command ? first : `${first} …`)} ${said}${exit}${error}`
}

/** Commits since base, oldest first, as Progress tells them. */
export const commitFacts = (git: GitState): TextFact[] =>
  git.commits.toReversed().map((commit) => ({
    text: `\`${commit.sha.slice(0, 8)}\` ${clipLine(commit.subject, 200)}`,
    source: 'git',
    at: commit.at,
  }))

const GROUPS: readonly [GitChange['state'], string][] = [
  ['conflicted', 'conflicted'],
  ['modified', 'modified'],
  ['added', 'added'],
  ['renamed', 'renamed'],
  ['deleted', 'deleted'],
  ['type-changed', 'changed in type'],
  ['untracked', 'untracked'],
]

/** The dirty tree, one line per kind of change. */
export const dirtyFacts = (git: GitState): TextFact[] =>
  GROUPS.flatMap(([state, word]) => {
    const changes = git.changes.filter((change) => change.state === state)
    if (changes.length === 0) return []
    const names = changes.slice(0, NAMES).map(({ path, from }) => {
      return from === undefined ? codeSpan(path) : `${codeSpan(from)} → ${codeSpan(path)}`
    })
    const more = changes.length > NAMES ? ` and ${changes.length - NAMES} more` : ''
    return [{ text: `${changes.length} ${word}: ${names.join(', ')}${more}`, source: 'git', at: null }]
  })
