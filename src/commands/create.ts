import { type Command, InvalidArgumentError } from 'commander'
import {
  type CommandModule,
  collect,
  type ExitCode,
  type Invocation,
  type Outcome,
  printOutcome,
} from '../command.ts'
import {
  BRANCHES,
  type CreateOptions,
  type CreateRequest,
  FROM,
  MODES,
  openForCreate,
  readRequest,
} from '../create/create-request.ts'
import { GOAL_EXAMPLE } from '../errors/usage.ts'

export const usual = [
  ...['--focus', '--from', '--session', '--extract', '--notes', '--ask', '--to', '--edit', '--no-commit'],
  ...['--work', '--preview', '--dry-run'],
]

export function define(command: Command): void {
  command
    .usage('"<goal>" [options]')
    .argument('[goal...]', 'what the next session must achieve, in your words')
    .option('--focus <text>', 'what to look at first')
    .option('--reason <reason>', 'manual, context_limit, shift_end, task_boundary or your text', 'manual')
    .addOption(
      command
        .createOption('--from <agent>', 'newest session of an agent or `acp:<name>`; `git`: none')
        .choices(FROM)
        .argParser(readFrom),
    )
    .option('--session <id|file>', 'this session; `-`: a conversation on standard input')
    .option('--until [when]', 'up to this turn, time or request')
    .option('--extract <who>', 'ask a model for the page: agent, provider/model, or none')
    .option('--notes <file>', 'notes from a file, or `-`')
    .option('--no-notes', 'use recorded notes, ask nobody')
    .option('--ask', 'ask the agent of the session for its page, in a fork')
    .option('--no-ask', 'do not offer --ask')
    .option('--include-stale-notes', 'also use notes that are too old')
    .option('--require-notes', 'fail when there are no notes')
    .option('--persona <slug>', 'role of the successor')
    .option('--to <who>', 'start this agent or persona on it; implies strict mode')
    .option('--headless', 'with `--to`: one turn without a terminal')
    .option('--worktree [dir]', 'a new worktree for `--to`')
    .option('--skill <name>', 'skill for the successor; may be repeated', collect, [])
    .option('--exact', 'count tokens with o200k, do not estimate')
    .option('--allow-vague', 'accept a short or vague goal')
    .option('--edit', 'edit the brief before it is committed')
    .option('--no-edit', 'never open the editor')
    .option('--commit', 'commit the brief (default)')
    .option('--no-commit', 'write the brief without a commit')
    .addOption(
      command.createOption('--branch <where>', 'current, or separate (handoff/<branch>)').choices(BRANCHES),
    )
    .addOption(
      command
        .createOption('--mode <mode>', 'strict or permissive; permissive unless `--to` is given')
        .choices(MODES),
    )
    .option('--work', 'keep uncommitted files for the next `push`')
    .option('--redact', 'replace secrets in your input')
    .option('--force', 'allow an oversized or incomplete brief in strict mode')
    .option('--preview', 'print the brief and what was cut; write nothing')
    .option('--dry-run', 'write nothing')
    .option('--print', 'print the brief; write nothing')
    .addHelpText('after', HELP)
}

const HELP = `
Index, other files and stash stay as they are. docs/create.md says more.
Example:
  handoff create "${GOAL_EXAMPLE}"`

/** An agent that is read, `git`, or `acp:<name>`: one that is asked by protocol. */
function readFrom(value: string): string {
  if (FROM.includes(value) || (value.startsWith('acp:') && value !== 'acp:')) return value
  throw new InvalidArgumentError(`Allowed choices are ${FROM.join(', ')}, acp:<name>.`)
}

export const run: CommandModule['run'] = async (invocation, words, options) => {
  return createAndTell(invocation, readRequest(words.join(' '), options as CreateOptions))
}

/** Makes the brief, starts the successor that was asked for, and prints what came of it. Throws what making and starting throw. */
export async function createAndTell(invocation: Invocation, request: CreateRequest): Promise<ExitCode> {
  const { out } = invocation
  if (request.to === undefined) {
    // The large part is loaded while git answers.
    const [workspace, { createBrief }] = await Promise.all([
      openForCreate(invocation, request),
      import('../create/create-brief.ts'),
    ])
    return printOutcome(out, await createBrief(invocation, request, workspace))
  }
  const { createAndStart } = await import('../switch/resume.ts')
  // Before the successor has the terminal; the one object of `--json` tells of both.
  const onMade = (made: Outcome): void => void (out.json || printOutcome(out, made))
  return printOutcome(out, await createAndStart(invocation, request, request.to, onMade))
}
