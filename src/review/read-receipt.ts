import { isAbsolute, join } from 'node:path'
import type { ParsedBrief } from '../brief/parse.ts'
import { type CurrentBrief, endOfBase } from '../briefs/current.ts'
import { findBrief } from '../briefs/find-brief.ts'
import { refreshLatest } from '../briefs/latest-file.ts'
import { readChain } from '../briefs/read-chain.ts'
import { verdictOn } from '../briefs/verdict.ts'
import type { Invocation } from '../command.ts'
import { headUnknown } from '../errors/git.ts'
import { createDigest } from '../facts/digest.ts'
import type { Repo } from '../git/open-repo.ts'
import { isBehind } from '../git/operation.ts'
import { sameText } from '../report/compare.ts'
import {
  commandKey,
  dropped,
  neverOpened,
  type ReceiptFacts,
  receiptLines,
  receiptOf,
  type SessionFacts,
} from '../report/receipt.ts'
import { findSessionBehind } from '../session/session-behind.ts'
import { plural } from '../text/count.ts'
import type { Config } from '../types/config.ts'
import type { PlanItem } from '../types/session.ts'
import { openScanner } from '../workspace/input-secrets.ts'
import { openWorkspace } from '../workspace/workspace.ts'

/**
 * What became of what a brief handed over: the object of `receipt --json`, and the same as `text`. Throws `unknownId`, `noBrief`,
 * `headUnknown` when the commit of the brief is not in this clone.
 */
export async function readReceipt(invocation: Invocation, id: string | undefined) {
  const { out, place } = invocation
  const { repo, root, roots, loaded } = await openWorkspace(invocation, { isAnswer: true })
  await refreshLatest(invocation, repo)
  const brief = await findBrief(repo, id ?? 'latest', place.root)
  const nodes = await readChain(repo)
  const next = nodes.find((node) => node.parents.includes(brief.id) && node.kind !== 'done')
  const successor = next === undefined ? null : await findBrief(repo, next.id, place.root)
  const scanner = await openScanner(place, root, loaded.config)
  const session =
    successor === null
      ? null
      : await readDone(invocation, repo, roots, successor, brief, scanner.onRaw, loaded.config)
  const facts = await gitFacts(repo, brief.parsed, successor?.parsed ?? null, 'HEAD')
  if (facts === null) throw headUnknown(brief.id)
  const all: ReceiptFacts = { ...facts, session }
  const found = { items: receiptOf(all), dropped: dropped(all), neverOpened: neverOpened(all) }
  const { value } = await scanner.redact(found)
  const since = `${brief.id}, ${plural(all.commits.length, 'commit')} since, next brief: ${successor?.id ?? 'none'}`
  const lines = receiptLines(value.items, value.neverOpened, value.dropped)
  const text = [since, ...lines.map((line) => `- ${line}`)].join('\n')
  const ids = { id: brief.id, successor: successor?.id ?? null, commits: all.commits.length }
  const result = { ok: true, ...ids, hasSession: session !== null, ...value, text, warnings: out.warnings }
  return { result, text }
}

/** What git tells, up to the commit `to`, with what is uncommitted where that is HEAD; null when the brief's commit is not here. */
export async function gitFacts(
  repo: Repo,
  brief: ParsedBrief,
  successor: ParsedBrief | null,
  to: string,
): Promise<Omit<ReceiptFacts, 'session'> | null> {
  const head = brief.meta.head
  if (head === null || !(await isBehind(repo, head, to))) return null
  const end = to === 'HEAD' ? [] : [to]
  const base = endOfBase(brief.meta)
  const names = (...ends: string[]) =>
    repo.git(['diff', '-z', '--no-renames', '--name-only', '--end-of-options', ...ends, '--'])
  const isThere = base !== undefined && (await isBehind(repo, base, to))
  const [log, diff, sinceBase, tree] = await Promise.all([
    repo.git([
      'log',
      '-z',
      '--reverse',
      '--first-parent',
      '--no-merges',
      '--no-renames',
      '--name-only',
      '--format=%x01%H%x00%ae%x00%s%x00',
      '--end-of-options',
      `${head}..${to}`,
      '--',
    ]),
    names(head, ...end),
    isThere ? names(base, ...end) : null,
    repo.git(['ls-tree', '-r', '-z', '--name-only', head]),
  ])
  const made = log
    .split('\x01')
    .filter((part) => part !== '')
    .map((part) => {
      const [sha = '', author = '', subject = '', ...files] = part.split('\0')
      return { sha, author, subject, files: files.map((file) => file.trim()).filter((file) => file !== '') }
    })
  const isOurs = (file: string): boolean => file.startsWith('.handoff/')
  const people = new Set(made.filter(({ files }) => files.some(isOurs)).map(({ author }) => author))
  const commits = made
    .filter(({ files }) => !files.every(isOurs))
    .map(({ author, ...commit }) => ({ ...commit, isOthers: people.size > 0 && !people.has(author) }))
  const changed = new Set(diff.split('\0'))
  const other = sinceBase === null ? changed : new Set(sinceBase.split('\0'))
  const restored = new Set([...changed].filter((file) => !other.has(file)))
  return { brief, successor, commits, changed, restored, known: tree.split('\0') }
}

/** What the session of the successor did after the brief was made; null when it is not on this machine. */
async function readDone(
  invocation: Invocation,
  repo: Repo,
  roots: readonly string[],
  successor: CurrentBrief,
  brief: CurrentBrief,
  onRaw: (bytes: Buffer) => void,
  config: Config,
): Promise<SessionFacts | null> {
  const { trusted } = await verdictOn(repo, successor)
  const picked = await findSessionBehind(invocation, repo, roots, successor, trusted)
  if (picked === null) return null
  const opened = new Set<string>()
  const plan = new Map<string, PlanItem['status']>()
  const digest = createDigest({ sessionCwd: picked.ref.cwd, home: invocation.place.home })
  const said: string[] = []
  const { cwd: start } = picked.ref
  const open = (path: string, cwd: string | null): void => {
    const whole = isAbsolute(path) ? path : join(cwd ?? start ?? repo.root, path)
    for (const top of [repo.root, start ?? repo.root])
      if (whole.startsWith(`${top}/`)) opened.add(whole.slice(top.length + 1))
  }
  const { place } = invocation
  for await (const batch of picked.adapter.read(picked.ref, { place, onRaw, signal: place.signal }))
    for (const event of batch) {
      if (event.at !== null && event.at <= brief.parsed.meta.createdAt) continue
      digest.add(event)
      const isSaid = event.kind === 'prompt' || event.kind === 'answer'
      if (isSaid || (event.kind === 'proposal' && event.accepted)) said.push(event.text)
      else if (event.kind === 'plan')
        for (const { text, status } of event.items) plan.set(sameText(text), status)
      else if (event.kind === 'call') {
        const { action } = event
        if ('paths' in action) for (const path of action.paths) open(path, event.cwd)
        if (action.type === 'edit') for (const { path } of action.files) open(path, event.cwd)
      }
    }
  // The last run of each check, judged as `create` judges it.
  const nothing = { git: null, goal: '', focus: null, inherited: null, agent: null, sessionId: null, config }
  const runs = digest
    .finish(nothing)
    .checks.map(({ command, outcome }) => [commandKey(command), outcome] as const)
  return { opened, plan, runs: new Map(runs), said: said.join('\n') }
}
