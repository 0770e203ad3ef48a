import { shortSha } from '../text/count.ts'
import { clipLine, escapeLine, escapeText, exactLines, fenced, oneLine, wrap } from '../text/safe-text.ts'
import type { Brief, FrontMatter, Notes, Progress } from '../types/brief.ts'
import type {
  CommandFact,
  DecisionFact,
  FileFact,
  QuestionFact,
  Source,
  TextFact,
} from '../types/evidence.ts'
import { writeFrontMatter } from './front-matter.ts'
import { briefPath } from './id.ts'
import {
  renderCommand,
  renderDecision,
  renderFile,
  renderQuestion,
  renderQuote,
  renderText,
  type SectionId,
  sections,
} from './sections.ts'
import { templates } from './template.ts'
import { renderMemory } from './working-memory.ts'

/** The markdown of a brief: front matter, then the sections of the table in their order, one item per line. */
export const renderBrief = (brief: Brief): string => writeFrontMatter(brief.meta, renderBody(brief))

export const renderBody = (brief: Brief): string =>
  `${sections
    .map(({ id }) => renderSection(brief, id))
    .filter((part) => part !== '')
    .join('\n\n')}\n`

/** A closing record: front matter of kind `done` and one line. */
export const renderClosing = (meta: FrontMatter, outcome: string): string =>
  writeFrontMatter({ ...meta, kind: 'done' }, `Closed: ${escapeText(outcome)}\n`)

/** One section with its heading, without a newline at its end; empty when there is nothing to say. */
export function renderSection(brief: Brief, id: SectionId): string {
  const section = sections.find((candidate) => candidate.id === id)
  const cut = brief.cuts[id]
  const parts = [
    bodies[id](brief),
    cut === undefined ? [] : [cut],
    id === 'files' && isNoneHere(brief) ? [NONE_HERE] : [],
    id === 'files' && brief.limitation !== null ? [`Limitation: ${escapeText(brief.limitation)}`] : [],
  ].filter((part) => part.length > 0)
  if (section === undefined || parts.length === 0) return ''
  const heading = `${'#'.repeat(section.level)} ${section.heading}`
  return [heading, ...parts.map((part) => part.join('\n'))].join('\n\n')
}

/** Begins the line that tells a person at once what the brief is for. */
export const GOAL_LEAD = 'Goal: '
const MAX_GOAL = 120

/** The goal as it stands in the body: line ends are LF, what nobody can see is shown, a line too long to be read whole is broken. */
export const goalText = (goal: string): string =>
  exactLines(goal)
    .split('\n')
    .flatMap((line) => wrap(line))
    .join('\n')

/** The line that states a cut; `total` counts what there was before. */
export const cutLine = (listed: number, total: number): string => `(${listed} of ${total} listed)`

/** The label lines of Progress, the list each one heads, and the source that goes without saying there. */
export const progressLabels: readonly { list: keyof Progress; label: string; usual: Source }[] = [
  { list: 'done', label: 'Done', usual: 'git' },
  { list: 'inProgress', label: 'Not committed', usual: 'git' },
  { list: 'pending', label: 'Pending', usual: 'transcript' },
]

/** The label of Progress that a line is, whatever commit it names. */
export const progressLabel = (line: string) =>
  progressLabels.find(({ label }) => line === `${label}:` || line.startsWith(`${label} since `))

const texts = (facts: readonly TextFact[], usual: Source): string[] =>
  facts.map((fact) => renderText(fact, usual))

const bodies: Readonly<Record<SectionId, (brief: Brief) => string[]>> = {
  preamble: ({ meta, preamble }) => {
    const words = preamble === undefined ? templates.preamble.text : preamble
    const when = meta.head === null ? 'before the first commit' : `at \`${shortSha(meta.head)}\``
    return [
      `${GOAL_LEAD}${escapeText(clipLine(meta.goal, MAX_GOAL))}`,
      '',
      ...(words === null ? [] : [escapeLine(words), '']),
      `The facts below were true ${when}; verify them before relying on them.`,
    ]
  },
  status: ({ status }) => status.map((line) => `- ${oneLine(line)}`),
  memory: ({ notes, notesAge, notesChecked }) => renderMemory(notes, notesAge ?? null, notesChecked),
  closing: ({ closing }) => closing,
  trail: ({ trail }) => (trail.length === 0 ? [] : [TRAIL_LEAD, '', ...trail]),
  information: ({ information }) => texts(information, 'model'),
  constraints: ({ constraints }) => {
    const passing = constraints.filter(isPassing)
    const standing = constraints.filter((rule) => !isPassing(rule)).map(renderQuote)
    return [
      ...standing,
      ...(passing.length > 0 && standing.length > 0 ? [''] : []),
      ...(passing.length > 0 ? [PASSING_LEAD, '', ...passing.map(renderQuote)] : []),
    ]
  },
  decisions: ({ decisions }) => decisions.map(renderDecision),
  progress: ({ progress, meta }) => {
    const since = meta.base === undefined ? '' : ` since ${escapeText(baseName(meta.base))}`
    const groups = progressLabels
      .filter(({ list }) => progress[list].length > 0)
      .map(({ list, label, usual }) => [
        `${label}${list === 'done' ? since : ''}:`,
        '',
        ...texts(progress[list], usual),
      ])
    return groups.flatMap((group, i) => (i === 0 ? group : ['', ...group]))
  },
  files: (brief) => brief.files.map((file) => renderFile(isNoneHere(brief) ? withoutMark(file) : file)),
  commands: ({ commands }) => commands.flatMap(renderCommand),
  questions: ({ questions }) => questions.map(renderQuestion),
  steps: ({ nextSteps }) => texts(nextSteps, 'agent'),
  previous: ({ previous }) => {
    if (previous === null) return []
    const file = briefPath(previous.id, previous.goal).slice('.handoff/briefs/'.length)
    return [`- [${previous.id}](${file}), ${previous.createdAt}: ${escapeText(clipLine(previous.goal, 160))}`]
  },
  goal: ({ meta }) => fenced(goalText(meta.goal), 'text'),
}

/** Stands once below files of which none was seen here, instead of on each line. */
export const NONE_HERE = 'None of these files was seen here.'

const isNoneHere = ({ files }: Brief): boolean =>
  files.length > 1 && files.every(({ mark }) => mark === 'unverified')

const withoutMark = ({ mark: _, ...file }: FileFact): FileFact => file

/** Whether a line only introduces the turns, in this edition or an earlier one: reading a brief back, it is left out. */
export const isTrailLead = (line: string): boolean =>
  line.startsWith('Quoted from the session, oldest first:')

const TRAIL_LEAD =
  "Quoted from the session, oldest first: each request, and below it the agent's own words, shortened. Each was true when it was said: later lines overrule earlier ones."

/** Below it of 25 sentences in 24 recorded sessions twelve were rules, by two readers; above it 13 of 17. */
const SURE = 2.3
export const isPassing = ({ certainty = SURE }: TextFact): boolean => certainty < SURE
/** Stands between rules and what may be one. */
export const PASSING_LEAD = 'Perhaps meant for one request only:'

/** `base` stands as `<ref>@<sha>`; the ref is what people know. */
const baseName = (base: string): string => base.replace(/@[0-9a-f]{40,64}$/, '')

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

const PROGRAM_ONLY: ReadonlySet<string> = new Set(['at', 'certainty'])

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
