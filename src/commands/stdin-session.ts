import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { nothingToHandOff } from '../errors.ts'
import type { Repo } from '../git/open-repo.ts'
import { writePrivate } from '../store/private.ts'
import type { Invocation } from './table.ts'

/** A conversation from standard input as a file, since readers take files. */
export interface StdinSession {
  /** Returns the path. Throws `nothingToHandOff` when nothing came. */
  save(): Promise<string>
  /** Takes a file away that was needed for this run only. */
  remove(): Promise<void>
}

/** Kept privately in `repo`, beside the brief it leads to; with null, where nothing may be written, for this run only. */
export function stdinSession(invocation: Invocation, repo: Repo | null): StdinSession {
  let folder: string | null = null
  return {
    async save() {
      const text = await invocation.readStdin()
      if (text.trim() === '') throw nothingToHandOff()
      const name = `stdin-${invocation.place.now().toISOString().replace(/[:.]/g, '-')}.jsonl`
      if (repo !== null) return writePrivate(repo.commonDir, `sessions/${name}`, text)
      folder = await mkdtemp(join(tmpdir(), 'handoff-'))
      const path = join(folder, name)
      await writeFile(path, text, { mode: 0o600 })
      return path
    },
    async remove() {
      if (folder !== null) await rm(folder, { recursive: true, force: true })
    },
  }
}
