import { setTimeout as sleep } from 'node:timers/promises'
import type { TempRepo } from '../repo/make-repo.ts'
import { userGit } from './race-world.ts'

/** What a user did over and over until the others were through. */
export interface Loop {
  done: number
  wrong: string[]
  detail?: string
}

/**
 * Of so many commands of the user's one may meet our `index.lock`, which is held for three system calls: with twelve creators less than one
 * part in a hundred of the time. Fewer than `JUDGED` commands say nothing of that. A branch that moved while git was making the user's commit is
 * met as often as others commit to it: git knows no waiting there.
 */
const MEETINGS = 20
const JUDGED = 20
/** Ms in which what met a brief must work, on a machine with more to do than cores. */
const MOMENT = 10_000
const LOCKED = /index\.lock': File exists/
const MET = /index\.lock': File exists|cannot lock ref 'HEAD': is at/

/** A user who writes, adds and commits, over and over, and pauses for longer than it takes; what meets a brief must work a moment later. */
export async function commitUntil(repo: TempRepo, name: string, isOver: () => boolean): Promise<Loop> {
  const wrong: string[] = []
  let [done, met, locked] = [0, 0, 0]
  const run = async (args: string[]): Promise<void> => {
    let result = await userGit(repo, args)
    if (MET.test(result.stderr)) met++
    if (LOCKED.test(result.stderr)) locked++
    const end = performance.now() + MOMENT
    // Three system calls take as long as their caller waits for a processor in between.
    for (let again = 0; performance.now() < end && MET.test(result.stderr); again++) {
      await sleep(Math.min(500, 100 * again))
      result = await userGit(repo, args)
    }
    if (result.code !== 0) wrong.push(`${args[0]} ${done}: ${oneLine(result)}`)
  }
  while (!isOver() && wrong.length < 5) {
    const begun = performance.now()
    repo.write(`${name}-${done}.txt`, `${done}\n`)
    await run(['add', `${name}-${done}.txt`])
    await run(['commit', '-q', '-m', `${name} ${done}`])
    done++
    await sleep(Math.max(200, 3 * (performance.now() - begun)))
  }
  if (2 * done >= JUDGED && locked > (2 * done) / MEETINGS)
    wrong.push(`${locked} of ${2 * done} commands met a lock`)
  const detail =
    met === 0
      ? ''
      : `${met} of ${2 * done} commands met a brief, ${locked} its lock, and worked a moment later`
  return { done, wrong, detail }
}

/** Collections, one after the other, and one more when all is quiet. */
export async function collectUntil(repo: TempRepo, args: string[], isOver: () => boolean): Promise<Loop> {
  const wrong: string[] = []
  let done = 0
  do {
    const result = await userGit(repo, args)
    if (result.code !== 0) wrong.push(oneLine(result))
    done++
    await sleep(20)
  } while (!isOver())
  return { done, wrong }
}

/**
 * A user who brings a branch on top of main, over and over. A rebase that will not begin has changed nothing and is told; one that read
 * the branch just before a brief was committed takes it off: only the reflog has it.
 */
export async function rebaseUntil(repo: TempRepo, tree: TempRepo, isOver: () => boolean): Promise<Loop> {
  const wrong: string[] = []
  let [done, refused, met] = [0, 0, 0]
  do {
    repo.commit(`main ${done}`, { 'main.txt': `${done}\n` })
    let result = await userGit(tree, ['rebase', '-q', 'main'])
    const end = performance.now() + MOMENT
    while (performance.now() < end && result.code !== 0 && NOT_BEGUN.test(result.stderr)) {
      refused++
      await sleep(20)
      // Where git dies of somebody's index.lock it leaves the folder of a rebase that has not begun.
      await userGit(tree, ['rebase', '--abort'])
      result = await userGit(tree, ['rebase', '-q', 'main'])
    }
    if (result.code !== 0) {
      if (MOVED.test(result.stderr)) met++
      else wrong.push(`rebase ${done}: ${oneLine(result)}`)
      const aborted = await userGit(tree, ['rebase', '--abort'])
      if (aborted.code !== 0) wrong.push(`abort of rebase ${done}: ${oneLine(aborted)}`)
    }
    done++
    await sleep(50)
  } while (!isOver() && wrong.length < 5)
  if (met > Math.max(2, done / 5)) wrong.push(`${met} of ${done} met a brief at their end`)
  const details = [
    refused === 0 ? '' : `${refused} did not begin while a brief was being committed, and did the next time`,
    met === 0 ? '' : `${met} of ${done} met a brief at their end and were aborted`,
  ]
  return { done, wrong, detail: details.filter((text) => text !== '').join('; ') }
}

const NOT_BEGUN =
  /index contains uncommitted changes|You have unstaged changes|index\.lock|could not detach HEAD/
/** A brief was committed after the rebase had read the branch, so that it cannot put it where it wants: git knows no waiting here either. */
const MOVED = /cannot lock ref 'refs\/heads\/[^']*': is at/
/** How git ended, in one line. */
export const oneLine = ({ code, stderr }: { code: number | null; stderr: string }) =>
  `exit ${code}: ${stderr.trim().split('\n').slice(-3).join(' / ')}`
