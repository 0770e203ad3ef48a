import type { Command } from 'commander'
import { findBrief, warnPassedOver } from '../briefs/find-brief.ts'
import { refreshLatest } from '../briefs/latest-file.ts'
import type { CommandModule } from '../command.ts'
import { truthOf } from '../verify/read-truth.ts'
import { verdictLine } from '../verify/truth.ts'
import { openScanner } from '../workspace/input-secrets.ts'
import { openWorkspace } from '../workspace/workspace.ts'

export function define(command: Command): void {
  command
    .argument('[id]', 'latest (default), an id, a unique prefix of one, or a file')
    .addHelpText('after', '\nExample:\n  handoff verify --json')
}

export const run: CommandModule['run'] = async (invocation, args) => {
  const { out, place } = invocation
  const { repo, loaded } = await openWorkspace(invocation)
  await refreshLatest(invocation, repo)
  const brief = await findBrief(repo, args[0] ?? 'latest', place.root)
  if (args[0] === undefined) await warnPassedOver(out, repo, brief)
  const scanner = await openScanner(place, repo.root, loaded.config)
  const { value: truth } = await scanner.redact(await truthOf(repo, brief.parsed, brief))
  const lines = truth.items.map(({ message }) => `- ${message}`)
  const text = [`${brief.id}: ${verdictLine(truth)}`, ...lines].join('\n')
  out.prose(text, { ok: truth.stillTrue, ...truth, warnings: out.warnings, errors: [] })
  return truth.stillTrue ? 0 : 1
}
