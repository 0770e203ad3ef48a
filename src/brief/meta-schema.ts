import * as z from 'zod/mini'
import { ID } from './id.ts'

/** Version of the front matter this code reads and writes; a newer one is refused. */
export const SCHEMA_VERSION = 1

const text = z.string().check(z.minLength(1), z.maxLength(4096))
const count = z.number().check(z.int(), z.minimum(0))
const id = z.string().check(z.regex(ID))
const time = z.string().check(z.regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/))
const hash = z.string().check(z.regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/))

/**
 * Front matter of schema version 1, in the order of rendering. Ids and hashes are strings and never coerced; unknown keys are
 * kept, in every group.
 */
export const metaSchema = z.looseObject({
  schemaVersion: z.literal(SCHEMA_VERSION),
  id,
  kind: z.optional(z.enum(['handoff', 'done'])),
  goal: text,
  vague: z.optional(z.boolean()),
  focus: z.optional(text),
  reason: text,
  createdAt: time,
  branch: z.nullable(text),
  head: z.nullable(hash),
  base: z.optional(text),
  dirty: z.boolean(),
  agent: z.looseObject({
    id: z.string().check(z.regex(/^[a-z0-9][a-z0-9-]*$/)),
    label: text,
    version: z.optional(text),
    model: z.optional(text),
    thinking: z.optional(text),
    tools: z.optional(z.array(text)),
    session: z.optional(text),
  }),
  skills: z.optional(z.array(text)),
  persona: z.optional(text),
  parent: z.nullable(id),
  resumedFrom: z.optional(z.looseObject({ id, createdAt: time })),
  // Null in the structured form (`BriefJson`), which the same schema describes.
  notes: z.optional(z.nullable(z.looseObject({ capturedAt: time }))),
  extraction: z.looseObject({
    mode: z.enum(['none', 'agent', 'model']),
    model: z.optional(text),
    attempts: count,
  }),
  tokens: count,
  limits: z.optional(z.record(z.string(), count)),
  dropped: z.optional(z.looseObject({ files: count, commands: count, other: count })),
})

export const metaKeys: readonly string[] = Object.keys(metaSchema.shape)

/** JSON Schema (draft 2020-12) of the front matter, as published in `docs/brief.v1.schema.json`. */
export function frontMatterJsonSchema(): Record<string, unknown> {
  const { $schema, ...rest } = z.toJSONSchema(metaSchema, { io: 'input' }) as Record<string, unknown>
  describe(rest)
  return {
    $schema,
    $id: 'https://unpkg.com/git-handoff/docs/brief.v1.schema.json',
    title: 'Front matter of a handoff brief, schema version 1',
    description: 'Unknown keys are kept and ignored. Ids and commit hashes are always strings.',
    ...rest,
  }
}

/** Gives each property of a schema, and of the groups in it, its meaning. */
function describe(schema: Record<string, unknown>, prefix = ''): void {
  // One that may be null as well.
  for (const one of (schema.anyOf ?? []) as Record<string, unknown>[]) describe(one, prefix)
  for (const [key, inner] of Object.entries(schema.properties ?? {}) as [string, Record<string, unknown>][]) {
    Object.assign(inner, { description: metaAbout[prefix + key] })
    describe(inner, `${prefix}${key}.`)
  }
}

/** What each key of the front matter means, for the published schema and the table in `docs/brief-v1.md`; not loaded by any command. */
const metaAbout: Readonly<Record<string, string>> = {
  schemaVersion: 'version of this table',
  id: 'the same as in the file name',
  kind: '`done` marks a closing record; absent means `handoff`',
  goal: "what the next session must achieve, in the user's words, byte for byte; at most 4,096 bytes",
  vague: 'true when the goal was short or vague and `--allow-vague` let it pass',
  focus: 'what to look at first',
  reason: '`manual`, `context_limit`, `shift_end`, `task_boundary`, or any short text',
  createdAt: 'ISO 8601',
  branch: 'branch the work is on; null when HEAD is detached or there is no repository',
  head: 'commit of the facts; null before the first commit',
  base: 'where the branch grew from, `<ref>@<hash>`',
  dirty: 'there were uncommitted changes outside `.handoff/`',
  agent: 'who hands over',
  'agent.id': 'an agent as `handoff sessions --from` names it, or `git` without a session',
  'agent.label': 'its name for people',
  'agent.version': 'version of the client',
  'agent.model': 'model',
  'agent.thinking': 'thinking level',
  'agent.tools': 'names of its tools',
  'agent.session': 'id of the session; the transcript itself is never committed',
  skills: 'skills used, the last one last; inherited along the chain',
  persona: 'name of the role; inherited along the chain',
  parent: 'the brief before this one; null for the first of a chain',
  resumedFrom: 'the brief that `handoff resume` made this one from; it is the `parent` as well',
  'resumedFrom.id': 'its id',
  'resumedFrom.createdAt': 'its time',
  notes: 'there are notes in this brief; absent or null without any',
  'notes.capturedAt': 'when the agent wrote them',
  extraction: 'how facts were taken from the session',
  'extraction.mode':
    '`none`: by rules alone; `agent`, `model`: with what the agent of the session or the model of a service added',
  'extraction.model': 'model that was asked, also if it failed and the mode is `none`',
  'extraction.attempts': 'attempts of that model; 0 without one',
  tokens: 'tokens of the whole file, measured with `tokens: 0`',
  limits: 'limits and budgets that were not the default ones (`files`, `tokens.soft` …)',
  dropped: 'how much was omitted for lack of evidence',
  'dropped.files': 'files',
  'dropped.commands': 'commands',
  'dropped.other': 'everything else',
}
