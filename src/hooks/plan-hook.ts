import { lstat, readFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { settingsReadOnly } from '../errors/usage.ts'
import type { SetupEdit } from '../types/agent.ts'
import type { Bytes } from './edits.ts'
import { foldersOf, type Plan, type PlanInput } from './plan.ts'
import { digestOf } from './plan-file.ts'
import type { FileRecord, OwnedEdit } from './record.ts'
import { readText, sameLines } from './text-file.ts'

/** What a hook that was there before is called while ours stands in its place; the files in `hooks/` know the name. */
export const KEPT = '.before-handoff'

/**
 * What becomes of one file in a folder of git hooks: ours comes, and what was there is kept beside it, or ours goes and that comes
 * back. Neither is read or changed, whatever it is. Throws `settingsReadOnly`.
 */
export async function planHook(
  plan: Plan,
  input: PlanInput,
  path: string,
  wanted: readonly OwnedEdit[],
): Promise<void> {
  const old = input.record.files[path] ?? null
  const known = [
    ...(old?.edits.map(({ edit }) => edit) ?? []),
    ...input.known,
    ...wanted.map(({ edit }) => edit),
  ]
  const texts = known.flatMap((edit) => (edit.type === 'hook' && edit.path === path ? [edit.content] : []))
  const [there, kept] = await Promise.all([look(path), look(path + KEPT)])
  const isOurs = there?.text != null && texts.some((text) => sameLines(text, there.text ?? ''))
  const edit = wanted.map((one) => one.edit).find((one): one is HookEdit => one.type === 'hook')
  // A file that is not there tells of its folder, whatever stands at the path itself.
  const folder = await input.read(join(dirname(path), `.${basename(path)}.handoff-new`))
  if (folder.state === 'closed') {
    if (edit !== undefined || old !== null) plan.left.push({ path, reason: folder.reason })
    return
  }
  const change = (next: Bytes, moved?: { to: string } | { from: string }): void => {
    if (folder.readOnly !== null) throw settingsReadOnly(folder.readOnly)
    const isGone = next === null && moved === undefined
    const folders = isGone ? foldersOf(path, old, input.ends) : folder.folders
    const mode = next === null || (moved !== undefined && 'from' in moved) ? null : 0o755
    plan.changes.push({
      path,
      target: path,
      now: there?.bytes ?? null,
      next,
      mode,
      folders,
      ...(moved && { moved }),
    })
  }
  if (edit === undefined) {
    delete plan.record.files[path]
    if (isOurs || (there === null && old !== null && kept !== null))
      change(kept?.bytes ?? null, kept === null ? undefined : { from: path + KEPT })
    else if (there !== null && old !== null)
      plan.left.push({
        path,
        reason: `somebody has put another hook there${kept === null ? '' : `; the one before handoff is ${basename(path)}${KEPT}`}`,
      })
    return
  }
  if (there !== null && !isOurs && kept !== null) {
    plan.left.push({ path, reason: `it is not ours, and ${basename(path)}${KEPT} is there already` })
    return
  }
  const content = Buffer.from(edit.content)
  if (there !== null && isOurs && there.text === edit.content) plan.same.push(path)
  else change(content, there === null || isOurs ? undefined : { to: path + KEPT })
  plan.record.files[path] = recordOf(old, content, folder.folders, wanted)
}

type HookEdit = Extract<SetupEdit, { type: 'hook' }>

const recordOf = (
  old: FileRecord | null,
  content: Buffer,
  folders: readonly string[],
  wanted: readonly OwnedEdit[],
): FileRecord => ({
  // What stood there lies beside it.
  before: null,
  after: digestOf(content),
  folders: [...new Set([...(old?.folders ?? []), ...folders])],
  edits: [...wanted],
})

/** What stands at a path, links not followed; `text` null for what is no plain text. */
async function look(path: string): Promise<{ bytes: Bytes; text: string | null } | null> {
  const found = await lstat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return null
    throw error
  })
  if (found === null) return null
  if (!found.isFile()) return { bytes: null, text: null }
  const bytes = await readFile(path)
  return { bytes, text: readText(bytes)?.text ?? null }
}
