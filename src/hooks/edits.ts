import { parse as parseToml } from 'smol-toml'
import { orNull } from '../errors/handoff-error.ts'
import { badSettings } from '../errors/usage.ts'
import type { SetupEdit } from '../types/agent.ts'
import { putTree, type TreeEdit, type TreeFormat, takeTree } from './edit-tree.ts'
import { json } from './json-format.ts'
import { type Bytes, type Outcome, readText, sameLines, writeText } from './text-file.ts'
import { yaml } from './yaml-format.ts'

/** `reason` null: the edit is in `bytes`. */
interface Put {
  bytes: Bytes
  reason: string | null
}

/** The file with the edit in it. Throws `badSettings` when it cannot be read as what it should be. */
export function putEdit(bytes: Bytes, edit: TextEdit): Put {
  const file = readText(bytes)
  if (edit.type === 'file') {
    if (bytes === null) return { bytes: Buffer.from(edit.content), reason: null }
    const isSame = file !== null && sameLines(file.text, edit.content)
    return { bytes, reason: isSame ? null : 'there is another file of that name' }
  }
  if (file === null) throw badSettings(edit.path, 'not UTF-8')
  const { text, eol } = file
  const outcome = edit.type === 'block' ? putBlock(text, edit, eol) : putTree(formatOf(edit), text, edit, eol)
  if (outcome.state === 'foreign') return { bytes, reason: outcome.reason }
  return { bytes: outcome.state === 'same' ? bytes : writeText(file, outcome.text), reason: null }
}

/**
 * The file without the edit: as little as possible goes. `before`: what stood there first, when that is known; a file
 * that would be left empty goes, unless one stood there. Throws as `putEdit`.
 */
export function takeEdit(bytes: Bytes, edit: TextEdit, before: Bytes | undefined): Bytes {
  const file = bytes === null ? null : readText(bytes)
  if (file === null) return bytes
  const { text } = file
  if (edit.type === 'file') return sameLines(text, edit.content) ? null : bytes
  const first = before === undefined || before === null ? undefined : (readText(before)?.text ?? '')
  const outcome = edit.type === 'block' ? takeBlock(text) : takeTree(formatOf(edit), text, edit, first)
  if (outcome.state !== 'changed') return bytes
  const isJson = edit.type !== 'block' && formatOf(edit) === json
  const isEmpty = (isJson ? /^\s*\{\s*\}\s*$/ : /^\s*(?:#!\/bin\/sh\s*)?$/).test(outcome.text)
  return isEmpty && first === undefined ? null : writeText(file, outcome.text)
}

/** An edit of what stands in a file; the other kind is about the file itself. */
export type TextEdit = Exclude<SetupEdit, { type: 'hook' }>

const formatOf = ({ type }: TreeEdit): TreeFormat => (type.startsWith('yaml') ? yaml : json)

type BlockEdit = Extract<SetupEdit, { type: 'block' }>

/** Marker lines by the way the format starts a comment. */
const MARKERS = {
  '#': ['# >>> handoff: `git handoff init` writes this, do not edit >>>', '# <<< handoff <<<'],
  '<!--': [
    '<!-- >>> handoff: `git handoff init` writes this, do not edit >>> -->',
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
function putBlock(text: string, edit: BlockEdit, eol: string): Outcome {
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
    checkToml(text, edit.path)
    if (!isToml(next)) return { state: 'foreign', reason: `it has its own ${tableOf(edit.text)}` }
  }
  return { text: next, state: 'changed' }
}

/** The text without the block and without the blank line before it. */
function takeBlock(text: string): Outcome {
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
  if (text.startsWith('#!') && !/^#!.*\b(?:a|ba|da|k|mk|z)?sh\b/.test(text)) return 'it is no script of sh'
  const last = text.split(/\r?\n/).findLast((line) => line.trim() !== '' && !line.trimStart().startsWith('#'))
  return last !== undefined && ['exec', 'exit'].includes(last.split(/\W/, 1)[0] ?? '')
    ? `nothing is run behind its last line, \`${last.trim()}\``
    : null
}

/** Behind one blank line, but right below the first line of a new script; a last line that is not ended stays so. */
function append(text: string, block: string, eol: string): string {
  if (text === '' || text === `${SHEBANG}${eol}`) return `${text}${block}${eol}`
  return text.endsWith('\n') ? `${text}${eol}${block}${eol}` : `${text}${eol}${eol}${block}`
}

function checkToml(text: string, path: string): void {
  try {
    parseToml(text)
  } catch (error) {
    const { line, message } = error as { line?: number; message: string }
    const [what] = message.split('\n')
    throw badSettings(line === undefined ? path : `${path}:${line}`, what ?? 'not valid TOML')
  }
}

const isToml = (text: string): boolean => orNull(() => parseToml(text)) !== null

const tableOf = (text: string): string => /^\[[^\]\n]+\]/m.exec(text)?.[0] ?? 'settings of that name'
