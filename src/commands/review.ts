import { type CurrentBrief, readCheckout } from '../briefs/current.ts'
import { findBrief, warnPassedOver } from '../briefs/find-brief.ts'
import { refreshLatest } from '../briefs/latest-file.ts'
import { judge } from '../briefs/read-chain.ts'
import { refuseUntrusted } from '../briefs/verdict.ts'
import { type CommandModule, type Invocation, printOutcome } from '../command.ts'
import type { Repo } from '../git/open-repo.ts'
import { readReceipt } from '../review/read-receipt.ts'
import { reviewBranch } from '../review/review-branch.ts'
import { truthOf } from '../verify/read-truth.ts'
import { verdictLine } from '../verify/truth.ts'
import { openScanner } from '../workspace/input-secrets.ts'
import { openWorkspace } from '../workspace/workspace.ts'

export const review: CommandModule = {
  define(command) {
    command
      .argument('[range]', 'commits as `a..b`; default: those of the pull request or branch')
      .addHelpText('after', REVIEW_HELP)
  },
  async run(invocation, [range]) {
    const { out } = invocation
    const { result, text } = await reviewBranch(invocation, range)
    if (out.screen === null) out.result(result.markdown, result)
    else out.prose(text, result)
    return 0
  },
}

const REVIEW_HELP = `
It says what is open and no longer true, which rules stand, and what each session was asked. A terminal gets text, a pipe
markdown. docs/review.md explains each part.

Example:
  handoff review main..HEAD > comment.md`

export const receipt: CommandModule = {
  define(command) {
    command
      .argument('[id]', 'id, prefix or file of a brief; default: the current one')
      .addHelpText('after', RECEIPT_HELP)
  },
  async run(invocation, [id]) {
    const { result, text } = await readReceipt(invocation, id)
    invocation.out.prose(text, result)
    return 0
  },
}

const RECEIPT_HELP = `
Rules, questions and steps that ended or whose files changed, then checks and commits. It quotes what ended an item, and judges nothing.

Example:
  handoff receipt`

export const verify: CommandModule = {
  define(command) {
    command
      .argument('[id]', 'id, prefix or file of a brief; default: the current one')
      .addHelpText('after', VERIFY_HELP)
  },
  async run(invocation, [id]) {
    const outcome = await verifyBrief(invocation, id)
    printOutcome(invocation.out, outcome, 'prose')
    return outcome.result.ok ? 0 : 1
  },
}

const VERIFY_HELP = `
It compares the brief's commit with HEAD and the work tree, and fetches nothing. Exit code 1: it is not. docs/scripts.md lists its
codes.

Example:
  handoff verify --json`

/** Whether a brief, the current one without an id, is still true. Throws what finding it throws. */
async function verifyBrief(invocation: Invocation, id: string | undefined) {
  const { out, place } = invocation
  const { repo, loaded } = await openWorkspace(invocation, { isAnswer: true })
  await refreshLatest(invocation, repo)
  const brief = await findBrief(repo, id ?? 'latest', place.root)
  if (id === undefined) warnPassedOver(out, await readCheckout(repo))
  await refuseUntrusted(place, repo, [brief])
  const scanner = await openScanner(place, repo.root, loaded.config)
  const found = await truthOf(repo, brief.parsed, brief)
  // Asked only where it decides, as it costs.
  const isLanded = found.merge.conflicts.length > 0 && (await hasLanded(repo, brief))
  const { value: truth } = await scanner.redact(
    isLanded ? await truthOf(repo, brief.parsed, { ...brief, isLanded }) : found,
  )
  const lines = truth.items.map(({ message }) => `- ${message}`)
  return {
    result: { ok: truth.stillTrue, ...truth, warnings: out.warnings, errors: [] },
    text: [`${brief.id}: ${verdictLine(truth)}`, ...lines].join('\n'),
    said: [],
  }
}

async function hasLanded(repo: Repo, { id, path, apart, committed, parsed }: CurrentBrief): Promise<boolean> {
  const { kind = 'handoff', base = null, ...meta } = parsed.meta
  const node = { ...meta, kind, base, path, ...(apart === undefined ? {} : { apart }) }
  const { states } = await judge(repo, [node], () => committed)
  return states.get(id) === 'landed'
}
