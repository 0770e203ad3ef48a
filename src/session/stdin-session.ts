import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Invocation } from '../command.ts'
import { nothingToHandOff } from '../errors/session.ts'

/** A conversation from standard input as a file, since readers take files. */
export interface StdinSession {
  save(): Promise<string>
  /** Takes the file away: a raw conversation may hold secrets and is kept nowhere. */
  remove(): Promise<void>
}

export function stdinSession(invocation: Invocation): StdinSession {
  let folder: string | null = null
  return {
    async save() {
      const text = await invocation.readStdin()
      if (text.trim() === '') throw nothingToHandOff()
      folder = await mkdtemp(join(tmpdir(), 'handoff-'))
      const path = join(folder, `stdin-${invocation.place.now().toISOString().replace(/[:.]/g, '-')}.jsonl`)
      await writeFile(path, text, { mode: 0o600 })
      return path
    },
    async remove() {
      if (folder !== null) await rm(folder, { recursive: true, force: true })
    },
  }
}
