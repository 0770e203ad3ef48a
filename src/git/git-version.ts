import { isHandoffError } from '../errors/handoff-error.ts'
import { gitEnvironment } from './environment.ts'
import { spawnGit } from './spawn.ts'

/** The version of git on PATH, e.g. `2.39.5`; empty when it does not say one, null when there is none. Rejects with the signal's reason. */
export async function gitVersion(
  cwd: string,
  env: Readonly<Record<string, string | undefined>>,
  signal: AbortSignal | undefined,
): Promise<string | null> {
  try {
    const { stdout } = await spawnGit(['version'], { cwd, env: gitEnvironment(env), signal, timeout: LIMIT })
    return /\d+\.\d+\S*/.exec(stdout.toString('utf8'))?.[0] ?? ''
  } catch (error) {
    if (isHandoffError(error) && error.code === 'E_GIT_MISSING') return null
    throw error
  }
}

/** Ms. */
const LIMIT = 10_000
