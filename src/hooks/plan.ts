import { lstat, readFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { nullIfMissing } from '../errors/handoff-error.ts'
import { settingsReadOnly } from '../errors/usage.ts'
import type { SetupEdit } from '../types/agent.ts'
import { putEdit, type TextEdit, takeEdit } from './edits.ts'
import { digestOf, type FileRecord, type OwnedEdit, type SetupRecord } from './record.ts'
import type { Target } from './target.ts'
import { type Bytes, equalBytes, equalJson, readText, sameLines } from './text-file.ts'

/** What one agent, or the repository, shall have: nothing, when it is to be taken away. */
export interface Wish {
  owner: string
  edits: SetupEdit[]
}

/** One file to be written, exchanged or removed. */
export interface Change {
  /** As the edit names it. */
  path: string
  /** Where it really lies. */
  target: string
  now: Bytes
  /** Null: the file goes. */
  next: Bytes
  /** Mode bits of the file that is there. */
  mode: number | null
  /** Folders to make first, outermost first; with `next` null those to remove when empty, innermost first. */
  folders: string[]
  /** What stands at `path` is kept under this name instead of exchanged, or comes back from it. */
  moved?: { to: string } | { from: string }
}

export interface Plan {
  changes: Change[]
  /** Files that hold everything already. */
  same: string[]
  /** What is left alone, and why. */
  left: { path: string; reason: string }[]
  /** Where ours has the other name, since something else has its own; as the edit would name the file. */
  renamed: string[]
  /** To be kept instead of the one that was given. */
  record: SetupRecord
}

interface PlanInput {
  wishes: readonly Wish[]
  record: SetupRecord
  /** Edits that may be there without a record of them: another clone has made them. */
  known: readonly SetupEdit[]
  /** Files of other worktrees stand in the same record and are not to be touched. */
  isHere: (path: string) => boolean
  read: (path: string) => Promise<Target>
  /** The file as it came into the repository. */
  brought?: (path: string) => Promise<Bytes>
  /** Folders that no removal may reach: the top of the worktree and home. */
  ends: readonly string[]
  /** The same edit under another name; null where it has none. */
  otherNamed?: (edit: SetupEdit) => SetupEdit | null
}

/**
 * Everything that is to be written, so that all of it can be refused before anything is. What something foreign keeps out gets its other name,
 * which it keeps. Throws `badSettings`, `settingsReadOnly`.
 */
export async function planEdits(input: PlanInput): Promise<Plan> {
  const { otherNamed = () => null } = input
  const recorded = Object.values(input.record.files).flatMap(({ edits }) =>
    edits.map(({ edit }) => placeIn(edit)),
  )
  const taken = new Set<string>()
  const nameOf = (edit: SetupEdit, beside: readonly SetupEdit[]): SetupEdit => {
    const other = otherNamed(edit)
    if (other === null || isAmong(other, beside)) return edit
    const [here, there] = [placeIn(edit), placeIn(other)]
    return taken.has(here) || (recorded.includes(there) && !recorded.includes(here)) ? other : edit
  }
  const plan = async () => {
    const wishes = input.wishes.map(({ owner, edits }) => ({
      owner,
      edits: edits.map((edit) => nameOf(edit, edits)),
    }))
    const known = input.known.flatMap((edit) => [edit, otherNamed(edit) ?? []].flat())
    const renamed = input.wishes.flatMap(({ edits }, at) =>
      edits.filter((edit, nth) => wishes[at]?.edits[nth] !== edit).map(({ path }) => path),
    )
    return { ...(await planWishes({ ...input, wishes, known })), renamed: [...new Set(renamed)] }
  }
  let { refused, ...made } = await plan()
  for (const edit of refused) if (otherNamed(edit) !== null) taken.add(placeIn(edit))
  if (taken.size > 0) ({ refused, ...made } = await plan())
  return made
}

/** What an edit is, whatever it holds in this version. */
const placeIn = (edit: SetupEdit): string =>
  JSON.stringify([
    edit.type,
    edit.path,
    'at' in edit ? edit.at : edit.type === 'block' ? edit.text.split('\n', 1) : null,
  ])

/** `refused`: edits that something foreign keeps out. */
type Draft = Omit<Plan, 'renamed'> & { refused: SetupEdit[] }

async function planWishes(input: PlanInput): Promise<Draft> {
  const { wishes, record, known, isHere } = input
  const owners = new Set(wishes.map(({ owner }) => owner))
  const recorded = Object.entries(record.files)
    .filter(
      ([path, { edits }]) => isHere(path) && edits.some((one) => one.owners.some((id) => owners.has(id))),
    )
    .map(([path]) => path)
  const asked = [...wishes.flatMap(({ edits }) => edits), ...known].map(({ path }) => path)
  const plan: Draft = {
    changes: [],
    same: [],
    left: [],
    refused: [],
    record: { ...record, files: { ...record.files } },
  }
  for (const path of [...new Set([...asked, ...recorded])]) await planPath(plan, input, path, owners)
  return plan
}

async function planPath(
  plan: Draft,
  input: PlanInput,
  path: string,
  owners: ReadonlySet<string>,
): Promise<void> {
  const at = (edit: SetupEdit): boolean => edit.path === path
  const old = input.record.files[path] ?? null
  const wanted = mergeOwners(old?.edits ?? [], input.wishes, owners, at)
  const isHook = (edit: SetupEdit): boolean => edit.type === 'hook' && at(edit)
  if ([...wanted, ...(old?.edits ?? [])].some(({ edit }) => isHook(edit)) || input.known.some(isHook)) {
    await planHook(plan, input, path, wanted)
    return
  }
  const target = await input.read(path)
  if (target.state === 'closed') {
    if (wanted.length > 0 || old !== null) plan.left.push({ path, reason: target.reason })
    return
  }
  const edits = wanted.map(({ edit }) => edit)
  const known = input.known.filter(at)
  let file = planFile(target.bytes, old, edits, known)
  if (old === null && edits.length === 0 && !equalBytes(file.now, file.next))
    file = planFile(target.bytes, old, edits, known, (await input.brought?.(path)) ?? null)
  for (const { edit, reason } of file.left) {
    plan.left.push({ path, reason })
    plan.refused.push(edit)
  }
  const isSame = equalBytes(file.now, file.next)
  if (!isSame) {
    if (target.readOnly !== null) throw settingsReadOnly(target.readOnly)
    const { path: real, folders } = target
    const isScript = file.now === null && edits.some((edit) => edit.type === 'block' && edit.isScript)
    const mode = isScript ? 0o755 : target.mode
    const gone = file.next === null ? foldersOf(path, old, input.ends) : folders
    plan.changes.push({ path, target: real, now: file.now, next: file.next, mode, folders: gone })
  } else if (edits.length > file.left.length) plan.same.push(path)
  keep(plan.record, path, old, wanted, file, target.folders)
}

function keep(
  record: SetupRecord,
  path: string,
  old: FileRecord | null,
  wanted: readonly OwnedEdit[],
  file: FilePlan,
  folders: readonly string[],
): void {
  const foreign = file.left.map(({ edit }) => edit)
  const edits = wanted.filter(({ edit }) => !isAmong(edit, foreign))
  if (edits.length === 0) {
    delete record.files[path]
    return
  }
  const isFound = old === null && file.now !== null && file.before === null
  const made = isFound || old?.folders === null ? null : [...new Set([...(old?.folders ?? []), ...folders])]
  record.files[path] = { before: file.before, after: digestOf(file.next), folders: made, edits }
}

/** Edits of one file after this run: those of owners who were not asked stay, in the order in which they came. */
function mergeOwners(
  old: readonly OwnedEdit[],
  wishes: readonly Wish[],
  asked: ReadonlySet<string>,
  at: (edit: SetupEdit) => boolean,
): OwnedEdit[] {
  const merged = old.map(({ owners, edit }) => ({ owners: owners.filter((id) => !asked.has(id)), edit }))
  for (const { owner, edits } of wishes)
    for (const edit of edits.filter(at)) {
      const found = merged.find((one) => isAmong(edit, [one.edit]))
      if (found === undefined) merged.push({ owners: [owner], edit })
      else if (!found.owners.includes(owner)) found.owners.push(owner)
    }
  return merged.filter(({ owners }) => owners.length > 0)
}

/** Folders that go with a file when they are empty, innermost first. */
function foldersOf(path: string, old: FileRecord | null, ends: readonly string[]): string[] {
  if (old !== null && old.folders !== null) return old.folders.toReversed()
  // Nobody knows who made them; an empty folder is nothing that git keeps.
  const folders: string[] = []
  for (let one = dirname(path); !ends.includes(one) && one !== dirname(one); one = dirname(one))
    folders.push(one)
  return folders
}

/** What a hook that was there before is called while ours stands in its place; the files in `hooks/` know the name. */
export const KEPT = '.before-handoff'

/**
 * What becomes of one file in a folder of git hooks: ours comes, and what was there is kept beside it, or ours goes and that comes
 * back. Neither is read or changed, whatever it is. Throws `settingsReadOnly`.
 */
async function planHook(
  plan: Draft,
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
    const now = there?.bytes ?? null
    plan.changes.push({ path, target: path, now, next, mode, folders, ...(moved && { moved }) })
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
  const folders = [...new Set([...(old?.folders ?? []), ...folder.folders])]
  // What stood there lies beside it.
  plan.record.files[path] = { before: null, after: digestOf(content), folders, edits: [...wanted] }
}

type HookEdit = Extract<SetupEdit, { type: 'hook' }>

/** What stands at a path, links not followed; `text` null for what is no plain text. */
async function look(path: string): Promise<{ bytes: Bytes; text: string | null } | null> {
  const found = await lstat(path).catch(nullIfMissing)
  if (found === null) return null
  if (!found.isFile()) return { bytes: null, text: null }
  const bytes = await readFile(path)
  return { bytes, text: readText(bytes)?.text ?? null }
}

export interface FilePlan {
  /** What is there now, and what shall be. */
  now: Bytes
  next: Bytes
  /** Edits that something foreign keeps out, and why. */
  left: { edit: SetupEdit; reason: string }[]
  /** What stood here before handoff came; for the record. */
  before: Bytes
}

/**
 * What becomes of one file that shall hold the edits `wanted`, and no others that the record or `known` names. A file
 * that is still what we wrote goes back to what stood there before, byte for byte; in one that was changed since, only
 * our parts are touched. Without a record, what the file held as it was `brought` stays, empty as it may be then. Throws `badSettings`.
 */
export function planFile(
  now: Bytes,
  record: FileRecord | null,
  wanted: readonly SetupEdit[],
  known: readonly SetupEdit[],
  brought: Bytes = null,
): FilePlan {
  const recorded = record?.edits.map(({ edit }) => edit) ?? []
  const ours = [...recorded, ...known].filter(isText)
  const gone = unique(ours).filter((edit) => !isAmong(edit, wanted) && !isReplaced(edit, wanted))
  const without = (text: Bytes, edits: readonly TextEdit[], stood: Bytes | undefined): Bytes =>
    edits.reduceRight<Bytes>((bytes, edit) => takeEdit(bytes, edit, stood), text)
  const first = record === null ? without(brought, ours, undefined) : record.before
  const take = (edits: readonly TextEdit[]): Bytes => without(now, edits, first)
  const isUntouched = record !== null && record.after === digestOf(now)
  const before = isUntouched ? record.before : take(unique([...ours, ...wanted.filter(isText)]))
  if (wanted.length === 0) return { now, next: isUntouched ? record.before : take(gone), left: [], before }
  let next = gone.length === 0 ? now : isUntouched ? record.before : take(gone)
  const left: FilePlan['left'] = []
  for (const edit of wanted.filter(isText)) {
    const put = putEdit(next, edit)
    if (put.reason === null) next = put.bytes
    else left.push({ edit, reason: put.reason })
  }
  return { now, next, left, before }
}

export const isAmong = (edit: SetupEdit, edits: readonly SetupEdit[]): boolean =>
  edits.some((other) => equalJson(other, edit))

/** Edits of what stands in a file; the other kind has a plan of its own. */
const isText = (edit: SetupEdit): edit is TextEdit => edit.type !== 'hook'

const unique = (edits: readonly TextEdit[]): TextEdit[] =>
  edits.filter((edit, at) => !isAmong(edit, edits.slice(0, at)))

/** A block is exchanged where it stands. */
const isReplaced = (edit: SetupEdit, wanted: readonly SetupEdit[]): boolean =>
  edit.type === 'block' && wanted.some(({ type }) => type === 'block')
