import { refreshLatest } from '../briefs/latest-file.ts'
import type { Invocation } from '../command.ts'
import { usage } from '../errors/usage.ts'
import type { Scanner } from '../secrets/scanner.ts'
import { tellReading } from '../session/session-list.ts'
import { openScanner } from '../workspace/input-secrets.ts'
import { openWorkspace } from '../workspace/workspace.ts'
import { type Answer, answerOf, answerText } from './answer.ts'
import { type AskSource, findSources } from './read-sources.ts'
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
