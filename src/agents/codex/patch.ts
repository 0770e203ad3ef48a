import type { FileTouch } from '../../types/session.ts'
import { fieldsOf, textOf } from '../fields.ts'

const LINE = /^\*\*\* (Add File|Update File|Delete File|Move to): (.+?)[ \t]*$/gm
const CHANGE = { 'Add File': 'create', 'Update File': 'update', 'Delete File': 'delete' } as const

/** Files that an apply_patch text names, in its order; empty when it is no patch. */
export function patchFiles(patch: string): FileTouch[] {
  const files: FileTouch[] = []
  for (const [, what, path = ''] of patch.matchAll(LINE)) {
    const last = files.at(-1)
    if (what === 'Move to') {
      if (last) files[files.length - 1] = { path, change: 'rename', from: last.path }
    } else files.push({ path, change: CHANGE[what as keyof typeof CHANGE] })
  }
  return files
}

/** Files of a shell command that feeds a patch to `apply_patch` (the way of clients before the tool); else empty. */
export const patchInCommand = (command: string): FileTouch[] =>
  /\bapply_?patch\b/.test(command) && command.includes('*** Begin Patch') ? patchFiles(command) : []

/** Files of a `changes` table (`patch_apply_end` 0.118 … 0.144, `FileChange` 0.169), by path. */
export function changedFiles(changes: unknown): FileTouch[] {
  const table = fieldsOf(changes)
  return Object.keys(table)
    .sort()
    .map((path): FileTouch => {
      const change = fieldsOf(table[path])
      // Before 0.130 a change was {"update": {…}}, since then {"type": "update", …}.
      const old = ['add', 'delete', 'update'].find((word) => word in change) ?? ''
      const moved = textOf(change.move_path) || textOf(fieldsOf(change[old]).move_path)
      if (moved) return { path: moved, change: 'rename', from: path }
      const type = textOf(change.type) || old
      return { path, change: type === 'add' ? 'create' : type === 'delete' ? 'delete' : 'update' }
    })
}
