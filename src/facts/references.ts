import type { Reference } from '../types/evidence.ts'

/** An address, `PR #12`, and what `gh` was asked about. */
const NAMED =
  /(https?:\/\/(?!api\.)[\w.-]+\/[\w./-]*?\/(pull|issue|discussion|merge_request)s?\/(\d+))(?:#[\w-]+)?|\b(PR|MR|pull request|merge request|issue|discussion) ?[#!](\d{1,6})\b|\bgh (pr|issue) \w+ (\d{1,6})\b(?!>)/gi
const MARKS = ['#', '!', 'http', 'gh ']
const NAMES: Readonly<Record<string, string>> = { p: 'PR', m: 'MR', i: 'Issue', d: 'Discussion' }
const MAX_NAMED = 4
/** A longer text is a page or a log, which names many that the work is not about. */
const MAX_TEXT = 20_000

/** Pull requests, issues and discussions that a session names, with their address where one was seen. */
export function createReferences() {
  const found = new Map<string, Reference>()
  return {
    hear(text: string) {
      if (text.length > MAX_TEXT || !MARKS.some((mark) => text.includes(mark))) return
      for (const [, url, page, pageNumber, said, saidNumber, asked, askedNumber] of text.matchAll(NAMED)) {
        const kind = page ?? said ?? asked ?? ''
        const name = `${NAMES[kind.charAt(0).toLowerCase()]} #${pageNumber ?? saidNumber ?? askedNumber}`
        const held = found.get(name)
        found.delete(name)
        found.set(name, { name, url: url ?? held?.url ?? null })
      }
    },
    latest: (): Reference[] => [...found.values()].reverse().slice(0, MAX_NAMED),
  }
}
