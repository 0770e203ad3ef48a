import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { ClientId } from '../client/client.ts'
import { git, handoff, type Lab, makeLab } from '../lab.ts'

/** A lab in which `init` has been run for this agent, and its files committed. */
export async function initialised(agent: ClientId): Promise<Lab> {
  const lab = await makeLab()
  const done = await handoff(lab, 'init', '--agent', agent, '--yes')
  expect(done.code, done.stderr + done.stdout).toBe(0)
  await git(lab, 'add', '.')
  await git(lab, 'commit', '-q', '-m', 'Set up handoff')
  return lab
}

// biome-ignore lint/suspicious/noExplicitAny: records of the built program, looked into field by field
type Kept = any

/** The private records of one kind: `sessions`, `notes`, `nudges`. */
export async function keptIn(lab: Lab, kind: string): Promise<Kept[]> {
  const folder = join(lab.repo, '.git/handoff', kind)
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
  return Promise.all(names.map(async (name) => JSON.parse(await readFile(join(folder, name), 'utf8'))))
}

/** What hooks did and could not do; empty where nothing was worth a line. */
export const journalOf = (lab: Lab): Promise<string> =>
  readFile(join(lab.repo, '.git/handoff/journal'), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return ''
    throw error
  })
