import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'

/** Hooks that run before the commit they belong to exists: a second commit made in them breaks it. */
const BEFORE = /(?:^|\/)(pre-commit|prepare-commit-msg|commit-msg|pre-merge-commit)$/
/** Parents looked at; a hook manager adds a few. */
const MAX_PARENTS = 12

/**
 * The hook of an unfinished commit that this process runs in, or null. Git sets `GIT_INDEX_FILE` for every commit hook;
 * which of them it is only the parents' command lines tell. Null where those cannot be read.
 */
export async function insideCommitHook(
  env: Readonly<Record<string, string | undefined>>,
  parent: number,
): Promise<string | null> {
  if (!env.GIT_INDEX_FILE) return null
  for await (const words of parents(parent)) {
    const name = words.map((word) => BEFORE.exec(word)?.[1]).find((hook) => hook !== undefined)
    if (name !== undefined) return name
  }
  return null
}

/**
 * True in a hook of `git commit --amend`: with `-m` git says only that a message was given. False where nothing can be read of
 * the parents, as on Windows.
 */
export async function insideAmend(parent: number): Promise<boolean> {
  for await (const words of parents(parent)) {
    const at = words.indexOf('commit')
    if (at !== -1 && words.slice(at).some((word) => /^--am(?:e|en|end)?$/.test(word))) return true
  }
  return false
}

/** The command lines of a process and of those that called it, the nearest first. */
async function* parents(first: number): AsyncGenerator<string[]> {
  for (let pid = first, step = 0; pid > 1 && step < MAX_PARENTS; step++) {
    const found = (await fromProc(pid)) ?? (await fromPs(pid))
    if (found === null) return
    yield found.words
    pid = found.parent
  }
}

interface Process {
  parent: number
  words: string[]
}

async function fromProc(pid: number): Promise<Process | null> {
  const [status, line] = await Promise.all([
    readFile(`/proc/${pid}/status`, 'utf8').catch(() => null),
    readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => null),
  ])
  const parent = status === null ? undefined : /^PPid:\s*(\d+)/m.exec(status)?.[1]
  return parent === undefined || line === null ? null : { parent: Number(parent), words: line.split('\0') }
}

/** Systems without /proc. */
async function fromPs(pid: number): Promise<Process | null> {
  const found = await promisify(execFile)('ps', ['-o', 'ppid=,args=', '-p', String(pid)]).catch(() => null)
  const [parent, ...words] = found?.stdout.trim().split(/\s+/) ?? []
  return parent === undefined || parent === '' ? null : { parent: Number(parent), words }
}
