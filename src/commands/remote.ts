import { type CommandModule, type ExitCode, type Invocation, type Outcome, printOutcome } from '../command.ts'
import { usage } from '../errors/usage.ts'
import { open as openBranch } from '../remote/open.ts'
import { pull as pullBranch } from '../remote/pull.ts'
import { push as pushBranch } from '../remote/push.ts'
import { maskSecrets } from '../workspace/input-secrets.ts'

export const push: CommandModule = {
  define(command) {
    command
      .option('--work', 'send uncommitted files beside the brief, on no branch')
      .option('--no-work', 'send the branch alone')
      .option('--conversation', 'send the conversation behind the brief, without secrets, for `ask`')
      .option('--dry-run', 'ask the remote and push nothing')
      .addHelpText('after', '\nExample:\n  handoff push')
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
    command.addHelpText('after', '\nExample:\n  handoff pull')
  },
  async run(invocation) {
    return printMasked(invocation, await pullBranch(invocation), 'prose')
  },
}

export const open: CommandModule = {
  define(command) {
    command
      .argument('<where>', 'link to a pull request, merge request or branch; a branch; the id of a brief')
      .option('--worktree <dir>', 'check the branch out in this new folder')
      .option('--no-work', 'leave the uncommitted work beside the brief where it is')
      .option('--to <who>', "start this persona, agent or repository's agent on its brief")
      .option('--headless', "with `--to`: one turn without a terminal; print the agent's answer")
      .addHelpText('after', '\nExample:\n  handoff open https://github.com/owner/name/pull/12 --to codex')
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
