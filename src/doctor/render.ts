import { plural } from '../text/count.ts'
import { wrapText } from '../text/rows.ts'
import { ableWords, sourceWords } from './able.ts'
import type { Diagnosis, Finding } from './diagnose.ts'
import type { AgentFacts } from './read-agents.ts'
import type { ConfigRow } from './read-config.ts'

/** What the screen shows besides the findings. */
export interface Screen extends Diagnosis {
  version: string
  /** Commands are for this folder; null when one is there. */
  root: string | null
  agents: readonly AgentFacts[]
  config: readonly ConfigRow[]
  /** Also what is well, and every key. */
  isVerbose: boolean
  /** Columns. */
  width: number
}

/** Columns of the screens of `doctor`, where there are as many. */
export const WIDTH = 80

const INDENT = '         '

/** The whole screen, worst first. */
export const renderDoctor = (screen: Screen): string =>
  [
    ...headOf(screen),
    ...(screen.root === null ? [] : wrapText(`Commands are for ${screen.root}.`, screen.width)),
    ...screen.findings.flatMap((one) => (one.level === 'ok' ? [] : ['', ...problem(one, screen.width)])),
    ...(screen.isVerbose ? wellOf(screen) : []),
    ...leftOut(screen),
    '',
    ...agentsOf(screen),
    '',
    ...configOf(screen),
  ].join('\n')

function headOf({ version, findings, width }: Screen): string[] {
  const of = (level: Finding['level'], name: string): string => {
    const { length } = findings.filter((one) => one.level === level)
    return length === 0 ? '' : plural(length, name)
  }
  const parts = [of('error', 'error'), of('warning', 'warning'), `${of('ok', 'check')} passed`]
  return wrapText(`handoff ${version}: ${parts.filter((text) => text !== '').join(', ')}`, width)
}

const problem = ({ id, level, title, detail, fix }: Finding, width: number): string[] => [
  ...headed(level, `${title} [${id}]`, width),
  ...wrapText(detail, width, INDENT),
  // Copied as it is: a command is never broken over lines.
  ...(fix === null ? [] : [`${INDENT}$ ${fix}`]),
]

const wellOf = ({ findings, width }: Screen): string[] => [
  '',
  ...findings
    .filter(({ level }) => level === 'ok')
    .flatMap(({ id, title, detail }) =>
      headed('ok', `${title}${detail === '' ? '' : `: ${detail}`} [${id}]`, width),
    ),
]

/** A text beside a word in the margin. */
function headed(margin: string, text: string, width: number): string[] {
  const [first = '', ...rest] = wrapText(text, width, INDENT)
  return [`${margin.padEnd(INDENT.length)}${first.trimStart()}`, ...rest]
}

function leftOut({ leftOut: all, isVerbose, width }: Screen): string[] {
  const ids = (why: string): string => all.flatMap((one) => (one.why === why ? [one.id] : [])).join(', ')
  const [outside, idle] = [ids('repository'), ids('idle')]
  return [
    ...(outside === ''
      ? []
      : ['', ...wrapText(`Skipped, because this is not a Git repository: ${outside}.`, width)]),
    ...(idle === '' || !isVerbose
      ? []
      : ['', ...wrapText(`Skipped, because there is nothing to check: ${idle}.`, width)]),
  ]
}

/** Those that are here, or were; the others are named in a line. */
function agentsOf({ agents, isVerbose, width: columns }: Screen): string[] {
  const here = agents.filter((one) => one.program !== null || one.hasRun || (one.sessions ?? 0) > 0)
  const absent = agents.filter((one) => !here.includes(one)).map(({ label }) => label)
  const rows = here.map((one) => [one.label, one.version ?? one.why ?? '', sessionsOf(one), setupOf(one)])
  const width = (column: number): number => Math.max(0, ...rows.map((row) => row[column]?.length ?? 0))
  const lines = rows.map((row) =>
    `  ${row.map((cell, at) => (at === row.length - 1 ? cell : cell.padEnd(width(at)))).join('  ')}`.trimEnd(),
  )
  return [
    'Agents',
    ...lines,
    ...(isVerbose ? agents.flatMap(aboutOf) : []),
    ...(absent.length === 0 ? [] : wrapText(`Not found: ${absent.join(', ')}.`, columns, '  ')),
  ]
}

/** What can be done with an agent, from what its reader was written, and what of its sessions is left out. */
const aboutOf = ({ label, able, basis, leftOut }: AgentFacts): string[] => [
  `  ${label}: ${ableWords(able).join(', ')}; ${basis.of}; ${sourceWords(basis)}`,
  ...leftOut.map((text) => `    ${text}`),
]

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

function configOf({ config, isVerbose, width }: Screen): string[] {
  const said = config.filter(({ from }) => from !== 'default')
  const shown = isVerbose ? config : said
  const rows = shown.map(
    ({ key, value, from, only }) =>
      `  ${key} = ${JSON.stringify(value)}  (${from}${only === undefined ? '' : '; sessions of Pi alone'})`,
  )
  if (isVerbose) return ['Configuration', ...rows]
  if (said.length === 0) return wrapText('Configuration: only defaults (--verbose lists all)', width)
  return [...wrapText('Configuration that is not the default (--verbose lists all)', width), ...rows]
}
