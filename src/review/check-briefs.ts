import type { ChainNode } from '../brief/chain.ts'
import { briefPath, IDS, idOfPath } from '../brief/id.ts'
import { estimateTokens, measured } from '../brief/measure.ts'
import { parseBrief } from '../brief/parse.ts'
import { readChain, readTips } from '../briefs/read-chain.ts'
import type { CheckResult } from '../briefs/results.ts'
import { isApart } from '../briefs/save-brief.ts'
import { openTrust, UNTRUSTED } from '../briefs/trusted-among.ts'
import type { Invocation } from '../command.ts'
import { isHandoffError } from '../errors/handoff-error.ts'
import { usage } from '../errors/usage.ts'
import { blobId } from '../git/files.ts'
import type { Repo } from '../git/open-repo.ts'
import { readConfig } from '../git/settings.ts'
import type { Scanner } from '../secrets/scanner.ts'
import { plural, shortSha } from '../text/count.ts'
import { exactLine } from '../text/safe-text.ts'
import type { Finding } from '../types/checks.ts'
import type { Config } from '../types/config.ts'
import { type Facts, validateBrief } from '../validate/validate-brief.ts'
import { isAgent } from '../workspace/at-terminal.ts'
import { openScanner, privateNames } from '../workspace/input-secrets.ts'
import { openOddNames } from '../workspace/outside-paths.ts'
import { openAnywhere, openWorkspace } from '../workspace/workspace.ts'
import { isForeign, type Subject, subjectsOf } from './check-subjects.ts'
import { defaultRange } from './default-range.ts'

/** What options with choices take. */
export const MODES = ['strict', 'permissive'] as const
export const LEVELS = ['error', 'warning', 'never'] as const

export interface CheckRequest {
  /** Briefs or folders; without any, all of the work tree; `-` alone: the one on standard input. */
  paths: readonly string[]
  /** What the next commit would bring, besides the paths. */
  staged: boolean
  /** What the commits of `a..b` bring; true: those of the pull request or branch. */
  range: string | true | undefined
  mode: (typeof MODES)[number]
  /** Let size and missing sections pass. */
  force: boolean
  failOn: (typeof LEVELS)[number]
}

export interface CheckOutcome {
  result: CheckResult
  /** How many findings there are, listed or not. */
  errors: number
  warnings: number
}

/** Validates briefs; what is wrong with them is data. Throws `usage`, `noRange`, `badRevision` and what opening throws. */
export async function checkBriefs(invocation: Invocation, request: CheckRequest): Promise<CheckOutcome> {
  const { paths, staged } = request
  if (paths.includes('-')) return checkStdin(invocation, request)
  if (request.range !== undefined && (staged || paths.length > 0))
    throw usage('--range and --staged or paths exclude each other.', 'Choose one.')
  const { repo, loaded } = await openWorkspace(invocation, { isAnswer: true })
  const alone = request.range === true ? await defaultRange(repo) : null
  const range = request.range === true ? alone?.range : request.range
  const { place } = invocation
  const branch = alone?.branch ?? null
  const subjects = await subjectsOf(repo, { paths, cwd: place.root, staged, range: range ?? null, branch })
  const scanner = await openScanner(place, repo.root, loaded.config)
  const judge = await openJudge(invocation, repo, { config: loaded.config, scanner }, subjects.paths, request)
  const shown = await openShown(invocation, repo, range === undefined)
  const listed: Finding[] = []
  let [errors, warnings] = [0, 0]
  const end = place.now().getTime() + MOST.ms
  const seen = new Set<string>()
  for await (const subject of subjects.read()) {
    // Where briefs are kept on a branch of their own, `.handoff/` may be somebody else's.
    if (isApart(loaded.config.commit) && isForeign(subject)) continue
    // A pull request may bring what it likes, and its author must not hold the job for long.
    if (range !== undefined && (seen.size >= MOST.briefs || place.now().getTime() > end)) {
      listed.push(notChecked(subject.path, seen.size))
      errors++
      break
    }
    seen.add(subject.path)
    const all = await shown(subject, await judge(subject))
    for (const { level } of all)
      if (level === 'error') errors++
      else warnings++
    listed.push(...all.slice(0, Math.min(MOST.perBrief, MOST.all - listed.length)))
  }
  return outcomeOf(invocation, scanner, request, {
    ...{ listed, checked: subjects.paths.filter((path) => seen.has(path)), errors, warnings },
    ...(range === undefined ? {} : { range }),
  })
}

interface Found {
  listed: Finding[]
  checked: string[]
  errors: number
  warnings: number
  range?: string
}

async function outcomeOf(
  { out }: Invocation,
  scanner: Scanner,
  { failOn }: Pick<CheckRequest, 'failOn'>,
  { listed, checked, errors, warnings, range }: Found,
): Promise<CheckOutcome> {
  // The name of a file may be a key as well, and rules quote what they find.
  const { value } = await scanner.redact({ findings: listed, checked })
  const unlisted = errors + warnings - value.findings.length
  return {
    result: {
      ok: failOn === 'never' || (errors === 0 && (failOn === 'error' || warnings === 0)),
      checked: value.checked,
      findings: value.findings,
      ...(unlisted === 0 ? {} : { unlisted }),
      ...(range === undefined ? {} : { range }),
      warnings: out.warnings,
      errors: [],
    },
    errors,
    warnings,
  }
}

/** The brief on standard input, by the rules that need no repository: where its file lies and who its parents are is unknown. */
async function checkStdin(invocation: Invocation, request: CheckRequest): Promise<CheckOutcome> {
  const { paths, staged, range, failOn: _, ...options } = request
  if (paths.length > 1 || staged || range !== undefined)
    throw usage('`-` excludes paths, --staged and --range.', 'Give `-` alone.')
  const { root, loaded } = await openAnywhere(invocation)
  const { config } = loaded
  const text = await invocation.readStdin()
  const scanner = await openScanner(invocation.place, root, config)
  const briefs = new Map(parentsIn(text).map((id) => [id, '']))
  const known = { path: ownPath(text), briefs, home: null, userNames: [], config }
  const facts = await factsOf(text, scanner, known)
  const listed = validateBrief(text, facts, options).map((one) => ({ ...one, path: '-' }))
  const errors = listed.filter(({ level }) => level === 'error').length
  const found = { listed, checked: ['-'], errors, warnings: listed.length - errors }
  return outcomeOf(invocation, scanner, request, found)
}

/** Where a brief with this text would lie; a text that is no brief breaks other rules. */
function ownPath(text: string): string {
  try {
    const { id, goal, kind } = parseBrief(text, '-').meta
    return briefPath(id, goal, kind)
  } catch (error) {
    if (!isHandoffError(error)) throw error
    return '-'
  }
}

export function checkLines({ result, errors, warnings }: CheckOutcome): { lines: string[]; end: string[] } {
  const { findings, unlisted, checked } = result
  return {
    lines: findings.map(
      (f) => `${exactLine(f.path)}:${f.line}: ${f.level}: ${exactLine(f.message)} [${f.rule}]`,
    ),
    end: [
      ...(unlisted === undefined ? [] : [`${plural(unlisted, 'more finding')} not listed`]),
      `${plural(checked.length, 'brief')} checked, ${plural(errors, 'error')}, ${plural(warnings, 'warning')}`,
    ],
  }
}

/**
 * What is listed, of one brief and in all; everything is counted. Code scanning of GitHub shows 5,000 results. Of a range so many briefs are
 * judged, for so many ms.
 */
const MOST = { perBrief: 100, all: 5000, briefs: 1000, ms: 60_000 }

const notChecked = (path: string, done: number): Finding => ({
  ...{ level: 'error', rule: 'size', path, line: 1 },
  message: `not checked, nor what follows: a range ends after ${MOST.briefs} files or ${MOST.ms / 1000} s, here after ${plural(done, 'file')}. Check a shorter one`,
})

/** Rules quote what they find, and an agent reads no word of a brief that is not trusted. `isOwn`: see `openTrust`. */
async function openShown({ place }: Invocation, repo: Repo, isOwn: boolean) {
  const isTrusted = isAgent(place.env) ? await openTrust(repo, isOwn) : null
  return async ({ path, text }: Subject, all: Finding[]): Promise<Finding[]> => {
    if (isTrusted === null || text === null || all.length === 0) return all
    if (await isTrusted({ path, oid: blobId(repo, text) })) return all
    return all.map((one) => ({ ...one, message: UNTRUSTED }))
  }
}

/** What one brief is judged by is read once. */
async function openJudge(
  invocation: Invocation,
  repo: Repo,
  { config, scanner }: { config: Config; scanner: Scanner },
  paths: readonly string[],
  options: Pick<CheckRequest, 'mode' | 'force'>,
): Promise<(subject: Subject) => Promise<Finding[]>> {
  if (paths.length === 0) return async ({ path, problem }) => problemOf(path, problem)
  const [tips, { identity }] = await Promise.all([readTips(repo), readConfig(repo)])
  const known = new Map(tips.map(({ id, path }) => [id, path]))
  // Those that no commit holds yet may name each other.
  for (const path of paths) {
    const id = idOfPath(path)
    if (id !== null && !known.has(id)) known.set(id, path)
  }
  const oddNamesIn = openOddNames(repo)
  // What left every tree is found only by a walk through history, which most briefs do not need.
  let past: Promise<ChainNode[]> | undefined
  const addPast = async (): Promise<void> => {
    past ??= readChain(repo, { all: true })
    for (const { id, path } of await past) if (!known.has(id)) known.set(id, path)
  }
  return async ({ path, text, problem, isEdited, goneFrom }) => {
    const findings = problemOf(path, problem)
    if (text === null) return findings
    if (parentsIn(text).some((parent) => !known.has(parent))) await addPast()
    const names = privateNames(invocation, identity.name)
    const facts = await factsOf(text, scanner, { path, briefs: known, isEdited, ...names, config })
    let all = validateBrief(text, facts, options)
    if (all.some(({ rule }) => rule === 'unnamed-files'))
      all = validateBrief(text, { ...facts, oddNames: await oddNamesIn(text, path) }, options)
    if (problem === null && goneFrom === null) return all
    // Of what cannot be a brief, or is one no more, this alone cannot be mended by a later commit.
    const where = goneFrom === null ? '' : ` (only in history, commit ${shortSha(goneFrom)})`
    const secrets = all.filter(({ rule }) => rule === 'secrets')
    return [...findings, ...secrets.map((one) => ({ ...one, message: one.message + where }))]
  }
}

/** What this clone cannot know (ignored files, other machines) is no reason to refuse a brief. */
const factsOf = async (
  text: string,
  scanner: Scanner,
  known: Omit<Facts, 'knownFiles' | 'secrets' | 'tokens'>,
): Promise<Facts> => ({
  ...known,
  knownFiles: null,
  secrets: await scanner.find(text),
  tokens: estimateTokens(measured(text)),
})

const problemOf = (path: string, problem: Subject['problem']): Finding[] =>
  problem === null ? [] : [{ level: 'error', ...problem, path, line: 1 }]

/** Of a text that may be no brief. */
const parentsIn = (text: string): string[] =>
  /^(?:parents?: .*|parents:(?:\n *- .*)+)$/m.exec(text)?.[0].match(IDS) ?? []
