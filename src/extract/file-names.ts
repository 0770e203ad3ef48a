import type { Candidate, FileInput } from './file-facts.ts'
import { pathTokens, wantsCreation } from './mentions.ts'
import { atHome, knownPaths } from './path-text.ts'

/** Nobody makes `github.com/owner/name`, `main.ts/other.ts`, or a file at home for the repository. */
const NO_FILE = /\w\.\w[^/]*\/|^~/

/** What was wanted longer ago was made, or given up. */
const RECENT_TURNS = 5

/** Adds what goal, plan, prompts, replies and failing checks name. */
export function addNames(
  input: FileInput,
  found: Map<string, Candidate>,
  at: (path: string, here: boolean) => Candidate,
) {
  const { fold, resolver, git } = input
  const known = knownPaths([...found.values()].flatMap(({ record, path }) => (record ? [path] : [])))
  const place = (token: string, wanted: Candidate['wanted'], by: 'user' | 'agent'): Candidate | null => {
    const result = resolver.mentioned(token, known)
    const why = 'drop' in result ? result.drop : 'named, but not in this repository'
    if (!('drop' in result)) {
      if (result.here || found.has(result.path)) return at(result.path, result.here)
      if (wanted !== null && !NO_FILE.test(result.path) && !isMadeElsewhere(result.path)) {
        const candidate = at(result.path, false)
        candidate.wanted ??= wanted
        return candidate
      }
      if (input.keepUnverified || (git === null && by === 'user')) return at(result.path, false)
    }
    if (by === 'user') input.drop({ kind: 'file', text: atHome(token, fold.home), why })
    return null
  }
  // What was made in another repository need not be made here.
  const used = knownPaths(
    [...fold.files.records].flatMap(([key, { edits, reads }]) => (edits + reads > 0 ? [key] : [])),
  )
  const isMadeElsewhere = (path: string): boolean => used.endingIn(path).length > 0
  for (const { token, isWanted } of input.goal.tokens) {
    const candidate = place(token, isWanted ? 'goal' : null, 'user')
    if (candidate) candidate.goal = true
  }
  for (const text of input.planTexts) {
    const wanted = wantsCreation(text) ? 'plan' : null
    for (const token of pathTokens(text)) {
      const candidate = place(token, wanted, 'agent')
      if (candidate) candidate.planned = true
    }
  }
  for (const [token, { user, agent, wanted, turn, message }] of fold.mentions.mentions) {
    const isRecent = fold.files.turns - turn < RECENT_TURNS
    const candidate = place(token, isRecent ? wanted : null, user > 0 ? 'user' : 'agent')
    if (candidate === null) continue
    candidate.namedByUser += user
    candidate.namedByAgent += agent
    if (turn === fold.files.turns) candidate.message = Math.max(candidate.message, message)
  }
  const note = (tokens: readonly string[], mark: 'referred' | 'inSummary') => {
    for (const token of tokens) {
      const result = resolver.mentioned(token, known)
      const candidate = 'drop' in result ? undefined : found.get(result.path)
      if (candidate) candidate[mark] = true
    }
  }
  note(input.goal.referred, 'referred')
  note(pathTokens(fold.summary), 'inSummary')
  for (const token of input.failedIn) {
    const result = resolver.mentioned(token, known)
    if ('drop' in result) continue
    if (result.here || found.has(result.path)) at(result.path, result.here).failing = true
  }
}
