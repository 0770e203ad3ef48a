import { createHash } from 'node:crypto'
import type { TextFact } from '../types/evidence.ts'
import { openRecords } from './private.ts'

/** A rule that somebody pinned by hand: it goes into the next brief of its branch, and from there on as any other rule. */
interface PinnedRule {
  version: 1
  text: string
  at: string
  branch: string | null
  /** An agent called; else the person. */
  byAgent: boolean
  /** The brief that it went into, which finds it again when it is made once more. */
  briefId?: string
}

const records = openRecords<PinnedRule>(
  'rules',
  ({ version, text, at }) => version === 1 && typeof text === 'string' && typeof at === 'string',
)

const nameOf = ({ branch, text }: Pick<PinnedRule, 'branch' | 'text'>): string =>
  createHash('sha256')
    .update(`${branch ?? ''}\0${text}`)
    .digest('hex')
    .slice(0, 16)

/** Keeps a rule, or says that it is in force again. Returns the path. Throws `writeFailed`. */
export const pinRule = (commonDir: string, rule: Omit<PinnedRule, 'version'>): Promise<string> =>
  records.write(commonDir, nameOf(rule), { version: 1, ...rule })

/** The rules that wait for a brief of this branch, and those that went into the current one if it has the same goal, oldest first. */
export async function pinnedRules(
  repo: { commonDir: string } | null,
  branch: string | null,
  current: { id: string; parsed: { meta: { goal: string } } } | null = null,
  goal = '',
): Promise<TextFact[]> {
  if (repo === null) return []
  const briefId = current?.parsed.meta.goal === goal ? current.id : null
  const all = await records.list(repo.commonDir)
  return all
    .filter((rule) => rule.branch === branch && (rule.briefId === undefined || rule.briefId === briefId))
    .sort((a, b) => (a.at < b.at ? -1 : 1))
    .map(({ text, at, byAgent }) => ({ text, source: byAgent ? 'agent' : 'user', at }))
}

/** That brief has the rules of this branch from now on. Throws `writeFailed`. */
export async function useRules(commonDir: string, branch: string | null, briefId: string): Promise<void> {
  for (const rule of await records.list(commonDir))
    if (rule.branch === branch && rule.briefId === undefined)
      await records.write(commonDir, nameOf(rule), { ...rule, briefId })
}

/** The work of a branch was closed, and its rules with it. */
export async function endRules(commonDir: string, branch: string | null): Promise<void> {
  for (const rule of await records.list(commonDir))
    if (rule.branch === branch) await records.remove(commonDir, nameOf(rule))
}

/** Rules in a page: `# rule <text>`, and the items below such a heading without text. */
export function rulesIn(page: string): string[] {
  const rules: string[] = []
  let isBelow = false
  for (const line of page.split('\n')) {
    const heading = /^#{1,6}[ \t]+(?:rules?\b:?[ \t]*(.*)|.*)$/i.exec(line)
    if (heading !== null) {
      const text = heading[1]?.trim()
      isBelow = text === ''
      if (text) rules.push(text)
    } else if (isBelow && line.trim() !== '') rules.push(line.replace(/^\s*[-*+]\s+/, '').trim())
  }
  return rules
}
