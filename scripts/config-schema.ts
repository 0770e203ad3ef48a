import { defaultConfig, type Key, type Kind, keys } from '../src/config/keys.ts'
import { AGE, DURATION } from '../src/config/merge.ts'

/** Where editors find it: the `docs/` of the published package. */
export const CONFIG_SCHEMA = 'https://unpkg.com/git-handoff/docs/config.v1.schema.json'

type Schema = Record<string, unknown>

/**
 * JSON Schema (draft 2020-12) of a configuration, as published in `docs/config.v1.schema.json`: every key nested, dotted and
 * by its other names. It is as strict as a load without a warning, but for the bounds of a duration written as a text, and does not offer numbers and truth values written as
 * texts, which are for the environment.
 */
export function configJsonSchema(): Schema {
  const properties: Schema = { $schema: { type: 'string', description: 'address of this schema' } }
  const named = keys.flatMap((key) => [key.path, ...key.aliases].map((name) => ({ name, key })))
  for (const { name, key } of named) {
    const [group = '', inner] = name.split('.')
    if (inner === undefined) continue
    const held = (properties[group] ?? groupOf()) as { properties: Schema }
    held.properties[inner] = leaf(key)
    properties[group] = held
    properties[name] = leaf(key)
  }
  for (const { name, key } of named) {
    if (name.includes('.')) continue
    const group = properties[name] as Schema | undefined
    // `commit` and `model` are a group, and the other name of one of its keys as well.
    properties[name] = group === undefined ? leaf(key) : { description: key.about, anyOf: [group, leaf(key)] }
  }
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: CONFIG_SCHEMA,
    title: 'Configuration of handoff, version 1',
    description: 'An unknown key is a warning, a wrong value an error. Every key can be left out.',
    // A file of comments alone, as `init` writes it, is null.
    type: ['object', 'null'],
    properties: { ...properties, ...OWN },
    additionalProperties: false,
  }
}

const groupOf = () => ({ type: 'object', properties: {}, additionalProperties: false })

function leaf({ kind, about, path }: Key): Schema {
  const fallback = path
    .split('.')
    .reduce<unknown>((at, part) => (at as Record<string, unknown>)[part], defaultConfig())
  return { description: about, ...schemaOf(kind), default: fallback }
}

function schemaOf(kind: Kind): Schema {
  switch (kind.is) {
    case 'count':
      return { type: kind.isNullable ? ['integer', 'null'] : 'integer', minimum: kind.min, maximum: kind.max }
    case 'flag':
      return { type: 'boolean' }
    case 'text':
      return { type: ['string', 'null'] }
    case 'duration':
      return {
        type: ['string', 'number'],
        pattern: DURATION.source,
        minimum: kind.least ?? 0,
        ...(kind.most === undefined ? {} : { maximum: kind.most }),
        examples: kind.most === undefined ? ['30m', '1h', '2d'] : ['90s', '5m', '1h'],
      }
    case 'age':
      return { type: ['string', 'null'], pattern: AGE.source, examples: ['12h', '30d', '8w'] }
    case 'choice':
      return { enum: kind.of }
    case 'list':
      return TEXTS
    case 'personas':
      return {
        type: 'object',
        additionalProperties: {
          type: 'object',
          properties: {
            agent: { type: 'string' },
            start: { type: 'string' },
            skills: { type: 'array', items: { type: 'string' } },
          },
        },
      }
  }
}

const TEXTS = { type: ['array', 'string'], items: { type: 'string' } }
const ONLY = 'only in your own configuration, ~/.config/handoff/; a repository cannot say it'

/** What `splitOwn` takes. */
const OWN: Schema = {
  passEnv: {
    description: `names of environment variables that started agents get besides; ${ONLY}`,
    ...TEXTS,
    default: [],
  },
  repositories: {
    description: `alias → path of a repository, for --to; ${ONLY}`,
    type: 'object',
    additionalProperties: { type: 'string', minLength: 1 },
    default: {},
  },
  acp: {
    description: `name → program and arguments of an agent that speaks ACP, for --from acp:<name>; ${ONLY}`,
    type: 'object',
    additionalProperties: { type: 'array', items: { type: 'string', minLength: 1 }, minItems: 1 },
    default: {},
  },
  acpRegistry: {
    description: `absolute path of a registry.json of ACP agents; ${ONLY}`,
    type: ['string', 'null'],
    default: null,
  },
  narrative: {
    description: `at a terminal: ask the agent of the session for its page, in a fork; ${ONLY}`,
    enum: ['ask', 'always', 'never'],
    default: 'ask',
  },
  work: {
    description: `whether \`push\` sends uncommitted work beside the brief; ask: at a terminal; ${ONLY}`,
    enum: ['ask', 'always', 'never'],
    default: 'ask',
  },
}
