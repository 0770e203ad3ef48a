import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { defaultConfig } from '../../../src/config/keys.ts'
import type { Finding } from '../../../src/types/checks.ts'
import type { Options } from '../../../src/validate/rule.ts'
import { type Facts, validateBrief } from '../../../src/validate/validate-brief.ts'

export const ID = '20260714T091522-01c40e9b'
export const PARENT = '20260713T174502-2ab09c1d'
export const PATH = `.handoff/briefs/${ID}-cap-the-retry-backoff-at-30-s-including-jitter.md`
const FIXTURE = fileURLToPath(new URL('../../fixtures/brief/whole-brief/brief.md', import.meta.url))

/** A whole brief as the renderer makes it. */
export const brief = readFileSync(FIXTURE, 'utf8')
export const goal =
  'cap the retry backoff at 30 s including jitter, make the queue tests pass, document it in docs/queue.md'

export const facts = (change: Partial<Facts> = {}): Facts => ({
  path: PATH,
  briefs: new Map([
    [ID, PATH],
    [PARENT, `.handoff/briefs/${PARENT}-port.md`],
  ]),
  knownFiles: null,
  home: '/home/ana',
  userNames: ['ana'],
  secrets: [],
  tokens: 1429,
  config: defaultConfig(),
  ...change,
})

export const strict: Options = { mode: 'strict', force: false }
export const permissive: Options = { mode: 'permissive', force: false }

export const judge = (text: string, change: Partial<Facts> = {}, options: Options = strict): Finding[] =>
  validateBrief(text, facts(change), options)

/** Findings as `rule level line`. */
export const told = (findings: readonly Finding[]): string[] =>
  findings.map(({ rule, level, line }) => `${rule} ${level} ${line}`)

/** 1-based line of the first line that begins like this. */
export const lineOf = (text: string, start: string): number =>
  text.split('\n').findIndex((line) => line.startsWith(start)) + 1

/** Replaces once and insists that there was something to replace. */
export function edit(text: string, from: string, to: string): string {
  if (!text.includes(from)) throw new Error(`nothing to replace: ${from}`)
  return text.replace(from, () => to)
}
