import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { Command } from 'commander'
import type { CommandModule, Invocation } from '../command.ts'
import { orNull, reasonOf } from '../errors/handoff-error.ts'
import { usage } from '../errors/usage.ts'
import { runProgram } from '../model/program.ts'
import { plural } from '../text/count.ts'
import { packageFolder } from '../workspace/find-program.ts'

/** What docs/conformance/<name>.json says of <name>.txt; docs/brief-v1.md describes both. */
interface Case {
  about: string
  /** Texts that replace a word of the brief, each joined from its parts. */
  parts?: Record<string, string[]>
  /** Every rule that is broken, with its level. */
  findings: { rule: string; level: 'error' | 'warning' }[]
  /** Keys of the brief and their values; null: it cannot be read. */
  brief: Record<string, unknown> | null
}

interface Verdict {
  name: string
  about: string
  deviations: string[]
}

export function define(command: Command): void {
  command
    .argument('<command...>', 'program and arguments that read briefs')
    .addHelpText('after', '\nExample:\n  handoff conformance handoff')
}

export const run: CommandModule['run'] = async ({ out, place }, command) => {
  const folder = join(packageFolder(), 'docs', 'conformance')
  const cases: Verdict[] = []
  for (const name of readdirSync(folder).filter((file) => file.endsWith('.json'))) {
    const expected = JSON.parse(readFileSync(join(folder, name), 'utf8')) as Case
    const text = readFileSync(join(folder, name.replace(/json$/, 'txt')), 'utf8')
    const deviations = await deviationsOf(place, command, expected, withParts(text, expected.parts))
    cases.push({ name: name.replace(/\.json$/, ''), about: expected.about, deviations })
  }
  const failed = cases.filter(({ deviations }) => deviations.length > 0)
  const lines = failed.flatMap(({ name, about, deviations }) => [
    `${name}: ${about}`,
    ...deviations.map((line) => `  ${line}`),
  ])
  const end = `${plural(cases.length, 'case')}, ${failed.length === 0 ? 'all' : cases.length - failed.length} as expected`
  const result = { ok: failed.length === 0, cases, warnings: out.warnings }
  out.result([...lines, end].join('\n'), result)
  return failed.length === 0 ? 0 : 1
}

const withParts = (text: string, parts: Case['parts'] = {}): string =>
  Object.entries(parts).reduce((all, [word, list]) => all.replaceAll(word, list.join('')), text)

/** Asks the program to check and to read one brief. Throws when it cannot be started. */
async function deviationsOf(
  place: Invocation['place'],
  [file = '', ...args]: readonly string[],
  { findings, brief }: Case,
  text: string,
): Promise<string[]> {
  const ask = async (verb: string) => {
    const asked = { file, args: [...args, verb, '--json', '-'], stdin: text, cwd: place.root }
    const signal = place.signal ? { signal: place.signal } : {}
    const { exit, stdout } = await runProgram({ ...asked, ...signal }).catch((error: unknown) => {
      place.signal?.throwIfAborted()
      throw usage(
        `${file} cannot be started: ${reasonOf(error)}`,
        'Name a program that reads briefs, and its arguments.',
      )
    })
    return { exit, answer: objectIn(stdout) }
  }
  const [checked, shown] = await Promise.all([ask('check'), ask('show')])
  if (checked.answer === null || shown.answer === null)
    return ['`check` and `show` must print one JSON object on standard output']
  const found = Array.isArray(checked.answer.findings) ? checked.answer.findings : []
  const told = (list: Case['findings']) => [...new Set(list.map(({ rule, level }) => `${rule} (${level})`))]
  const [wanted, got] = [told(findings), told(found)]
  const fails = findings.some(({ level }) => level === 'error')
  return [
    ...wanted.filter((one) => !got.includes(one)).map((one) => `check: missing ${one}`),
    ...got.filter((one) => !wanted.includes(one)).map((one) => `check: unexpected ${one}`),
    ...(checked.exit === (fails ? 1 : 0) ? [] : [`check: exit code ${checked.exit}, not ${fails ? 1 : 0}`]),
    ...(brief === null
      ? shown.exit === 0
        ? ['show: exit code 0, though this is no brief']
        : []
      : differences('brief', brief, shown.answer.brief)),
  ]
}

function objectIn(text: string): Record<string, unknown> | null {
  const value: unknown = orNull(() => JSON.parse(text))
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null
}

/** Where a value is not as expected. More keys than expected are no difference. */
function differences(at: string, expected: unknown, got: unknown): string[] {
  if (isDeepStrictEqual(expected, got)) return []
  const isObject = (value: unknown): value is Record<string, unknown> =>
    typeof value === 'object' && value !== null
  const isSameKind = isObject(expected) && isObject(got) && Array.isArray(expected) === Array.isArray(got)
  if (!isSameKind || (Array.isArray(expected) && expected.length !== got.length))
    return [`show: ${at} is ${JSON.stringify(got)}, not ${JSON.stringify(expected)}`]
  return Object.entries(expected).flatMap(([key, value]) => differences(`${at}.${key}`, value, got[key]))
}
