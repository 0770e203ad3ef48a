import type { GitState } from '../types.ts'
import { calledFiles } from './called-files.ts'
import { type Ties, tiedFiles } from './co-change.ts'
import type { Candidate, FileInput } from './file-facts.ts'
import { pathTokens, wantsCreation } from './mentions.ts'
import { atHome } from './path-text.ts'

/** `github.com/owner/name` and `main.ts/other.ts` have the shape of paths, but nobody makes such folders. */
const HOST_OR_LIST = /\w\.\w[^/]*\//

/** Adds what goal, plan, prompts, replies and failing checks name. */
export function addNames(
  input: FileInput,
  found: Map<string, Candidate>,
  at: (path: string, here: boolean) => Candidate,
) {
  const { fold, resolver, goal, git } = input
  const known = new Set(
    [...found.values()].filter((candidate) => candidate.record).map((candidate) => candidate.path),
  )
  const place = (token: string, wanted: Candidate['wanted'], by: 'user' | 'agent'): Candidate | null => {
    const result = resolver.mentioned(token, known)
    if ('drop' in result) {
      if (by === 'user') input.drop({ kind: 'file', text: atHome(token, fold.home), why: result.drop })
      return null
    }
    if (result.here || found.has(result.path)) return at(result.path, result.here)
    if (wanted !== null && !HOST_OR_LIST.test(result.path)) {
      const candidate = at(result.path, false)
      candidate.wanted ??= wanted
      return candidate
    }
    if (input.keepUnverified || (git === null && by === 'user')) return at(result.path, false)
    if (by === 'user')
      input.drop({ kind: 'file', text: atHome(token, fold.home), why: 'named, but not in this repository' })
    return null
  }
  for (const { token, sentence } of goal.tokens) {
    const candidate = place(token, wantsCreation(sentence) ? 'goal' : null, 'user')
    if (candidate) candidate.goal = true
  }
  for (const path of goal.tokens.length > 0 || git === null ? [] : calledFiles(git.files, goal.names))
    at(path, true).called = true
  for (const text of input.planTexts)
    for (const token of pathTokens(text)) {
      const candidate = place(token, wantsCreation(text) ? 'plan' : null, 'agent')
      if (candidate) {
        candidate.namedByAgent++
        candidate.step ??= text
      }
    }
  for (const [token, mention] of fold.mentions.mentions) {
    const candidate = place(token, mention.wanted, mention.user > 0 ? 'user' : 'agent')
    if (candidate === null) continue
    candidate.namedByUser += mention.user
    candidate.namedByAgent += mention.agent
    candidate.lastNamed = Math.max(candidate.lastNamed, mention.last)
  }
  const noted = (text: string): Candidate[] =>
    pathTokens(text).flatMap((token) => {
      const result = resolver.mentioned(token, known)
      return 'drop' in result ? [] : (found.get(result.path) ?? [])
    })
  for (const candidate of noted(input.lastReply)) candidate.inLastReply = true
  for (const candidate of noted(fold.summary)) candidate.inSummary = true
  for (const { token, isStale } of input.failedIn) {
    const result = resolver.mentioned(token, known)
    if ('drop' in result || (isStale && !isEdited(found.get(result.path)))) continue
    if (result.here || found.has(result.path)) at(result.path, result.here).failing = true
  }
}

/**
 * Once files were edited a check may fail elsewhere or not at all. On 440 cuts of real sessions the continuation used 7 of 53
 * files that such a check named and the session had only read, and 3 of 54 that it had not touched; of the edited ones two in three.
 */
const isEdited = (file: Candidate | undefined): boolean =>
  file !== undefined && (file.change !== null || (file.record?.edits ?? 0) > 0)

/** Adds what the goal does not name but history ties to what it names. */
export function addTied(
  ties: Ties,
  git: GitState | null,
  found: ReadonlyMap<string, Candidate>,
  at: (path: string, here: boolean) => Candidate,
) {
  const named = [...found.values()].filter(({ goal, called }) => goal || called).map(({ path }) => path)
  for (const { path } of git === null ? [] : tiedFiles(ties, named, git.files)) {
    const candidate = at(path, true)
    candidate.tied = candidate.record === null && candidate.change === null && candidate.commits === 0
  }
}
