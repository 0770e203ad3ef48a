import { timeOfId } from '../brief/id.ts'
import type { ParsedBrief } from '../brief/parse.ts'
import { findBrief } from '../briefs/find-brief.ts'
import type { Invocation } from '../command.ts'
import { isHandoffError } from '../errors/handoff-error.ts'
import type { Repo } from '../git/open-repo.ts'
import { branchName, readHead } from '../git/refs.ts'
import { pinnedRules } from '../store/rules.ts'
import type { Source } from '../types/evidence.ts'
import { openWorkspace } from '../workspace/workspace.ts'
import { showBrief } from './show-brief.ts'

interface ListedRule {
  text: string
  /** Who handed over when it was told first; an agent where an agent pinned it. */
  by: string
  source: Source
  at: string | null
  /** The brief that told it first; absent: it waits for the next one. */
  brief?: string
}

/** The rules of a brief and those that wait for the next one, oldest first, with who said them and when. Throws what showing it throws. */
export async function listRules(invocation: Invocation, id: string) {
  const { repo } = await openWorkspace(invocation, { isAnswer: true })
  const brief = await showBrief(invocation, { id, form: 'markdown', section: null }).catch((error) => {
    // Without a brief there may be pinned ones.
    if (id === 'latest' && isHandoffError(error) && error.code === 'E_NO_BRIEF') return null
    throw error
  })
  const told = brief === null ? [] : await toldIn(repo, brief.brief.parsed, invocation.place.root)
  const branch = branchName((await readHead(repo)).ref)
  const known = new Set(told.map(({ text }) => text))
  const waiting = (await pinnedRules(repo, branch))
    .filter(({ text }) => !known.has(text))
    .map(({ text, source, at }): ListedRule => {
      return { text, by: source === 'agent' ? 'an agent' : 'you', source, at }
    })
  return {
    ...{ ok: true as const, id: brief?.result.id ?? null },
    ...{ rules: [...told, ...waiting], warnings: invocation.out.warnings },
  }
}

/** The rules of a brief, by whoever committed the brief that told each first. */
async function toldIn(repo: Repo, { meta, brief }: ParsedBrief, root: string): Promise<ListedRule[]> {
  const authors = new Map<string, string>()
  for (const id of new Set(brief.constraints.map(({ from }) => from ?? meta.id))) {
    // One that was pruned, or never came here, has no author to be found.
    const path = await findBrief(repo, id, root).then(
      (found) => found.path,
      () => null,
    )
    const log = ['log', '--all', '-1', '--diff-filter=A', '--format=%an', '--', path ?? '']
    authors.set(id, path === null ? '' : (await repo.git(log, { answers: [128] })).trim())
  }
  return brief.constraints.map(({ text, from, source }) => {
    const id = from ?? meta.id
    const by = source === 'agent' ? 'an agent' : authors.get(id) || 'the user'
    return { text, by, source, at: isoOf(timeOfId(id)), brief: id }
  })
}

const isoOf = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString())

/** One line a rule. */
export const ruleLines = (rules: readonly ListedRule[]): string =>
  rules.length === 0
    ? 'No rules.'
    : rules
        .map(({ text, by, at, brief }) => {
          const when = at === null ? '' : `, ${at.slice(0, 16).replace('T', ' ')}`
          return `- "${text}" (${by}${when}${brief === undefined ? ', for the next brief' : `, brief ${brief}`})`
        })
        .join('\n')
