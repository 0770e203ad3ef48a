import type { Reference } from '../types/evidence.ts'
import { firstKey } from './file-log.ts'
import { withoutFences } from './prose.ts'

const URL =
  /https?:\/\/(?!api\.)[\w.-]+\/[\w.-]+(?:\/[\w.-]+)*?\/(?:-\/)?(pull|pulls|issues|discussions|merge_requests)\/(\d+)(?:#[\w-]+)?/g
const WORDS = /\b(PR|pull request|MR|merge request|issue|discussion)s? ([#!])?(\d{1,6})\b/gi
const COMMAND = /\bgh (pr|issue) \w+ (\d{1,6})\b(?!>)/g
const GH = /\bgh (pr|issue) (\w+)(?: (\d{1,6})\b)?[^\n;&|]*/g
const STATES: Readonly<Record<string, string>> = {
  merge: 'merged',
  close: 'closed',
  create: 'open',
  reopen: 'open',
}
const SAID_STATE = /^"?state"?:\s*"?(open|merged|closed)\b|"state":\s*"(open|merged|closed)"/im

const NAMES: Readonly<Record<string, string>> = {
  pull: 'PR',
  pulls: 'PR',
  pr: 'PR',
  'pull request': 'PR',
  merge_requests: 'MR',
  mr: 'MR',
  'merge request': 'MR',
  issues: 'Issue',
  issue: 'Issue',
  discussions: 'Discussion',
  discussion: 'Discussion',
}
const MAX = 200
const MAX_ASKED = 2
/** A longer text is a page or a log, which names many that the work is not about. */
const LONGEST = 20_000

/** Pull requests, issues and discussions that a session speaks of. */
export function createReferences() {
  const found = new Map<string, Reference>()
  const proven = new Set<string>()
  let asked: string[] = []
  /** Names of the text that is read, in its order. */
  let heard: string[] = []
  const note = (kind: string, number: string, url: string | null, isProven = true): Reference => {
    const name = `${NAMES[kind.toLowerCase()] ?? kind} #${number}`
    const held = found.get(name)
    found.delete(name)
    // The address with a comment in it says more.
    const longer = held?.url && (url === null || held.url.length > url.length) ? held.url : url
    const noted = { ...held, name, url: longer }
    found.set(name, noted)
    heard.push(name)
    if (isProven) proven.add(name)
    if (found.size > MAX) found.delete(firstKey(found))
    return noted
  }
  const read = (text: string, by: 'user' | 'agent'): void => {
    heard = []
    if (text.length > LONGEST || !/\d/.test(text)) return
    for (const [url, kind = '', number = ''] of text.matchAll(URL)) note(kind, number, url)
    for (const [, kind = '', sign, number = ''] of text.matchAll(WORDS))
      if (sign !== undefined || by === 'user')
        // An agent numbers its own findings so as well: `issue #4`.
        note(kind, number, null, by === 'user' || !/^issue$/i.test(kind))
    for (const [, kind = '', number = ''] of text.matchAll(COMMAND)) note(kind, number, null)
  }
  return {
    /** Of an agent nothing in code counts, which may be an example, and no `PR 12` without a sign, which may be a label. */
    hear(text: string, by: 'user' | 'agent') {
      read(by === 'agent' ? withoutFences(text).join('\n') : text, by)
      if (by === 'user' && heard.length > 0) asked = [...new Set(heard.reverse())].slice(0, MAX_ASKED)
    },
    /** A command line that ended well, and its output. */
    ran(command: string, output: string) {
      read(command, 'agent')
      if (/\bgh (?:pr|issue) create\b|\bgit push\b/.test(command)) read(output, 'agent')
      for (const [line, kind = '', verb = '', told] of command.matchAll(GH)) {
        const said = verb === 'view' ? SAID_STATE.exec(output) : null
        const state = STATES[verb] ?? (said?.[1] ?? said?.[2])?.toLowerCase()
        const number = told ?? numberIn(output)
        // What is to be merged once its checks pass is open until then.
        if (state === undefined || number === undefined || line.includes(' --auto')) continue
        const about = note(kind, number, null)
        found.set(about.name, { ...about, state })
      }
    },
    /** The newest, and first those of the person's last request that named any: an agent names many in passing. */
    latest(count: number): Reference[] {
      const told = [...found.values()].filter(({ name }) => proven.has(name)).reverse()
      const first = asked.flatMap((name) => told.find((one) => one.name === name) ?? [])
      return [...new Set([...first, ...told])].slice(0, count)
    },
  }
}
/** The number an output is about: a description in it may name others. */
const numberIn = (output: string): string | undefined =>
  /(?:\/(?:pull|issues)\/|^number:\s*|"number":\s*)(\d+)/m.exec(output)?.[1] ?? /#(\d+)/.exec(output)?.[1]
