import { readFile } from 'node:fs/promises'
import { editorFailed, editUnreadable } from '../errors/writing.ts'
import { start } from '../programs.ts'
import type { Place } from '../types/config.ts'
import { takeInterrupts } from './at-terminal.ts'

/** The user's editor as git would choose it: GIT_EDITOR, core.editor, VISUAL, EDITOR, vi. */
export function editorOf(env: Place['env'], coreEditor: string | null): string {
  return env.GIT_EDITOR || coreEditor || env.VISUAL || env.EDITOR || 'vi'
}

/**
 * Opens a file in the editor and returns what it was left with. The editor gets the terminal, and Ctrl-C with it.
 * Throws `editorFailed` when it cannot be started or fails, `editUnreadable` when it leaves the file empty; the draft stays where it is.
 */
export async function editDraft(
  editor: string,
  draft: string,
  place: Pick<Place, 'root' | 'env' | 'signal'>,
): Promise<string> {
  // It reaches every program of the terminal, and in vim it only ends the typing.
  const giveBack = takeInterrupts()
  const status = await new Promise<number | string>((resolve) => {
    // The editor may be a command line of its own, so the shell splits it; the file name never does. A shell without a trap would end
    // at a Ctrl-C that the editor means to survive.
    const child = start('/bin/sh', ['-c', `trap : INT; ${editor} "$@"`, editor, draft], {
      cwd: place.root,
      env: place.env,
      stdio: 'inherit',
      signal: place.signal,
    })
    child.on('error', (error) => resolve(error.message))
    child.on('close', (code, signal) => resolve(code ?? `was ended by ${signal}`))
  }).finally(giveBack)
  place.signal?.throwIfAborted()
  if (status !== 0) throw editorFailed(editor, reasonOf(status), draft)
  const text = await readFile(draft, 'utf8')
  if (text.trim() === '') throw editUnreadable(editor, 'left the file empty', draft)
  return text.endsWith('\n') ? text : `${text}\n`
}

/** A shell ends with 127 when there is no such program (POSIX, 2.8.2). */
function reasonOf(status: number | string): string {
  if (typeof status === 'string') return status
  return status === 127 ? 'was not found' : `ended with status ${status}`
}
