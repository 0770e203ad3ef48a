import { createHash } from 'node:crypto'
import { masked } from '../brief/measure.ts'
import { renderBrief } from '../brief/render.ts'
import type { CurrentBrief } from '../briefs/current.ts'
import { readFileBrief } from '../briefs/find-brief.ts'
import { isHandoffError } from '../errors/handoff-error.ts'
import type { Repo } from '../git/open-repo.ts'
import { listBriefsAtHead } from '../git/read-briefs.ts'
import { readRefs } from '../git/refs.ts'
import type { RepoSnapshot } from '../git/snapshot.ts'
import { listBriefFiles } from '../store/briefs.ts'
import { readInput, readLedger } from '../store/ledger.ts'
import { truthOf } from '../verify/read-truth.ts'
import { hasCommitted } from '../verify/truth.ts'
import { draftOf } from './compose.ts'
import type { ExtractBy } from './create-request.ts'
import type { Facts } from './facts.ts'
import type { Input } from './gather.ts'

export const digestOf = (...parts: readonly string[]): string =>
  createHash('sha256').update(parts.join('\0')).digest('hex')

/**
 * A digest of all that goes into a brief, but for what the brief before it hands down and what changes from run to run: times, ids, ages,
 * HEAD. `by`: the model that has, or would have, a part in it.
 */
export function inputDigest(input: Input, facts: Facts, by: ExtractBy | null): string {
  const { evidence, carried } = facts
  const alone: Input = {
    ...input,
    inherited: null,
    resumes: null,
    resumed: null,
    notes: { ...input.notes, age: null },
  }
  const own = { ...evidence, constraints: [], questions: [] }
  const draft = draftOf(alone, { ...facts, evidence: own, carried: null }, { id: '', createdAt: '' })
  const said = evidence.turns.map(({ request, to, steps }) => [
    request,
    to,
    steps.map(({ kind, text }) => [kind, text]),
  ])
  const parts = [
    masked(renderBrief(draft)),
    JSON.stringify([said, by, input.resumes !== null, carried?.isAll]),
  ]
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

/**
 * A brief of this clone and this input that stands in the work tree and in no commit: an earlier run could not commit it, or was killed
 * before it did.
 */
export async function findSaved(
  repo: Repo,
  digest: string,
  reading: RepoSnapshot | null,
): Promise<CurrentBrief | null> {
  const [files, briefs, ledger, refs] = await Promise.all([
    listBriefFiles(repo.root),
    listBriefsAtHead(repo, reading),
    readLedger(repo.commonDir),
    reading?.refs ?? readRefs(repo, ['refs/handoff']),
  ])
  const parked = refs.map(({ name }) => name.replace('refs/handoff/', ''))
  const known = new Set([...briefs.map(({ id }) => id), ...parked])
  const waiting = files.filter(({ id }) => !known.has(id))
  for (const { id, path } of waiting.reverse()) {
    if ((await readInput(repo.commonDir, id)) !== digest) continue
    // A rebase or switch may take a file away between the listing and the reading.
    const saved = await readFileBrief(repo, `${repo.root}/${path}`).catch((error: unknown) => {
      if (isHandoffError(error) && error.code === 'E_UNKNOWN_ID') return null
      throw error
    })
    if (saved !== null && ledger.created.has(`${path}\t${saved.oid}`)) return saved
  }
  return null
}
