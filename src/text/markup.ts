import { codeParts, outsideCode } from './safe-text.ts'

/**
 * One line of markdown that somebody wrote, as markdown: tags, images, links with a hidden target and definitions turn into
 * words. What is escaped already stays. `isOpen`: no code span is certain.
 */
export function escapeMarkup(line: string, isOpen = false): string {
  const safe = isOpen ? escapeTags(line) : outsideCode(line, escapeTags)
  return safe.includes(']:') ? safe.replace(DEFINITION, '$&\\') : safe
}

/** A backtick outside of code spans may open one on this line and close it on the next. */
export const hasOpenCode = (line: string): boolean =>
  line.includes('`') && codeParts(line).some(({ text, code }) => code === null && text.includes('`'))

const escapeTags = (text: string): string =>
  plainLinks(text).replace(MARKUP, (all, slashes: string, special: string) =>
    slashes.length % 2 === 1 ? all : `${slashes}\\${special}`,
  )

/** A link or an image as its words and its address: nobody is led where they do not see. */
const plainLinks = (text: string): string =>
  text.includes('](') ? text.replace(/!?\[([^\]\n]*)\]\(<?([^()\s>]+)>?(?: "[^"\n]*")?\)/g, linkText) : text

const linkText = (_: string, words: string, url: string): string =>
  words === '' || url.includes(words.replace(/`/g, '')) ? url : `${words} (${url})`

const MARKUP = /(?<!\\)(\\*)(<(?=[A-Za-z/!?]|[\s/]*handoff-context)|\[(?<=!\\*\[)|\((?<=\]\\*\())/gi
/** Also the second line of a label that stands on two. */
const DEFINITION = /^(?:(?:[-*+>]|\d{1,9}[.)])[ \t]*){0,8}\[?(?:[^[\]\\]|\\.)*\](?=:)/
