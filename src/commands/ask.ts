import type { Command } from 'commander'
import { answerOf, answerText } from '../ask/answer.ts'
import { createSearch, type Search } from '../ask/search.ts'
import { usage } from '../errors/usage.ts'
import type { Scanner } from '../secrets/scanner.ts'
import { type AskSource, findSources } from '../ask/read-sources.ts'
import { openScanner } from '../workspace/input-secrets.ts'
import { refreshLatest } from '../briefs/latest-file.ts'
import { startRawScan } from '../session/raw-scan.ts'
import type { CommandModule, Invocation } from '../command.ts'
import { openWorkspace } from '../workspace/workspace.ts'

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
  const answers = hits.map((hit) => answerOf(hit, sources, question))
  const text = answerText(answers)
  out.prose(text, {
    ok: true,
    question: (await scanner.redact(question)).value,
    hits: answers,
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
