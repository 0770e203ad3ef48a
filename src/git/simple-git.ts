import type { SimpleGit } from 'simple-git'
import { FIXED_CONFIG, gitEnvironment } from './environment.ts'
import type { Repo } from './open-repo.ts'

/** Programs that git would start for a person at a terminal; a read needs none, and simple-git refuses to pass them on. */
const PROGRAMS = /^(?:SSH_ASKPASS|GIT_(?:ASKPASS|SSH|SSH_COMMAND|PROXY_COMMAND|TEMPLATE_DIR|EXEC_PATH))$/i

/** simple-git for reads whose answers it parses, with our environment and configuration. It is loaded at the first call. */
export async function openSimpleGit({ root, env, signal }: Repo): Promise<SimpleGit> {
  const { simpleGit } = await import('simple-git')
  const passed = Object.fromEntries(
    Object.entries(gitEnvironment(env)).filter(([name]) => !PROGRAMS.test(name)),
  )
  return simpleGit({
    baseDir: root,
    config: FIXED_CONFIG,
    // Everything passed was chosen above; without this list some would be dropped silently.
    allowEnvironment: Object.keys(passed),
    unsafe: { allowUnsafeFsMonitor: true, allowUnsafeConfigPaths: true },
    ...(signal === undefined ? {} : { abort: signal }),
  }).env(passed)
}
