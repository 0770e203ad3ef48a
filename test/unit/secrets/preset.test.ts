import { rules as presetRules } from '@secretlint/secretlint-rule-preset-recommend'
import fc from 'fast-check'
import { expect, it, test } from 'vitest'
import { findPresetSecrets, mayMatchPreset } from '../../../src/secrets/find.ts'
import { createFakes } from './fake.ts'

const { make } = createFakes(3)
/** One shape at least for every rule of the preset that works on plain text. */
const shapes: Record<string, string[]> = {
  npm: ['npm_{A-Za-z0-9:36}'],
  slack: [
    'xoxb-{0-9:12}-{A-Za-z0-9:24}',
    'https://hooks.slack.com/services/T{A-Z0-9:8}/B{A-Z0-9:8}/{A-Za-z0-9:24}',
  ],
  basicauth: ['https://dev:{A-Za-z0-9:16}@git.acme.dev', 'ftp://dev:{A-Za-z0-9:12}@files.acme.dev'],
  openai: ['sk-proj-{A-Za-z0-9_-:74}T3BlbkFJ{A-Za-z0-9_-:73}a', 'sk-{A-Za-z0-9:20}T3BlbkFJ{A-Za-z0-9:20}'],
  anthropic: ['sk-ant-api03-{A-Za-z0-9_-:93}AA'],
  groq: ['gsk_{A-Za-z0-9:52}'],
  huggingface: ['hf_{A-Za-z:34}'],
  linear: ['lin_api_{A-Za-z0-9:40}'],
  notion: ['ntn_{0-9:11}{A-Za-z0-9:35}'],
  privatekey: [
    '-----BEGIN RSA PRIVATE KEY-----\nMI{A-Za-z0-9+/:62}\n{A-Za-z0-9+/:64}\n{A-Za-z0-9+/:64}\n-----END RSA PRIVATE KEY-----',
  ],
  sendgrid: ['SG.{A-Za-z0-9:22}.{A-Za-z0-9:43}'],
  shopify: ['shpat_{0-9a-f:32}', 'shppa_{0-9a-f:32}'],
  github: ['ghp_{A-Za-z0-9:36}', 'ghr_{A-Za-z0-9:36}', 'github_pat_{A-Za-z0-9_:82}'],
  gitlab: ['glpat-{A-Za-z0-9_-:20}'],
  grafana: ['glc_{A-Za-z0-9:60}', 'glsa_{A-Za-z0-9:32}_{0-9a-f:8}'],
  'database-connection-string': [
    'mongodb+srv://app:{A-Za-z0-9:18}@cluster0.acme.net',
    'jdbc:mysql://app:{A-Za-z0-9:18}@db/x',
    'postgresql://app:{A-Za-z0-9:18}@db/x',
  ],
  'hashicorp-vault': ['hvs.{A-Za-z0-9_-:95}', 'hvb.{A-Za-z0-9_-:150}', 'hvr.{A-Za-z0-9_-:95}'],
  vercel: ['vcp_{A-Za-z0-9:24}', 'vck_{A-Za-z0-9:56}'],
  databricks: ['dapi{0-9a-f:32}'],
  docker: ['dckr_pat_{A-Za-z0-9_-:27}'],
  figma: ['figd_{A-Za-z0-9_-:44}'],
}
/** Those that need a file of another kind, a decodable body, or are left out on purpose. */
const apart = ['aws', 'gcp', '1password', 'filter-comments']

it('knows every rule of the preset: after an update this list is looked at again', () => {
  const names = presetRules.map(({ meta }) => meta.id.replace('@secretlint/secretlint-rule-', ''))
  expect(names.sort()).toEqual([...Object.keys(shapes), ...apart].sort())
})

test.each(Object.entries(shapes).flatMap(([rule, all]) => all.map((shape) => [rule, shape] as const)))(
  '%s finds %s, and the gate lets it through',
  async (rule, shape) => {
    for (let round = 0; round < 5; round++) {
      const text = `a ${make(shape)} b`
      expect(
        (await findPresetSecrets(text)).map((hit) => hit.rule),
        text,
      ).toContain(rule)
      expect(mayMatchPreset(text), text).toBe(true)
    }
  },
)

it('the gate never holds back what the preset would find, in 1,000 mixtures of their marks', {
  timeout: 60_000,
}, async () => {
  const alphabet = ['a', 'Z', '7', '_', '-', '/', ':', '@', '=', '"', ' ', '\n', '.', '+']
  const marks = Object.values(shapes)
    .flat()
    .map((shape) => shape.replace(/\{.*/s, ''))
  const piece = fc.oneof(
    fc.constantFrom(...alphabet, ...marks),
    fc.constantFrom(...Object.values(shapes).flat()).map(make),
    fc
      .tuple(fc.constantFrom('a', '7', 'A', 'f', '_', '-'), fc.nat(120))
      .map(([unit, count]) => unit.repeat(count)),
  )
  let found = 0
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { maxLength: 8 }), async (pieces) => {
      const text = pieces.join('')
      const hits = await findPresetSecrets(text)
      if (hits.length > 0) found++
      expect(mayMatchPreset(text) || hits.length === 0).toBe(true)
    }),
    { numRuns: 1000, seed: 9 },
  )
  expect(found).toBeGreaterThan(100)
})

it('needs nothing of the preset for ordinary text', () => {
  const text =
    'Read src/auth/token.ts, then https://example.org/a:b and git@github.com:acme/app.git; sk-ip, hf_x, npm_config_cache'
  expect(mayMatchPreset(text)).toBe(false)
})
