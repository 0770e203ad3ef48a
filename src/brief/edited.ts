import type { Brief, FrontMatter } from '../types/brief.ts'
import type { Source, TextFact } from '../types/evidence.ts'
import { metaKeys } from './meta-schema.ts'
import { type ParsedBrief, parseBrief } from './parse.ts'
import { goalText, progressLabel, renderBody } from './render.ts'
import {
  readLabel,
  renderCommand,
  renderDecision,
  renderFile,
  renderQuestion,
  renderQuote,
  scanBody,
  sections,
} from './sections.ts'

/** What a person says with an edit; the rest of the front matter tells how the brief came about. */
const THEIRS: readonly string[] = ['goal', 'focus', 'reason', 'skills', 'persona']

/**
 * A brief as a person left it in the editor. A changed goal is the goal, in the front matter too; items that stand there as they
 * were made stay what they are, and every other one is the user's; what the front matter tells of the making stays. `lost` are lines that have
 * no place in a brief and would not be kept. Tokens are those of before. Throws what `parseBrief` throws.
 */
export function readEdited(text: string, made: Brief, where: string): { brief: Brief; lost: string[] } {
  const typed = parseBrief(withItems(text, made), where)
  const brief = { ...settleItems(typed.brief, made), meta: settleMeta(typed, made.meta) }
  return { brief, lost: lostLines(typed.body, brief, made) }
}

function settleMeta({ brief: { meta: typed }, goal }: ParsedBrief, made: FrontMatter): FrontMatter {
  const isTheirs = ([key]: [string, unknown]): boolean => THEIRS.includes(key) || !metaKeys.includes(key)
  const theirs = Object.entries(typed).filter(isTheirs)
  const ours = Object.entries(made).filter((entry) => !isTheirs(entry))
  const changed = goal !== null && goal.text !== goalText(made.goal) ? goal.text : typed.goal
  return { ...(Object.fromEntries([...ours, ...theirs]) as FrontMatter), goal: changed }
}

/** Each item as it was made when it stands there unchanged, else as the user's, whatever label was typed. */
function settleItems(typed: Brief, made: Brief): Brief {
  const settle = <T extends { source: Source }>(
    now: readonly T[],
    then: readonly T[],
    render: (fact: T) => unknown,
  ): T[] => {
    const known = new Map(then.map((fact) => [String(render(fact)), fact]))
    const own = (fact: T): T => {
      const { from, fromHead, mark, ...rest } = fact as T &
        Partial<Record<'from' | 'fromHead' | 'mark', unknown>>
      return { ...rest, source: 'user', ...('by' in rest ? { by: 'user' } : {}) } as unknown as T
    }
    return now.map((fact) => known.get(String(render(fact))) ?? own(fact))
  }
  const texts = (now: readonly TextFact[], then: readonly TextFact[]): TextFact[] =>
    settle(now, then, ({ text }) => text)
  // What is known of a file stays known; of another path nothing is but that the user named it.
  const known = new Map(made.files.map((file) => [file.path, file]))
  const files = settle(typed.files, made.files, renderFile).map((file) => {
    const { evidence = ['named' as const], mark } = known.get(file.path) ?? {}
    return made.files.includes(file) ? file : { ...file, evidence, ...(mark === undefined ? {} : { mark }) }
  })
  return {
    ...typed,
    constraints: settle(typed.constraints, made.constraints, renderQuote),
    information: texts(typed.information, made.information),
    decisions: settle(typed.decisions, made.decisions, renderDecision),
    progress: {
      done: texts(typed.progress.done, made.progress.done),
      inProgress: texts(typed.progress.inProgress, made.progress.inProgress),
      pending: texts(typed.progress.pending, made.progress.pending),
    },
    files,
    commands: settle(typed.commands, made.commands, renderCommand),
    questions: settle(typed.questions, made.questions, renderQuestion),
    nextSteps: texts(typed.nextSteps, made.nextSteps),
  }
}

const LISTS: unknown[] = ['constraints', 'information', 'decisions', 'progress', 'questions', 'steps']

/** Sentences that somebody typed into a list without a dash, or with another mark, as items of it. */
function withItems(text: string, made: Brief): string {
  const ours = new Set(renderBody(made).split('\n'))
  const lines = text.split('\n')
  const rows = scanBody(text, 1).flatMap((section) => (LISTS.includes(section.id) ? section.lines : []))
  for (const { line, text: row, fenced } of rows) {
    const bare = row.trim()
    const isOurs = bare === '' || row.startsWith('- ') || ours.has(row) || progressLabel(bare) !== undefined
    if (!fenced && !isOurs && !bare.startsWith('<!--'))
      lines[line - 1] = `- ${bare.replace(/^(?:[-*+]|\d+[.)])\s+/, '')}`
  }
  return lines.join('\n')
}

/** Lines of what was typed that neither the brief holds nor the tool had put there. */
function lostLines(body: string, brief: Brief, made: Brief): string[] {
  const kept = renderBody(brief).split('\n').map(core)
  const ours = new Set(renderBody(made).split('\n').map(core))
  return body
    .split('\n')
    .filter((line) => !/^\s*(?:`{3,}|~{3,})/.test(line) && !isHeading(line))
    .filter((line) => {
      const words = core(line)
      return words !== '' && !ours.has(words) && !kept.some((one) => one.includes(words))
    })
    .map((line) => line.trim())
}

const isHeading = (line: string): boolean =>
  sections.some(({ level, heading }) => line.trim() === `${'#'.repeat(level)} ${heading}`)

/** A line without what only tells its kind and source, so that the same words are found under another label. */
const core = (line: string): string =>
  readLabel(line.trim().replace(/^- /, ''))
    .text.replaceAll('\\', '')
    .replace(/\s+/g, ' ')
    .replace(/^"(.*)"$/, '$1')
    .trim()
