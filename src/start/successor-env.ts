import { isSecretVariable } from '../secrets/variable.ts'

/** Where git works is the caller's business; a hook's index would be committed from. What is loaded into our Node is not for theirs. */
const OURS = /^(?:GIT_|NODE_OPTIONS$)/i

/**
 * The environment of a started agent: that of the caller without secrets, without variables of git and of our Node, and without
 * `marks`, by which agents know that another one called; but with what `pass` names, where a trailing `*` stands for
 * any ending. A mark is never passed.
 */
export function successorEnv(
  env: Readonly<Record<string, string | undefined>>,
  pass: readonly string[],
  marks: readonly string[],
): Record<string, string> {
  const isMark = matcher(marks)
  const isPassed = matcher(pass)
  const entries = Object.entries(env).filter((entry): entry is [string, string] => {
    const [name, value] = entry
    if (value === undefined || isMark(name)) return false
    return isPassed(name) || !(OURS.test(name) || isSecretVariable(name, value))
  })
  return Object.fromEntries(entries)
}

function matcher(patterns: readonly string[]): (name: string) => boolean {
  const names = new Set(patterns)
  const beginnings = patterns.filter((one) => one.endsWith('*')).map((one) => one.slice(0, -1))
  return (name) => names.has(name) || beginnings.some((beginning) => name.startsWith(beginning))
}
