import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { gitFailed } from '../errors/git.ts'
import type { Repo } from '../git/open-repo.ts'
import { spawnGit } from '../git/spawn.ts'
import type { Change } from '../hooks/plan.ts'

/** The changes as one unified diff; `name` tells how a path is shown. Empty when there are none. Throws `gitFailed`. */
export async function diffOf(
  repo: Repo,
  changes: readonly Change[],
  name: (path: string) => string,
): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'handoff-diff-'))
  try {
    for (const { path, now, next } of changes)
      for (const [side, bytes] of [['a', now] as const, ['b', next] as const]) {
        const file = join(folder, side, name(path))
        await mkdir(dirname(file), { recursive: true })
        if (bytes !== null) await writeFile(file, bytes)
      }
    if (changes.length === 0) return ''
    const args = [
      'diff',
      '--no-index',
      '--no-prefix',
      '--no-color',
      '--no-ext-diff',
      '--no-textconv',
      'a',
      'b',
    ]
    // What the person set for line ends is for the work tree, not for what is shown here.
    const options = repo.child({ cwd: folder, env: { GIT_ATTR_NOSYSTEM: '1' } })
    const { code, stdout, stderr } = await spawnGit(
      ['-c', 'core.autocrlf=false', '-c', 'core.safecrlf=false', ...args],
      options,
    )
    if (code !== 0 && code !== 1) throw gitFailed(args, stderr)
    return stdout.toString('utf8')
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
