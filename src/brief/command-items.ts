import { codeSpan, exactLines, fenced, readCodeSpan } from '../text/safe-text.ts'
import type { CommandFact } from '../types/evidence.ts'
import { fromText, type ItemLine, isSource, label, originOf, readLabel } from './items.ts'

const KINDS: ReadonlySet<string> = new Set(['build', 'test', 'lint', 'run', 'git', 'deploy', 'install'])

/** One line, or a fenced block below the line when the command itself has several. */
export function renderCommand(fact: CommandFact): string[] {
  const exit = fact.exitCode === null ? '' : ` (exit ${fact.exitCode})`
  const words = [
    ...(fact.kind === 'other' ? [] : [fact.kind]),
    fact.outcome === 'ok' ? 'passed' : fact.outcome === 'failed' ? `failed${exit}` : '',
    ...(fact.cwd === null ? [] : [`in ${codeSpan(fact.cwd)}`]),
    ...(fact.mark === undefined ? [] : [GONE]),
  ]
    .filter((word) => word !== '')
    .join(', ')
  const command = exactLines(fact.command)
  const end = fact.source === 'transcript' ? fromText(fact) : label(fact.source, fact)
  if (!command.includes('\n')) return [`- ${codeSpan(command)}${words === '' ? '' : ` — ${words}`}${end}`]
  return [`- ${words}${end}`, ...fenced(command, 'sh', '  ')]
}

const GONE = 'no longer defined here'

export function readCommand({ text, block }: ItemLine): CommandFact | null {
  const span = readCodeSpan(text)
  const command = span?.code ?? block
  if (command === null) return null
  const read = readLabel(span === null ? text : span.rest.replace(/^ — /, ''))
  const isKnown = read.label === null || isSource(read.label.replace(/^gone; /, ''))
  const [told, folder] = isKnown ? (/^(.*?)(?:(?:^|, )in (`.*))?$/.exec(read.text)?.slice(1) ?? []) : []
  const inside = folder === undefined ? null : readCodeSpan(folder)
  const words = `${told ?? ''}${inside?.rest ?? ''}`.split(', ')
  const has = (word: string): boolean => words.includes(word)
  const failed = words.map((word) => /^failed(?: \(exit (-?\d+)\))?$/.exec(word)).find(Boolean)
  const isOk = has('passed') || has('ok')
  const label = read.label?.replace(/^gone; /, '')
  return {
    command,
    outcome: isOk ? 'ok' : failed ? 'failed' : 'unknown',
    exitCode: isOk ? 0 : failed?.[1] === undefined ? null : Number(failed[1]),
    cwd: inside?.code ?? null,
    kind: (words.find((word) => KINDS.has(word)) as CommandFact['kind'] | undefined) ?? 'other',
    runs: 1,
    source: label !== undefined && isSource(label) ? label : 'transcript',
    at: null,
    ...(has(GONE) || read.label?.startsWith('gone; ') ? { mark: 'gone' } : {}),
    ...originOf(read),
  }
}
