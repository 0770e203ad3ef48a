import { judgeAll } from '../review/check-briefs.ts'
import type { Command } from 'commander'
import { usage } from '../errors/usage.ts'
import { exactLine } from '../text/safe-text.ts'
import { FORMATS, type Format, formats } from '../review/check-formats.ts'
import { subjectsOf } from '../review/check-subjects.ts'
import { defaultRange } from '../review/default-range.ts'
import { openScanner } from '../workspace/input-secrets.ts'
import type { CheckResult } from '../briefs/results.ts'
import type { CommandModule } from '../command.ts'
import { openWorkspace } from '../workspace/workspace.ts'

const MODES = ['strict', 'permissive'] as const
const LEVELS = ['error', 'warning', 'never'] as const

export function define(command: Command): void {
  command
    .argument('[paths...]', 'briefs or folders to check; without any, all of the work tree')
    .option('--staged', 'what the next commit would bring')
    .option('--range [a..b]', 'what the commits of a range bring; alone, those of the pull request or branch')
    .addOption(
      command
        .createOption('--format <format>', 'text, github (annotations), gitlab (code quality) or sarif')
        .choices(FORMATS)
        .default('text'),
    )
    .addOption(command.createOption('--mode <mode>', 'strict or permissive').choices(MODES).default('strict'))
    .option('--force', 'let size and missing sections pass')
    .addOption(
      command
        .createOption('--fail-on <level>', 'exit 1 at: error, warning (or worse), never')
        .choices(LEVELS)
        .default('error'),
    )
    .addHelpText('after', '\nExample:\n  handoff check --range origin/main..HEAD')
}

export const run: CommandModule['run'] = async (invocation, args, options) => {
  const { out } = invocation
  const { mode, format, failOn } = readOptions(args, options, out.json)
  const { repo, loaded } = await openWorkspace(invocation)
  const alone = options.range === true ? await defaultRange(repo) : null
  const range = alone === null ? options.range : alone.range
  const subjects = await subjectsOf(repo, {
    paths: args,
    cwd: invocation.place.root,
    staged: options.staged === true,
    range: typeof range === 'string' ? range : null,
    branch: alone?.branch ?? null,
  })
  const scanner = await openScanner(invocation.place, repo.root, loaded.config)
  const judged = await judgeAll(invocation, repo, { config: loaded.config, scanner }, subjects, {
    mode,
    force: options.force === true,
  })
  const { errors, warnings } = judged
  // The name of a file may be a key as well, and rules quote what they find.
  const { value } = await scanner.redact({ findings: judged.findings, checked: subjects.paths })
  const { findings, checked } = value
  const unlisted = errors + warnings - findings.length
  const isFailed = failOn !== 'never' && (errors > 0 || (failOn === 'warning' && warnings > 0))
  const end = `${subjects.paths.length} brief(s) checked, ${errors} error(s), ${warnings} warning(s)`
  const more = unlisted === 0 ? [] : [`${unlisted} more finding(s) are not listed`]
  if (format !== 'text') {
    out.raw(formats[format]({ findings, version: invocation.version, notes: [...out.warnings, ...more] }))
    for (const line of [...more, end]) out.say(line)
  } else {
    const lines = findings.map(
      (f) => `${exactLine(f.path)}:${f.line}: ${f.level}: ${exactLine(f.message)} [${f.rule}]`,
    )
    out.prose([...lines, ...more, end].join('\n'), {
      ok: !isFailed,
      checked,
      findings,
      ...(unlisted === 0 ? {} : { unlisted }),
      ...(typeof range === 'string' ? { range } : {}),
      warnings: out.warnings,
      errors: [],
    } satisfies CheckResult)
  }
  return isFailed ? 1 : 0
}

function readOptions(args: readonly string[], options: Record<string, unknown>, isJson: boolean) {
  const ways = [args.length > 0, options.staged === true, options.range !== undefined].filter(Boolean)
  if (ways.length > 1) throw usage('Paths, --staged and --range exclude each other.', 'Choose one.')
  // None other comes through `choices`.
  const { mode, failOn, format } = options as {
    mode: (typeof MODES)[number]
    failOn: (typeof LEVELS)[number]
    format: Format
  }
  if (isJson && format !== 'text')
    throw usage(
      '--json and --format exclude each other.',
      'Choose one; `--json` is the format of handoff itself.',
    )
  return { mode, failOn, format }
}
