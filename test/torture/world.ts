import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { atFolder, makeEnv, type TempRepo } from '../repo/make-repo.ts'

const FILES: Readonly<Record<string, string>> = { 'a.txt': 'a\n', 'src/queue.ts': 'x\n' }

/** A repository with one commit of these files, and a home of its own, under a folder. */
export function openWorld(folder: string, name = 'repo', files: Record<string, string> = FILES): TempRepo {
  const root = join(folder, name)
  mkdirSync(root, { recursive: true })
  const repo = atFolder(folder, root, makeEnv(join(folder, 'home')))
  repo.git(['init', '-q', '-b', 'main', '--template='])
  repo.commit('first', files)
  return repo
}
