import type { Command } from 'commander'
import { usage } from '../errors.ts'
import { createSearch, type Search } from '../extract/search.ts'
import type { Hit } from '../extract/search-hits.ts'
import type { Passage } from '../extract/search-pool.ts'
import { clipQuote } from '../extract/search-quote.ts'
import type { Scanner } from '../secrets/scanner.ts'
import { type AskSource, findSources } from './ask-sources.ts'
import { openScanner } from './input-secrets.ts'
import { refreshLatest } from './latest-file.ts'
import { startRawScan } from './raw-scan.ts'
import type { CommandModule, Invocation } from './table.ts'
import { openWorkspace } from './workspace.ts'

export function define(command: Command): void {
  command
    .argument('<question>', 'what you want to know')
    .argument('[id]', 'latest (default), an id, a unique prefix of one, or a file')
    .option('--limit <n>', 'at most so many passages', '5')
    .addHelpText('after', HELP)
}

const HELP = `
Searches the sessions behind a brief and its parents for the words of the question, without a model, and quotes what was said
and done, with turn and time: what people and agents said first, then commands. Below an answer ("yes", "option 2") stands what
it answers; below a passage, what was said on the matter later.

Example:
  handoff ask "why was the lock given up?"`

export const run: CommandModule['run'] = async (invocation, [question = '', id], options) => {
  const { out, place } = invocation
  const limit = Number(options.limit ?? 5)
  if (!Number.isInteger(limit) || limit < 1)
    throw usage('--limit takes a whole number.', 'handoff ask "…" --limit 3')
  if (question.trim() === '') throw usage('There is no question.', 'handoff ask "why was the lock given up?"')
  const workspace = await openWorkspace(invocation)
  await refreshLatest(invocation, workspace.repo)
  const sources = await findSources(invocation, workspace, id)
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
  const told = hits.map((hit) => tell(hit, sources, (quote) => clipQuote(quote, question)))
  const text =
    told.length === 0
      ? 'Nothing was found. Other words may do: the search knows words, not meanings.'
      : told.map((hit, at) => lines(hit, at + 1, told)).join('\n\n')
  out.prose(text, {
    ok: true,
    question: (await scanner.redact(question)).value,
    hits: told,
    searched: sources.map(({ briefs, ref }) => ({
      briefs,
      session: ref === null ? null : { agent: ref.agent, id: ref.id },
    })),
    text,
    warnings: out.warnings,
  })
  return 0
}

async function readInto(
  search: Search,
  source: AskSource,
  scanner: Scanner,
  { place }: Invocation,
): Promise<void> {
  search.begin()
  const { adapter, ref, shown, texts } = source
  if (ref === null || adapter === null) {
    if (shown) for (const { text, at } of texts) search.tell(text, at)
    return
  }
  const raw = startRawScan(scanner, ref.path)
  try {
    const signal = place.signal === undefined ? {} : { signal: place.signal }
    for await (const batch of adapter.read(ref, { ...signal, place, onRaw: raw.onRaw }))
      for (const event of batch) search.add(event)
    await raw.finish()
  } finally {
    raw.stop()
  }
}

interface Told {
  score: number
  brief: string
  agent: string | null
  session: string | null
  turn: number
  at: string | null
  who: Passage['who']
  quote: string
  /** What it answers or agrees to. */
  to: string | null
  later: Place | null
}

type Place = Omit<Told, 'score' | 'to' | 'later'>

function tell(
  { passage, quote, score, to, later }: Hit,
  sources: readonly AskSource[],
  clip: (quote: string) => string,
): Told {
  const at = (one: Passage, text: string): Place => {
    const source = sources[one.source]
    return {
      brief: source?.briefs[0] ?? '',
      agent: source?.label ?? null,
      session: source?.ref?.id ?? null,
      turn: one.turn,
      at: one.at,
      who: one.who,
      quote: clip(text),
    }
  }
  return {
    score: Math.round(score * 1000) / 1000,
    ...at(passage, quote),
    to: to === null ? null : clip(to),
    later: later === null ? null : at(later.passage, later.quote),
  }
}

function lines({ to, later, ...hit }: Told, number: number, told: readonly Told[]): string {
  const quoted = (text: string, indent: string) => text.split('\n').map((line) => `${indent}> ${line}`)
  // What came last on a matter stands once, as a hit or below the first one it came after.
  const isIt = (one: Place | null) =>
    placeIn(one) === placeIn(later) && one?.quote.includes(later?.quote ?? '')
  const first = told.findIndex((one, at) => isIt(one) || (at < number - 1 && isIt(one.later))) + 1
  const answered = to === null ? [] : ['   in answer to:', ...quoted(to, '   ')]
  const below =
    later === null
      ? []
      : first > 0
        ? [`   later: see ${first}`]
        : [`   later, ${placeOf(later)}:`, ...quoted(later.quote, '   ')]
  return [`${number}. ${placeOf(hit)}:`, ...quoted(hit.quote, ''), ...answered, ...below].join('\n')
}

const placeIn = (one: Place | null) => one && placeOf(one)

function placeOf({ who, turn, at, agent, session, brief }: Place): string {
  const where = session === null ? `brief ${brief}` : `turn ${turn} of ${agent ?? 'session'} ${session}`
  return [who === 'brief' ? '' : who, where, at ?? ''].filter((part) => part !== '').join(', ')
}
