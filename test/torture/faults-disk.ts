import { existsSync, readdirSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { USUAL, writeClaudeSession } from '../repo/claude-session.ts'
import type { TempRepo } from '../repo/make-repo.ts'
import { canMount, leftOn, onSmallDisk } from '../repo/small-disk.ts'
import { GOAL } from './operations.ts'
import type { ByForm, Context } from './part.ts'
import { type Run, runProgram } from './steps.ts'

/** Kilobytes, and inodes, that are left on the disk. */
const LEFT: ByForm<{ sizes: number[]; inodes: number[] }> = {
  ci: { sizes: [8], inodes: [5] },
  short: { sizes: [8, 48], inodes: [5] },
  long: { sizes: Array.from({ length: 40 }, (_, at) => 4 * at), inodes: [0, 1, 2, 3, 5, 8, 13, 20, 30] },
}

/** Disks that are full, have no inode left, or are read-only: real ones, of some kilobytes of memory. */
export async function diskFaults(context: Context): Promise<void> {
  const { row } = context
  if (!canMount) {
    row('small disk', 'create', 0, 'not run', 'mounting needs root')
    return
  }
  const { sizes, inodes } = LEFT[context.form]
  await each(context, 'disk full', sizes, '2m', fill)
  await each(context, 'no inode left', inodes, '4m,nr_inodes=200', fillInodes)
  await each(context, 'disk read-only', [0], '2m', (_, __, remount) => {
    remount('ro')
    return () => remount('rw')
  })
}

/** Ms by which a run on a disk that is of no use may take longer than the next one: to try again for half a minute makes no room. */
const SOON = 20_000

type Spoil = (repo: TempRepo, left: number, remount: (option: 'ro' | 'rw') => void) => () => void

async function each(
  context: Context,
  fault: string,
  cases: readonly number[],
  size: string,
  spoil: Spoil,
): Promise<void> {
  const found: string[] = []
  let failures = 0
  for (const left of cases)
    await onSmallDisk(size, async (repo, remount) => {
      writeClaudeSession(repo, USUAL, { end: new Date(Date.now() - 60_000) })
      const head = repo.git(['rev-parse', 'HEAD'])
      const mend = spoil(repo, left, remount)
      const run = await create(context, repo)
      mend()
      if (run.code !== 0) failures++
      const wrong = judge(repo, head, run)
      const next = await judgeNext(context, repo)
      wrong.push(...next.wrong)
      if (run.ms > next.ms + SOON) wrong.push(`took ${Math.round(run.ms / 1000)} s`)
      context.case({ fault, left, code: run.code, wrong, stderr: run.stderr })
      if (wrong.length > 0) found.push(`${left}: ${wrong.join('; ')}`)
    })
  context.row(fault, 'create', cases.length, found, `${failures} clear errors, the rest done`)
}

const create = ({ program }: Context, repo: TempRepo) => runProgram(program, repo, ['create', GOAL])

function judge(repo: TempRepo, head: string, { code, stderr }: Omit<Run, 'steps'>): string[] {
  const wrong: string[] = []
  const hasMoved = repo.git(['rev-parse', 'HEAD']) !== head
  if (code === 0 && !hasMoved) wrong.push('false success')
  if (code !== 0 && code !== 1) wrong.push(`ended with ${code}`)
  if (code === 1 && !/ENOSPC|no space|EROFS|read-only|not committed|could not be written/i.test(stderr))
    wrong.push(`not clear: ${stderr}`)
  const locks = readdirSync(join(repo.root, '.git'), { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.lock'),
  )
  if (locks.length > 0) wrong.push(`left: ${locks.join(', ')}`)
  return wrong
}

async function judgeNext(context: Context, repo: TempRepo): Promise<{ wrong: string[]; ms: number }> {
  const wrong: string[] = []
  const next = await create(context, repo)
  if (next.code !== 0) wrong.push(`the next create failed: ${next.stderr}`)
  if (repo.tryGit(['fsck', '--strict', '--no-dangling']).status !== 0) wrong.push('fsck')
  const status = repo.git(['status', '--porcelain'])
  if (status !== '') wrong.push(`not clean: ${status}`)
  const briefs = join(repo.root, '.handoff/briefs')
  const count = existsSync(briefs) ? readdirSync(briefs).length : 0
  if (count !== 1) wrong.push(`${count} briefs`)
  return { wrong, ms: next.ms }
}

function fill(repo: TempRepo, left: number): () => void {
  const filler = join(repo.base, 'disk/filler')
  writeFileSync(filler, Buffer.alloc(Math.max(0, leftOn(repo) - left) * 1024))
  return () => unlinkSync(filler)
}

function fillInodes(repo: TempRepo, left: number): () => void {
  const made: string[] = []
  try {
    for (let number = 0; ; number++) {
      const path = join(repo.base, `disk/filler-${number}`)
      writeFileSync(path, '')
      made.push(path)
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
  }
  for (const path of made.splice(-left, left)) unlinkSync(path)
  return () => {
    for (const path of made) unlinkSync(path)
  }
}
