import { badSettings } from '../errors.ts'
import type { SetupEdit } from '../types.ts'
import { putBlock, takeBlock } from './edit-block.ts'
import { nodeAt, putJson, takeJson } from './edit-json.ts'
import type { Parsers } from './outcome.ts'
import { readJson } from './read-json.ts'
import { readText, sameLines, writeText } from './text-file.ts'

/** A file as bytes; null is none. */
export type Bytes = Uint8Array | null

/** `reason` null: the edit is in `bytes`. */
export interface Put {
  bytes: Bytes
  reason: string | null
}

/** The file with the edit in it. Throws `badSettings` when it cannot be read as what it should be. */
export function putEdit(bytes: Bytes, edit: SetupEdit, parsers: Parsers): Put {
  const file = readText(bytes)
  if (edit.type === 'file') {
    if (bytes === null) return { bytes: Buffer.from(edit.content), reason: null }
    const isSame = file !== null && sameLines(file.text, edit.content)
    return { bytes, reason: isSame ? null : 'there is another file of that name' }
  }
  if (file === null) throw badSettings(edit.path, 'not UTF-8')
  const { text, eol } = file
  const outcome =
    edit.type === 'block' ? putBlock(text, edit, eol, parsers) : putJson(text, edit, { parsers, eol })
  if (outcome.state === 'foreign') return { bytes, reason: outcome.reason }
  return { bytes: outcome.state === 'same' ? bytes : writeText(file, outcome.text), reason: null }
}

/**
 * The file without the edit: as little as possible goes. `before`: what stood there first, when that is known; a file
 * that would be left empty goes, unless one stood there. Throws as `putEdit`.
 */
export function takeEdit(bytes: Bytes, edit: SetupEdit, parsers: Parsers, before: Bytes | undefined): Bytes {
  const file = bytes === null ? null : readText(bytes)
  if (file === null) return bytes
  const { text } = file
  if (edit.type === 'file') return sameLines(text, edit.content) ? null : bytes
  const first = before === undefined || before === null ? undefined : (readText(before)?.text ?? '')
  const stood = (at: readonly string[]): boolean =>
    first !== undefined && nodeAt(readJson(first, edit.path, parsers), at) !== undefined
  const outcome = edit.type === 'block' ? takeBlock(text) : takeJson(text, edit, { parsers, stood })
  if (outcome.state !== 'changed') return bytes
  const isEmpty = edit.type === 'block' ? outcome.text.trim() === '' : /^\s*\{\s*\}\s*$/.test(outcome.text)
  return isEmpty && first === undefined ? null : writeText(file, outcome.text)
}
