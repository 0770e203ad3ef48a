import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Repo } from '../git/open-repo.ts'
import { applyChanges } from '../hooks/apply.ts'
import type { Plan } from '../hooks/plan.ts'
import { parseRecord, renderRecord, SETUP_RECORD, type SetupRecord } from '../hooks/record.ts'
import { privateFolder, RUNNER, readPrivate, removePrivate, writePrivate } from '../store/private.ts'
import { PROGRAMS, removeAliases } from '../workspace/keep-program.ts'
import { FOLDER } from './init-repository.ts'

/** What `init` did in this clone; `isLost` when it cannot be read, and our parts are known by their shape alone. */
export async function readSetupRecord(commonDir: string): Promise<{ record: SetupRecord; isLost: boolean }> {
  const record = parseRecord(await readPrivate(commonDir, SETUP_RECORD))
  return { record: record ?? { files: {}, marks: [] }, isLost: record === null }
}

/** Keeps the record first, since it holds what stood in the files, then writes them. Throws what `applyChanges` throws. */
export async function setUpFiles(commonDir: string, plan: Plan): Promise<void> {
  await writePrivate(commonDir, SETUP_RECORD, renderRecord(plan.record))
  await applyChanges(plan.changes)
}

/** Puts the files back first: until then the record is all that tells what stood in them. Throws what `applyChanges` throws. */
export async function takeOutFiles(commonDir: string, plan: Plan): Promise<void> {
  await applyChanges(plan.changes)
  await writePrivate(commonDir, SETUP_RECORD, renderRecord(plan.record))
}

/** Something besides the files of `.handoff/` is still there, which stay with the briefs and call nothing. */
export const isSetUp = ({ files }: SetupRecord): boolean =>
  Object.values(files).some(({ edits }) =>
    edits.some(({ owners }) => owners.some((owner) => owner !== FOLDER)),
  )

/** Keeps the record of what is still there; the runner and its aliases go with the last thing that calls them. True when they went. */
export async function closeRecord(repo: Repo, record: SetupRecord): Promise<boolean> {
  const { commonDir } = repo
  const left = Object.values(record.files)
  if (left.length > 0) await writePrivate(commonDir, SETUP_RECORD, renderRecord(record))
  else await removePrivate(commonDir, SETUP_RECORD)
  if (isSetUp(record)) return false
  const hadAlias = await removeAliases(repo)
  if ((await readPrivate(commonDir, RUNNER)) === null) return hadAlias
  await removePrivate(commonDir, RUNNER)
  rmSync(join(privateFolder(commonDir), PROGRAMS), { recursive: true, force: true })
  return true
}
