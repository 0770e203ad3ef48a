import { closeSync, fstatSync, openSync, readFileSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { orNull } from '../errors/handoff-error.ts'
import { ID } from './brief-path.ts'
import { moveRefs } from './move-ref.ts'
import type { Repo } from './open-repo.ts'
import { readOperation } from './operation.ts'
import { readHeadFile, readRefs } from './refs.ts'
import { writeCommit } from './write-commit.ts'

/** Trailer of a parked commit: the branch that shall adopt it, or `HEAD`. */
const PARKED_ON = 'Handoff-Parked-On'

/** The message of a commit that waits for a branch (its full name, or `HEAD`). */
export function parkedMessage(message: string, branch: string): string {
  const text = message.replace(/\n+$/, '')
  const last = text.slice(text.lastIndexOf('\n') + 1)
  return `${text}${/^[A-Za-z-]+: /.test(last) && text.includes('\n') ? '\n' : '\n\n'}${PARKED_ON}: ${branch}\n`
}

/** The branch that a commit waits for, by its text; null when it waits for none. */
export const parkedOn = (commit: string): string | null =>
  new RegExp(`^${PARKED_ON}: (HEAD|refs/heads/\\S+)$`, 'm').exec(commit)?.[1] ?? null

/** The message without the trailer, for the commit that adopts it. */
export const adoptedMessage = (message: string): string =>
  `${message.replace(new RegExp(`^${PARKED_ON}: .*\n?`, 'm'), '').trimEnd()}\n`

/** Parks what a commit of ours holds, for a branch that is about to lose it or has lost it. `why`: for the reflog. Throws `gitFailed`. */
export async function parkCopy(
  repo: Repo,
  { id, commit, message, branch, why }: Record<'id' | 'commit' | 'message' | 'branch' | 'why', string>,
): Promise<void> {
  const parents = (await repo.git(['rev-list', '-1', '--parents', commit])).trim().split(' ').slice(1)
  const { oid } = await writeCommit(repo, {
    tree: `${commit}^{tree}`,
    parents,
    message: parkedMessage(message, branch),
    sign: false,
  })
  await moveRefs(repo, [{ ref: `refs/handoff/${id}`, to: oid }], `handoff: ${id} ${why}`)
}

/**
 * Parks a brief that a rebase has not seen: it read the branch before the brief was committed, and its end or its abort puts the branch
 * back to where it was then. The next command adopts the brief, or lets go of it when it is there all the same. `branch`: its full
 * name; `message`: of the brief's commit.
 */
export async function keepBesideRebase(
  repo: Repo,
  brief: Record<'id' | 'commit' | 'message' | 'branch', string>,
): Promise<void> {
  const operation = readOperation(repo.gitDir)
  if (operation !== 'rebase' && operation !== 'am') return
  const seen = ['rebase-merge/orig-head', 'rebase-apply/orig-head'].map((file) =>
    orNull(() => readFileSync(join(repo.gitDir, file), 'utf8').trim()),
  )
  if (!seen.includes(brief.commit)) await parkCopy(repo, { ...brief, why: 'beside a rebase' })
}

/** Bytes at the end of a branch's reflog that are read: its last 300 entries or so. */
const TAIL = 64 * 1024
const ENTRY = /^([0-9a-f]{40,64}) ([0-9a-f]{40,64}) [^\t\n]*\t(.*)$/gm
/** What git notes there when it puts a branch back to where a rebase had read it (git 2.39; `rebase: aborting` before 2.26). */
const ABORTED = /^rebase\b.*\babort/
const MADE = /^handoff: (\S+)( taken back)?$/

/** A brief that the abort of a rebase took off a branch. */
export interface Taken {
  id: string
  commit: string
  /** Full name of the branch. */
  branch: string
}

/**
 * Briefs that an abort took off the current branch and that nobody has brought back: committed after the rebase had read the branch and
 * before it wrote that down, they looked safe. Only the reflog tells, so none are found where there is none. Costs the read of a file.
 */
export function takenByAbort(repo: Repo): Taken[] {
  const branch = orNull(() => readHeadFile(repo))?.ref
  const text = branch === undefined ? null : orNull(() => readTail(join(repo.commonDir, 'logs', branch)))
  if (branch === undefined || text === null || !text.includes('abort')) return []
  return [...takenIn(text)].map(([id, commit]) => ({ id, commit, branch }))
}

/** Parks such a brief, unless it is parked already or a collection has taken it since. Throws `gitFailed`. */
export async function parkTaken(repo: Repo, { id, commit, branch }: Taken): Promise<void> {
  const refs = await readRefs(repo, ['refs/handoff'])
  if (refs.some(({ name }) => name === `refs/handoff/${id}`)) return
  const message = await repo.git(['log', '-1', '--format=%B', commit, '--'], { answers: [128] })
  if (message.trim() !== '') await parkCopy(repo, { id, commit, message, branch, why: 'after a rebase' })
}

/** Commits of briefs by id. */
function takenIn(reflog: string): Map<string, string> {
  const taken = new Map<string, string>()
  const passed: { to: string; id: string | null }[] = []
  for (const [, from = '', to = '', said = ''] of reflog.matchAll(ENTRY)) {
    const [, name = '', isBack] = MADE.exec(said) ?? []
    const id = ID.test(name) ? name : null
    // Made anew since, or taken back by us: then it is no abort that took it.
    if (id !== null) taken.delete(id)
    if (ABORTED.test(said) && from !== to) {
      // All that came after the branch stood there is what the rebase had not seen.
      const read = passed.findLastIndex((one) => one.to === to)
      const unseen = read === -1 ? [] : passed.slice(read + 1)
      for (const one of unseen) if (one.id !== null) taken.set(one.id, one.to)
    }
    passed.push({ to, id: isBack === undefined ? id : null })
  }
  return taken
}

function readTail(path: string): string {
  const file = openSync(path, 'r')
  try {
    const { size } = fstatSync(file)
    const buffer = Buffer.alloc(Math.min(size, TAIL))
    const read = readSync(file, buffer, 0, buffer.length, size - buffer.length)
    return buffer.toString('utf8', 0, read)
  } finally {
    closeSync(file)
  }
}
