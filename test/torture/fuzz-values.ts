import fc from 'fast-check'
import { DEEP, HUGE, oddValue } from './fuzz-texts.ts'

const DEPTH = 20_000

/** One change to a JSON value: at the `at`-th of its places, counted around. */
export interface Edit {
  at: number
  how: 'set' | 'drop' | 'wrap' | 'list' | 'rename' | 'copy' | 'append' | 'add'
  /** Of a place somewhere else in the value, for `copy`. */
  from: number
  value: unknown
}

export const edit: fc.Arbitrary<Edit> = fc.record({
  at: fc.nat(10_000),
  how: fc.constantFrom(
    ...(['set', 'set', 'set', 'drop', 'wrap', 'list', 'rename', 'copy', 'append', 'add'] as const),
  ),
  from: fc.nat(10_000),
  value: oddValue,
})

/** A few changes, one after the other. */
export const edits: fc.Arbitrary<Edit[]> = fc.array(edit, { maxLength: 4 })

/** A copy of a JSON value with these changes, one after the other. */
export function edited(value: unknown, edits: readonly Edit[]): unknown {
  const holder: { root: unknown } = { root: structuredClone(value) }
  for (const { at, how, from, value } of edits) {
    // Later changes may go into it, and an input stays what it is.
    const put = structuredClone(value)
    const places = placesOf(holder)
    // Every other change goes to something long enough to be words, which is what a brief is made of.
    const words = at % 2 === 0 ? places.filter(({ within, key }) => isLong(within[key])) : []
    const place = (words.length > 0 ? words : places)[(at >> 1) % (words.length || places.length)]
    const other = places[from % places.length]
    if (place === undefined || other === undefined) continue
    const { within, key } = place
    const old = within[key]
    if (how === 'set') within[key] = put
    else if (how === 'drop' && Array.isArray(within)) within.splice(Number(key), 1)
    else if (how === 'drop') delete within[key]
    else if (how === 'wrap') within[key] = { value: old, content: old }
    else if (how === 'list') within[key] = [old, put, old]
    else if (how === 'copy') within[key] = structuredClone(other.within[other.key])
    else if (how === 'append') within[key] = `${typeof old === 'string' ? old : ''} ${textOf(put)}`
    else if (how === 'add' && Array.isArray(old)) old.push(put)
    else if (how === 'add' && isObject(old)) member(old, textOf(put).slice(0, 40), put)
    else if (how === 'rename' && !Array.isArray(within)) {
      delete within[key]
      member(within, textOf(put).slice(0, 40), old)
    }
  }
  return holder.root
}

type Box = Record<string, unknown>
const isObject = (value: unknown): value is Box => typeof value === 'object' && value !== null

const isLong = (value: unknown): boolean => typeof value === 'string' && value.length > 15

/** `__proto__` is a name like any other in a file. */
const member = (within: Box, key: string, value: unknown): void =>
  void Object.defineProperty(within, key, { value, enumerable: true, configurable: true, writable: true })

/** Every place of a value, the whole first; those of a very large one only as far as a few thousand. */
function placesOf(holder: { root: unknown }): { within: Box; key: string }[] {
  const places: { within: Box; key: string }[] = [{ within: holder as Box, key: 'root' }]
  for (let next = 0; next < places.length && places.length < 5000; next++) {
    const { within, key } = places[next] as { within: Box; key: string }
    const value = within[key]
    if (isObject(value)) for (const inner of Object.keys(value)) places.push({ within: value, key: inner })
  }
  return places
}

/** A value as a word, whatever it is. */
export const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : (JSON.stringify(value) ?? '')

/** JSON text of an edited value. */
export function jsonOf(value: unknown): string {
  const text = JSON.stringify(value) ?? 'null'
  // As a name it stays what it is.
  return text
    .replaceAll(new RegExp(`${literally(DEEP)}(?!:)`, 'g'), () => '['.repeat(DEPTH) + ']'.repeat(DEPTH))
    .replaceAll(new RegExp(`${literally(HUGE)}(?!:)`, 'g'), () => '1e999')
}

const literally = (text: string): string => JSON.stringify(text).replaceAll('\\', '\\\\')
