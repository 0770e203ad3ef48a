import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { atFolder, makeEnv, makeFolder, type TempRepo } from './make-repo.ts'

/** Mounting needs root and a system that lets it; else the tests that need a small disk say that they did not run. */
export const canMount = process.getuid?.() === 0 && tryMount()
if (!canMount) console.warn('SKIPPED: full and read-only disks need root to mount a small tmpfs')

function tryMount(): boolean {
  const folder = mkdtempSync(join(tmpdir(), 'handoff-mount-'))
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', folder])
  if (status === 0) spawnSync('umount', ['-l', folder])
  rmdirSync(folder)
  return status === 0
}

/** Runs `work` on a repository (one commit, no templates) on a disk of its own; its home lies elsewhere. */
export async function onSmallDisk(
  size: string,
  work: (repo: TempRepo, remount: (option: 'ro' | 'rw') => void) => Promise<void>,
): Promise<void> {
  const base = makeFolder()
  const disk = join(base, 'disk')
  mkdirSync(disk)
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', disk])
  try {
    const root = join(disk, 'repo')
    mkdirSync(root)
    const repo = atFolder(base, root, makeEnv(join(base, 'home')))
    repo.git(['init', '-q', '-b', 'main', '--template='])
    repo.commit('first', { 'a.txt': 'a\n' })
    await work(repo, (option) => execFileSync('mount', ['-o', `remount,${option}`, disk]))
  } finally {
    spawnSync('umount', ['-l', disk])
  }
}

/** Kilobytes left on the disk of a repository. */
export const leftOn = (repo: TempRepo): number =>
  Number(execFileSync('df', ['--output=avail', '-k', repo.root], { encoding: 'utf8' }).split('\n')[1])
