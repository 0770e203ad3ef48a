import { idOfPath } from '../brief/id.ts'
import { estimateTokens, measured } from '../brief/measure.ts'
import type { Repo } from '../git/open-repo.ts'
import type { Scanner } from '../secrets/scanner.ts'
import { shortSha } from '../text/count.ts'
import type { Finding } from '../types/checks.ts'
import type { Config } from '../types/config.ts'
import { validateBrief } from '../validate/validate-brief.ts'
import type { Subject, Subjects } from './check-subjects.ts'
import { openOddNames } from '../workspace/outside-paths.ts'
import { privateNames } from '../workspace/input-secrets.ts'
import { type ChainNode, readChain, readTips } from '../briefs/read-chain.ts'
import type { Invocation } from '../command.ts'

/** What is listed, of one brief and in all; everything is counted. Code scanning of GitHub shows 5,000 results. */
const MOST = { perBrief: 100, all: 5000 }

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

export async function judgeAll(
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
      ...privateNames(invocation, name.trim()),
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
