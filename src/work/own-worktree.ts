import { existsSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import type { Invocation } from '../command.ts'
import { usage } from '../errors/usage.ts'
import { workNotTaken } from '../errors/work.ts'
import { isIn } from '../git/files.ts'
import { type Repo, withoutAbort } from '../git/open-repo.ts'
import { readOperation } from '../git/operation.ts'
import { branchName, readHead, readRefs, readWorktrees } from '../git/refs.ts'
import { addWorktree } from '../git/take-branch.ts'
import { plural } from '../text/count.ts'
import { codeSpan, typedWord } from '../text/safe-text.ts'
import { openScanner } from '../workspace/input-secrets.ts'
import { openWorkspace, type RepoWorkspace } from '../workspace/workspace.ts'
import { leftText } from './offer-work.ts'
import { type Left, readWork } from './read-work.ts'
import { restoreWork } from './restore-work.ts'

/** A worktree that is not there yet, and its branch. */
export interface OwnWorktree {
  /** Absolute. */
  folder: string
  branch: string
}

/** What a new worktree has of the one that it was made from, as `--json` has it. */
export interface MadeWorktree extends OwnWorktree {
  files: number
  staged: number
  left: Left[]
}

/** Folders and branches of the same name that are counted on. */
const MOST_NAMES = 99

/**
 * Where a successor works beside this work tree: in the folder that is named, else beside it; on a branch of its own, since git checks none
 * out twice. Throws `usage` and `workNotTaken` before anything is made.
 */
export async function planWorktree(
  { place }: Invocation,
  repo: Repo,
  named: string | true,
  agent: string,
): Promise<OwnWorktree> {
  const from = branchName((await readHead(repo)).ref)
  if (from === null)
    throw usage(
      'HEAD is detached, so a worktree would have no branch to go on from.',
      'Run `git switch -c <name>` first.',
    )
  const operation = readOperation(repo.gitDir)
  if (operation !== null) throw workNotTaken(`a ${operation} is in progress`)
  const given = named === true ? null : resolve(place.root, named)
  if (given !== null && (existsSync(given) || isIn(repo.root, given)))
    throw usage(
      `${given} ${existsSync(given) ? 'is there already' : 'is inside this work tree'}.`,
      'Name a new folder beside it: `--worktree ../<name>`, or leave the name out.',
    )
  const taken = new Set((await readRefs(repo, ['refs/heads'])).map(({ name }) => name))
  for (let nth = 1; nth <= MOST_NAMES; nth++) {
    const branch = `${from}-${agent}${nth === 1 ? '' : `-${nth}`}`
    const beside = `${basename(repo.root)}-${branch.replace(/[^\w.-]+/g, '-')}`
    const folder = given ?? join(dirname(repo.root), beside)
    if (!taken.has(`refs/heads/${branch}`) && (given !== null || !existsSync(folder)))
      return { folder, branch }
  }
  throw usage(
    `${MOST_NAMES} branches ${from}-${agent} are there already.`,
    'Remove some: `git branch -D <name>`.',
  )
}

/**
 * Makes it at HEAD, with what is uncommitted here if that is wanted, and says where it is. Here nothing changes: neither index nor work tree.
 * If anything fails, neither folder nor branch stays. Throws what `readWork`, `addWorktree` and `restoreWork` throw.
 */
export async function makeWorktree(
  invocation: Invocation,
  { repo, loaded }: RepoWorkspace,
  { folder, branch }: OwnWorktree,
  isWithWork: boolean,
): Promise<{ there: RepoWorkspace; made: MadeWorktree }> {
  const { place, out } = invocation
  const work = isWithWork ? await readWork(repo, await openScanner(place, repo.root, loaded.config)) : null
  const oid = work?.head ?? (await repo.git(['rev-parse', '--verify', 'HEAD^{commit}'])).trim()
  try {
    const said = await addWorktree(
      repo,
      { branch, local: null, from: { remote: '', ref: '', oid } },
      folder,
      true,
    )
    if (said) out.quote(said)
    const there = await openWorkspace({ ...invocation, place: { ...place, root: folder } })
    if (work !== null) {
      const { tree, index, intent } = work
      const merged = { tree, index, isMoved: false }
      await restoreWork(there.repo, { id: branch, intent }, merged, { staying: [] })
    }
    place.signal?.throwIfAborted()
    const { files = 0, staged = 0, left = [] } = work ?? {}
    tellMade(invocation, repo, { folder, branch, files, staged, left })
    return { there, made: { folder, branch, files, staged, left } }
  } catch (error) {
    await removeWorktree(withoutAbort(repo), { folder, branch }, oid)
    throw error
  }
}

function tellMade(
  { out }: Invocation,
  { root }: Repo,
  { folder, branch, files, staged, left }: MadeWorktree,
) {
  const count =
    files === 0
      ? ''
      : `, with ${plural(files, 'uncommitted file')}${staged === 0 ? '' : ` (${staged} staged)`}`
  const stays = left.length === 0 ? '' : `; it stays here: ${leftText(left)}`
  out.say(
    `Made ${folder} on the new branch ${codeSpan(branch)}${count}. Files that git ignores are not there${stays}`,
  )
  out.say(
    `When its work is merged: \`git -C ${typedWord(root)} worktree remove ${typedWord(folder)}\`, then \`git branch -d ${typedWord(branch)}\``,
  )
}

/** Only what git lists as made here: in the meantime somebody else may have put something in its place. */
async function removeWorktree(repo: Repo, { folder, branch }: OwnWorktree, oid: string): Promise<void> {
  const made = (await readWorktrees(repo)).find((one) => one.branch === branch)
  if (made !== undefined) await repo.run(['worktree', 'remove', '--force', '--force', folder])
  await repo.run(['update-ref', '-d', `refs/heads/${branch}`, oid])
}
