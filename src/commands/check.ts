import type { Command } from 'commander'
import { idOfPath } from '../brief/id.ts'
import { estimateTokens, measured } from '../brief/tokens.ts'
import { usage } from '../errors.ts'
import type { Repo } from '../git/open-repo.ts'
import type { Scanner } from '../secrets/scanner.ts'
import { shortSha } from '../text/count.ts'
import { exactLine } from '../text/safe-text.ts'
import type { Config, Finding } from '../types.ts'
import { validateBrief } from '../validate/validate-brief.ts'
import { FORMATS, type Format, formats } from './check-formats.ts'
import { type Subject, type Subjects, subjectsOf } from './check-subjects.ts'
import { defaultRange } from './default-range.ts'
import { warnFullLatest } from './full-latest.ts'
import { openScanner } from './input-secrets.ts'
import { openOddNames } from './odd-names.ts'
import { people } from './people.ts'
import { type ChainNode, readChain, readTips } from './read-chain.ts'
import type { CheckResult } from './results.ts'
import type { CommandModule, Invocation } from './table.ts'
import { openWorkspace } from './workspace.ts'

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

/** What is listed, of one brief and in all; everything is counted. Code scanning of GitHub shows 5,000 results. */
const MOST = { perBrief: 100, all: 5000 }

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
  await warnFullLatest(invocation, repo, loaded.config)
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

interface Judged {
  /** The first of them. */
  findings: Finding[]
  errors: number
  warnings: number
}

interface Measure {
  config: Config
  scanner: Scanner
}

async function judgeAll(
  invocation: Invocation,
  repo: Repo,
  measure: Measure,
  { paths, read }: Subjects,
  options: { mode: 'strict' | 'permissive'; force: boolean },
): Promise<Judged> {
  const judged: Judged = { findings: [], errors: 0, warnings: 0 }
  const judge = await openJudge(invocation, repo, measure, paths, options)
  for await (const subject of read()) {
    const all = await judge(subject)
    const errors = all.filter(({ level }) => level === 'error').length
    judged.errors += errors
    judged.warnings += all.length - errors
    judged.findings.push(...all.slice(0, Math.min(MOST.perBrief, MOST.all - judged.findings.length)))
  }
  return judged
}

/** What one brief is judged by is read once. */
async function openJudge(
  invocation: Invocation,
  repo: Repo,
  { config, scanner }: Measure,
  paths: readonly string[],
  options: { mode: 'strict' | 'permissive'; force: boolean },
): Promise<(subject: Subject) => Promise<Finding[]>> {
  if (paths.length === 0) return async ({ path, problem }) => problemOf(path, problem)
  const [tips, name] = await Promise.all([
    readTips(repo),
    repo.git(['config', '--get', 'user.name'], { answers: [1] }),
  ])
  const known = new Map(tips.map(({ id, parent, path }) => [id, { parent, path }]))
  // Those that no commit holds yet may name each other.
  for (const path of paths) {
    const id = idOfPath(path)
    if (id !== null && !known.has(id)) known.set(id, { parent: null, path })
  }
  const oddNamesIn = openOddNames(repo)
  // What left every tree is found only by a walk through history, which most briefs do not need.
  let past: Promise<ChainNode[]> | undefined
  const addPast = async (): Promise<void> => {
    past ??= readChain(repo, { all: true })
    for (const { id, parent, path } of await past) if (!known.has(id)) known.set(id, { parent, path })
  }
  return async ({ path, text, problem, isEdited, goneFrom }) => {
    const findings = problemOf(path, problem)
    if (text === null) return findings
    const parent = parentIn(text)
    if (parent !== null && !known.has(parent)) await addPast()
    const id = idOfPath(path)
    const own = id === null ? undefined : known.get(id)
    if (own?.path === path && own.parent === null) own.parent = parent
    const facts = {
      path,
      briefs: known,
      isEdited,
      // What this clone cannot know (ignored files, other machines) is no reason to refuse a brief.
      knownFiles: null,
      ...people(invocation, name.trim()),
      secrets: await scanner.find(text),
      tokens: estimateTokens(measured(text)),
      config,
    }
    const first = validateBrief(text, facts, options)
    const isOdd = first.some(({ rule }) => rule === 'unnamed-files')
    const all = isOdd
      ? validateBrief(text, { ...facts, oddNames: await oddNamesIn(text, path) }, options)
      : first
    if (problem === null && goneFrom === null) return all
    // Of what cannot be a brief, or is one no more, this alone cannot be mended by a later commit.
    const where = goneFrom === null ? '' : ` (only in history, commit ${shortSha(goneFrom)})`
    const secrets = all.filter(({ rule }) => rule === 'secrets')
    return [...findings, ...secrets.map((one) => ({ ...one, message: one.message + where }))]
  }
}

const problemOf = (path: string, problem: Subject['problem']): Finding[] =>
  problem === null ? [] : [{ ...problem, level: 'error', path, line: 1 }]

const parentIn = (text: string): string | null =>
  /^parent: ["']?(\d{8}T\d{6}-[0-9a-f]{8})["']?$/m.exec(text)?.[1] ?? null
