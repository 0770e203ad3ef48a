import * as z from 'zod/mini'
import { GROUPED_KEYS } from '../src/brief/front-matter.ts'
import { metaSchema, TOP_KEYS } from '../src/brief/meta-schema.ts'

type Schema = Record<string, unknown> & { properties: Record<string, Schema>; required: string[] }

/**
 * JSON Schema (draft 2020-12) of the front matter as a file has it, and in `$defs.value` of the same in one level, as published in
 * `docs/brief.v1.schema.json`.
 */
export function frontMatterJsonSchema(): Record<string, unknown> {
  const { $schema, ...value } = z.toJSONSchema(metaSchema, { io: 'input' }) as unknown as Schema
  describe(value)
  return {
    $schema,
    $id: 'https://unpkg.com/git-handoff/docs/brief.v1.schema.json',
    title: 'Front matter of a handoff brief, schema version 1',
    description: 'Unknown keys are kept and ignored. Ids and commit hashes are always strings.',
    ...grouped(value),
    $defs: { value },
  }
}

/** The keys of a file in their order: of the agent the name alone at the top, the rest in `meta`. */
function grouped(value: Record<string, unknown>): Schema {
  const whole = value as Schema
  const { label, ...details } = whole.properties.agent?.properties ?? {}
  const agent = part(whole.properties.agent as Schema, Object.keys(details))
  const meta = part({ ...whole, properties: { ...whole.properties, agent } }, GROUPED_KEYS)
  const top = part({ ...whole, properties: { ...whole.properties, agent: label as Schema } }, TOP_KEYS)
  const about = { ...meta, description: metaAbout.meta } as Schema
  return { ...top, properties: { ...top.properties, meta: about }, required: [...top.required, 'meta'] }
}

const part = (schema: Schema, keys: readonly string[]): Schema => ({
  ...schema,
  properties: Object.fromEntries(keys.map((key) => [key, schema.properties[key] as Schema])),
  required: keys.filter((key) => schema.required.includes(key)),
})

/** Gives each property of a schema, and of the groups in it, its meaning. */
function describe(schema: Record<string, unknown>, prefix = ''): void {
  // One that may be null as well.
  for (const one of (schema.anyOf ?? []) as Record<string, unknown>[]) describe(one, prefix)
  for (const [key, inner] of Object.entries(schema.properties ?? {}) as [string, Record<string, unknown>][]) {
    Object.assign(inner, { description: metaAbout[prefix + key] })
    describe(inner, `${prefix}${key}.`)
  }
}

/** What each key of the front matter means, for the published schema and the table in `docs/spec/brief-v1.md`. */
const metaAbout: Readonly<Record<string, string>> = {
  schemaVersion: 'version of this table',
  id: 'the same as in the file name',
  kind: '`done` marks a closing record; absent means `handoff`',
  goal: "what the next session must achieve, in the user's words, byte for byte; at most 4,096 bytes",
  vague: '`--allow-vague` let a short or vague goal pass',
  focus: 'what to look at first',
  reason: '`manual`, `context_limit`, `shift_end`, `task_boundary`, or any short text',
  createdAt: 'ISO 8601',
  branch: 'branch the work is on; null on a detached HEAD or without a repository',
  head: 'commit of the facts; null before the first commit',
  base: 'where the branch grew from, `<ref>@<hash>`',
  dirty: 'there were uncommitted changes outside `.handoff/`',
  meta: 'how the brief came about',
  agent: 'what is known of the agent',
  'agent.id': 'an agent as `handoff sessions --from` names it, or `git` without a session',
  'agent.label': 'who hands over: the name for people',
  'agent.version': 'version of the client',
  'agent.model': 'model',
  'agent.thinking': 'thinking level',
  'agent.tools': 'names of its tools',
  'agent.session': 'id of the session; the transcript itself is never committed',
  skills: 'skills used, the last one last; inherited along the chain',
  persona: 'name of the role; inherited along the chain',
  parents: 'the briefs that this one follows; empty for the first of a chain',
  resumedFrom: 'the parent that `handoff resume` rebuilt',
  'resumedFrom.id': 'its id',
  'resumedFrom.createdAt': 'its time',
  notes: 'there are notes in this brief; absent or null without any',
  'notes.capturedAt': 'when the agent wrote them',
  extraction: 'how facts were taken from the session',
  'extraction.mode': '`none`: by rules alone; `agent`, `model`: with what the agent or a model added',
  'extraction.model': 'model that was asked, even in vain',
  'extraction.attempts': 'attempts of that model; 0 without one',
  tokens: 'tokens of the whole file, measured with `tokens: 0`',
  limits: 'changed limits and budgets (`files`, `tokens.soft` …)',
}
