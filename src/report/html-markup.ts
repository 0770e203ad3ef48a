import { visible } from '../text/visible.ts'

/** By a symbol, which no text and no front matter can bring along. */
const FINISHED = Symbol('markup')

/** Markup that may stand in the page as it is; only this file makes it. */
export interface Markup {
  readonly [FINISHED]: string
}

type Part = Markup | string | number | null | undefined | false | readonly Part[]

const NAMES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  '`': '&#96;',
}

/** The one way of a text into the page: what nobody can see is shown, and nothing in it is markup. */
export const escapeHtml = (text: string): string =>
  visible(text).replace(/[&<>"'`]/g, (char) => NAMES[char] ?? char)

/** A template whose every slot is escaped, unless it is markup made here; null, undefined and false are nothing. */
export function html(texts: TemplateStringsArray, ...parts: readonly Part[]): Markup {
  let out = texts[0] ?? ''
  for (const [i, part] of parts.entries()) out += markupOf(part) + (texts[i + 1] ?? '')
  return { [FINISHED]: out }
}

/** A list of parts with words between them. */
export const joined = (parts: readonly Markup[], between: string): Markup =>
  html`${parts.map((part, i) => html`${i > 0 && between}${part}`)}`

/** What stands in the file. */
export const textOf = (markup: Markup): string => markup[FINISHED]

/** A value for `<script type="application/json">`: no text in it can end the element or a line. */
export const jsonBlock = (value: unknown): Markup => ({
  [FINISHED]: JSON.stringify(value).replace(
    /[<>&\u2028\u2029]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  ),
})

function markupOf(part: Part): string {
  if (part === null || part === undefined || part === false) return ''
  if (typeof part === 'string') return escapeHtml(part)
  if (typeof part === 'number') return String(part)
  return isList(part) ? part.map(markupOf).join('') : part[FINISHED]
}

const isList = (part: Markup | readonly Part[]): part is readonly Part[] => Array.isArray(part)
