import { HandoffError, quoted } from './handoff-error.ts'

/** Remotes, and branches that come from them and go there. */

/** `list`: all that there are. */
export const noRemote = (branch: string, list: readonly { name: string }[]) =>
  list.length === 0
    ? new HandoffError(
        'E_NO_REMOTE',
        'This repository has no remote.',
        'Add one: `git remote add origin <url>`',
      )
    : new HandoffError(
        'E_NO_REMOTE',
        `${branch} has no upstream, and none of the remotes (${list.map(({ name }) => name).join(', ')}) is called origin.`,
        'Choose one: `git push --set-upstream <remote> HEAD`',
      )
export const noBranchHere = (isUnborn: boolean) =>
  isUnborn
    ? new HandoffError(
        'E_NO_BRANCH',
        'This branch has no commit yet.',
        'Commit something first; `npx git-handoff create "<goal>"` does.',
      )
    : new HandoffError(
        'E_NO_BRANCH',
        'HEAD is detached, so there is no branch to push or pull.',
        'Finish the rebase or bisect, or make a branch: `git switch -c <name>`',
      )
export const noSuchBranch = (name: string, remote: string | null) =>
  new HandoffError(
    'E_NO_BRANCH',
    `There is no ${quoted(name, 120)} here${remote === null ? '' : ` or on ${remote}`}.`,
    'Check the name; whoever has the branch sends it with `npx git-handoff push`.',
  )
/** It was never pushed. */
export const notPushedYet = (branch: string, remote: string) =>
  new HandoffError(
    'E_NO_BRANCH',
    `${remote} has no branch ${branch}.`,
    'There is nothing to pull yet; `npx git-handoff push` sends the branch.',
  )
export const briefWithoutBranch = (id: string) =>
  new HandoffError(
    'E_NO_BRANCH',
    `Brief ${id} was made on a detached HEAD, so it names no branch.`,
    `Read it with \`npx git-handoff show ${id}\`.`,
  )
/** It tracks a ref that only the host writes. */
export const copyOfRequest = (branch: string, ref: string) =>
  new HandoffError(
    'E_NO_BRANCH',
    `${branch} is a copy of ${ref}, which nobody can push to.`,
    'Push to the branch that the pull request comes from, or make a branch of your own: `git switch -c <name> --no-track`',
  )
export const unreachable = (remote: string, said: string) =>
  new HandoffError(
    'E_UNREACHABLE',
    `${remote} cannot be reached: ${said}.`,
    'Check the network and the address that `git remote -v` prints, then run the command again.',
    { exit: 1 },
  )
export const remoteDenied = (remote: string, said: string) =>
  new HandoffError(
    'E_REMOTE_DENIED',
    `${remote} does not let you in: ${said}.`,
    `Log in as git does it here, for example with \`gh auth login\` or \`ssh-add\`; \`git ls-remote ${remote}\` tries it.`,
    { exit: 1 },
  )
export const remoteMissing = (remote: string, said: string) =>
  new HandoffError(
    'E_REMOTE_MISSING',
    `${remote} is not there, or not for you to see: ${said}.`,
    'Check the address that `git remote -v` prints, and that your account may read it.',
    { exit: 1 },
  )
export const hookRefused = (said: string) =>
  new HandoffError(
    'E_PUSH_REFUSED',
    `The pre-push hook refused the push${said === '' ? '.' : `:\n${said}`}`,
    'Fix what it names, then run `npx git-handoff push` again. Nothing was pushed.',
    { exit: 1, data: { said } },
  )
export const pushBehind = (branch: string, remote: string) =>
  new HandoffError(
    'E_PUSH_BEHIND',
    `${remote} has commits on ${branch} that are not here.`,
    branch.startsWith('handoff/')
      ? 'Run `npx git-handoff pull`, hand over again with `npx git-handoff create`, which joins both, then push.'
      : 'Run `npx git-handoff pull`, then push again.',
    { exit: 1 },
  )
/** `said`: all that the remote printed. */
export const pushRefused = (branch: string, remote: string, why: string, said: string) =>
  new HandoffError(
    'E_PUSH_REFUSED',
    `${remote} refused ${branch}: ${why}.`,
    'If the branch is protected, push another one: `git switch -c <name>`, then `npx git-handoff push`.',
    { exit: 1, data: { said } },
  )
/** `isCopy`: of a pull request, so that nothing of it needs to be kept. */
export const parted = (
  branch: string,
  remote: string,
  { ahead, behind }: { ahead: number; behind: number },
  isCopy: boolean,
) =>
  new HandoffError(
    'E_PARTED',
    `${branch} here and on ${remote} have parted: each has commits that the other lacks (here ${ahead}, there ${behind}).`,
    isCopy
      ? `The pull request was rewritten. On another branch, delete the copy and open it again: \`git branch -D ${branch}\``
      : `Join them on ${branch} with \`git pull --rebase\` or \`git pull --no-rebase\`. Nothing was changed.`,
    { exit: 1 },
  )
/** `files`: those that would be lost. */
export const filesInTheWay = (files: readonly string[]) =>
  new HandoffError(
    'E_IN_THE_WAY',
    `Your own changes are in the way: ${files.slice(0, 5).join(', ')}${files.length > 5 ? ` and ${files.length - 5} more` : ''}.`,
    'Move or commit them, then run the command again; they stay as they are.',
    { exit: 1, data: { files } },
  )
/** `clone`: the address to clone from. */
export const notCloned = (place: string, clone: string) =>
  new HandoffError(
    'E_NOT_CLONED',
    `This is no clone of ${place}.`,
    `Change to a clone of it, or make one, and run the command there: \`git clone ${clone}\``,
    { data: { clone } },
  )
export const checkedOutElsewhere = (branch: string, folder: string) =>
  new HandoffError(
    'E_CHECKED_OUT',
    `${branch} is checked out in ${folder}.`,
    'Run the command in that folder, or with `--cwd <folder>`.',
  )
/** `file`: one that is part of the program. */
export const bringsProgram = (branch: string, file: string) =>
  new HandoffError(
    'E_OWN_PROGRAM',
    `${branch} brings a handoff of its own (${file}), which would take the place of the one that runs.`,
    'Open it in a folder of its own with `--worktree <folder>`, or use `git switch` or `git pull` if you trust it.',
  )
/** `why`: a clause; `command`: the one that needs no work tree. */
export const notFree = (branch: string, why: string, command: string) =>
  new HandoffError(
    'E_IN_THE_WAY',
    `${branch} is not checked out now: ${why}.`,
    `Finish, commit or stash that first, or open the branch in a folder of its own: \`${command}\``,
    { exit: 1, data: { files: [] } },
  )
