import type { Command } from 'commander'
import { findBrief } from '../briefs/find-brief.ts'
import { refreshLatest } from '../briefs/latest-file.ts'
import { verdictOn } from '../briefs/verdict.ts'
import type { CommandModule } from '../command.ts'
import { noOrigin } from '../errors/briefs.ts'
import { untrustedBrief } from '../errors/start.ts'
import { usage } from '../errors/usage.ts'
import { ensureFilter } from '../git/latest-filter.ts'
import { type Repo, withoutAbort } from '../git/open-repo.ts'
import { originUrl } from '../git/settings.ts'
import { readLedger, recordOrigin, recordTrusted, revokeOrigin, revokeTrusted } from '../store/ledger.ts'
import { openWorkspace } from '../workspace/workspace.ts'

export function define(command: Command): void {
  command
    .argument('[id]', 'brief to trust; default: show whether the current brief is trusted')
    .option('--origin', 'trust the briefs on branches of origin')
    .option('--list', 'list what is trusted here')
    .option('--revoke', 'revoke the trust')
    .addHelpText('after', HELP)
}

const HELP = `
Trusted text may be put before an agent without being asked for: in the work-tree copy of .handoff/latest.md and by
session-start hooks. Trust is bound to the exact content and kept in this clone only. Trust in origin ends when origin is
moved to another address.

Example:
  handoff trust 20261122T014815-1f3a9c07`

export const run: CommandModule['run'] = async (invocation, args, options) => {
  const { out } = invocation
  const { repo } = await openWorkspace(invocation)
  const isWriting = options.revoke === true || options.origin === true || args[0] !== undefined
  // Once it is recorded, whom to trust, a cancel takes nothing back.
  const after = isWriting ? withoutAbort(repo) : repo
  const trust = async (record: Promise<void>): Promise<void> => {
    await record
    // A clone has no filter yet; without it git would see the copy that trust allows as a change.
    if (await ensureFilter(after)) out.say('Set filter.handoff.clean in .git/config.')
  }
  const done = async (text: string, value: object): Promise<0> => {
    await refreshLatest(invocation, after)
    out.prose(text, { ok: true, ...value, warnings: out.warnings })
    return 0
  }
  if (options.list === true) return done(...(await listed(repo)))
  if (options.origin === true) {
    if (args.length > 0) throw usage('--origin takes no id.', 'handoff trust --origin')
    if (options.revoke === true) {
      await revokeOrigin(repo.commonDir)
      return done('Origin is no longer trusted.', { origin: false })
    }
    const url = await originUrl(repo)
    if (url === null) throw noOrigin()
    await revokeOrigin(repo.commonDir)
    await trust(recordOrigin(repo.commonDir, url))
    return done(`Briefs on branches of origin (${url}) are trusted.`, { origin: true, url })
  }
  const brief = await findBrief(repo, args[0] ?? 'latest', invocation.place.root)
  if (options.revoke === true) await revokeTrusted(repo.commonDir, brief.oid)
  else if (args[0] !== undefined) await trust(recordTrusted(repo.commonDir, brief.oid))
  const verdict = await verdictOn(after, brief)
  const is = verdict.trusted ? (options.revoke === true ? 'still trusted' : 'trusted') : 'not trusted'
  await done(`${brief.id} is ${is}: ${verdict.because}.`, { id: brief.id, ...verdict })
  if (!verdict.trusted && args[0] === undefined && options.revoke !== true)
    out.say(untrustedBrief(brief.id, verdict.because).hint)
  return 0
}

async function listed(repo: Repo): Promise<[string, object]> {
  const [{ trusted: blobs, origin: was }, url] = await Promise.all([
    readLedger(repo.commonDir),
    originUrl(repo),
  ])
  const holds = was !== null && was === url
  const trusted = [...blobs, ...(holds ? ['remote:origin'] : [])]
  const moved = was !== null && !holds
  const lines = [
    ...blobs,
    ...(holds ? [`remote:origin ${was}`] : []),
    ...(moved
      ? [
          `Origin was trusted at ${was} and is at ${url ?? 'no address'} now: not trusted until \`handoff trust --origin\`.`,
        ]
      : []),
  ]
  return [
    lines.length === 0 ? 'Nothing is trusted beyond what this clone made.' : lines.join('\n'),
    { trusted, origin: was === null ? null : { url: was, trusted: holds } },
  ]
}
