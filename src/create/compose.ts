import { type DraftInput, draftBrief } from '../brief/draft.ts'
import { fitBrief } from '../brief/fit.ts'
import { renderBrief } from '../brief/render.ts'
import { defaultConfig } from '../config/keys.ts'
import type { Scanner } from '../secrets/scanner.ts'
import type { Brief } from '../types/brief.ts'
import type { Facts } from './facts.ts'
import type { Input } from './gather.ts'

/** A brief as a value and as the text that is written. */
export interface Built {
  brief: Brief
  text: string
}

/** The brief of that input under this id. Pure. */
export async function compose(input: Input, facts: Facts, id: string, now: Date): Promise<Built> {
  const { config, request, scanner, follows } = input
  const draft = draftOf(input, facts, { id, createdAt: now.toISOString() })
  const linked = { ...draft, meta: { ...draft.meta, parents: [...follows] } }
  const { turns, forgotten } = facts.evidence
  return clean(
    await fitBrief(linked, { turns, forgotten }, config, { exact: request.exact === true }),
    scanner,
  )
}

/** The brief before it is fitted to its budget. */
export function draftOf(input: Input, facts: Facts, named: Pick<DraftInput, 'id' | 'createdAt'>): Brief {
  const { request, told, notes, inherited, resumes, resumed, config, hide } = input
  return draftBrief({
    ...named,
    goal: request.goal,
    vague: input.vague,
    focus: hide(request.focus),
    reason: hide(request.reason),
    git: told === null ? null : { ...told, ...hide(shownOf(told)) },
    evidence: facts.evidence,
    notes: facts.notes,
    notesAge: notes.age,
    notesChecked: facts.isChecked,
    parent: inherited,
    persona: request.persona,
    skills: [...skillsOf(input), ...request.skills],
    resumedFrom: resumes === null ? null : { id: resumes.id, createdAt: resumes.parsed.meta.createdAt },
    resumed:
      resumed === null || facts.carried === null
        ? null
        : { carried: facts.carried, changed: resumed.changed, drift: resumed.drift },
    extraction: facts.extraction,
    config,
    defaults: defaultConfig(),
    ...(input.preamble === null ? {} : { preamble: input.preamble }),
  })
}

/** What of git stands in a brief as text; the file list is looked up in, never shown. */
const shownOf = ({ branch, upstream, base, changes, commits }: NonNullable<Input['told']>) => ({
  ...{ branch, upstream, base, changes, commits },
})

/** Those that the configuration gives the persona that was asked for, or the one that the parent hands on. */
function skillsOf({ request, inherited, config: { personas } }: Input): readonly string[] {
  const name = request.persona ?? inherited?.persona ?? null
  return name !== null && Object.hasOwn(personas, name) ? (personas[name]?.skills ?? []) : []
}

/** The finished text once more: what only a label or a neighbour of the page shows to be a secret is replaced, too. */
async function clean(brief: Brief, scanner: Scanner): Promise<Built> {
  const text = renderBrief(brief)
  const { value: safe } = await scanner.redact(text)
  if (safe === text) return { brief, text }
  const { value } = await scanner.redact(brief)
  return { brief: value, text: (await scanner.redact(renderBrief(value))).value }
}
