import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TempRepo } from '../repo/make-repo.ts'
import type { Context } from './part.ts'
import { KINDS, readSteps, SHARED, type Step } from './steps.ts'
import { openWorld } from './world.ts'

/** What git itself says, with exit 0 and without a word, where it could not read (git 2.39): no caller can tell it from the truth. */
const SAYS = [
  {
    what: 'git itself says that a file of the work tree was changed',
    fits: /^repo\/(?!\.git\/)/,
    args: ['status', '--porcelain'],
    path: /\/a\.txt$/,
    answer: ' M a.txt\n',
  },
  {
    what: 'git itself says that there are no refs',
    fits: /^repo\/\.git\/refs\b.*\/$/,
    args: ['for-each-ref', '--format=%(refname)'],
    path: /\/refs\/heads\/$/,
    answer: '',
  },
] as const

/** Whether the words of git that were spoiled by a fault are among those, and which; each is proved on this machine's git first. */
export function openExcuses(context: Context, library: string, error: number) {
  const proved = SAYS.filter((one) => isSaid(context, library, error, one))
  return (hit: Step | undefined, base: string): string | null => {
    if (hit?.program !== 'git' || (hit.kind & (KINDS.openToRead | KINDS.read)) === 0) return null
    const path = hit.path.slice(base.length + 1)
    return proved.find(({ fits }) => fits.test(path))?.what ?? null
  }
}

function isSaid(
  context: Context,
  library: string,
  error: number,
  { args, path, answer }: (typeof SAYS)[number],
): boolean {
  const repo = openWorld(context.scratch('itself'), 'repo', { 'a.txt': 'a\n' })
  // Git reads the file again only where its time differs.
  utimesSync(join(repo.root, 'a.txt'), 1, 1)
  const at = runGit(repo, library, args, 0, error).steps.findIndex((step) => path.test(step.path)) + 1
  if (at === 0) return false
  const said = runGit(repo, library, args, at, error)
  return said.code === 0 && said.stderr === '' && said.stdout === answer
}

/** Git alone, with one call that fails; 0: none does. */
function runGit(repo: TempRepo, library: string, args: readonly string[], at: number, error: number) {
  const [file, log] = [join(repo.base, 'steps'), join(repo.base, 'log')]
  const shared = Buffer.alloc(SHARED)
  for (const [place, value] of [0, at, at === 0 ? 0 : 3, error, KINDS.openToRead].entries())
    shared.writeUInt32LE(value, 4 * place)
  writeFileSync(file, shared)
  rmSync(log, { force: true })
  const counting = { LD_PRELOAD: library, STEPS_FILE: file, STEPS_UNDER: repo.base, STEPS_LOG: log }
  const env = { ...repo.env, ...counting, GIT_OPTIONAL_LOCKS: '0' }
  const { status, stdout, stderr } = spawnSync('git', args, { cwd: repo.root, env, encoding: 'utf8' })
  return { code: status, stdout, stderr, steps: existsSync(log) ? readSteps(readFileSync(log, 'utf8')) : [] }
}
