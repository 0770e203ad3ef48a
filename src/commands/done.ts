import type { Command } from 'commander'
import { briefPath } from '../brief/id.ts'
import { renderClosing } from '../brief/render.ts'
import { estimateTokens, measured } from '../brief/tokens.ts'
import { noBrief, usage, writeFailed } from '../errors.ts'
import { heal } from '../git/heal.ts'
import type { Config, FrontMatter } from '../types.ts'
import { readCurrent } from './current.ts'
import { checkInput, openScanner } from './input-secrets.ts'
import { refreshLatest } from './latest-file.ts'
import { adoptWaiting, checkPlace, saveBrief } from './save-brief.ts'
import type { CommandModule } from './table.ts'
import { openWorkspace } from './workspace.ts'

export function define(command: Command): void {
  command
    .argument('[outcome...]', 'what came of it, in one line')
    .option('--redact', 'replace secrets instead of refusing')
    .option('--no-commit', 'write the record, commit nothing')
    .addHelpText('after', '\nExample:\n  handoff done "shipped in 2.4, the old scheduler is gone"')
}

export const run: CommandModule['run'] = async (invocation, args, options) => {
  const { out, place } = invocation
  const flags = options.commit === false ? { 'commit.enabled': false } : {}
  const { repo, loaded } = await openWorkspace(invocation, { flags })
  await checkPlace(repo, loaded.config.commit.enabled)
  await heal(repo)
  if (loaded.config.commit.enabled) await adoptWaiting(invocation, repo)
  const current = await readCurrent(repo)
  if (current === null) throw noBrief()
  if (current.parsed.meta.kind === 'done')
    throw usage(
      `The chain is closed already, by ${current.id}.`,
      'A new one starts with `handoff create "<goal>"`.',
    )
  const scanner = await openScanner(place, repo.root, loaded.config)
  const outcome = await checkInput(
    scanner,
    'outcome',
    args.join(' ').trim() || 'done',
    options.redact === true,
  )
  const [branch, head, status] = await Promise.all([
    repo.git(['symbolic-ref', '-q', '--short', 'HEAD'], { answers: [1] }),
    repo.git(['rev-parse', '-q', '--verify', 'HEAD'], { answers: [1] }),
    repo.git(['status', '--porcelain', '--', '.', ':(exclude).handoff'], {
      env: { GIT_LITERAL_PATHSPECS: undefined },
    }),
  ])
  const { goal, agent } = current.parsed.meta
  const meta: FrontMatter = {
    schemaVersion: 1,
    id: place.newId(current.id),
    kind: 'done',
    goal,
    ...(current.parsed.meta.vague === true ? { vague: true } : {}),
    reason: 'task_boundary',
    createdAt: place.now().toISOString(),
    branch: branch.trim() || null,
    head: head.trim() || null,
    dirty: status.trim() !== '',
    agent: { id: agent.id, label: agent.label },
    parent: current.id,
    extraction: { mode: 'none', attempts: 0 },
    tokens: 0,
  }
  const counted = { ...meta, tokens: estimateTokens(measured(renderClosing(meta, outcome))) }
  const text = renderClosing(counted, outcome)
  const path = briefPath(counted.id, goal)
  const saved = await saveBrief(invocation, repo, {
    meta: counted,
    path,
    text,
    config: current.apart === undefined ? loaded.config : closedApart(loaded.config),
    isSaved: false,
  })
  if (saved === null) throw writeFailed(path, new Error('that name is taken'))
  await refreshLatest(invocation, repo)
  const { outcome: made } = saved
  const parked = made?.state === 'parked' ? made.ref : null
  out.result(`${path}\n`, {
    ok: true,
    id: counted.id,
    path,
    commit: parked === null ? (made?.commit ?? null) : null,
    parked,
    parent: current.id,
    goal,
    outcome,
    markdown: text,
    warnings: out.warnings,
  })
  out.say(`Closed: ${outcome}`)
  if (parked !== null)
    out.say(
      `A ${made?.operation} is in progress: the record waits under ${parked} for the next handoff here.`,
    )
  return 0
}

/** A chain on a branch of briefs is closed there. */
const closedApart = (config: Config): Config => ({
  ...config,
  commit: { ...config.commit, branch: 'separate' },
})
