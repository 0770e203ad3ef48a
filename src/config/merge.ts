import { isAbsolute } from 'node:path'
import { badConfig, usage } from '../errors/usage.ts'
import type { Config } from '../types/config.ts'
import { type Key, keys, type OwnKind } from './keys.ts'

/** Whose words a layer of configuration is: a repository's files are those of whoever wrote the branch. */
export type Whose = 'person' | 'repository'

/** Where each value came from, by key path. */
export type Origins = Map<string, { where: string; whose: Whose }>

/**
 * Puts one layer over a configuration, key by key. `layer` may be nested, dotted, or use the alias names.
 * Returns the names it did not know, also those that only a person may say. Throws `badConfig` naming the place and key of a wrong value.
 */
export function mergeLayer(
  config: Config,
  origins: Origins,
  layer: unknown,
  { where, whose }: { where: string; whose: Whose },
): string[] {
  if (layer === null || layer === undefined) return []
  if (typeof layer !== 'object' || Array.isArray(layer))
    throw badConfig(where, 'a mapping of keys is expected')
  const unknown: string[] = []
  walk('', layer as Record<string, unknown>)
  return unknown

  function walk(prefix: string, value: Record<string, unknown>): void {
    for (const [name, entry] of Object.entries(value)) {
      const full = prefix === '' ? name : `${prefix}.${name}`
      // For editors, in JSON; in YAML it stands in a comment.
      if (full === '$schema') continue
      const isGroup = entry !== null && typeof entry === 'object' && !Array.isArray(entry)
      if (isGroup && keys.some((k) => k.path.startsWith(`${full}.`))) {
        walk(full, entry as Record<string, unknown>)
        continue
      }
      const key = keys.find((k) => k.path === full || k.aliases.includes(full))
      if (key === undefined || (key.isOwn && whose === 'repository')) {
        unknown.push(full)
        continue
      }
      set(config, key, convert(key.kind, entry, full, { where, whose }))
      origins.set(key.path, { where, whose })
    }
  }
}

function set(config: Config, key: Key, value: unknown): void {
  const parts = key.path.split('.')
  const last = parts.pop() ?? key.path
  let target = config as unknown as Record<string, unknown>
  for (const part of parts) target = target[part] as Record<string, unknown>
  target[last] = value
}

/** A value as its kind reads it. Throws `badConfig` that names the place and the key. */
export function convert(
  kind: OwnKind,
  value: unknown,
  name: string,
  { where, whose }: { where: string; whose: Whose },
): unknown {
  const fail = (expected: string): never => {
    throw badConfig(where, `\`${name}\` must be ${expected}`)
  }
  switch (kind.is) {
    case 'count': {
      if (kind.isNullable && (value === null || value === '')) return null
      const n = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value
      const min = whose === 'repository' ? (kind.least ?? kind.min) : kind.min
      if (typeof n !== 'number' || !Number.isInteger(n) || n < min || n > kind.max)
        return fail(`a whole number from ${min} to ${kind.max}${kind.isNullable ? ', or null' : ''}`)
      return n
    }
    case 'flag':
      if (value === true || value === 'true' || value === '1') return true
      if (value === false || value === 'false' || value === '0') return false
      return fail('true or false')
    case 'text':
      if (value === null || value === '') return null
      return typeof value === 'string' ? value : fail('a text or null')
    case 'duration': {
      const ms = parseDuration(value)
      if (ms === null) return fail('a duration such as 90s, 30m, 1h, 2d, or a number of milliseconds')
      const { least = 0, most = Number.POSITIVE_INFINITY } = kind
      if (kind.most === undefined) return ms
      // Timers take whole numbers.
      return ms >= least && ms <= most
        ? Math.round(ms)
        : fail(`a duration from ${durationWords(least)} to ${durationWords(most)}, such as 90s`)
    }
    case 'age':
      if (value === null || value === '') return null
      return parseAge(value) ?? fail('an age such as 12h, 30d or 8w, or null')
    case 'choice':
      return typeof value === 'string' && kind.of.includes(value)
        ? value
        : fail(`one of ${kind.of.join(', ')}`)
    case 'list': {
      const list = typeof value === 'string' ? value.split(',').map((s) => s.trim()) : value
      if (!Array.isArray(list) || list.some((s) => typeof s !== 'string')) return fail('a list of texts')
      return list.filter((s) => s !== '')
    }
    case 'personas':
      return personas(value) ?? fail('a mapping of name to {agent, start, skills}')
    case 'path':
      if (value === null) return null
      return typeof value === 'string' && isAbsolute(value) ? value : fail('an absolute path')
    case 'texts':
      return isMapping(value) && Object.values(value).every(isText)
        ? value
        : fail('a mapping of name to text')
    case 'commands':
      return isMapping(value) && Object.values(value).every(isCommand)
        ? value
        : fail('a mapping of name to program and arguments')
  }
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''
const isCommand = (value: unknown): boolean => Array.isArray(value) && value.length > 0 && value.every(isText)
const isMapping = (value: unknown): value is Record<string, unknown> =>
  value !== null && typeof value === 'object' && !Array.isArray(value)

function personas(value: unknown): Config['personas'] | null {
  if (!isMapping(value)) return null
  const result: Config['personas'] = {}
  for (const [name, entry] of Object.entries(value)) {
    if (!isMapping(entry)) return null
    const { agent, start, skills } = entry
    if ([agent, start].some((t) => t !== undefined && typeof t !== 'string')) return null
    if (skills !== undefined && !(Array.isArray(skills) && skills.every((s) => typeof s === 'string')))
      return null
    result[name] = {
      ...(typeof agent === 'string' ? { agent } : {}),
      ...(typeof start === 'string' ? { start } : {}),
      ...(Array.isArray(skills) ? { skills: skills as string[] } : {}),
    }
  }
  return result
}

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

export const DURATION = /^(\d+(?:\.\d+)?)\s*(ms|s|m|h|d)?$/
export const AGE = /^(\d{1,9}(?:\.\d{1,9})?)\s*([hdw])$/

/** Milliseconds of `90s`, `30m`, `1h`, `2d`, `500ms` or a number; null when it is none of them. */
export function parseDuration(value: unknown): number | null {
  if (typeof value === 'number') return Number.isFinite(value) && value >= 0 ? value : null
  if (typeof value !== 'string') return null
  const match = DURATION.exec(value.trim())
  if (match === null) return null
  return Number(match[1]) * (UNITS[match[2] ?? 'ms'] ?? 1)
}

/** The value of `--timeout`, in ms. Throws `usage`. */
export function readTimeout(example: string, value: unknown): number {
  const ms = parseDuration(value)
  if (ms !== null) return ms
  throw usage('--timeout takes a duration such as 5m.', `Example: \`git handoff ${example} --timeout 5m\`.`)
}

/** As `parseDuration` reads it, in the largest unit that it fills. */
export function durationWords(ms: number): string {
  const [unit, size] = Object.entries(UNITS).findLast(([, one]) => ms >= one && ms % one === 0) ?? ['ms', 1]
  return `${ms / size}${unit}`
}

/** Milliseconds of an age in hours, days or weeks; null when it is none: a bare number could be any of them. */
export function parseAge(value: unknown): number | null {
  const match = typeof value === 'string' ? AGE.exec(value.trim()) : null
  if (match === null) return null
  const days = match[2] === 'w' ? 7 : 1
  return Number(match[1]) * days * (match[2] === 'h' ? 3_600_000 : 86_400_000)
}
