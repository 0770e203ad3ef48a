import type { CommandFact } from '../types.ts'
import { type ItemLine, isSource, label, originOf, readLabel } from './items.ts'
import { codeSpan, exactLines, fenced, readCodeSpan } from './safe-text.ts'

const KINDS: ReadonlySet<string> = new Set(['build', 'test', 'lint', 'run', 'git', 'deploy', 'install'])

/** Each command, then one line per tool for the kinds that were used: "git here: `git add` (4), `git push`". */
export function renderCommands(facts: readonly CommandFact[]): string[] {
  const habits = new Map<string, string[]>()
  for (const fact of facts) {
    const { command, runs, habit } = fact
    if (!habit) continue
    const tool = command.split(' ', 1)[0] ?? ''
    const key = `${tool}${label('transcript', fact)}`
    const shown = `${codeSpan(command)}${runs > 1 ? ` (${runs})` : ''}`
    habits.set(key, [...(habits.get(key) ?? []), shown])
  }
  return [
    ...facts.filter((fact) => !fact.habit).flatMap(renderCommand),
    ...[...habits].map(([key, kinds]) => {
      const at = key.indexOf(' [')
      return `- ${key.slice(0, at)} here: ${kinds.join(', ')}${key.slice(at)}`
    }),
  ]
}

/** One line, or a fenced block below the line when the command itself has several. */
function renderCommand(fact: CommandFact): string[] {
  const exit = fact.exitCode === null ? '' : ` (exit ${fact.exitCode})`
  const words = [
    fact.outcome === 'ok' ? 'ok' : fact.outcome === 'failed' ? `failed${exit}` : 'outcome unknown',
    ...(fact.kind === 'other' ? [] : [fact.kind]),
    ...(fact.runs > 1 ? [`${fact.runs} runs`] : []),
    ...(fact.cwd === null ? [] : [`in ${codeSpan(fact.cwd)}`]),
  ].join(', ')
  const command = exactLines(fact.command)
  const end = label(fact.mark === undefined ? fact.source : `${fact.mark}; ${fact.source}`, fact)
  if (!command.includes('\n')) return [`- ${codeSpan(command)} — ${words}${end}`]
  return [`- ${words}${end}`, ...fenced(command, 'sh', '  ')]
}

/** The commands of one item: one, or the kinds of one tool. */
export function readCommands(item: ItemLine): CommandFact[] {
  const kinds = /^[\w.-]+ here: (`.*)$/.exec(item.text)?.[1]
  if (kinds === undefined) return [readCommand(item) ?? []].flat()
  const facts: CommandFact[] = []
  const origin = originOf(readLabel(item.text))
  for (let span = readCodeSpan(kinds); span !== null; ) {
    const [, runs = '1', rest = ''] = /^(?: \((\d{1,9})\))?(?:, )?(.*)$/s.exec(span.rest) ?? []
    facts.push({ ...HABIT, command: span.code, runs: Number(runs), ...origin })
    span = readCodeSpan(rest)
  }
  return facts
}

const HABIT = {
  outcome: 'unknown',
  exitCode: null,
  cwd: null,
  kind: 'git',
  source: 'transcript',
  at: null,
  habit: true,
} as const

function readCommand({ text, block }: ItemLine): CommandFact | null {
  const span = readCodeSpan(text)
  const command = span?.code ?? block
  if (command === null) return null
  const read = readLabel(span === null ? text : span.rest.replace(/^ — /, ''))
  const [, mark, source = ''] = /^(?:(gone); )?(.*)$/.exec(read.label ?? '') ?? []
  const known = isSource(source)
  const words = known ? read.text : ''
  const inside = /,? in (`.*)$/.exec(words)
  const [outcome = '', ...rest] = words.slice(0, inside?.index ?? words.length).split(', ')
  const exit = /^failed \(exit (-?\d+)\)$/.exec(outcome)?.[1]
  const kind = rest.find((word) => KINDS.has(word))
  return {
    command,
    outcome: outcome === 'ok' ? 'ok' : outcome.startsWith('failed') ? 'failed' : 'unknown',
    exitCode: outcome === 'ok' ? 0 : exit === undefined ? null : Number(exit),
    cwd: inside === null ? null : (readCodeSpan(inside[1] ?? '')?.code ?? null),
    kind: (kind as CommandFact['kind'] | undefined) ?? 'other',
    runs: Number(rest.map((word) => /^(\d+) runs$/.exec(word)?.[1]).find((n) => n !== undefined) ?? 1),
    source: known ? source : 'user',
    at: null,
    ...(known && mark !== undefined ? { mark: 'gone' } : {}),
    ...(known ? originOf(read) : {}),
  }
}
