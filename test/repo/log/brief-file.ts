import { writeFrontMatter } from '../../../src/brief/front-matter.ts'
import { cli } from '../cli.ts'
import type { TempRepo } from '../make-repo.ts'

/** The id of the n-th brief, an hour after the one before. */
export const idOf = (n: number): string =>
  `20261110T${String(n).padStart(2, '0')}0000-${n.toString(16).padStart(8, '0')}`

export interface BriefFile {
  n: number
  parent?: string | null
  /** Of one that follows several. */
  parents?: string[]
  goal?: string
  branch?: string | null
  kind?: 'handoff' | 'done'
  agent?: string
  persona?: string
  words?: string
}

/** A brief as a commit holds it, small, with the usual path. */
export function briefFile(file: BriefFile): { id: string; path: string; text: string } {
  const {
    n,
    parent = n === 1 ? null : idOf(n - 1),
    goal = `goal number ${n} of the queue`,
    branch = 'main',
  } = file
  const id = idOf(n)
  const text = writeFrontMatter(
    {
      schemaVersion: 1,
      id,
      ...(file.kind === undefined ? {} : { kind: file.kind }),
      goal,
      reason: 'manual',
      createdAt: `2026-11-10T${String(n).padStart(2, '0')}:00:00.000Z`,
      branch,
      head: null,
      dirty: false,
      agent: { id: (file.agent ?? 'codex') as 'codex', label: file.agent === 'pi' ? 'Pi' : 'Codex' },
      ...(file.persona === undefined ? {} : { persona: file.persona }),
      parents: file.parents ?? (parent === null ? [] : [parent]),
      extraction: { mode: 'none', attempts: 0 },
      tokens: 0,
    },
    '# Handoff Context\n',
  )
  return { id, path: `.handoff/briefs/${id}-${file.words ?? `goal-${n}`}.md`, text }
}

/** Commits one brief; gives its id, path and text. */
export function commitBrief(
  repo: TempRepo,
  file: BriefFile,
): ReturnType<typeof briefFile> & { commit: string } {
  const brief = briefFile(file)
  return { ...brief, commit: repo.commit(`brief ${file.n}`, { [brief.path]: brief.text }) }
}

/** `log` as JSON, where it must succeed. */
export async function logOf(repo: Pick<TempRepo, 'root' | 'home' | 'env'>, ...args: string[]) {
  const run = await cli(repo, ['log', '--json', ...args])
  if (run.code !== 0) throw new Error(`exit ${run.code}: ${run.stdout}`)
  return run.json
}

/** Ids of the briefs that `log` lists. */
export const idsOf = (json: { briefs: { id: string }[] }): string[] => json.briefs.map(({ id }) => id)
