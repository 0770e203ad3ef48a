import contract from '../../templates/agents/notes.txt?raw'
import pointerPrompt from '../../templates/pointer-prompt.txt?raw'
import prComment from '../../templates/pr-comment.txt?raw'
import preamble from '../../templates/preamble.txt?raw'
import request from '../../templates/request.txt?raw'
import { badTemplate } from '../errors/usage.ts'
import { oneLine } from '../text/safe-text.ts'

/** What an agent is asked to write, wherever it is asked; the skills and `request.txt` hold the same text. */
export const notesContract = contract.trimEnd()

/** The contract with the rules that are told without the page: whoever writes it adds those that were missed. */
export const contractWith = (rules: readonly { text: string }[]): string =>
  rules.length === 0
    ? notesContract
    : [
        notesContract,
        '',
        "The brief already has these rules of the user. Under `Constraints` add those that are missing, in the user's words, and name those that the user took back:",
        ...rules.map(({ text }) => `- "${oneLine(text)}"`),
      ].join('\n')

/** Every template once: its built-in text, the slots it must hold and those it may hold. The file is `templates/<name>.txt`. */
export const templates = {
  preamble: { text: preamble, slots: [] },
  // Above these two stands a line of ours: a program gets them as an argument, or as if a person had typed them.
  'pointer-prompt': { text: pointerPrompt, slots: ['file'], may: ['drift', 'wish'] },
  request: { text: request, slots: ['delivery'] },
  'pr-comment': { text: prComment, slots: ['goal', 'summary', 'open', 'drift', 'handoffs'] },
} as const satisfies Record<string, { text: string; slots: readonly string[]; may?: readonly string[] }>

export type TemplateName = keyof typeof templates
type Template<N extends TemplateName> = (typeof templates)[N]
export type SlotOf<N extends TemplateName> =
  | Template<N>['slots'][number]
  | (Template<N> extends { may: readonly (infer May extends string)[] } ? May : never)

const MAX_BYTES = 16 * 1024
const SLOT = /\{\{([^{}\n]*)\}\}/g

/**
 * Puts `values` into a template, once: what is put in is never looked at again. A line that holds only a slot whose
 * value is empty is left out. `override` is the person's own text, checked first; `place` names its file. Throws `badTemplate` with file
 * and line for a slot that is unknown or missing.
 */
export function fillTemplate<N extends TemplateName>(
  name: N,
  values: Readonly<Record<SlotOf<N>, string>>,
  override?: { text: string; place: string } | null,
): string {
  if (override) checkTemplate(name, override.text, override.place)
  const text = (override?.text ?? templates[name].text).replace(/\r\n/g, '\n').trimEnd()
  const value = (slot: string): string => (values as Readonly<Record<string, string>>)[slot.trim()] ?? ''
  return text
    .split('\n')
    .flatMap((line) => {
      const only = /^\{\{([^{}]*)\}\}$/.exec(line)?.[1]
      return only !== undefined && value(only) === ''
        ? []
        : [line.replace(SLOT, (_, slot: string) => value(slot))]
    })
    .join('\n')
    .concat('\n')
}

/** Throws `badTemplate` unless the text holds every slot of the template and no other. */
export function checkTemplate(name: TemplateName, text: string, place: string): void {
  if (Buffer.byteLength(text) > MAX_BYTES) throw badTemplate(place, `larger than ${MAX_BYTES} bytes`)
  const template = templates[name]
  const wanted: readonly string[] = template.slots
  const known = 'may' in template ? [...wanted, ...template.may] : wanted
  const seen = new Set<string>()
  for (const [index, line] of text.split('\n').entries()) {
    for (const [, slot = ''] of line.matchAll(SLOT)) {
      if (!known.includes(slot.trim()))
        throw badTemplate(`${place}:${index + 1}`, `unknown slot {{${slot.trim()}}}`)
      seen.add(slot.trim())
    }
    if (/\{\{|\}\}/.test(line.replace(SLOT, '')))
      throw badTemplate(`${place}:${index + 1}`, 'a slot is not closed')
  }
  const missing = wanted.find((slot) => !seen.has(slot))
  if (missing !== undefined)
    throw badTemplate(`${place}:${text.trimEnd().split('\n').length}`, `missing slot {{${missing}}}`)
  if (name === 'preamble' && text.trim() === '') throw badTemplate(`${place}:1`, 'the preamble is empty')
}
