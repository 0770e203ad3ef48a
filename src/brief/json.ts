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
  relevantCommands: (Item<CommandFact, 'command' | 'outcome' | 'kind' | 'runs' | 'source' | 'mark'> & {
    exitCode?: number
    cwd?: string
  })[]
  openQuestions: Item<QuestionFact, 'text' | 'source' | 'kind'>[]
  notes: Pick<Notes, 'capturedAt' | 'page'> | null
  nextSteps: TextItem[]
  previous: { id: string; createdAt: string; goal: string } | null
  cuts: Record<string, string>
}

/** These keys of a fact, in this order, without those that it has not. */
const pick = <F extends object, K extends keyof F>(fact: F, ...keys: K[]): Pick<F, K> =>
  Object.fromEntries(keys.filter((key) => fact[key] !== undefined).map((key) => [key, fact[key]])) as Pick<
    F,
    K
  >

const ORIGIN = ['from', 'fromHead'] as const

const textOf = (fact: TextFact) => pick(fact, 'text', 'source', ...ORIGIN)

const fileOf = (fact: FileFact) => pick(fact, 'path', 'reason', 'evidence', 'source', 'mark', ...ORIGIN)

const commandOf = (fact: CommandFact) => ({
  ...pick(fact, 'command', 'outcome'),
  ...(fact.exitCode === null ? {} : { exitCode: fact.exitCode }),
  ...(fact.cwd === null ? {} : { cwd: fact.cwd }),
  ...pick(fact, 'kind', 'runs', 'source', 'mark', ...ORIGIN),
})

const decisionOf = (fact: DecisionFact) =>
  pick(fact, 'what', 'why', 'alternatives', 'by', 'source', ...ORIGIN)

const questionOf = (fact: QuestionFact) => ({ ...textOf(fact), kind: fact.kind })

/** The structured form of a brief (`brief` of `create --json`): lists best first, as in the markdown. */
export function briefToJson(brief: Brief): BriefJson {
  const { meta, notes, progress } = brief
  return {
    ...meta,
    status: [...brief.status],
    whereItStands: [...brief.closing],
    howItGotHere: [...brief.trail],
    constraints: brief.constraints.map(textOf),
    relevantInformation: brief.information.map(textOf),
    decisions: brief.decisions.map(decisionOf),
    progress: {
      done: progress.done.map(textOf),
      inProgress: progress.inProgress.map(textOf),
      pending: progress.pending.map(textOf),
    },
    relevantFiles: brief.files.map(fileOf),
    limitation: brief.limitation,
    relevantCommands: brief.commands.map(commandOf),
    openQuestions: brief.questions.map(questionOf),
    notes: notes === null ? null : pick(notes, 'capturedAt', 'page'),
    nextSteps: brief.nextSteps.map(textOf),
    previous: brief.previous === null ? null : { ...brief.previous },
    cuts: { ...brief.cuts },
  }
}
