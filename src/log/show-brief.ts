import { type ParsedBrief, parseBrief } from '../brief/parse.ts'
import { inlinePrompt, parkedLine, trustLine } from '../brief/prompt.ts'
import { briefToJson } from '../brief/render.ts'
import type { CurrentBrief } from '../briefs/current.ts'
import { findBrief } from '../briefs/find-brief.ts'
import { refreshLatest } from '../briefs/latest-file.ts'
import type { ReadResult } from '../briefs/results.ts'
import { isOnOrigin, verdictOn } from '../briefs/verdict.ts'
import type { Invocation } from '../command.ts'
import type { LoadedConfig } from '../config/load.ts'
import { unshownBrief } from '../errors/cycle.ts'
import { usage } from '../errors/usage.ts'
import type { Repo } from '../git/open-repo.ts'
import { listParked } from '../git/parked.ts'
import { pointerFor } from '../verify/pointer.ts'
import { isAgent } from '../workspace/at-terminal.ts'
import { openWorkspace } from '../workspace/workspace.ts'

export interface ShowRequest {
  /** `latest`, an id, a unique prefix of one, a file, or `-` for standard input. */
  id: string
  form: 'markdown' | 'pointer' | 'inline'
  /** Only this section of the markdown; null: all of it. */
  section: string | null
}

/** One brief in the form that is asked for, and whether it is trusted here. Throws what opening and finding it throw. */
export async function showBrief(
  invocation: Invocation,
  request: ShowRequest,
): Promise<{ result: ReadResult; brief: Pick<CurrentBrief, 'parsed'> }> {
  if (request.id === '-') return showStdin(invocation, request)
  const { out, place } = invocation
  const { repo, loaded } = await openWorkspace(invocation, { isAnswer: true })
  const waiting = await listParked(repo)
  for (const one of waiting) out.say(`Parked: ${parkedLine(one)} (git handoff show ${one.id})`)
  await refreshLatest(invocation, repo)
  const brief = await findBrief(repo, request.id, place.root)
  const { trusted, because } = await verdictOn(repo, brief)
  if (!trusted && isAgent(place.env)) throw unshownBrief(brief.id, because)
  if (!trusted) {
    const isOfOrigin = await isOnOrigin(repo, brief)
    out.say(`Not trusted, so no agent sees it: ${because}. ${trustLine(brief.id, isOfOrigin)}`)
  }
  const text = await textOf(repo, brief, request, place.now(), loaded)
  if (brief.parsed.meta.kind === 'done')
    out.say('The chain is closed. Start a new one: `git handoff create "<goal>"`.')
  const result: ReadResult = {
    ok: true,
    id: brief.id,
    path: brief.path,
    committed: brief.committed || brief.apart !== undefined,
    trusted,
    because,
    parked: waiting.map(({ id }) => id),
    text,
    brief: briefToJson(brief.parsed.brief),
    warnings: out.warnings,
  }
  return { result, brief }
}

/** The brief on standard input; it needs no repository. Throws `briefUnreadable`. */
async function showStdin({ readStdin, out }: Invocation, { form, section }: ShowRequest) {
  if (form === 'pointer') throw usage('A pointer leads to a file.', 'Give an id or a file instead of `-`.')
  const text = await readStdin()
  const parsed = parseBrief(text, '-')
  const result: ReadResult = {
    ...{ ok: true, id: parsed.meta.id, path: '-', committed: false, trusted: false },
    ...{ because: 'it came from standard input', parked: [] },
    text: form === 'inline' ? inlinePrompt(text) : section === null ? text : sectionOf(parsed, section),
    brief: briefToJson(parsed.brief),
    warnings: out.warnings,
  }
  return { result, brief: { parsed } }
}

async function textOf(
  repo: Repo,
  brief: CurrentBrief,
  { form, section }: ShowRequest,
  now: Date,
  { templateOf }: LoadedConfig,
): Promise<string> {
  if (form === 'inline') return inlinePrompt(brief.text)
  if (form === 'pointer') return pointerFor(repo, brief, { now, template: templateOf('pointer-prompt') })
  return section === null ? brief.text : sectionOf(brief.parsed, section)
}

const sectionOf = ({ sections }: ParsedBrief, section: string): string =>
  (sections.find(({ id }) => id === section)?.lines ?? [])
    .map(({ text }) => text)
    .join('\n')
    .trim()
