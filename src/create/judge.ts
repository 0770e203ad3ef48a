import { briefPath } from '../brief/id.ts'
import type { Invocation } from '../command.ts'
import { briefRefused } from '../errors/writing.ts'
import type { Finding } from '../types/checks.ts'
import { type Facts, validateBrief } from '../validate/validate-brief.ts'
import { privateNames } from '../workspace/input-secrets.ts'
import { oddNames } from '../workspace/outside-paths.ts'
import type { Built } from './compose.ts'
import type { Input } from './gather.ts'

/** The finished text against every rule; what is committed is what was judged. */
export async function judge(invocation: Invocation, input: Input, built: Built): Promise<Finding[]> {
  const { request, git, config, scanner, current } = input
  const { meta, files } = built.brief
  const path = briefPath(meta.id, meta.goal)
  const listed = new Set(files.map((file) => file.path))
  const briefs = new Map([[meta.id, path]])
  for (const one of current === null ? [] : [current, ...(current.beside ?? [])]) briefs.set(one.id, one.path)
  const facts: Facts = {
    path,
    briefs,
    oddNames: await oddNames(files, git, scanner),
    knownFiles: git === null ? null : { has: (name) => listed.has(name) || git.files.has(name) },
    ...privateNames(invocation, git?.identity.name ?? ''),
    secrets: await scanner.find(built.text),
    goal: meta.goal,
    made: built.brief,
    tokens: meta.tokens,
    config,
  }
  return validateBrief(built.text, facts, { mode: request.mode, force: request.force === true })
}

/** Holds the finished text against every rule; warnings are said. Throws `briefRefused`. */
export async function refuseWrong(invocation: Invocation, input: Input, built: Built): Promise<void> {
  const { out } = invocation
  const findings = await judge(invocation, input, built)
  const replaced = [...built.text.matchAll(/\[REDACTED:([\w-]+)\]/g)].map(([, rule]) => rule)
  for (const rule of new Set(replaced))
    out.warn(`${replaced.filter((one) => one === rule).length} secret(s) replaced: ${rule}`)
  for (const text of warningsOf(findings)) out.warn(text)
  refuse(findings)
}

/** One text for what a rule says of any number of lines. */
export function warningsOf(findings: readonly Finding[]): string[] {
  const found = findings.filter(({ level }) => level === 'warning')
  const same = (one: Finding): Finding[] =>
    found.filter(({ rule, message }) => rule === one.rule && message === one.message)
  const texts = found.map((one) => {
    const lines = same(one).flatMap(({ line }) => (line > 1 ? [line] : []))
    const where = lines.length === 0 ? '' : `, ${lines.length > 1 ? 'lines' : 'line'} ${lines.join(', ')}`
    const refused = one.refused ? '; `git handoff check` refuses the brief for it' : ''
    return `${one.rule}${where}: ${one.message}${refused}`
  })
  return [...new Set(texts)]
}

/** Throws `briefRefused` where one of the findings is an error. */
export function refuse(findings: readonly Finding[]): void {
  const errors = findings.filter(({ level }) => level === 'error')
  if (errors.length > 0)
    throw briefRefused(errors.map(({ rule, line, message }) => `  ${rule}, line ${line}: ${message}`))
}
