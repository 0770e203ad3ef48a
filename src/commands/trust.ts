import type { Command } from 'commander'
import { findBrief } from '../briefs/find-brief.ts'
import { refreshLatest } from '../briefs/latest-file.ts'
import { verdictOn } from '../briefs/verdict.ts'
import { type CommandModule, type Invocation, type Outcome, printOutcome } from '../command.ts'
import { noOrigin } from '../errors/briefs.ts'
import { untrustedBrief } from '../errors/cycle.ts'
import { usage } from '../errors/usage.ts'
import { type Repo, withoutAbort } from '../git/open-repo.ts'
import { ensureFilter, originUrl } from '../git/settings.ts'
import { readLedger, recordOrigin, recordTrusted, revokeOrigin, revokeTrusted } from '../store/ledger.ts'
import { openWorkspace } from '../workspace/workspace.ts'

export function define(command: Command): void {
  command
    .argument('[id]', 'brief to trust; default: is the current one trusted?')
    .option('--origin', 'trust the briefs on branches of origin')
    .option('--list', 'list what is trusted here')
    .option('--revoke', 'revoke the trust')
    .addHelpText('after', HELP)
}

const HELP = `
An agent sees a trusted brief unasked, in this clone alone. docs/trust.md has the rules.

Example:
  handoff trust 20261122T014815-1f3a9c07`

export const run: CommandModule['run'] = async (invocation, [id], options) => {
  const { repo } = await openWorkspace(invocation)
  const revokes = options.revoke === true
  if (options.origin === true && id !== undefined)
    throw usage('--origin takes no id.', 'Example: `git handoff trust --origin`.')
  // Once it is recorded, whom to trust, a cancel takes nothing back.
  const after = revokes || options.origin === true || id !== undefined ? withoutAbort(repo) : repo
  const outcome =
    options.list === true
      ? await listTrusted(repo)
      : options.origin === true
        ? await trustOrigin(invocation, after, revokes)
        : await trustBrief(invocation, after, id, revokes)
  await refreshLatest(invocation, after)
  const { warnings } = invocation.out
  return printOutcome(
    invocation.out,
    { ...outcome, result: { ok: true, ...outcome.result, warnings } },
    'prose',
  )
}

async function trustOrigin(invocation: Invocation, repo: Repo, revokes: boolean): Promise<Outcome> {
  const url = revokes ? null : await originUrl(repo)
  if (!revokes && url === null) throw noOrigin()
  await revokeOrigin(repo.commonDir)
  if (url === null) return { result: { origin: false }, text: 'Origin is no longer trusted.', said: [] }
  await recordOrigin(repo.commonDir, url)
  await setFilter(invocation, repo)
  return {
    result: { origin: true, url },
    text: `Briefs on branches of origin (${url}) are trusted.`,
    said: [],
  }
}

/** Trusts a brief, takes that back, or without an id only judges the current one. Throws what finding it throws. */
async function trustBrief(
  invocation: Invocation,
  repo: Repo,
  id: string | undefined,
  revokes: boolean,
): Promise<Outcome> {
  const brief = await findBrief(repo, id ?? 'latest', invocation.place.root)
  if (revokes) await revokeTrusted(repo.commonDir, brief.oid)
  else if (id !== undefined) {
    await recordTrusted(repo.commonDir, brief.oid)
    await setFilter(invocation, repo)
  }
  const verdict = await verdictOn(repo, brief)
  const is = verdict.trusted ? (revokes ? 'still trusted' : 'trusted') : 'not trusted'
  const isJudged = id === undefined && !revokes
  return {
    result: { id: brief.id, ...verdict },
    text: `${brief.id} is ${is}: ${verdict.because}.`,
    said: isJudged && !verdict.trusted ? [untrustedBrief(brief.id, verdict.because).hint] : [],
  }
}

/** A clone has no filter yet; without it git would see the copy that trust allows as a change. */
async function setFilter({ out }: Invocation, repo: Repo): Promise<void> {
  if (await ensureFilter(repo)) out.say('Set filter.handoff.clean in .git/config.')
}

async function listTrusted(repo: Repo): Promise<Outcome> {
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
          `Origin was trusted at ${was} and is at ${url ?? 'no address'} now: not trusted until \`git handoff trust --origin\`.`,
        ]
      : []),
  ]
  return {
    result: { trusted, origin: was === null ? null : { url: was, trusted: holds } },
    text: lines.length === 0 ? 'Nothing is trusted beyond what this clone made.' : lines.join('\n'),
    said: [],
  }
}
