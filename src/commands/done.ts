import { keptLine, type Limits } from '../brief/retention.ts'
import { refreshLatest } from '../briefs/latest-file.ts'
import { planPrune, removeBriefs, type Shelf } from '../briefs/prune-briefs.ts'
import { checkPlace } from '../briefs/save-brief.ts'
import { type CommandModule, type Invocation, type Outcome, printOutcome } from '../command.ts'
import { parseAge } from '../config/merge.ts'
import { closeChain } from '../create/close-chain.ts'
import { operationInProgress } from '../errors/briefs.ts'
import { usage } from '../errors/usage.ts'
import { withoutAbort } from '../git/open-repo.ts'
import { readOperation } from '../git/operation.ts'
import { plural } from '../text/count.ts'
import type { Config } from '../types/config.ts'
import { pruneWork } from '../work/send-work.ts'
import { ask, mayAsk } from '../workspace/at-terminal.ts'
import { openWorkspace } from '../workspace/workspace.ts'

export const done: CommandModule = {
  define(command) {
    command
      .argument('[outcome...]', 'the result in one line')
      .option('--redact', 'replace secrets')
      .option('--no-commit', 'write the record without a commit')
      .option('--prune', 'remove the other briefs of the chain from the tree')
      .addHelpText('after', DONE_HELP)
  },
  async run(invocation, words, options) {
    const outcome = words.join(' ').trim() || (await askOutcome(invocation))
    return printOutcome(invocation.out, await closeChain(invocation, outcome, options))
  },
}

/** What the reviewers and the next agent read. Throws `usage` where nobody can be asked, `cancelled`. */
async function askOutcome(invocation: Invocation): Promise<string> {
  const typed = mayAsk(invocation)
    ? await ask(invocation, (questions) =>
        questions.text({
          message: 'What is the result, in one line?',
          lines: ['Example: shipped in 2.4'],
          initial: '',
        }),
      )
    : ''
  if (typed.trim() !== '') return typed.trim()
  throw usage('`done` needs the result in one line.', 'Example: `git handoff done "shipped in 2.4"`.')
}

export const prune: CommandModule = {
  define(command) {
    command
      .option('--keep <n>', 'keep this many of the newest')
      .option('--older-than <age>', 'remove only older ones, e.g. 30d, 12h or 8w')
      .option('--open', 'also remove the last briefs of open chains')
      .option('--dry-run', 'list what would go')
      .addHelpText('after', PRUNE_HELP)
  },
  async run(invocation, _args, options) {
    return printOutcome(invocation.out, await pruneTree(invocation, options))
  },
}

const DONE_HELP = `
It names the rules that end. The next \`create\` begins a new chain.

Example:
  handoff done "shipped in 2.4, the old scheduler is gone"`

const PRUNE_HELP = `
It makes one commit. \`log\`, \`show\`, \`diff\` and \`resume\` still find pruned briefs. With both limits, a brief goes only if both allow
it. Without, \`retention\` in the configuration applies. The current brief, the last of an open chain and edited ones stay.

Example:
  handoff prune --keep 10 --older-than 30d --dry-run`

/** Throws `usage`, `operationInProgress`, and what opening and committing throw. */
async function pruneTree(invocation: Invocation, options: Record<string, unknown>): Promise<Outcome> {
  const { out, place } = invocation
  const { repo, loaded } = await openWorkspace(invocation)
  const limits = limitsOf(options, loaded.config.retention)
  const isDry = options.dryRun === true
  if (!isDry) {
    await checkPlace(repo, { ...loaded.config.commit, enabled: true })
    const operation = readOperation(repo.gitDir)
    if (operation !== null) throw operationInProgress(operation)
  }
  const plans = await planPrune(repo, limits, place.now().getTime())
  const removed = plans.flatMap(({ shelf, removed }) => removed.map((brief) => told(brief, shelf)))
  const kept = plans.flatMap(({ shelf, kept }) =>
    kept.map((brief) => ({ ...told(brief, shelf), why: brief.why })),
  )
  const commits: { ref: string; commit: string }[] = []
  let now = repo
  for (const { shelf, removed } of isDry ? [] : plans)
    if (removed.length > 0) {
      const commit = await removeBriefs(invocation, now, shelf, removed)
      commits.push({ ref: shelf.ref ?? 'HEAD', commit })
      now = withoutAbort(repo)
    }
  await refreshLatest(invocation, now)
  const work = await pruneWork(now, place.now(), isDry)
  for (const why of work.failed) out.warn(why)
  for (const { path, why } of kept)
    if (why === 'edited') out.warn(`${path} stays: it has changes that are not committed`)
  const stays =
    kept.length === 0
      ? 'no brief is in the tree'
      : `${kept.length} ${kept.length === 1 ? 'stays' : 'stay'}: ${keptLine(kept)}`
  const isNone = removed.length === 0
  return {
    result: { ok: true, dryRun: isDry, removed, kept, commits, work: work.ids, warnings: out.warnings },
    text: isNone ? null : removed.map(({ path }) => `${path}\n`).join(''),
    said: [
      isNone
        ? `Nothing to prune; ${stays}.`
        : `${isDry ? 'Would remove' : 'Removed'} ${plural(removed.length, 'brief')} from the tree; ${stays}. History keeps all of them.`,
      ...(work.ids.length === 0
        ? []
        : [
            `${isDry ? 'Would remove' : 'Removed'} uncommitted work of more than 30 days beside ${plural(work.ids.length, 'brief')}.`,
          ]),
    ],
  }
}

/** What is told of a brief with `--json`. */
const told = ({ id, path, createdAt }: Shelf['held'][number], { ref }: Shelf) => ({
  id,
  path,
  createdAt,
  ...(ref === null ? {} : { ref }),
})

/** The limits asked for, else those of the configuration. Throws `usage`. */
function limitsOf(
  { keep, olderThan, open }: Record<string, unknown>,
  configured: Config['retention'],
): Limits {
  const count = keep === undefined ? null : /^\d{1,6}$/.test(String(keep)) ? Number(keep) : Number.NaN
  if (Number.isNaN(count))
    throw usage(
      `--keep takes a whole number, not ${String(keep)}.`,
      'Example: `git handoff prune --keep 10`.',
    )
  const age = olderThan === undefined ? null : (parseAge(olderThan) ?? Number.NaN)
  if (Number.isNaN(age))
    throw usage(
      `--older-than takes an age such as 12h, 30d or 8w, not ${String(olderThan)}.`,
      'Example: `git handoff prune --older-than 30d`.',
    )
  const isAsked = count !== null || age !== null
  const limits = { ...(isAsked ? { keep: count, olderThan: age } : configured), open: open === true }
  if (limits.keep === null && limits.olderThan === null)
    throw usage(
      'How many briefs should stay? No limit was given, and the configuration has none.',
      'Example: `git handoff prune --keep 10 --dry-run`. See `git handoff prune --help`.',
    )
  return limits
}
