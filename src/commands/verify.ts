import type { Command } from 'commander'
import { type CurrentBrief, readCheckout } from '../briefs/current.ts'
import { findBrief, warnPassedOver } from '../briefs/find-brief.ts'
import { refreshLatest } from '../briefs/latest-file.ts'
import { judge } from '../briefs/read-chain.ts'
import { refuseUntrusted } from '../briefs/verdict.ts'
import type { CommandModule, Invocation } from '../command.ts'
import type { Repo } from '../git/open-repo.ts'
import { truthOf } from '../verify/read-truth.ts'
import { verdictLine } from '../verify/truth.ts'
import { openScanner } from '../workspace/input-secrets.ts'
import { openWorkspace } from '../workspace/workspace.ts'
import { printOutcome } from './print-outcome.ts'

export function define(command: Command): void {
  command
    .argument('[id]', 'latest (default), an id, a unique prefix of one, or a file')
    .addHelpText('after', '\nExample:\n  handoff verify --json')
}

export const run: CommandModule['run'] = async (invocation, [id]) => {
  const outcome = await verifyBrief(invocation, id)
  printOutcome(invocation.out, outcome, 'prose')
  return outcome.result.ok ? 0 : 1
}

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
