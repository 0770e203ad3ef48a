import type { Command } from 'commander'
import type { CommandModule } from '../command.ts'
import { usage } from '../errors/usage.ts'
import { codeQuality, githubAnnotations, githubNotice, sarifLog } from '../output/finding-formats.ts'
import { type CheckRequest, checkBriefs, checkLines, LEVELS, MODES } from '../review/check-briefs.ts'
import type { Finding } from '../types/checks.ts'
import { rules } from '../validate/validate-brief.ts'

interface Report {
  findings: readonly Finding[]
  version: string
  /** What else is to be known, as that findings were left out. */
  notes: readonly string[]
}

const formats = {
  github: ({ findings, notes }: Report): string =>
    githubAnnotations(findings) + notes.map((note) => githubNotice(note)).join(''),
  gitlab: ({ findings }: Report): string => codeQuality(findings),
  sarif: ({ findings, version, notes }: Report): string => sarifLog({ findings, rules, version, notes }),
} as const

type Format = 'text' | keyof typeof formats

const FORMATS = ['text', ...Object.keys(formats)] as readonly Format[]

export function define(command: Command): void {
  command
    .argument('[paths...]', 'briefs or folders, or `-`; default: the work tree')
    .option('--staged', 'also the staged briefs')
    .option('--range [a..b]', 'the briefs of these commits; alone: of the pull request or branch')
    .addOption(
      command
        .createOption('--format <format>', 'text, github (annotations), gitlab (code quality) or sarif')
        .choices(FORMATS)
        .default('text'),
    )
    .addOption(command.createOption('--mode <mode>', 'strict or permissive').choices(MODES).default('strict'))
    .option('--force', 'allow an oversized or incomplete brief')
    .addOption(
      command
        .createOption('--fail-on <level>', 'exit 1 at: error, warning (or worse), never')
        .choices(LEVELS)
        .default('error'),
    )
    .addHelpText('after', HELP)
}

const HELP = `
Checks the rules in docs/spec/brief-v1.md. Exit code 1: an error.

--range a..b checks every brief that a commit of the range adds; a...b starts at the merge base. A brief that the range removes again
is only searched for secrets.

Example:
  handoff check --range origin/main..HEAD`

export const run: CommandModule['run'] = async (invocation, paths, options) => {
  const { out, version } = invocation
  // None other comes through `choices`.
  const { range, mode, failOn, format } = options as Pick<CheckRequest, 'range' | 'mode' | 'failOn'> & {
    format: Format
  }
  if (out.json && format !== 'text')
    throw usage(
      '--json and --format exclude each other.',
      'Choose one; `--json` is the format of handoff itself.',
    )
  const [staged, force] = [options.staged === true, options.force === true]
  const outcome = await checkBriefs(invocation, { paths, staged, range, mode, force, failOn })
  const { result } = outcome
  const { lines, end } = checkLines(outcome)
  if (format === 'text') out.prose([...lines, ...end].join('\n'), result)
  else {
    const notes = [...out.warnings, ...end.slice(0, -1)]
    out.raw(formats[format]({ findings: result.findings, version, notes }))
    for (const line of end) out.say(line)
  }
  return result.ok ? 0 : 1
}
