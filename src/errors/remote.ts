import { failure, quoted } from './handoff-error.ts'

/** Remotes, and branches that come from them and go there. */

/** `list`: all that there are. */
export const noRemote = failure('E_NO_REMOTE', (branch: string, list: readonly { name: string }[]) =>
  list.length === 0
    ? ['This repository has no remote.', 'Add one: `git remote add origin <url>`']
    : [
        `${branch} has no upstream, and none of the remotes (${list.map(({ name }) => name).join(', ')}) is called origin.`,
        'Choose one: `git push --set-upstream <remote> HEAD`',
      ],
)
export const noBranchHere = failure('E_NO_BRANCH', (isUnborn: boolean) =>
  isUnborn
    ? [
        'This branch has no commit yet.',
        'Commit something first; `git handoff create "<goal>" --from git` does.',
      ]
    : [
        'HEAD is detached, so there is no branch to push or pull.',
        'Finish the rebase or bisect, or make a branch: `git switch -c <name>`',
      ],
)
export const noSuchBranch = failure('E_NO_BRANCH', (name: string, remote: string | null) => [
  `There is no ${quoted(name, 120)} here${remote === null ? '' : ` or on ${remote}`}.`,
  'Check the name; whoever has the branch sends it with `git handoff push`.',
])
/** `landed`: its brief, where that is in the trunk; `wasThere`: it was pushed or pulled before. */
export const notThere = failure(
  'E_NO_BRANCH',
  (branch: string, remote: string, is: { landed: string | null; wasThere: boolean; trunk: string }) => [
    `${remote} has no branch ${branch}${is.landed !== null || is.wasThere ? ' any more' : ''}.`,
    is.landed !== null
      ? `Its work has landed, with brief ${is.landed}. Go on from the trunk: \`git switch ${is.trunk}\``
      : is.wasThere && is.trunk !== branch
        ? `If it was merged, go on from the trunk: \`git switch ${is.trunk}\`. Else \`git handoff push\` sends it again.`
        : 'There is nothing to pull yet; `git handoff push` sends the branch.',
  ],
)
/** Why git pushes a branch nowhere: by a mirror, by refspecs without it, by push.default, or for an upstream of another remote or name. */
export type Unpushable = 'mirror' | 'refspec' | 'nothing' | 'remote' | 'name'
/** A remote and a branch of it, as words of a command. */
type Far = readonly [remote: string, branch: string]

/** What git itself refuses; the branch of `far` is the upstream. */
export const pushNowhere = failure('E_NO_BRANCH', (branch: string, why: Unpushable, [remote, ref]: Far) => {
  const says = {
    mirror: `${remote} is a mirror, where git pushes all refs or none`,
    refspec: `no refspec of remote.${remote}.push names it`,
    nothing: 'push.default is nothing',
    remote: `push.default is upstream, and ${remote} is not its upstream`,
    name: `its upstream has another name, ${ref}`,
  }
  const alone = `Push it by name: \`git ${why === 'mirror' ? `-c remote.${remote}.mirror=false ` : ''}push ${remote} HEAD\``
  return [
    `\`git push\` does not push ${branch}: ${says[why]}.`,
    why === 'name'
      ? `Push there: \`git push ${remote} HEAD:${ref}\`. Or give it a branch of its own: \`git push -u ${remote} HEAD\``
      : alone,
  ]
})
export const briefWithoutBranch = failure('E_NO_BRANCH', (id: string) => [
  `Brief ${id} was made on a detached HEAD, so it names no branch.`,
  `Read it with \`git handoff show ${id}\`.`,
])
/** It tracks a ref that only the host writes. */
export const copyOfRequest = failure('E_NO_BRANCH', (branch: string, ref: string) => [
  `${branch} is a copy of ${ref}, which nobody can push to.`,
  'Push to the branch that the pull request comes from, or make a branch of your own: `git switch -c <name> --no-track`',
])
export const unreachable = failure('E_UNREACHABLE', (remote: string, said: string) => [
  `${remote} cannot be reached: ${said}.`,
  'Check the network and the address that `git remote -v` prints, then run the command again.',
  { exit: 1 },
])
export const remoteDenied = failure('E_REMOTE_DENIED', (remote: string, said: string) => [
  `${remote} does not let you in: ${said}.`,
  `Log in as git does it here, for example with \`gh auth login\` or \`ssh-add\`; \`git ls-remote ${remote}\` tries it.`,
  { exit: 1 },
])
export const remoteMissing = failure('E_REMOTE_MISSING', (remote: string, said: string) => [
  `${remote} is not there, or not for you to see: ${said}.`,
  'Check the address that `git remote -v` prints, and that your account may read it.',
  { exit: 1 },
])
export const hookRefused = failure('E_PUSH_REFUSED', (said: string) => [
  `The pre-push hook refused the push${said === '' ? '.' : `:\n${said}`}`,
  'Fix what it names, then run `git handoff push` again. Nothing was pushed.',
  { exit: 1, data: { said } },
])
/** `far`: where there are commits here that the remote lacks. */
export const pushBehind = failure('E_PUSH_BEHIND', (branch: string, remote: string, far: Far | null) => [
  `${remote} has commits on ${branch} that are not here.`,
  branch.startsWith('handoff/')
    ? 'Run `git handoff pull`, hand over again with `git handoff create`, which joins both, then push.'
    : `Run \`${far === null ? 'git handoff pull' : `git pull --rebase ${far.join(' ')}`}\`, then \`git handoff push\` again.`,
  { exit: 1 },
])
/** `tip`: what the remote has there, by its full id; this branch has held it. */
export const pushRewritten = failure('E_PUSH_BEHIND', (branch: string, [remote, far]: Far, tip: string) => [
  `${branch} was rewritten here since it was pushed, by a rebase, an amend or a reset, and nobody has pushed to ${remote} since.`,
  `If that was meant, replace what is there: \`git push --force-with-lease=${far}:${tip} ${remote} HEAD:${far}\`. Otherwise \`git pull --rebase ${remote} ${far}\` brings it back.`,
  { exit: 1 },
])
/** `said`: all that the remote printed. */
export const pushRefused = failure(
  'E_PUSH_REFUSED',
  (branch: string, remote: string, why: string, said: string) => [
    `${remote} refused ${branch}: ${why}.`,
    'If the branch is protected, push another one: `git switch -c <name>`, then `git handoff push`.',
    { exit: 1, data: { said } },
  ],
)
/** `isCopy`: of a pull request, so that nothing of it needs to be kept. */
export const parted = failure(
  'E_PARTED',
  (branch: string, far: Far, { ahead, behind }: { ahead: number; behind: number }, isCopy: boolean) => [
    `${branch} here and on ${far[0]} have parted: each has commits that the other lacks (here ${ahead}, there ${behind}).`,
    isCopy
      ? `The pull request was rewritten. On another branch, delete the copy and open it again: \`git branch -D ${branch}\``
      : `Join them on ${branch} with \`git pull --rebase ${far.join(' ')}\` or \`git pull --no-rebase ${far.join(' ')}\`. Nothing was changed.`,
    { exit: 1 },
  ],
)
/** `files`: those that would be lost. */
export const filesInTheWay = failure('E_IN_THE_WAY', (files: readonly string[]) => [
  `Your own changes are in the way: ${files.slice(0, 5).join(', ')}${files.length > 5 ? ` and ${files.length - 5} more` : ''}.`,
  'Move or commit them, then run the command again; they stay as they are.',
  { exit: 1, data: { files } },
])
/** `clone`: the address to clone from. */
export const notCloned = failure('E_NOT_CLONED', (place: string, clone: string) => [
  `This is no clone of ${place}.`,
  `Change to a clone of it, or make one, and run the command there: \`git clone ${clone}\``,
  { data: { clone } },
])
export const checkedOutElsewhere = failure('E_CHECKED_OUT', (branch: string, folder: string) => [
  `${branch} is checked out in ${folder}.`,
  'Run the command in that folder, or with `--cwd <folder>`.',
])
/** `file`: one that is part of the program. */
export const bringsProgram = failure('E_OWN_PROGRAM', (branch: string, file: string) => [
  `${branch} brings a handoff of its own (${file}), which would take the place of the one that runs.`,
  'Open it in a folder of its own with `--worktree <folder>`, or use `git switch` or `git pull` if you trust it.',
])
/** `why`: a clause; `command`: the one that needs no work tree. */
export const notFree = failure('E_IN_THE_WAY', (branch: string, why: string, command: string) => [
  `${branch} is not checked out now: ${why}.`,
  `Finish, commit or stash that first, or open the branch in a folder of its own: \`${command}\``,
  { exit: 1, data: { files: [] } },
])
/** `did`: a sentence; `undo`: the command that takes it back, null where there is nothing to. */
export const openCancelled = failure('E_CANCELLED', (did: string, undo: string | null) => [
  'Handoff cancelled',
  `${did} No agent was started.${undo === null ? '' : ` To go back: \`${undo}\``}`,
  { exit: 130 },
])
