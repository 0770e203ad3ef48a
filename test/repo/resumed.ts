import { cli } from './cli.ts'
import type { TempRepo } from './make-repo.ts'
import { later, succeeded } from './usual.ts'

export const HOUR = 60

/** `resume --json`, so many minutes after the usual time. */
export const resume = (
  repo: TempRepo,
  argv: string[] = [],
  minutes = HOUR,
  env: Record<string, string> = {},
) => cli(repo, ['resume', ...argv, '--json'], { now: later(minutes), env })
export const resumed = async (...args: Parameters<typeof resume>) => succeeded(await resume(...args))
