import type { Brief, FrontMatter, Notes } from '../types/brief.ts'
import type { CommandFact, DecisionFact, FileFact, QuestionFact, TextFact } from '../types/evidence.ts'

/** An item without what only the program needs. `from`: id of the brief it was carried from. */
type Item<F, Keys extends keyof F> = Pick<F, Keys> & Pick<TextFact, 'from' | 'fromHead'>
type TextItem = Item<TextFact, 'text' | 'source'>

/** `notes` stands for the working memory itself. (`Omit` would lose every key but the unknown ones.) */
type Matter = { [Key in keyof FrontMatter as Key extends 'notes' ? never : Key]: FrontMatter[Key] }

/** The structured form of a brief: its front matter and its sections, lists best first. */
export interface BriefJson extends Matter {
  status: string[]
  whereItStands: string[]
  howItGotHere: string[]
  constraints: TextItem[]
  relevantInformation: TextItem[]
  decisions: Item<DecisionFact, 'what' | 'why' | 'alternatives' | 'by' | 'source'>[]
  progress: { done: TextItem[]; inProgress: TextItem[]; pending: TextItem[] }
  relevantFiles: Item<FileFact, 'path' | 'reason' | 'evidence' | 'source' | 'mark'>[]
  limitation: string | null
  relevantCommands: (Item<CommandFact, 'command' | 'outcome' | 'kind' | 'runs' | 'source'> & {
    exitCode?: number
    cwd?: string
  })[]
  openQuestions: Item<QuestionFact, 'text' | 'source' | 'kind'>[]
  notes: Pick<Notes, 'capturedAt' | 'page'> | null
  nextSteps: TextItem[]
  previous: { id: string; createdAt: string; goal: string } | null
  cuts: Record<string, string>
}

const PROGRAM_ONLY: ReadonlySet<string> = new Set(['at'])

const told = <T>(facts: readonly object[], isToldAsNull = false): T[] =>
  facts.map(
    (fact) =>
      Object.fromEntries(
        Object.entries(fact).filter(
          ([key, value]) => !PROGRAM_ONLY.has(key) && (isToldAsNull || value !== null),
        ),
      ) as T,
  )

/** The structured form of a brief (`brief` of `create --json`): lists best first, as in the markdown. */
export function briefToJson(brief: Brief): BriefJson {
  const { meta, notes, progress, previous } = brief
  return {
    ...meta,
    status: [...brief.status],
    whereItStands: [...brief.closing],
    howItGotHere: [...brief.trail],
    constraints: told(brief.constraints),
    relevantInformation: told(brief.information),
    decisions: told(brief.decisions, true),
    progress: {
      done: told(progress.done),
      inProgress: told(progress.inProgress),
      pending: told(progress.pending),
    },
    relevantFiles: told(brief.files),
    limitation: brief.limitation,
    relevantCommands: told(brief.commands),
    openQuestions: told(brief.questions),
    notes: notes === null ? null : { capturedAt: notes.capturedAt, page: notes.page },
    nextSteps: told(brief.nextSteps),
    previous: previous === null ? null : { ...previous },
    cuts: { ...brief.cuts },
  }
}
