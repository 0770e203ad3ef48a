import { type Found, findByRules } from './find.ts'
import { mayMatchPreset } from './preset.ts'
import { createRawReader } from './raw.ts'

/** What the bytes of a transcript hold. */
export interface RawFinds {
  /** Secrets by our own rules, in the order they were met. */
  found: Pick<Found, 'rule' | 'value' | 'context'>[]
  /** Texts that only the preset can judge. */
  texts: string[]
}

/** Takes raw blocks, whole lines each, on a thread of its own; what it finds a scanner learns (`Scanner.learn`). */
export function createRawFinder(): { onRaw(block: Buffer): void; finds: RawFinds } {
  const finds: RawFinds = { found: [], texts: [] }
  const seen = new Set<string>()
  const onRaw = createRawReader((text) => {
    for (const { rule, value, context } of findByRules(text)) {
      const key = `${rule}\0${value}\0${context}`
      if (seen.has(key)) continue
      seen.add(key)
      finds.found.push({ rule, value, context })
    }
    if (mayMatchPreset(text)) finds.texts.push(text)
  })
  return { onRaw, finds }
}
