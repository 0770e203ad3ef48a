import { chmod } from 'node:fs/promises'
import { parseRunner, runnerText } from '../hooks/runner.ts'
import { privateFolder, readPrivate, writePrivate } from '../store/private.ts'
import { keepProgram } from './keep-program.ts'

/** What every hook calls, in the private folder. */
export const RUNNER = 'hook'

/** Copies the program, and writes the runner that every hook calls; the path of the runner. Throws `writeFailed`. */
export async function writeRunner(commonDir: string): Promise<string> {
  // A Node that is a package of npm lies where a checkout can change it; the runner looks for another.
  const node = /[/\\]node_modules[/\\]/.test(process.execPath) ? '' : process.execPath
  const program = keepProgram(privateFolder(commonDir))
  const path = await writePrivate(commonDir, RUNNER, runnerText({ node, program }))
  await chmod(path, 0o700)
  return path
}

/** Lets the hooks of this clone call the version that runs now, if `init` was run here. Throws `writeFailed`. */
export async function refreshRunner(commonDir: string): Promise<void> {
  const text = await readPrivate(commonDir, RUNNER)
  if (text === null || parseRunner(text)?.program === keepProgram(privateFolder(commonDir))) return
  await writeRunner(commonDir)
}
