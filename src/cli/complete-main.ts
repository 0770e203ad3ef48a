import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { idOfPath } from '../brief/id.ts'
import { type Candidate, completeWords } from '../commands/complete-words.ts'
import type { CompletionSpec } from '../commands/completion-spec.ts'
import { orNull } from '../errors/handoff-error.ts'
import { visible } from '../text/safe-text.ts'

/** Most ids that are offered, the newest. */
const MOST = 100

/**
 * `handoff completion --complete -- <words>`, which shells call at the tab key: one line for each word that can stand there, with
 * what it means behind a tab, or `:files` or `:folders`. A program of its own that loads nothing else; `folder` is where it was built.
 */
export function main({ argv, cwd, stdout }: NodeJS.Process, folder: string): void {
  const spec = JSON.parse(readFileSync(join(folder, 'completion.json'), 'utf8')) as CompletionSpec
  const words = argv.slice(argv.indexOf('--') + 1)
  const from = words.indexOf('--cwd')
  const found = completeWords(spec, words, () =>
    briefsAbove(folderOf(cwd, from === -1 ? '.' : (words[from + 1] ?? '.'))),
  )
  const lines = typeof found === 'string' ? [`:${found}`] : found.map(lineOf)
  stdout.write(lines.map((line) => `${line}\n`).join(''))
}

/** The folder one is in may be gone; then nothing is above it. */
const folderOf = (cwd: () => string, wanted: string): string => orNull(() => resolve(cwd(), wanted)) ?? '/'

const lineOf = ({ value, about }: Candidate): string =>
  about === '' ? value : `${value}\t${visible(about).replace(/[\t\n]/g, ' ')}`

/** Briefs in the work tree that this folder lies in, newest first; those that only git holds would take git to find. */
function briefsAbove(start: string): Candidate[] {
  for (let folder = start; ; folder = dirname(folder)) {
    const names = namesIn(join(folder, '.handoff', 'briefs'))
    if (names !== null || folder === dirname(folder))
      return [
        { value: 'latest', about: 'the current brief' },
        ...(names ?? [])
          .sort((a, b) => (a < b ? 1 : -1))
          .flatMap((name) => {
            const id = idOfPath(name)
            return id === null ? [] : [{ value: id, about: name.slice(id.length + 1, -'.md'.length) }]
          })
          .slice(0, MOST),
      ]
  }
}

const namesIn = (folder: string): string[] | null => orNull(() => readdirSync(folder))
