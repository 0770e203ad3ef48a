import type { SessionEvent } from '../types/session.ts'
import { readAssent } from './assent.ts'
import type { Fold } from './fold.ts'
import { isHandingOver, withoutOwnText } from './own.ts'
import { isOutlined, outlineOf } from './plan-outline.ts'
import { proseLines, sentencesOf, shorten } from './prose.ts'
import { withoutBlocks } from './tagged.ts'

const MAX_PICKS = 50
const LONGEST_PICK = 240
/** A prompt longer than this with headings in it is a plan or an issue that was pasted. */
const LONG_PROMPT = 700

/** Takes a prompt of the main conversation; `plan` is one that was approved right before it. */
export function hearPrompt(
  fold: Fold,
  event: Extract<SessionEvent, { kind: 'prompt' }>,
  plan: string | null,
): void {
  const { at } = event
  const said = withoutOwnText(event.text)
  const text = withoutMachineText(said).trim()
  // A notice of the machine begins no turn.
  if (text === '' && said.trim() !== '') {
    fold.turns.tick(at)
    return
  }
  const assent = readAssent(text, fold.turns.lastReply())
  const isPasted = text.length > LONG_PROMPT && isOutlined(text)
  fold.turns.prompt(isPasted ? pastedOutline(text) : withPlan(text, plan), at, {
    handsOver: isHandingOver(event.text),
    to: assent?.question ?? null,
  })
  if (isPasted) fold.turns.step({ kind: 'plan', text, at })
  if (text === '') return
  if (assent !== null && assent.picked.length > 0 && !/[?？]\s*$/.test(text)) {
    const options = assent.picked.map((option) => shorten(option.replace(/\s+/g, ' '), LONGEST_PICK))
    const what = `"${shorten(text.replace(/\s+/g, ' '), LONGEST_PICK)}" → ${[...new Set(options)].join(' + ')}`
    fold.picks.push({ what, why: null, alternatives: [], by: 'user', source: 'user', at })
    if (fold.picks.length > MAX_PICKS) fold.picks.shift()
  }
  fold.asks.prompt()
  fold.files.turn()
  const own = isOutlined(text) ? text.slice(0, Math.max(0, text.search(/^#/m))) : text
  fold.standing.hear(own, at)
  fold.references.hear(own, 'user')
  fold.mentions.hear('user', text, fold.files.turns, sentencesOf(proseLines(text)))
}

/** What a client or a monitor put into the person's prompt: a block in a tag of its own making. */
const withoutMachineText = (text: string): string =>
  text.includes('</')
    ? withoutBlocks(text, /^<([a-z]+[-_][\w-]*)(?:\s[^<>\n]*)?>/gm, /<\/([a-z]+[-_][\w-]*)>/g)
    : text

/** "Implement the following plan:" with the plan's name. */
const withPlan = (request: string, plan: string | null): string =>
  plan === null || !request.endsWith(':') ? request : `${request} ${outlineOf(plan)}`

function pastedOutline(text: string): string {
  const outline = outlineOf(text)
  const first = text.split('\n', 1)[0] ?? ''
  return /^#/.test(first) ? outline : `${first} ${outline}`
}
