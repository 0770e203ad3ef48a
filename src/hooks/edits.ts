import { badSettings } from '../errors/usage.ts'
import type { SetupEdit } from '../types/agent.ts'
import { putBlock, takeBlock } from './edit-block.ts'
import { nodeAt, putJson, takeJson } from './edit-json.ts'
import { hasYaml, putYaml, takeYaml, type YamlEdit } from './edit-yaml.ts'
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
export function putEdit(bytes: Bytes, edit: TextEdit, parsers: Parsers): Put {
  const file = readText(bytes)
  if (edit.type === 'file') {
    if (bytes === null) return { bytes: Buffer.from(edit.content), reason: null }
    const isSame = file !== null && sameLines(file.text, edit.content)
    return { bytes, reason: isSame ? null : 'there is another file of that name' }
  }
  if (file === null) throw badSettings(edit.path, 'not UTF-8')
  const { text, eol } = file
  const outcome =
    edit.type === 'block'
      ? putBlock(text, edit, eol, parsers)
      : isYaml(edit)
        ? putYaml(text, edit, { parsers, eol })
        : putJson(text, edit, { parsers, eol })
  if (outcome.state === 'foreign') return { bytes, reason: outcome.reason }
  return { bytes: outcome.state === 'same' ? bytes : writeText(file, outcome.text), reason: null }
}

/**
 * The file without the edit: as little as possible goes. `before`: what stood there first, when that is known; a file
 * that would be left empty goes, unless one stood there. Throws as `putEdit`.
 */
export function takeEdit(bytes: Bytes, edit: TextEdit, parsers: Parsers, before: Bytes | undefined): Bytes {
  const file = bytes === null ? null : readText(bytes)
  if (file === null) return bytes
  const { text } = file
  if (edit.type === 'file') return sameLines(text, edit.content) ? null : bytes
  const first = before === undefined || before === null ? undefined : (readText(before)?.text ?? '')
  const stood = (at: readonly string[]): boolean =>
    first !== undefined &&
    (isYaml(edit)
      ? hasYaml(first, at, parsers)
      : nodeAt(readJson(first, edit.path, parsers), at) !== undefined)
  const outcome =
    edit.type === 'block'
      ? takeBlock(text)
      : isYaml(edit)
        ? takeYaml(text, edit, { parsers, stood })
        : takeJson(text, edit, { parsers, stood })
  if (outcome.state !== 'changed') return bytes
  const isJson = edit.type === 'json-value' || edit.type === 'json-item'
  const isEmpty = (isJson ? /^\s*\{\s*\}\s*$/ : /^\s*(?:#!\/bin\/sh\s*)?$/).test(outcome.text)
  return isEmpty && first === undefined ? null : writeText(file, outcome.text)
}

/** An edit of what stands in a file; the other kind is about the file itself. */
export type TextEdit = Exclude<SetupEdit, { type: 'hook' }>

const isYaml = (edit: TextEdit): edit is YamlEdit => edit.type === 'yaml-value' || edit.type === 'yaml-item'
