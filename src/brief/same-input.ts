import { splitFrontMatter } from './front-matter.ts'

/** Front matter that differs between two runs on the same input. */
const MASKED = /^(?:id|createdAt|parent|head|tokens): .*$/gm
const PREVIOUS = /^## Previous handoff\n[\s\S]*?(?=^## )/m
/** Front matter of a brief that no model had a part in. */
const UNAIDED = /^extraction:\n {2}mode: none\n(?: {2}.*\n)*/m
/** The brief's own commit is ahead of the upstream, and not pushed; every other commit stands in Progress as well. */
const AHEAD =
  /^(- Branch .*?), (?:level with|\d+ ahead of|(?:\d+ ahead and )?(?=\d+ behind )) ?(.*?): (?:not )?pushed$/m
/** Where the body names the commit it was made at; the same commit elsewhere, as the base say, is a fact. */
const AT = /^(The facts below were true|- Branch .*?|- Detached HEAD) at `[0-9a-f]+`/gm
const AGE = /\b\d+ (?:s|min|h|d)(?= (?:old|before this brief)\b)/g

/**
 * True when two briefs come from the same input: equal byte for byte with id, creation time, parent, head, tokens and
 * ages masked. The link to the parent follows from `parent` and is masked with it.
 */
export const sameInput = (a: string, b: string): boolean => masked(a) === masked(b)

/** What is left of a brief when all that differs between two runs on the same input is taken out. */
export function masked(text: string): string {
  const { body } = splitFrontMatter(text)
  const matter = text
    .slice(0, text.length - body.length)
    // A model that was asked in vain changed nothing.
    .replace(UNAIDED, '')
    .replace(MASKED, (line) => line.split(':', 1)[0] ?? '')
  const facts = body.replace(PREVIOUS, '').replace(AGE, 'AGE').replace(AT, '$1').replace(AHEAD, '$1, $2')
  return matter + facts
}
