import type { ExitCode, Invocation } from '../command.ts'
import { checkObjects } from '../git/objects.ts'
import type { Repo } from '../git/open-repo.ts'
import { readRefs } from '../git/refs.ts'
import { REFUSED } from '../hooks/runner.ts'
import { quietOutput } from '../output/output.ts'
import { type CheckRequest, checkBriefs, checkLines } from '../review/check-briefs.ts'
import { configOf } from '../workspace/workspace.ts'

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
      const [known] = NOTHING.test(there) ? [] : await checkObjects(repo, [there])
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
  return /^[0-9a-f]{40,64}$/.test(fork) ? fork : null
}

const isId = (text: string): boolean => /^[0-9a-f]{40,64}$/.test(text)
