import * as z from 'zod/mini'

/** Version of the front matter this code reads and writes; a newer one is refused. */
export const SCHEMA_VERSION = 1

const text = () => z.string().check(z.minLength(1), z.maxLength(4096))
const id = () => z.string().check(z.regex(/^\d{8}T\d{6}-[0-9a-f]{8}$/))
const time = () =>
  z.string().check(z.regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/))
const hash = () => z.string().check(z.regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/))
const count = () => z.number().check(z.int(), z.minimum(0))
const optional = z.optional

/**
 * Front matter of schema version 1, in the order of rendering. Ids and hashes are strings and never coerced; unknown
 * keys are kept.
 */
export const metaSchema = z.looseObject({
  schemaVersion: z.literal(SCHEMA_VERSION),
  id: id(),
  kind: optional(z.enum(['handoff', 'done'])),
  goal: text(),
  vague: optional(z.boolean()),
  focus: optional(text()),
  reason: text(),
  createdAt: time(),
  branch: z.nullable(text()),
  head: z.nullable(hash()),
  base: optional(text()),
  dirty: z.boolean(),
  agent: z.looseObject({
    id: z.string().check(z.regex(/^[a-z0-9][a-z0-9-]*$/)),
    label: text(),
    version: optional(text()),
    model: optional(text()),
    thinking: optional(text()),
    tools: optional(z.array(text())),
    session: optional(text()),
  }),
  skills: optional(z.array(text())),
  persona: optional(text()),
  parent: z.nullable(id()),
  resumedFrom: optional(z.looseObject({ id: id(), createdAt: time() })),
  notes: optional(z.looseObject({ capturedAt: time() })),
  extraction: z.looseObject({
    mode: z.enum(['none', 'agent', 'model']),
    model: optional(text()),
    attempts: count(),
  }),
  tokens: count(),
  limits: optional(z.record(z.string(), count())),
  dropped: optional(z.looseObject({ files: count(), commands: count(), other: count() })),
})

/** Key order of rendering. */
export const metaKeys: readonly string[] = Object.keys(metaSchema.shape)

/** JSON Schema (draft 2020-12) of the front matter, as published in `docs/brief.v1.schema.json`. */
export function frontMatterJsonSchema(): Record<string, unknown> {
  const { $schema, ...rest } = z.toJSONSchema(metaSchema, { io: 'input' }) as Record<string, unknown>
  return {
    $schema,
    title: 'Front matter of a handoff brief, schema version 1',
    description: 'Unknown keys are kept and ignored. Ids and commit hashes are always strings.',
    ...rest,
  }
}
