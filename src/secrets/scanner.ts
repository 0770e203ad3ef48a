import type { SecretHit } from '../types/checks.ts'
import { type Found, findByRules, withoutOverlap } from './find.ts'
import { mapTexts, textsOf } from './hide-homes.ts'
import { createKnown, fingerprintOf, occurrences, replaceAll } from './known.ts'
import { findPresetSecrets, mayMatchPreset } from './preset.ts'
import { isOtherThing, isStandIn } from './public-value.ts'
import { createRawReader } from './raw.ts'

/**
 * Knows what a secret looks like and remembers those it met, so that one seen anywhere is found everywhere. Pure: texts
 * and bytes are handed in, values never leave except as `[REDACTED:rule]`, a place, or a fingerprint.
 */

export interface Scanner {
  /** Takes a raw block of a transcript, whole lines, and remembers the values in it; the block is not kept. */
  onRaw(block: Buffer): void
  collect(text: string): void
  /** Every secret in a text, in order of place: by rule, and every repeat of a value remembered. */
  find(text: string): Promise<SecretHit[]>
  /** The plain value with every secret replaced, a copy when there is one, and how many by rule. */
  redact<T>(value: T): Promise<{ value: T; counts: Record<string, number> }>
}

export interface ScannerOptions {
  /** Values that are secret by where they stand: environment variables whose name says so, at least 8 characters without spaces around. */
  values?: readonly { name: string; value: string }[]
  /** Fingerprints of reviewed false alarms. */
  allow?: readonly string[]
}

/** The rule of a value that came from the environment. */
export const ENVIRONMENT_RULE = 'environment'
export const LEAST_ENVIRONMENT_VALUE = 8
/** Nothing real needs more; an end for what nobody foresaw. */
const MOST_ROUNDS = 5
/** Between texts that are scanned in one go: no rule reaches over it. */
const BETWEEN = '\n\u{0}\n'

export function createScanner(options: ScannerOptions = {}): Scanner {
  const allow = new Set(options.allow)
  const known = createKnown(allow)
  /** Texts that only the preset can judge; it runs asynchronously, once for all of them. */
  let pending: string[] = []

  const collect = (text: string) => {
    for (const one of findByRules(text)) known.add(one)
    if (mayMatchPreset(text)) pending.push(text)
  }
  for (const { name, value } of options.values ?? []) {
    // A path or a word like `disabled` in such a variable is no secret, and would be torn out of every sentence; an
    // address may still hold one.
    if (value.trim().length < LEAST_ENVIRONMENT_VALUE || isStandIn(value) || isOtherThing(value))
      collect(value)
    else known.add({ rule: ENVIRONMENT_RULE, value, context: `${name}=${value}` })
  }
  const onRaw = createRawReader(collect)

  const findAll = async (text: string): Promise<Found[]> => {
    const found = findByRules(text)
    if (mayMatchPreset(text)) {
      const more = await findPresetSecrets(text)
      found.push(...more.map((one) => ({ ...one, written: one.value, context: one.value })))
    }
    return withoutOverlap(found).filter(({ rule, value }) => !allow.has(fingerprintOf(rule, value)))
  }
  const settle = async () => {
    if (pending.length === 0) return
    const texts = pending.join(BETWEEN)
    pending = []
    for (const one of await findAll(texts)) known.add(one)
  }

  return {
    onRaw,
    collect,
    async find(text) {
      await settle()
      const found = await findAll(text)
      const local = createKnown(allow)
      for (const one of found) local.add(one)
      const repeats = [...occurrences(text, known.within(text)), ...occurrences(text, local.within(text))]
      return withLines(text, withoutOverlap([...found, ...repeats]))
    },
    async redact(value) {
      await settle()
      const counts = new Map<string, number>()
      let clean = value
      // What stood beside a secret may show itself as one when the secret is gone.
      for (let round = 0; round < MOST_ROUNDS; round++) {
        // A plan comes again with every step of it.
        const joined = [...new Set(textsOf(clean))].join(BETWEEN)
        for (const one of await findAll(joined)) known.add(one)
        const entries = known.within(joined)
        if (entries.length === 0) break
        clean = mapTexts(clean, (text) => replaceAll(text, entries, counts))
      }
      return { value: clean, counts: Object.fromEntries([...counts].sort(([a], [b]) => (a < b ? -1 : 1))) }
    },
  }
}

function withLines(
  text: string,
  found: readonly { rule: string; start: number; end: number; value: string }[],
): SecretHit[] {
  let line = 1
  let place = 0
  return found.map(({ rule, start, end, value }) => {
    for (; place < start; place++) if (text.charCodeAt(place) === 10) line++
    return { rule, start, end, line, fingerprint: fingerprintOf(rule, value) }
  })
}

/** A copy of a plain value without the values that it was made for, and how many were replaced, by rule. */
export type ExactFilter = <T>(value: T) => { value: T; counts: Record<string, number> }

/**
 * Replaces just these values, whatever they look like: the scanner leaves out what reads as a word or a name, and a key may be one. Each
 * is found in every spelling, and a value with line breaks in it also line by line, since whoever complains about it may have folded
 * them. Fewer than 8 characters stay, spaces around them not counted, as everywhere in this room: they are words or indentation, and
 * would be torn out of sentences; no service gives out a key so short. `allow`: fingerprints of reviewed false alarms.
 */
export function createExactFilter(
  values: readonly string[],
  allow: readonly string[] | undefined,
): ExactFilter {
  const known = createKnown(new Set(allow))
  for (const value of values)
    for (const part of new Set([value, value.trim(), ...value.split(/[\r\n]+/).map((line) => line.trim())]))
      if (part.trim().length >= LEAST_ENVIRONMENT_VALUE)
        known.add({ rule: ENVIRONMENT_RULE, value: part, context: part })
  return (value) => {
    const entries = known.within(textsOf(value).join('\n'))
    if (entries.length === 0) return { value, counts: {} }
    const counts = new Map<string, number>()
    const clean = mapTexts(value, (text) => replaceAll(text, entries, counts))
    return { value: clean, counts: Object.fromEntries(counts) }
  }
}
