import { createHash } from 'node:crypto'
import { masked } from '../brief/measure.ts'
import { renderBrief } from '../brief/render.ts'
import type { CurrentBrief } from '../briefs/current.ts'
import { findSaved } from '../briefs/find-saved.ts'
import { readInput } from '../store/ledger.ts'
import { truthOf } from '../verify/read-truth.ts'
import { hasCommitted } from '../verify/truth.ts'
import { draftOf } from './compose.ts'
import type { Facts } from './facts.ts'
import type { Input } from './gather.ts'

export const digestOf = (...parts: readonly string[]): string =>
  createHash('sha256').update(parts.join('\0')).digest('hex')

/**
 * A digest of all that goes into a brief, but for what the brief before it hands down and what changes from run to run: times, ids, ages,
 * HEAD, and who was asked for the page.
 */
export function inputDigest(input: Input, facts: Facts): string {
  const { own, carried } = facts
  const alone: Input = {
    ...input,
    inherited: null,
    resumes: null,
    resumed: null,
    notes: { ...input.notes, age: null },
  }
  const evidence = { ...own, constraints: [], questions: [] }
  const notes = facts.notes === null ? null : { ...facts.notes, capturedAt: '' }
  const unaided = { mode: 'none', attempts: 0 } as const
  const draft = draftOf(
    alone,
    { ...facts, evidence, carried: null, extraction: unaided, notes },
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

/** A brief that was made of the same input here. */
export async function findSame(input: Input, digest: string): Promise<CurrentBrief | null> {
  const { current, git, workspace, reading, resumes } = input
  const { repo } = workspace
  if (repo === null) return null
  const made = resumes === null ? current : await madeFrom(input)
  if (made !== null && (await readInput(repo.commonDir, made.id)) === digest) {
    if (resumes === null) return made
    // Commits that were pulled are in no list of the brief; the files are others all the same.
    if (git !== null && !hasCommitted(git, await truthOf(repo, made.parsed, made))) return made
  }
  return findSaved(repo, digest, reading)
}

/** The current brief where it was made from the one that is resumed, or is that one. */
async function madeFrom({ newest, resumes }: Input): Promise<CurrentBrief | null> {
  const from = newest?.parsed.meta.resumedFrom?.id
  return from !== undefined && (resumes?.id === newest?.id || resumes?.id === from) ? newest : null
}
