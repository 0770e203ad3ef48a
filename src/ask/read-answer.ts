import { adapterById } from '../agents/table.ts'
import type { CurrentBrief } from '../briefs/current.ts'
import { findBrief } from '../briefs/find-brief.ts'
import { refreshLatest } from '../briefs/latest-file.ts'
import { readChain } from '../briefs/read-chain.ts'
import { verdictOn } from '../briefs/verdict.ts'
import type { Invocation } from '../command.ts'
import { usage } from '../errors/usage.ts'
import type { Repo } from '../git/open-repo.ts'
import type { Scanner } from '../secrets/scanner.ts'
import { findNamed, findSaid, findSession } from '../session/session-behind.ts'
import { tellReading } from '../session/session-list.ts'
import { plural } from '../text/count.ts'
import type { Adapter } from '../types/agent.ts'
import type { SessionRef } from '../types/session.ts'
import { openScanner } from '../workspace/input-secrets.ts'
import { openWorkspace, type Workspace } from '../workspace/workspace.ts'
import { type Answer, answerOf, answerText } from './answer.ts'
import { createSearch } from './search.ts'

export interface AskResult {
  ok: true
  question: string
  hits: Answer[]
  searched: { briefs: string[]; session: { agent: string; id: string } | null }[]
  text: string
  warnings: string[]
}

/** Quotes what the sessions behind a brief and its parents say on a question, `limit` passages at most. Throws `usage`, `unknownId`. */
export async function readAnswer(
  invocation: Invocation,
  question: string,
  id: string | undefined,
  limit = 5,
): Promise<AskResult> {
  const { out, place } = invocation
  if (question.trim() === '')
    throw usage('There is no question.', 'Example: `git handoff ask "why was the lock given up?"`.')
  const workspace = await openWorkspace(invocation, { isAnswer: true })
  await refreshLatest(invocation, workspace.repo)
  const { sources, scope } = await findSources(invocation, workspace, id)
  const scanner = await openScanner(place, workspace.root, workspace.loaded.config)
  const search = createSearch(question)
  for (const source of sources) await readInto(search, source, scanner, invocation)
  const without = new Map<string, string[]>()
  for (const { briefs, ref, label, shown } of sources) {
    if (ref !== null) continue
    const why =
      label === null ? 'was made without a session' : `its session (${label}) is not on this machine`
    const then = shown ? 'answered from the brief' : 'the brief is not trusted and was left out'
    without.set(`${why}; ${then}`, [...(without.get(`${why}; ${then}`) ?? []), ...briefs])
  }
  // A long chain without sessions is told of in one line.
  for (const [why, briefs] of without) out.warn(`${briefs.join(', ')}: ${why}`)
  // Whatever the sessions showed to be a secret is known by now.
  const { value: hits } = await scanner.redact(search.hits(limit))
  const answers = hits.map((hit) => answerOf(hit, sources, question))
  const text = `${answerText(answers)}\n\nSearched: ${scope}. Another line: \`git handoff ask "<question>" <id>\``
  return {
    ok: true,
    question: (await scanner.redact(question)).value,
    hits: answers,
    searched: sources.map(({ briefs, ref }) => ({
      briefs,
      session: ref === null ? null : { agent: ref.agent, id: ref.id },
    })),
    text,
    warnings: out.warnings,
  }
}

async function readInto(
  search: ReturnType<typeof createSearch>,
  source: AskSource,
  scanner: Scanner,
  { place, out }: Invocation,
): Promise<void> {
  search.begin()
  const { adapter, ref, shown, texts } = source
  if (ref === null || adapter === null) {
    if (shown) for (const { text, at } of texts) search.tell(text, at)
    return
  }
  const { read } = tellReading({ out }, adapter)
  for await (const batch of read(ref, { signal: place.signal, place, onRaw: scanner.onRaw }))
    for (const event of batch) search.add(event)
}

/** One session of the chain, or a brief whose session is gone. */
export interface AskSource {
  /** Briefs made from it, newest first. */
  briefs: string[]
  /** Name of the agent; null when there was no session at all. */
  label: string | null
  adapter: Adapter | null
  /** Null when the session is not on this machine. */
  ref: SessionRef | null
  /** A stranger's text is shown only when it is trusted. */
  shown: boolean
  /** The brief's own lines, to answer from. */
  texts: { text: string; at: string | null }[]
}

/** Parents looked at: a question goes to the work that is remembered, not to years of it. */
const MAX_PARENTS = 20

/** What is searched, and in words that end a sentence which briefs that is. */
interface Found {
  sources: AskSource[]
  scope: string
}

/**
 * The sessions behind a brief and its parents, oldest first, each once; without an id also those of the line that was closed last on the same
 * branch. Throws `noBrief` and what finding one throws.
 */
export async function findSources(
  { place }: Invocation,
  { repo, roots }: Workspace & { repo: Repo },
  id: string | undefined,
): Promise<Found> {
  const first = await findBrief(repo, id ?? 'latest', place.root)
  const line = await lineOf(repo, first)
  const closed = id === undefined ? await closedBefore(repo, line) : null
  const before = closed === null ? [] : await lineOf(repo, closed)
  const sources = new Map<string, AskSource>()
  for (const brief of [...line, ...before]) {
    const { agent } = brief.parsed.meta
    const key = agent.session === undefined ? brief.id : `${agent.id} ${agent.session}`
    const known = sources.get(key)
    if (known !== undefined && known.ref !== null) {
      known.briefs.push(brief.id)
      continue
    }
    const source = await findSource(place, repo, roots, brief)
    sources.set(source.ref === null ? brief.id : key, source)
  }
  const also =
    closed === null ? '' : ` and ${plural(before.length, 'brief')} of the line that ${closed.id} closed`
  const scope = `${plural(line.length, 'brief')} up to ${first.id}${also}`
  return { sources: [...sources.values()].reverse(), scope }
}

/** The session behind one brief: on this machine, or as it came from a remote. */
export async function findSource(
  place: Invocation['place'],
  repo: Repo,
  roots: string[],
  brief: CurrentBrief,
): Promise<AskSource> {
  const { agent } = brief.parsed.meta
  const adapter = agent.id === 'git' ? null : adapterById(agent.id)
  const near =
    (await findSession(adapter, place, roots, agent.session)) ??
    // One that cannot be read any more is as good as gone.
    (await findNamed(repo, brief).catch(() => null))
  const shown = near !== null || (await verdictOn(repo, brief)).trusted
  // It may have been started outside this repository; but a stranger must not choose what is opened there.
  const found = near ?? (shown ? await findSession(adapter, place, ['/'], agent.session) : null)
  const said = found === null && shown ? await findSaid(repo, brief).catch(() => null) : null
  return {
    briefs: [brief.id],
    label: agent.id === 'git' ? null : near === null && shown ? agent.label : nameOf(adapter),
    adapter: said?.adapter ?? adapter,
    ref: found ?? said?.ref ?? null,
    shown,
    texts: linesOf(brief),
  }
}

/** The record that closed a line of this branch last, before this one; null where there is none. */
async function closedBefore(repo: Repo, line: readonly CurrentBrief[]): Promise<CurrentBrief | null> {
  const branch = line[0]?.parsed.meta.branch ?? null
  const known = new Set(line.map((brief) => brief.id))
  const records = (await readChain(repo)).filter(
    (node) => node.kind === 'done' && node.branch === branch && !known.has(node.id),
  )
  const last = records.sort((a, b) => (a.id < b.id ? 1 : -1))[0]
  return last === undefined ? null : findBrief(repo, last.id, repo.root).catch(() => null)
}

/** Our own name for an agent, since that in the brief may be a stranger's text. */
const nameOf = (adapter: Adapter | null): string => adapter?.label ?? 'an agent that is not known here'

/** The brief and its parents, newest first, each once; where a parent is missing, its line ends. */
async function lineOf(repo: Repo, first: CurrentBrief): Promise<CurrentBrief[]> {
  const line = [first]
  const seen = new Set([first.id])
  const next = [...first.parsed.meta.parents]
  for (let id = next.sort().pop(); id !== undefined && line.length <= MAX_PARENTS; id = next.sort().pop()) {
    if (seen.has(id)) continue
    seen.add(id)
    const brief = await findBrief(repo, id, repo.root).catch(() => null)
    if (brief === null) continue
    line.push(brief)
    next.push(...brief.parsed.meta.parents)
  }
  return line
}

const linesOf = ({ parsed }: CurrentBrief): AskSource['texts'] =>
  parsed.sections.flatMap((section) =>
    section.lines
      .map(({ text }) => text.trim())
      .filter((text) => text !== '')
      .map((text) => ({ text: `${section.heading}: ${text}`, at: parsed.meta.createdAt })),
  )
