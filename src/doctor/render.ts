import { plural } from '../text/count.ts'
import { wrapText } from '../text/rows.ts'
import type { Finding } from './checks.ts'
import type { AgentFacts, gatherFacts } from './read-facts.ts'

/** What the screen shows. */
export interface Screen {
  findings: readonly Finding[]
  version: string
  /** Top of the repository; null where there is none. */
  root: string | null
  /** Commands are for the top, and one is not there. */
  isElsewhere: boolean
  agents: readonly AgentFacts[]
  config: Awaited<ReturnType<typeof gatherFacts>>['config']
  /** Also what is well, and every key. */
  isVerbose: boolean
  /** Columns. */
  width: number
}

/** Columns of the screen, where there are as many. */
export const WIDTH = 80

const INDENT = '         '

/** The whole screen, worst first. */
export function renderDoctor(screen: Screen): string {
  const { findings, version, root, isElsewhere, isVerbose, width } = screen
  const say = (text: string): string[] => wrapText(text, width)
  const of = (level: Finding['level']) => findings.filter((one) => one.level === level)
  const counts = (['error', 'warning', 'ok'] as const).flatMap((level) => {
    const { length } = of(level)
    return length === 0 ? [] : plural(length, level === 'ok' ? 'check' : level)
  })
  const problems = [...of('error'), ...of('warning')].flatMap((one) => [
    '',
    ...headed(one, width),
    ...wrapText(one.detail, width, INDENT),
    // Copied as it is: a command is never broken over lines.
    ...(one.fix === null ? [] : [`${INDENT}$ ${one.fix}`]),
  ])
  return [
    ...say(`handoff ${version}: ${counts.join(', ')} passed`),
    ...(isElsewhere ? say(`Commands are for ${root}.`) : []),
    ...problems,
    ...(isVerbose ? ['', ...of('ok').flatMap((one) => headed(one, width))] : []),
    ...(root === null ? ['', ...say('Not a Git repository: what needs one was not checked.')] : []),
    ...['', ...agentLines(screen)],
    ...['', ...configLines(screen)],
  ].join('\n')
}

/** The title beside its level in the margin. */
function headed({ id, level, title }: Finding, width: number): string[] {
  const [first = '', ...rest] = wrapText(`${title} [${id}]`, width, INDENT)
  return [`${level.padEnd(INDENT.length)}${first.trimStart()}`, ...rest]
}

/** Those that are here, or were; the others are named in a line. */
function agentLines({ agents, width }: Screen): string[] {
  const here = agents.filter((one) => one.program !== null || one.hasRun || (one.sessions ?? 0) > 0)
  const absent = agents.filter((one) => !here.includes(one)).map(({ label }) => label)
  const rows = here.map((one) => [
    one.label,
    one.program === null ? 'not on PATH' : '',
    sessionsOf(one),
    setupOf(one),
  ])
  const widths = [0, 1, 2, 3].map((at) => Math.max(0, ...rows.map((row) => row[at]?.length ?? 0)))
  return [
    'Agents',
    ...rows.map((row) => `  ${row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join('  ')}`.trimEnd()),
    ...(absent.length === 0 ? [] : wrapText(`Not found: ${absent.join(', ')}.`, width, '  ')),
  ]
}

function sessionsOf({ sessions, hasRun }: AgentFacts): string {
  if (sessions === null) return hasRun ? 'has run' : 'never ran'
  return sessions === 0 ? 'no session here' : `${plural(sessions, 'session')} here`
}

function setupOf({ setup, trust }: AgentFacts): string {
  if (setup === null) return ''
  if (setup.state === 'none') return 'not set up'
  const state = setup.state === 'done' ? 'set up' : 'set-up incomplete'
  return trust !== null && (!trust.folder || trust.waiting.length > 0) ? `${state}, not trusted` : state
}

function configLines({ config, isVerbose, width }: Screen): string[] {
  const shown = isVerbose ? config : config.filter(({ from }) => from !== 'default')
  const some = shown.length === 0 ? ': only defaults' : ' that is not the default'
  return [
    ...wrapText(`Configuration${isVerbose ? '' : `${some} (--verbose lists all)`}`, width),
    ...shown.map(({ key, value, from }) => `  ${key} = ${JSON.stringify(value)}  (${from})`),
  ]
}
