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
 * Front matter of schema version 1 in one level, in the order of rendering. Ids and hashes are strings and never coerced; unknown
 * keys are kept, in every group.
 */
export const metaSchema = z.looseObject({
  schemaVersion: z.literal(SCHEMA_VERSION),
  id,
  goal: text,
  branch: z.nullable(text),
  createdAt: time,
  agent: z.looseObject({
    id: z.string().check(z.regex(/^[a-z0-9][a-z0-9-]*$/)),
    label: text,
    version: z.optional(text),
    model: z.optional(text),
    thinking: z.optional(text),
    tools: z.optional(z.array(text)),
    session: z.optional(text),
    until: z.optional(text),
  }),
  parents: z.array(id),
  head: z.nullable(hash),
  kind: z.optional(z.enum(['handoff', 'done'])),
  reason: text,
  base: z.optional(text),
  dirty: z.boolean(),
  vague: z.optional(z.boolean()),
  focus: z.optional(text),
  skills: z.optional(z.array(text)),
  persona: z.optional(text),
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
})

export const metaKeys: readonly string[] = Object.keys(metaSchema.shape)

/** The keys that a file has at its top; hosts show them as a table. All others are in its map `meta`. */
export const TOP_KEYS: readonly string[] = metaKeys.slice(0, metaKeys.indexOf('head') + 1)
