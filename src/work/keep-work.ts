import { isDeepStrictEqual } from 'node:util'
import { orNull } from '../errors/handoff-error.ts'
import { writeCommit } from '../git/commit-files.ts'
import { NO_HOOKS } from '../git/environment.ts'
import type { Repo } from '../git/open-repo.ts'
import { WORK } from '../git/refs.ts'
import { forgetWork, readWorkRecord, recordWork } from '../store/works.ts'
import type { Left, Work } from './read-work.ts'

/** Uncommitted work as a commit of its work tree, upon HEAD and upon a commit of its index. */
export interface KeptWork extends Pick<Work, 'head' | 'index' | 'tree'> {
  id: string
  commit: string
  note: Note
  /** Who made it. */
  by: string
  /** Seconds since 1970. */
  at: number
}

/** What trees do not say. */
export interface Note {
  branch: string
  files: number
  staged: number
  /** As git has them, one character for each byte. */
  intent: string[]
  left: Left[]
}

const TRAILER = 'Handoff-Work: '

/** Keeps work under a ref of this clone beside a brief; the same work is kept once. Throws `gitFailed`, `writeFailed`. */
export async function keepWork(
  repo: Repo,
  { id, branch, now }: { id: string; branch: string; now: Date },
  work: Work,
): Promise<KeptWork> {
  const { head, index, tree, files, staged, intent, left } = work
  const note: Note = { branch, files, staged, intent, left }
  const before = await readKept(repo, id, `${WORK}${id}`)
  const isSame = isDeepStrictEqual({ ...before, head, index, tree, note }, before)
  const kept = before !== null && isSame ? before : await writeWork(repo, id, work, note)
  const record = await readWorkRecord(repo.commonDir, id)
  const at = now.toISOString()
  // What a remote has is replaced there first.
  if (record?.state !== 'sent')
    await recordWork(repo.commonDir, {
      ...{ id, at, branch, commit: kept.commit, state: 'kept' },
      ...{ remote: null, ref: null },
    })
  return kept
}

async function writeWork(repo: Repo, id: string, { head, index, tree }: Work, note: Note): Promise<KeptWork> {
  const write = (tree: string, parents: string[], message: string) =>
    writeCommit(repo, { tree, parents, message, sign: false })
  const staging = await write(index, [head], `handoff: index beside ${id}\n`)
  const message = `handoff: uncommitted work beside ${id}\n\n${TRAILER}${JSON.stringify(note)}\n`
  const { commit } = await write(tree, [head, staging.commit], message)
  await pointAt(repo, id, commit)
  const kept = await readKept(repo, id, commit)
  if (kept === null) throw new Error(`${commit} cannot be read`)
  return kept
}

/** The work that a revision names; null for what is none: anybody may have made it. */
export async function readKept(repo: Repo, id: string, rev: string): Promise<KeptWork | null> {
  const [object] = await repo.objects.read([`${rev}^{commit}`], 1 << 20)
  const text = object?.content.toString('utf8') ?? ''
  const [tree, ...parents] = [...text.matchAll(/^(?:tree|parent) ([0-9a-f]{40,64})$/gm)].map(([, oid]) => oid)
  const [, by = '', at = ''] = /^author (.*) <[^\n]*> (\d+) /m.exec(text) ?? []
  const json = text.split(`\n${TRAILER}`)[1] ?? ''
  const note = orNull(() => JSON.parse(json) as unknown)
  if (object == null || tree === undefined || !isNote(note)) return null
  const [head = '', staging = '', ...others] = parents
  const [index] = await repo.objects.read([`${staging}^{tree}`])
  if (index == null || others.length > 0) return null
  return { id, commit: object.oid, head, index: index.oid, tree, note, by, at: Number(at) }
}

function isNote(value: unknown): value is Note {
  const { branch, files, staged, intent, left } = (value ?? {}) as Partial<Note>
  const isText = (one: unknown): boolean => typeof one === 'string'
  return (
    isText(branch) &&
    [files, staged].every(Number.isSafeInteger) &&
    Array.isArray(intent) &&
    intent.every((path) => isText(path) && !path.includes('\0')) &&
    Array.isArray(left) &&
    left.every((one) => isText(one?.path) && isText(one?.why))
  )
}

/** Hooks may lie in the work tree, where work that was just restored has brought its own. */
async function pointAt(repo: Repo, id: string, commit: string | null): Promise<void> {
  const line = commit === null ? `delete ${WORK}${id}` : `update ${WORK}${id} ${commit}`
  await repo.git(['-c', NO_HOOKS, 'update-ref', '--stdin'], { input: `${line}\n`, signal: undefined })
}

/** Lets go of what is kept here. */
export async function dropKept(repo: Repo, id: string): Promise<void> {
  await pointAt(repo, id, null)
  await forgetWork(repo.commonDir, id)
}
