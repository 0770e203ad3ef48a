import type { Brief, Budget, Config } from '../types.ts'
import { writeFrontMatter } from './front-matter.ts'
import { lessOfModel, reductions, type Step } from './reduce.ts'
import { renderBody, renderSection } from './render.ts'
import { sections } from './sections.ts'
import { countTokens, estimateTokens } from './tokens.ts'

/** Around the hard limit the estimate may be on the wrong side of it. */
const DOUBT = 0.25
/** The estimate of a brief is up to 12 % too low (60 briefs of real sessions: -11.4 to +1.6 %, median -4.9 %). */
const SURE = 1.12

/**
 * Cuts a brief to its token budgets on item boundaries, least relevant first, and states every cut in its section.
 * First each section to its own budget; then the whole to the soft limit, but never below the half of a list and never
 * the person's words, open questions or notes; then, to the hard limit, everything but status and goal, constraints last.
 * What still exceeds a limit is for the checks to say. `exact` counts with o200k throughout. Otherwise that tokenizer,
 * 0.2 s and 37 MB, is loaded only when the estimate of the whole is within 25 % of the hard limit and something could be
 * cut; for the soft limit the estimate must be below it by what it may be too low; a section's budget only moves one item
 * more or less, so the estimate serves. `keep`: so many decisions go for the hard limit alone. Sets `meta.tokens`.
 */
export async function fitBrief(
  brief: Brief,
  config: Pick<Config, 'budget' | 'limits'>,
  { exact = false, keep = 0 }: { exact?: boolean; keep?: number } = {},
): Promise<Brief> {
  let fitted = brief
  for (const section of sections) {
    if (section.budget === undefined) continue
    const text = (candidate: Brief): string => renderSection(candidate, section.id)
    const step = reductions(section.id, section.id === 'decisions' ? keep : 0)
    fitted = await cut(fitted, step, text, config.budget[section.budget], exact, 'section')
  }
  // The front matter does not change while the body is cut; it is rendered once, with `tokens: 0` as it is measured.
  const head = writeFrontMatter({ ...brief.meta, tokens: 0 }, '')
  const whole = (candidate: Brief): string => head + renderBody(candidate)
  let text = whole(fitted)
  for (const limit of ['soft', 'hard'] as const satisfies (keyof Budget)[])
    for (const step of totalSteps(limit, config, keep)) {
      if (!(await isOver(text, config.budget[limit], exact, limit))) break
      const smaller = await cut(fitted, step, whole, config.budget[limit], exact, limit)
      if (smaller !== fitted) text = whole(smaller)
      fitted = smaller
    }
  const tokens = exact ? await countTokens(text) : counted(text)
  return { ...fitted, meta: { ...fitted.meta, tokens } }
}

/** Which lists give way for the whole, least relevant first, and down to what. */
function totalSteps(limit: 'soft' | 'hard', { limits }: Pick<Config, 'limits'>, keep: number): Step[] {
  const half = (count: number): number => (limit === 'soft' ? Math.ceil(count / 2) : 0)
  const steps = [
    lessOfModel,
    reductions('progress', half(12)),
    reductions('commands', half(limits.commands)),
    reductions('information', half(limits.information)),
    reductions('files', half(limits.files)),
    reductions('decisions', limit === 'soft' ? Math.max(half(limits.decisions), keep) : 0),
  ]
  return limit === 'soft'
    ? steps
    : [
        ...steps,
        reductions('memory'),
        reductions('steps'),
        reductions('questions'),
        reductions('constraints'),
      ]
}

/** The first of the ever smaller briefs that is within the limit, or the smallest; found by halving, for counting costs. */
async function cut(
  brief: Brief,
  step: Step,
  text: (brief: Brief) => string,
  limit: number,
  exact: boolean,
  of: LimitOf,
): Promise<Brief> {
  const first = step(brief)
  if (first === null || !(await isOver(text(brief), limit, exact, of))) return brief
  const smaller: Brief[] = []
  for (let next: Brief | null = first; next !== null; next = step(next)) smaller.push(next)
  let low = 0
  let high = smaller.length - 1
  while (low < high) {
    const middle = (low + high) >> 1
    const candidate = smaller[middle] ?? brief
    if (await isOver(text(candidate), limit, exact, of)) low = middle + 1
    else high = middle
  }
  return smaller[low] ?? brief
}

type LimitOf = 'section' | 'soft' | 'hard'

async function isOver(text: string, limit: number, exact: boolean, of: LimitOf): Promise<boolean> {
  if (exact) return (await countTokens(text)) > limit
  const estimate = counted(text)
  if (of === 'soft') return estimate * SURE > limit
  const inDoubt = of === 'hard' && Math.abs(estimate - limit) <= limit * DOUBT
  return (inDoubt ? await countTokens(text) : estimate) > limit
}

/** As `estimateTokens`; the whole is asked for once for each limit and once more for its figure, mostly unchanged. */
function counted(text: string): number {
  if (last.text !== text) last = { text, tokens: estimateTokens(text) }
  return last.tokens
}
let last = { text: '', tokens: 0 }
