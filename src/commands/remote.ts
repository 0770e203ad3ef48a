import { type CommandModule, type ExitCode, type Invocation, type Outcome, printOutcome } from '../command.ts'
import { usage } from '../errors/usage.ts'
import { open as openBranch } from '../remote/open.ts'
import { pull as pullBranch } from '../remote/pull.ts'
import { push as pushBranch } from '../remote/push.ts'
import { maskSecrets } from '../workspace/input-secrets.ts'

export const push: CommandModule = {
  define(command) {
    command
      .option('--work', 'also send uncommitted files, on no branch')
      .option('--no-work', 'send the branch alone')
      .option('--conversation', 'also send the conversation, without secrets, for `ask`')
      .option('--dry-run', 'push nothing')
      .addHelpText('after', PUSH_HELP)
  },
  async run(invocation, _args, { dryRun, work, conversation }) {
    const options = {
      dryRun: dryRun === true,
      work: work as boolean | undefined,
      conversation: conversation === true,
    }
    return printMasked(invocation, await pushBranch(invocation, options), 'result')
  },
}

export const pull: CommandModule = {
  define(command) {
    command.addHelpText('after', PULL_HELP)
  },
  async run(invocation) {
    return printMasked(invocation, await pullBranch(invocation), 'prose')
  },
}

export const open: CommandModule = {
  define(command) {
    command
      .argument('<where>', 'link to a pull request, merge request or branch; a branch; a brief')
      .option('--worktree <dir>', 'check the branch out in this new folder')
      .option('--no-work', 'do not restore uncommitted work')
      .option('--to <who>', 'start this agent or persona on its brief')
      .option('--headless', 'with `--to`: one turn without a terminal')
      .addHelpText('after', OPEN_HELP)
  },
  async run(invocation, [where = ''], options) {
    const { to, worktree, headless = false, work = true } = options as Parameters<typeof openBranch>[2]
    if (headless && to === undefined)
      throw usage('--headless needs --to.', 'Example: `git handoff open <where> --to codex --headless`.')
    if (worktree === '' || worktree?.includes('\0'))
      throw usage('--worktree needs a folder.', 'Example: `git handoff open <where> --worktree ../other`.')
    return printMasked(
      invocation,
      await openBranch(invocation, where, { to, worktree, headless, work }),
      'prose',
    )
  },
}

/** Names of branches, links and folders may hold a key: it is masked, as in the brief. */
async function printMasked(
  { out, place }: Invocation,
  { failure = null, ...outcome }: Outcome,
  form: 'result' | 'prose',
): Promise<ExitCode> {
  return printOutcome(out, { ...(await maskSecrets(outcome, place.env)), failure }, form)
}

const PUSH_HELP = `
It never forces, and pushes no other branch but \`handoff/<branch>\`, and no tag. A branch without an upstream gets one. Your pre-push
hooks run. docs/machines.md explains --work and --conversation.

Example:
  handoff push`

const PULL_HELP = `
It never merges or rebases: if both sides have commits, it changes nothing. It says which brief arrived, and whether it is trusted.

Example:
  handoff pull`

const OPEN_HELP = `
Takes links of GitHub, GitLab and Gitea, and branch links of Bitbucket. A pull request from a fork becomes pr/12 (GitLab: mr/12), which
you can only pull.

It restores uncommitted work beside the brief; with uncommitted changes of your own it stops. Only hooks in .git/hooks run.

Example:
  handoff open https://github.com/owner/name/pull/12 --to codex`
