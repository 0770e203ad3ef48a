/** Version of the front matter this code reads and writes; a newer one is refused. */
export const SCHEMA_VERSION = 1

/** What a value must be. `text`: 1 to 4096 UTF-16 units; `count`: a safe whole number, not below 0. */
export type Shape = (
  | { is: 'text' | 'flag' | 'count' }
  | { is: 'version'; of: number }
  | { is: 'pattern'; of: RegExp }
  | { is: 'choice'; of: readonly string[] }
  | { is: 'list' | 'map'; of: Shape }
  | { is: 'group'; of: Readonly<Record<string, Shape>> }
) & { isOptional?: true; isNullable?: true }

const text: Shape = { is: 'text' }
const flag: Shape = { is: 'flag' }
const count: Shape = { is: 'count' }
const id: Shape = { is: 'pattern', of: /^\d{8}T\d{6}-[0-9a-f]{8}$/ }
const time: Shape = {
  is: 'pattern',
  of: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/,
}
const hash: Shape = { is: 'pattern', of: /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/ }
const choice = (...of: string[]): Shape => ({ is: 'choice', of })
const list = (of: Shape): Shape => ({ is: 'list', of })
const group = (of: Record<string, Shape>): Shape => ({ is: 'group', of })
const optional = (shape: Shape): Shape => ({ ...shape, isOptional: true })
const nullable = (shape: Shape): Shape => ({ ...shape, isNullable: true })

/** Front matter of schema version 1, in the order of rendering. Ids and hashes are strings and never coerced. */
const META: Readonly<Record<string, Shape>> = {
  schemaVersion: { is: 'version', of: SCHEMA_VERSION },
  id,
  kind: optional(choice('handoff', 'done')),
  goal: text,
  vague: optional(flag),
  focus: optional(text),
  reason: text,
  createdAt: time,
  branch: nullable(text),
  head: nullable(hash),
  base: optional(text),
  dirty: flag,
  agent: group({
    id: { is: 'pattern', of: /^[a-z0-9][a-z0-9-]*$/ },
    label: text,
    version: optional(text),
    model: optional(text),
    thinking: optional(text),
    tools: optional(list(text)),
    session: optional(text),
  }),
  skills: optional(list(text)),
  persona: optional(text),
  parent: nullable(id),
  resumedFrom: optional(group({ id, createdAt: time })),
  // Null in the structured form (`BriefJson`), which the same schema describes.
  notes: optional(nullable(group({ capturedAt: time }))),
  extraction: group({ mode: choice('none', 'agent', 'model'), model: optional(text), attempts: count }),
  tokens: count,
  limits: optional({ is: 'map', of: count }),
  dropped: optional(group({ files: count, commands: count, other: count })),
}

/** The whole front matter; unknown keys are kept, in every group. */
export const metaShape = group(META)

/** Key order of rendering. */
export const metaKeys: readonly string[] = Object.keys(META)

/** True when the value has the shape; what is wrong with one that has not, `metaSchema` tells. */
export function fits(shape: Shape, value: unknown): boolean {
  if (value === undefined) return shape.isOptional === true
  if (value === null) return shape.isNullable === true
  switch (shape.is) {
    case 'text':
      return typeof value === 'string' && value.length >= 1 && value.length <= 4096
    case 'flag':
      return typeof value === 'boolean'
    case 'count':
      return Number.isSafeInteger(value) && (value as number) >= 0
    case 'version':
      return value === shape.of
    case 'pattern':
      return typeof value === 'string' && shape.of.test(value)
    case 'choice':
      return typeof value === 'string' && shape.of.includes(value)
    case 'list':
      return Array.isArray(value) && value.every((item) => fits(shape.of, item))
    case 'map':
      return isMapping(value) && Object.values(value).every((item) => fits(shape.of, item))
    case 'group':
      return isMapping(value) && Object.entries(shape.of).every(([key, inner]) => fits(inner, value[key]))
  }
}

const isMapping = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && !Array.isArray(value)
