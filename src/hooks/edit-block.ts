import { badSettings } from '../errors/usage.ts'
import type { SetupEdit } from '../types/agent.ts'
import type { Outcome, Parsers } from './outcome.ts'
import { sameLines } from './text-file.ts'

export type BlockEdit = Extract<SetupEdit, { type: 'block' }>

/** Marker lines by the way the format starts a comment. */
const MARKERS = {
  '#': ['# >>> handoff: what stands here, `npx git-handoff init` writes >>>', '# <<< handoff <<<'],
  '<!--': [
    '<!-- >>> handoff: what stands here, `npx git-handoff init` writes >>> -->',
    '<!-- <<< handoff <<< -->',
  ],
} as const

const SHEBANG = '#!/bin/sh'

/** A block of ours, of this or another version: its marker lines and what they hold. */
const BLOCK =
  /^(?:<!-- |# )>>> handoff\b[^\r\n]*\r?\n(?:(?!(?:<!-- |# )>>> handoff\b)[^\n]*\n)*?(?:<!-- |# )<<< handoff <<<(?: -->)?[ \t]*(?=\r?\n|$(?![\s\S]))/m

/**
 * The text with the block at its end, or in place of the block that is there. Foreign: TOML that has the same table
 * already. Throws `badSettings` for a `.toml` file that is no TOML.
 */
export function putBlock(text: string, edit: BlockEdit, eol: string, parsers: Parsers): Outcome {
  const [begin, end] = MARKERS[edit.comment]
  const block = [begin, ...edit.text.trimEnd().split('\n'), end].join(eol)
  const found = BLOCK.exec(text)
  if (found !== null && sameLines(found[0], block)) return { text, state: 'same' }
  const closed = found === null && edit.isScript === true ? whyNotScript(text) : null
  if (closed !== null) return { state: 'foreign', reason: closed }
  const next =
    found === null
      ? append(text === '' && edit.isScript === true ? `${SHEBANG}${eol}` : text, block, eol)
      : text.slice(0, found.index) + block + text.slice(found.index + found[0].length)
  if (edit.path.endsWith('.toml')) {
    checkToml(text, edit.path, parsers)
    if (!isToml(next, parsers)) return { state: 'foreign', reason: `it has its own ${tableOf(edit.text)}` }
  }
  return { text: next, state: 'changed' }
}

/** The text without the block and without the blank line before it. */
export function takeBlock(text: string): Outcome {
  const found = BLOCK.exec(text)
  if (found === null) return { text, state: 'same' }
  const after = text.slice(found.index + found[0].length)
  const before = text.slice(0, found.index)
  // A file that did not end its last line ends with the block in the same way.
  const gap = after === '' ? /(?:\r?\n){1,2}$/ : /\r?\n$/
  const isFirst = before.trim() === ''
  const kept = isFirst || !/\n\r?\n$/.test(before) ? before : before.replace(gap, '')
  return { text: kept + (after === '' ? '' : after.replace(/^\r?\n/, '')), state: 'changed' }
}

/** Why lines of sh at the end of a script would not be run as such, or null. */
function whyNotScript(text: string): string | null {
  if (/^#!/.test(text) && !/^#!.*\b(?:a|ba|da|k|mk|z)?sh\b/.test(text)) return 'it is no script of sh'
  const last = text.split(/\r?\n/).findLast((line) => line.trim() !== '' && !/^\s*#/.test(line))
  return last !== undefined && /^(?:exec|exit)\b/.test(last)
    ? `nothing is run behind its last line, \`${last.trim()}\``
    : null
}

/** Behind one blank line, but right below the first line of a new script; a last line that is not ended stays so. */
function append(text: string, block: string, eol: string): string {
  if (text === '' || text === `${SHEBANG}${eol}`) return `${text}${block}${eol}`
  return text.endsWith('\n') ? `${text}${eol}${block}${eol}` : `${text}${eol}${eol}${block}`
}

function checkToml(text: string, path: string, { parseToml }: Parsers): void {
  try {
    parseToml(text)
  } catch (error) {
    const { line, message } = error as { line?: number; message: string }
    const [what] = message.split('\n')
    throw badSettings(line === undefined ? path : `${path}:${line}`, what ?? 'not valid TOML')
  }
}

function isToml(text: string, { parseToml }: Parsers): boolean {
  try {
    parseToml(text)
    return true
  } catch {
    return false // Sound before, so it is the block that does not go with the rest.
  }
}

const tableOf = (text: string): string => /^\[[^\]\n]+\]/m.exec(text)?.[0] ?? 'settings of that name'
