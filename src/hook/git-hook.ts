import { readFile, writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { inHeadOf, readCurrent } from '../briefs/current.ts'
import { refreshInHook } from '../briefs/latest-file.ts'
import { verdictOn } from '../briefs/verdict.ts'
import type { ExitCode, Invocation } from '../command.ts'
import { loadConfig } from '../config/load.ts'
import { reasonOf } from '../errors/handoff-error.ts'
import { forOneAnswer, openRepo, type Repo } from '../git/open-repo.ts'
import { branchName, readHead, readRefs } from '../git/refs.ts'
import { type GitEventName, REFUSED } from '../hooks/runner.ts'
import { quietOutput } from '../output/output.ts'
import { processChain } from '../process-chain.ts'
import { type CheckRequest, checkBriefs, checkLines } from '../review/check-briefs.ts'
import { noteFailure } from '../store/journal.ts'
import { isOff } from '../store/private.ts'
import { clipLine } from '../text/safe-text.ts'
import { configOf } from '../workspace/workspace.ts'

/** Characters of the goal that a line in a terminal has room for. */
const GOAL = 100

type Answer = (invocation: Invocation, repo: Repo, args: readonly string[]) => Promise<ExitCode>

const ANSWERS: Record<GitEventName, Answer> = {
  'pre-commit': checkStaged,
  'prepare-commit-msg': offerTrailer,
  'post-checkout': (invocation, repo, [from, to]) => tellBrief(invocation, repo, from !== to),
  'post-merge': (invocation, repo) => tellBrief(invocation, repo, true),
  'post-rewrite': (invocation, repo, args) => tellBrief(invocation, repo, args.at(-1) !== NO_NEWS),
  'pre-push': checkPush,
}

/** What the runner puts behind the arguments of a rewrite that left every brief as it was. */
const NO_NEWS = 'no'

/**
 * One hook of git. It fails what the person does only for errors in briefs, where a check was asked for; whatever else goes wrong is
 * said in one line where a check is missing now, and else goes into the private journal. Never creates or stages anything.
 */
export async function runGitHook(
  invocation: Invocation,
  event: GitEventName,
  args: readonly string[],
): Promise<ExitCode> {
  const { place, out } = invocation
  if (place.env.HANDOFF === '0') return 0
  let repo: Repo | null = null
  try {
    repo = forOneAnswer(await openRepo(place.root, { env: place.env, signal: place.signal }))
    if (isOff(repo.commonDir)) return 0
    return await ANSWERS[event](invocation, repo, args)
  } catch (error) {
    if (event === 'pre-commit' || event === 'pre-push')
      out.say(
        `handoff: the briefs of this ${event.slice(4)} were not checked: ${clipLine(reasonOf(error), 300)}`,
      )
    else if (repo !== null) await noteFailure(invocation, repo, ['git', event], error)
    return 0
  }
}

/** Brings the copy in `latest.md` up to date and says in one line which brief is open here; `isNews` false: only what somebody must know. */
async function tellBrief(invocation: Invocation, repo: Repo, isNews: boolean): Promise<ExitCode> {
  // A configuration that cannot be read is told by every command.
  const loaded = await loadConfig(invocation.place, { root: repo.root, flags: {} }).catch(() => null)
  repo.trunks = loaded?.config.trunk ?? []
  const brief = await readCurrent(repo)
  const told = await refreshInHook(invocation, repo, brief)
  const parts: string[] = []
  if (isNews && brief !== null) {
    const { trusted } = await verdictOn(repo, brief, inHeadOf(brief))
    parts.push(
      trusted
        ? `brief ${brief.id} is open here: ${clipLine(brief.parsed.meta.goal, GOAL)}`
        : `brief ${brief.id} is here and not trusted; after reading it, run \`git handoff trust ${brief.id}\``,
    )
  }
  if (told.length > 0 || parts.length > 0) invocation.out.say(`handoff: ${[...parts, ...told].join('; ')}`)
  return 0
}

const NOTHING = /^0+$/

/** `pre-commit`: the briefs of the commit that is being made. Silent when they are sound. */
export async function checkStaged(invocation: Invocation): Promise<ExitCode> {
  const findings = await check(invocation, { staged: true, range: undefined })
  if (findings === null) return 0
  invocation.out.say(findings)
  invocation.out.say(
    findings.includes('[secrets]')
      ? 'handoff: commit stopped. Take the secret out of the file, run `git add` on it, and commit again. If it was ever pushed: `git handoff doctor --leaked`'
      : 'handoff: commit stopped. Fix the errors above and commit again; `git commit --no-verify` commits without the check.',
  )
  return REFUSED
}

/** `pre-push`, where the configuration wants it: the briefs of all commits that the other side does not have yet. */
export async function checkPush(
  invocation: Invocation,
  repo: Repo,
  args: readonly string[],
): Promise<ExitCode> {
  const loaded = await configOf(invocation, repo)
  if (!loaded.config.gitHooks.prePush) return 0
  const ranges = await rangesOf(repo, args, await invocation.readStdin())
  const findings = new Set<string>()
  for (const range of ranges) {
    const found = await check(invocation, { staged: false, range })
    if (found !== null) findings.add(found)
  }
  if (findings.size === 0) return 0
  for (const found of findings) invocation.out.say(found)
  invocation.out.say(
    'handoff: the push was stopped by the errors above. `git push --no-verify` pushes without the check.',
  )
  return REFUSED
}

/** What `handoff check` finds, as text; null when there is no error. */
async function check(
  invocation: Invocation,
  asked: Pick<CheckRequest, 'staged' | 'range'>,
): Promise<string | null> {
  const request = { paths: [], mode: 'strict', force: false, failOn: 'error', ...asked } as const
  const outcome = await checkBriefs({ ...invocation, out: quietOutput() }, request)
  if (outcome.result.ok) return null
  const { lines, end } = checkLines(outcome)
  return [...lines, ...end].join('\n')
}

/**
 * Ranges of commits that a push would publish. Where standard input says nothing, since something else has read it before, all that
 * HEAD has and the remote lacks.
 */
async function rangesOf(
  repo: Repo,
  [remote = '', from, to]: readonly string[],
  input: string,
): Promise<string[]> {
  const lines = input.split('\n').flatMap((line) => {
    const [, tip = '', , there = ''] = line.split(' ')
    return isId(tip) && isId(there) ? [{ tip, there }] : []
  })
  // A hook manager that has read the input says one pair in arguments.
  if (lines.length === 0 && isId(to ?? ''))
    lines.push({ tip: to ?? '', there: isId(from ?? '') ? (from ?? '') : '0' })
  if (lines.length === 0) lines.push({ tip: 'HEAD', there: '0' })
  const ranges = lines
    .filter(({ tip }) => !NOTHING.test(tip))
    .map(async ({ tip, there }) => {
      const [known] = NOTHING.test(there) ? [] : await repo.objects.read([there])
      const base = known ? there : await nearest(repo, remote, tip)
      return base === null ? `${'0'.repeat(40)}..${tip}` : `${base}...${tip}`
    })
  return [...new Set(await Promise.all(ranges))]
}

/** Of the branches fetched from a remote the one that has most of `tip`; null when none has any of it. */
async function nearest(repo: Repo, remote: string, tip: string): Promise<string | null> {
  const refs = await readRefs(repo, ['refs/remotes'])
  const own = refs.filter(({ name }) => remote !== '' && name.startsWith(`refs/remotes/${remote}/`))
  const oids = [...new Set((own.length > 0 ? own : refs).map(({ oid }) => oid))]
  if (oids.length === 0) return null
  // The commit where `tip` left the union of all of them.
  const fork = (await repo.git(['merge-base', tip, ...oids], { answers: [1] })).trim()
  return isId(fork) ? fork : null
}

const isId = (text: string): boolean => /^[0-9a-f]{40,64}$/.test(text)

/**
 * Says that a commit goes on with a brief. Not `Handoff-Id`: that one says that the commit brings the brief, and the current brief
 * and the commits since the last one are told by it.
 */
const TRAILER = 'Handoff-For'

/** Commits that are melted into others later; their messages are taken apart by git. */
const MELTED = /^(?:fixup|squash|amend)! /
/** Bytes of a message that somebody writes. */
const MOST = 256 * 1024

/**
 * `prepare-commit-msg`, where the configuration wants it: a commit on the branch of an open brief gets a trailer that names it. In a
 * message that was given (`-m`, `-F`) it is put in; in one that is still to be written it is offered as a comment, since with
 * anything else in it an editor left without a word would make a commit. What is there already stays byte for byte.
 */
export async function offerTrailer(
  invocation: Invocation,
  repo: Repo,
  [file = '', source = '']: readonly string[],
): Promise<ExitCode> {
  const loaded = await configOf(invocation, repo)
  if (!loaded.config.gitHooks.trailers || file === '') return 0
  if (source === 'message' && (await insideAmend(process.ppid))) return 0
  const brief = await readCurrent(repo)
  const branch = branchName((await readHead(repo)).ref)
  // What was merged here from another branch is no work of this one.
  if (brief === null || brief.parsed.meta.branch !== branch) return 0
  const path = resolve(repo.root, file)
  const bytes = await readFile(path)
  const text = bytes.toString('utf8')
  // In another encoding it would not come back as it was.
  if (bytes.length > MOST || !Buffer.from(text).equals(bytes) || MELTED.test(text)) return 0
  const line = `${TRAILER}: ${brief.id}`
  const next = source === 'message' ? await withTrailer(repo, text, line) : await withOffer(repo, text, line)
  if (next !== null && next !== text) await writeFile(path, next)
  return 0
}

/** True in a hook of `git commit --amend`; with `-m` git does not tell the hook. False where the parents cannot be read, as on Windows. */
async function insideAmend(parent: number): Promise<boolean> {
  for await (const { words } of processChain(parent)) {
    const at = words.indexOf('commit')
    if (at !== -1 && words.slice(at).some((word) => /^--am(?:e|en|end)?$/.test(word))) return true
  }
  return false
}

/** The message with the trailer as git puts it; null when more than that would change, or it has one. */
async function withTrailer(repo: Repo, text: string, line: string): Promise<string | null> {
  const args = 'interpret-trailers --no-divider --where=end --if-exists=doNothing --if-missing=add'.split(' ')
  const next = await pipe(repo, [...args, `--trailer=${line}`], text)
  const at = next.lastIndexOf(`${line}\n`)
  if (at === -1 || text.includes(`${TRAILER}:`)) return null
  const rest = next.slice(0, at) + next.slice(at + line.length + 1)
  // Git ends the last line and sets a blank one before the first trailer.
  return rest.replace(/\n+(?=\n|$)/g, '').trimEnd() === text.replace(/\n+(?=\n|$)/g, '').trimEnd()
    ? next
    : null
}

/** The message with the trailer before its first comment, as a comment; null when git will not take comments out. */
async function withOffer(repo: Repo, text: string, line: string): Promise<string | null> {
  const about = 'Uncomment the next line to say that this commit continues the open brief:'
  const offer = await pipe(repo, ['stripspace', '--comment-lines'], `${about}\n${line}\n`)
  const mark = offer.slice(0, offer.indexOf(about))
  if (mark.trim() === '') return null
  const lines = text.split('\n')
  const at = lines.findIndex((one) => one.startsWith(mark.trimEnd()))
  if (at === -1 || text.includes(`${TRAILER}:`)) return null
  // Behind a blank line, or it would be the second line of the subject.
  return [...lines.slice(0, at), '', ...offer.trimEnd().split('\n'), mark.trimEnd(), ...lines.slice(at)].join(
    '\n',
  )
}

const pipe = (repo: Repo, args: string[], input: string): Promise<string> => repo.git(args, { input })
