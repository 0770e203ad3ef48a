import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { Repo } from '../../../src/git/open-repo.ts'
import { adoptParked } from '../../../src/git/parked.ts'
import { privateFolder } from '../../../src/private-folder.ts'
import { createPlain } from '../../../src/store/plain-file.ts'
import { hashFiles } from '../hash-files.ts'
import type { TempRepo } from '../make-repo.ts'

export const ID = '20261122T014815-1f3a9c07'
export const BRIEF = `.handoff/briefs/${ID}-x.md`
export const CONTENT = `---\nid: ${ID}\n---\nbrief\n`
export const MESSAGE = `chore(handoff): x\n\nHandoff-Id: ${ID}\n`

/** Adopts parked briefs, with files of the work tree as `create` writes them. */
export const adoptHere = (repo: Repo) =>
  adoptParked(repo, (path, content) => createPlain(repo.root, path, content, privateFolder(repo.gitDir)))

/** Everything of a repository that belongs to the user. */
export interface Snapshot {
  index: string
  stash: string
  refs: string
  status: string
  operation: string[]
  files: Record<string, string>
}

const ours = (line: string) => /(^|[\t "/])\.handoff\//.test(line)
const drop = (text: string) =>
  text
    .split('\n')
    .filter((line) => !ours(line))
    .join('\n')

/** Takes stock without refreshing the index. */
export function snapshot(repo: TempRepo): Snapshot {
  const quiet = (args: string[]) => drop(repo.tryGit(['--no-optional-locks', ...args]).stdout)
  const gitDir = repo.git(['rev-parse', '--absolute-git-dir'])
  return {
    index: quiet(['ls-files', '-s', '-v', '--full-name']),
    stash: quiet(['stash', 'list']),
    refs: quiet(['for-each-ref', '--format=%(refname) %(objectname)'])
      .split('\n')
      .filter((line) => !line.startsWith('refs/handoff/') && !line.startsWith('refs/heads/'))
      .join('\n'),
    status: quiet(['status', '--porcelain=v2', '-uall', '--ignored=no']),
    operation: [
      'MERGE_HEAD',
      'MERGE_MSG',
      'CHERRY_PICK_HEAD',
      'REVERT_HEAD',
      'BISECT_LOG',
      'rebase-merge',
      'rebase-apply',
      'sequencer',
      'AUTO_MERGE',
    ].filter((name) => existsSync(join(gitDir, name))),
    files: hashFiles(repo.root, ['.git', '.handoff']),
  }
}

/** Lock files that are still there, our place in the queue among them. */
export function leftovers(gitDir: string): string[] {
  const found: string[] = []
  const walk = (folder: string) => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name)
      if (entry.isDirectory()) {
        if (entry.name !== 'objects') walk(path)
      } else if (entry.name.endsWith('.lock')) found.push(path.slice(gitDir.length + 1))
    }
  }
  walk(gitDir)
  return found
}

/** Nothing of the user's changed, nothing of ours is left over, and the object store is sound. */
export function expectNoHarm(
  repo: TempRepo,
  before: Snapshot,
  options: { locks?: string[]; fsck?: boolean } = {},
): void {
  expect(snapshot(repo)).toEqual(before)
  const gitDir = repo.git(['rev-parse', '--absolute-git-dir'])
  expect(leftovers(gitDir)).toEqual(options.locks ?? [])
  if (options.fsck !== false) repo.git(['fsck', '--no-dangling', '--no-progress'])
}

/** The commit holds nothing but files under `.handoff/`. */
export function expectOnlyOurs(repo: TempRepo, commit: string): void {
  const names = repo.git(['diff-tree', '--root', '-r', '--no-commit-id', '--name-only', commit]).split('\n')
  expect(names.filter((name) => !name.startsWith('.handoff/'))).toEqual([])
  expect(names).toContain(BRIEF)
}
