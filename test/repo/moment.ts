import { chmodSync, existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import type { TempRepo } from './make-repo.ts'

/** Waits until something has happened while a call runs, looking every so many ms. A call that is over before fails the test with what it came to. */
export async function until(
  hasHappened: () => boolean | Promise<boolean>,
  running: Promise<unknown>,
  every = 1,
): Promise<void> {
  const early = running.catch((error: unknown) => error)
  while (!(await hasHappened()))
    expect(await Promise.race([early, sleep(every, 'going on')])).toBe('going on')
}

/** Whether a branch has been moved from now on; whoever moves the first has to wait, so that what comes afterwards can be disturbed. */
export function moves(repo: TempRepo): () => boolean {
  const mark = join(repo.base, 'moved')
  const hook = join(repo.root, '.git/hooks/reference-transaction')
  writeFileSync(
    hook,
    `#!/bin/sh\n[ "$1" != committed ] || [ -e '${mark}' ] || { : >'${mark}'; sleep 0.4; }\n`,
  )
  chmodSync(hook, 0o755)
  return () => existsSync(mark)
}
