import { createHash } from 'node:crypto'
import { type DraftInput, draftBrief } from '../brief/draft.ts'
import { fitBrief } from '../brief/fit.ts'
import { masked } from '../brief/measure.ts'
import { renderBrief } from '../brief/render.ts'
import type { CurrentBrief } from '../briefs/current.ts'
import { findSaved } from '../briefs/find-saved.ts'
import { defaultConfig } from '../config/keys.ts'
import type { Scanner } from '../secrets/scanner.ts'
import { readInput } from '../store/ledger.ts'
import type { Brief } from '../types/brief.ts'
import { truthOf } from '../verify/read-truth.ts'
import { hasCommitted } from '../verify/truth.ts'
import type { Facts } from './facts.ts'
import type { Input } from './gather.ts'

/** A brief as a value and as the text that is written, and what it was made of. */
export interface Built {
  facts: Facts
  brief: Brief
  text: string
}

/** The brief of that input under this id. Pure. */
export async function compose(input: Input, facts: Facts, id: string, now: Date): Promise<Built> {
  const { config, request, scanner, follows } = input
  const draft = draftOf(input, facts, { id, createdAt: now.toISOString() })
  const linked = { ...draft, meta: { ...draft.meta, parents: [...follows] } }
  const { turns, forgotten } = facts.evidence
  const brief = await fitBrief(linked, { turns, forgotten }, config, { exact: request.exact === true })
  return { facts, ...(await clean(brief, scanner)) }
}

/** The brief before it is fitted to its budget. */
function draftOf(input: Input, facts: Facts, named: Pick<DraftInput, 'id' | 'createdAt'>): Brief {
  const { request, told, notes, inherited, resumes, resumed, config, hide } = input
  return draftBrief({
    ...named,
    goal: request.goal,
    typedGoal: hide(input.typedGoal),
    vague: input.vague,
    focus: hide(request.focus),
    reason: hide(request.reason),
    git: told && { ...told, ...hide(shownOf(told)) },
    evidence: facts.evidence,
    notes: facts.notes,
    notesAge: notes.age,
    notesChecked: facts.isChecked,
    parent: inherited,
    persona: request.persona,
    skills: [...skillsOf(input), ...request.skills],
    resumedFrom: resumes && { id: resumes.id, createdAt: resumes.parsed.meta.createdAt },
    resumed: resumed && facts.carried && { ...resumed, carried: facts.carried },
    extraction: facts.extraction,
    config,
    missionFile: input.missionFile,
    defaults: defaultConfig(),
    ...(input.preamble === null ? {} : { preamble: input.preamble }),
  })
}

/** What of git stands in a brief as text; the file list is looked up in, never shown. */
const shownOf = ({ branch, upstream, base, changes, commits, effect }: NonNullable<Input['told']>) => ({
  ...{ branch, upstream, base, changes, commits, effect },
})

/** Those that the configuration gives the persona that was asked for, or the one that the parent hands on. */
function skillsOf({ request, inherited, config: { personas } }: Input): readonly string[] {
  const name = request.persona ?? inherited?.persona ?? null
  return name !== null && Object.hasOwn(personas, name) ? (personas[name]?.skills ?? []) : []
}

/** The finished text once more: what only a label or a neighbour of the page shows to be a secret is replaced, too. */
async function clean(brief: Brief, scanner: Scanner): Promise<Omit<Built, 'facts'>> {
  const text = renderBrief(brief)
  const { value: safe } = await scanner.redact(text)
  if (safe === text) return { brief, text }
  const { value } = await scanner.redact(brief)
  return { brief: value, text: (await scanner.redact(renderBrief(value))).value }
}

export const digestOf = (...parts: readonly string[]): string =>
  createHash('sha256').update(parts.join('\0')).digest('hex')

/**
 * A digest of all that goes into a brief, but for what the brief before it hands down and what changes from run to run: times, ids, ages,
 * HEAD, and who was asked for the page.
 */
export function inputDigest(input: Input, facts: Facts): string {
  const { own, carried } = facts
  const alone = { ...input, inherited: null, resumes: null, resumed: null }
  const evidence = { ...own, constraints: [], questions: [] }
  const notes = facts.notes === null ? null : { ...facts.notes, capturedAt: '' }
  const draft = draftOf(
    { ...alone, notes: { ...input.notes, age: null } },
    { ...facts, evidence, carried: null, extraction: { mode: 'none', attempts: 0 }, notes },
    { id: '', createdAt: '' },
  )
  const said = evidence.turns.map(({ request, to, steps }) => [
    request,
    to,
    steps.map(({ kind, text }) => [kind, text]),
  ])
  const parts = [masked(renderBrief(draft)), JSON.stringify([said, input.resumes !== null, carried?.isAll])]
  return digestOf(...parts)
}

/** A brief that was made of the same input here: the current one, or for a resume the one that was made from it. */
export async function findSame(input: Input, digest: string): Promise<CurrentBrief | null> {
  const { current, newest, git, workspace, reading, resumes } = input
  const { repo } = workspace
  if (repo === null) return null
  const from = newest?.parsed.meta.resumedFrom?.id
  const isFrom = from !== undefined && (resumes?.id === newest?.id || resumes?.id === from)
  const made = resumes === null ? current : isFrom ? newest : null
  if (made !== null && (await readInput(repo.commonDir, made.id)) === digest) {
    if (resumes === null) return made
    // Commits that were pulled are in no list of the brief; the files are others all the same.
    if (git !== null && !hasCommitted(git, await truthOf(repo, made.parsed, made))) return made
  }
  return findSaved(repo, digest, reading)
}
