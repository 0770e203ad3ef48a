import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import * as z from 'zod'
import { frontMatterJsonSchema } from '../../../scripts/brief-schema.ts'
import { CONFIG_SCHEMA, configJsonSchema } from '../../../scripts/config-schema.ts'
import { defaultConfig, keys } from '../../../src/config/keys.ts'
import { mergeLayer } from '../../../src/config/merge.ts'
import { splitOwn } from '../../../src/config/own.ts'

const read = (path: string): string => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8')
const schema = z.fromJSONSchema(JSON.parse(read('docs/config.v1.schema.json')))
const fits = (value: unknown): boolean => schema.safeParse(value).success

/** True when the loader takes it without a word. */
function loads(value: unknown): boolean {
  try {
    const { rest } = splitOwn(value as Record<string, unknown>, 'test')
    return mergeLayer(defaultConfig(), new Map(), rest, { where: 'test', whose: 'person' }).length === 0
  } catch {
    return false
  }
}

const nested = (path: string, value: unknown): Record<string, unknown> => {
  const [group, name] = path.split('.') as [string, string | undefined]
  return { [group]: name === undefined ? value : { [name]: value } }
}

const at = (path: string): unknown =>
  path.split('.').reduce<unknown>((held, part) => (held as Record<string, unknown>)[part], defaultConfig())

/** Values of every kind; `''`, and numbers and truth values as texts, which only the loader takes, stand below. */
const VALUES: readonly unknown[] = [
  0,
  1,
  10,
  101,
  4097,
  100_000,
  100_001,
  -1,
  1.5,
  true,
  false,
  null,
  'pointer',
  'full',
  'current',
  'separate',
  'elsewhere',
  '30m',
  '12h',
  '8w',
  '3 fortnights',
  [],
  ['docs/**'],
  ['docs/**', 3],
  {},
  { reviewer: { agent: 'codex', start: '/review', skills: ['review'] } },
  { reviewer: { agent: 3 } },
  { reviewer: 'codex' },
  { reviewer: { skills: 'review' } },
]

describe('docs/config.v1.schema.json', () => {
  it('is what the keys say, under the address that configurations name', () => {
    expect(JSON.parse(read('docs/config.v1.schema.json'))).toEqual(configJsonSchema())
    expect(configJsonSchema().$id).toBe(CONFIG_SCHEMA)
    expect(read('templates/agents/config.yaml').split('\n')[0]).toBe(
      `# yaml-language-server: $schema=${CONFIG_SCHEMA}`,
    )
    expect(frontMatterJsonSchema().$id).toBe(CONFIG_SCHEMA.replace('config', 'brief'))
  })

  it.each(keys.map((key) => [key.path, key] as const))(
    '%s: takes and refuses what the loader does',
    (path, { aliases, kind }) => {
      const layers = VALUES.flatMap((value) => [
        ...[path, ...aliases].flatMap((name) => [nested(name, value), { [name]: value }]),
      ])
      const differ = layers.filter((layer) => fits(layer) !== loads(layer))
      expect(differ).toEqual([])
      const taken = layers.filter(fits).length
      expect(taken, 'some are taken').toBeGreaterThan(0)
      expect(taken, `some are refused: ${kind.is}`).toBeLessThan(layers.length)
      expect(fits(nested(path, at(path))), 'its default').toBe(true)
    },
  )

  it('takes the file that init writes, which is comments alone', () => {
    const written = parse(read('templates/agents/config.yaml'))
    expect(written).toBeNull()
    expect(fits(written)).toBe(true)
    expect([[], '', 3].map(fits)).toEqual([false, false, false])
  })

  it('takes the keys that are yours alone', () => {
    const own = [
      { passEnv: ['AWS_*'] },
      { passEnv: 'HTTP_PROXY' },
      { passEnv: [''] },
      { passEnv: '' },
      { passEnv: 3 },
      { repositories: { web: '/srv/web' } },
      { repositories: { web: 3 } },
      { repositories: [] },
    ]
    expect(own.map(fits)).toEqual(own.map(loads))
    expect(own.filter(fits)).toHaveLength(5)
  })

  it('refuses what only earns a warning: unknown keys, and a group that is none', () => {
    const odd = [
      { maxfiles: 3 },
      { limits: { file: 3 } },
      { limits: null },
      { 'limits.file': 3 },
      { budget: 3 },
    ]
    expect(odd.map(loads)).toEqual(odd.map(() => false))
    expect(odd.map(fits)).toEqual(odd.map(() => false))
    expect(fits({ $schema: CONFIG_SCHEMA, limits: { files: 30 } })).toBe(true)
    expect(loads({ $schema: CONFIG_SCHEMA, limits: { files: 30 } })).toBe(true)
  })

  it('offers no numbers and truth values as texts, which the loader takes for the sake of the environment', () => {
    for (const layer of [{ maxFiles: '30' }, { edit: 'true' }, { edit: '0' }]) {
      expect(loads(layer)).toBe(true)
      expect(fits(layer)).toBe(false)
    }
  })

  it('describes every key and names its default', () => {
    const { properties } = configJsonSchema() as { properties: Record<string, Record<string, unknown>> }
    for (const { path, about } of keys) {
      expect(properties[path]?.description ?? '', path).toContain(about)
      if (path.includes('.')) expect(properties[path]).toHaveProperty('default', at(path))
    }
  })
})
