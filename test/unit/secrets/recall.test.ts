import { describe, expect, test } from 'vitest'
import { secretRules } from '../../../src/secrets/rules.ts'
import { createScanner } from '../../../src/secrets/scanner.ts'
import { runs } from '../../sampled.ts'
import { claimed } from './claimed.ts'
import { createFakes } from './fake.ts'

const contexts: Record<string, (secret: string) => string> = {
  bare: (secret) => secret,
  'in a sentence': (secret) => `I used ${secret}, it worked.`,
  'at the end of a sentence': (secret) => `Never print ${secret}.`,
  'KEY=': (secret) => `export SERVICE_KEY=${secret}\nnext line`,
  JSON: (secret) => JSON.stringify({ name: 'service', value: secret }),
  'JSON in JSON, after a line break': (secret) =>
    JSON.stringify(JSON.stringify({ out: `line\n${secret}\n` })),
  URL: (secret) => `https://api.example.org/v1/items?key=${secret}&page=2`,
  header: (secret) => `curl -H "X-Api-Token: ${secret}" https://api.example.org`,
  'in back quotes': (secret) => `set \`${secret}\` in the dashboard`,
}

test('at least 60 kinds are claimed', () => {
  expect(Object.keys(claimed).length).toBeGreaterThanOrEqual(60)
})

describe.each(Object.keys(contexts))('well-formed secrets, %s', (name) => {
  const place = contexts[name]
  test.each(Object.entries(claimed))('%s', async (kind, shape) => {
    const fakes = createFakes(kind.length * 7919 + name.length)
    for (let round = 0; round < runs(1, 4); round++) {
      const secret = fakes.make(shape)
      const text = place?.(secret) ?? ''
      const { value, counts } = await createScanner().redact({ text })
      expect(value.text, `${kind}: ${text}`).toContain('[REDACTED:')
      expect(value.text).not.toContain(secret.slice(8, -4))
      expect(Object.values(counts).reduce((sum, count) => sum + count, 0)).toBe(1)
    }
  })
})

describe('every shape of the rule table', () => {
  const fakes = createFakes(11)
  test.each(
    secretRules.flatMap(({ id, shapes, loose, chosen }) =>
      shapes.map((shape) => [id, shape, loose === true && chosen === true] as const),
    ),
  )('%s: %s', async (id, shape, isToldByPlace) => {
    const missed: string[] = []
    for (let round = 0; round < runs(2, 8); round++) {
      const text = `before ${fakes.make(shape)} after`
      const hits = await createScanner().find(text)
      if (!hits.some(({ rule }) => rule === id)) missed.push(text)
    }
    // A mark is never missed. Where only a command or a file tells of the value, one of 100 drawn reads as a name: two of eight never do.
    expect(missed.length, missed.join('\n')).toBeLessThanOrEqual(isToldByPlace ? runs(0, 1) : 0)
  })
  test('a rule with marks finds nothing that holds none of them', () => {
    for (const { pattern, shapes, needles } of secretRules) {
      for (const shape of shapes) {
        const secret = fakes.make(shape)
        const within = pattern.ignoreCase ? secret.toLowerCase() : secret
        expect(needles.length === 0 || needles.some((needle) => within.includes(needle)), secret).toBe(true)
      }
    }
  })
})
