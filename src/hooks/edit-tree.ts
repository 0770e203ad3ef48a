import { orNull } from '../errors/handoff-error.ts'
import type { SetupEdit } from '../types/agent.ts'
import { hookLineOf, withoutLines } from './runner.ts'
import { equalJson, type Outcome } from './text-file.ts'

/** A value at a place in a document of JSON or YAML. */
export type TreeEdit = Extract<SetupEdit, { at: string[] }>

/** Names of members and indexes of elements, from the outside in. */
export type Path = readonly (string | number)[]

/** How one format is changed so that everything else keeps its bytes. What it gives is read again before it is used. */
export interface TreeFormat {
  /** What a text means; undefined or null for nothing. Throws `badSettings`. */
  read(text: string, path: string): unknown
  /** Puts a member (`{name: value}`) or an element (`[value]`) behind the last child of the mapping or list at a path; null where it cannot. */
  insert(text: string, at: readonly string[], what: object, eol: string): string | null
  /** Takes out the member or element at a path; null where it cannot. */
  remove(text: string, at: Path): string | null
}

/**
 * The text with the edit in it. Foreign: another value stands at the key, or the way there is written so that nothing can be put in. An
 * element counts as there when it calls the same hook: then it is as somebody wanted it. Throws `badSettings`.
 */
export function putTree(format: TreeFormat, text: string, edit: TreeEdit, eol: string): Outcome {
  const { at, path } = edit
  const value = format.read(text, path)
  const ours = placeOf(value, edit)
  if (ours !== null) {
    const there = valueAt(value, ours)
    const isOld = !equalJson(there, edit.value) && equalJson(withoutLines(there), withoutLines(edit.value))
    // Another version wrote it, and nobody has changed it since.
    const without = isOld ? removed(format, text, value, ours, path) : null
    return without === null ? { text, state: 'same' } : putTree(format, without, edit, eol)
  }
  let depth = 0
  let box = value
  for (; depth < at.length && isMapping(box); depth++) {
    const key = at[depth] ?? ''
    if (!Object.hasOwn(box, key)) break
    box = box[key]
  }
  const [key, ...inner] = at.slice(depth)
  const leaf = isItem(edit) ? [edit.value] : edit.value
  const missing = inner.reduceRight<unknown>((nested, name) => ({ [name]: nested }), leaf)
  const what = key === undefined ? leaf : { [key]: missing }
  const isFit = box == null || (key === undefined ? isItem(edit) && Array.isArray(box) : isMapping(box))
  const next = isFit ? format.insert(text, at.slice(0, depth), what as object, eol) : null
  const meant = replaced(value, at, (old) =>
    isItem(edit) ? [...(Array.isArray(old) ? old : []), edit.value] : edit.value,
  )
  if (next !== null && isRead(format, next, meant, path)) return { text: next, state: 'changed' }
  const reason =
    depth > 0
      ? `it has its own \`${at.slice(0, depth).join('.')}\``
      : isFit
        ? 'it is written in a way that no line can be put into'
        : 'it does not hold a mapping'
  return { state: 'foreign', reason }
}

/**
 * The text without the edit, and without the mappings and lists that hold nothing else, unless `before`, the text that stood here first, has
 * them. In what somebody has changed, only what calls our hook goes. Throws `badSettings`.
 */
export function takeTree(
  format: TreeFormat,
  text: string,
  edit: TreeEdit,
  before: string | undefined,
): Outcome {
  const value = format.read(text, edit.path)
  const ours = placeOf(value, edit)
  if (ours === null) return { text, state: 'same' }
  const first = before === undefined ? undefined : orNull(() => format.read(before, edit.path))
  const there = valueAt(value, ours)
  const list = equalJson(there, edit.value) ? null : listOfCalls(there)
  const theirs =
    list === null ? [] : (valueAt(there, list) as unknown[]).filter((one) => hookLineOf(one) === null)
  if (list !== null && theirs.length > 0) {
    const calls = (valueAt(there, list) as unknown[]).flatMap((one, at) =>
      hookLineOf(one) === null ? [] : at,
    )
    let next: string | null = text
    for (const at of calls.reverse())
      next = next && removed(format, next, format.read(next, edit.path), [...ours, ...list, at], edit.path)
    return next === null ? { text, state: 'same' } : { text: next, state: 'changed' }
  }
  let place = ours
  for (let outer = place.slice(0, -1); outer.length > 0; outer = outer.slice(0, -1)) {
    const isAlone = Object.keys(valueAt(value, outer) ?? {}).length === 1
    if (!isAlone || valueAt(first, outer) !== undefined) break
    place = outer
  }
  const next = removed(format, text, value, place, edit.path)
  return next === null ? { text, state: 'same' } : { text: next, state: 'changed' }
}

const isItem = ({ type }: TreeEdit): boolean => type.endsWith('-item')

const isMapping = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Where the same value stands, else one that somebody has changed and that still calls our hook. */
function placeOf(value: unknown, edit: TreeEdit): Path | null {
  const there = valueAt(value, edit.at)
  const line = hookLineOf(edit.value)
  const isSame = (one: unknown): boolean => equalJson(one, edit.value)
  const calls = (one: unknown): boolean => line !== null && hookLineOf(one) === line
  if (!isItem(edit)) return isSame(there) || calls(there) ? edit.at : null
  const list: unknown[] = Array.isArray(there) ? there : []
  const index = [list.findIndex(isSame), list.findIndex(calls)].find((found) => found !== -1)
  return index === undefined ? null : [...edit.at, index]
}

/** The innermost list inside a value whose elements call hooks of ours; null where there is none. */
function listOfCalls(value: unknown): Path | null {
  if (typeof value !== 'object' || value === null) return null
  for (const [name, one] of Object.entries(value)) {
    const inner = hookLineOf(one) === null ? null : listOfCalls(one)
    if (inner !== null) return [Array.isArray(value) ? Number(name) : name, ...inner]
  }
  return Array.isArray(value) && hookLineOf(value) !== null ? [] : null
}

const valueAt = (value: unknown, at: Path): unknown =>
  at.reduce<unknown>(
    (box, key) =>
      typeof box === 'object' && box !== null && Object.hasOwn(box, key) ? Reflect.get(box, key) : undefined,
    value,
  )

/** A value in which that at a path is another one; undefined takes it away. */
function replaced(value: unknown, [key, ...rest]: Path, leaf: (old: unknown) => unknown): unknown {
  if (key === undefined) return leaf(value)
  if (typeof key === 'number') {
    const list = value as unknown[]
    const next = replaced(list[key], rest, leaf)
    return next === undefined ? list.filter((_, at) => at !== key) : list.with(key, next)
  }
  const { [key]: old, ...others } = (value ?? {}) as Record<string, unknown>
  const next = replaced(old, rest, leaf)
  return next === undefined ? others : { ...others, [key]: next }
}

/** The text without what stands at a path; null where no such text can be made. */
function removed(format: TreeFormat, text: string, value: unknown, at: Path, path: string): string | null {
  const next = format.remove(text, at)
  const meant = replaced(value, at, () => undefined)
  return next !== null && isRead(format, next, meant, path) ? next : null
}

/** Whatever is unusual in the rest of a text: what was meant must be what is read, and nothing else. */
const isRead = (format: TreeFormat, text: string, meant: unknown, path: string): boolean =>
  orNull(() => equalJson(whole(format.read(text, path)), whole(meant))) === true

/** A value in which what is empty is null, as a key without a value in YAML. */
function whole(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value ?? null
  if (Object.keys(value).length === 0) return null
  return Array.isArray(value)
    ? value.map(whole)
    : Object.fromEntries(Object.entries(value).map(([name, one]) => [name, whole(one)]))
}
