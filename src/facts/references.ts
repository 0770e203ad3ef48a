import type { Reference } from '../types/evidence.ts'

const ADDRESS =
  /https?:\/\/(?!api\.)[\w.-]+\/[\w./-]*?\/(pull|pulls|issues|discussions|merge_requests)\/(\d+)(?:#[\w-]+)?/g
const NAMED =
  /\b(PR|MR|pull request|merge request|issue|discussion) ?[#!](\d{1,6})\b|\bgh (pr|issue) \w+ (\d{1,6})\b/gi
const NAMES: Readonly<Record<string, string>> = {
  ...{ pull: 'PR', pulls: 'PR', pr: 'PR', 'pull request': 'PR', issue: 'Issue', issues: 'Issue' },
  ...{
    mr: 'MR',
    merge_requests: 'MR',
    'merge request': 'MR',
    discussion: 'Discussion',
    discussions: 'Discussion',
  },
}
const MAX_TOLD = 4
/** A longer text is a page or a log, which names many that the work is not about. */
const LONGEST = 20_000

/** Pull requests, issues and discussions that a session names, with their address where one was seen. */
export function createReferences() {
  const found = new Map<string, Reference>()
  const note = (kind: string, number: string, url: string | null) => {
    const name = `${NAMES[kind.toLowerCase()] ?? kind} #${number}`
    const held = found.get(name)
    found.delete(name)
    found.set(name, { name, url: url ?? held?.url ?? null })
  }
  return {
    hear(text: string) {
      if (text.length > LONGEST || !/\d/.test(text)) return
      for (const [url, kind = '', number = ''] of text.matchAll(ADDRESS)) note(kind, number, url)
      for (const [, kind, number, command, told] of text.matchAll(NAMED))
        note(kind ?? command ?? '', number ?? told ?? '', null)
    },
    latest: (): Reference[] => [...found.values()].reverse().slice(0, MAX_TOLD),
  }
}
