import * as z from 'zod/mini'
import { metaAbout } from './meta-about.ts'
import { metaShape, type Shape } from './meta-shape.ts'

/** The schema of the front matter, which tells what is wrong with a value that does not fit `metaShape`. */
export const metaSchema = schemaOf(metaShape)

function schemaOf(shape: Shape): z.ZodMiniType {
  const plain = plainSchemaOf(shape)
  const whole = shape.isNullable ? z.nullable(plain) : plain
  return shape.isOptional ? z.optional(whole) : whole
}

function plainSchemaOf(shape: Shape): z.ZodMiniType {
  switch (shape.is) {
    case 'text':
      return z.string().check(z.minLength(1), z.maxLength(4096))
    case 'flag':
      return z.boolean()
    case 'count':
      return z.number().check(z.int(), z.minimum(0))
    case 'version':
      return z.literal(shape.of)
    case 'pattern':
      return z.string().check(z.regex(shape.of))
    case 'choice':
      return z.enum([...shape.of])
    case 'list':
      return z.array(schemaOf(shape.of))
    case 'map':
      return z.record(z.string(), schemaOf(shape.of))
    case 'group':
      return z.looseObject(
        Object.fromEntries(Object.entries(shape.of).map(([key, inner]) => [key, schemaOf(inner)])),
      )
  }
}

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
