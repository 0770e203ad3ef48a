import { spawn } from 'node:child_process'
import type { Repo } from '../git/open-repo.ts'
import { runnerProgram } from '../init/init-agents.ts'
import type { Invocation } from '../command.ts'

/** Lets a process of its own go on with a switch, in a session of its own, so that it outlives whoever called. */
export function detachCycle({ place }: Invocation, repo: Repo, requestId: string): void {
  const { node, program } = runnerProgram()
  const child = spawn(node, [program, '--cwd', repo.root, 'switch', '--continue', requestId], {
    cwd: repo.root,
    env: { ...place.env } as NodeJS.ProcessEnv,
    stdio: 'ignore',
    detached: true,
  })
  // The switch stands on disk; `--continue` goes on with it.
  child.on('error', () => undefined)
  child.unref()
}
