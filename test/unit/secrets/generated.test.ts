import { generateKeyPairSync } from 'node:crypto'
import { describe, expect, it, test } from 'vitest'
import { createScanner } from '../../../src/secrets/scanner.ts'
import { isNightly, runs } from '../../sampled.ts'
import { everyday } from './everyday.ts'
import { createFakes } from './fake.ts'
import { drawKey, isLeft, neighbours, places, shapes, surroundings } from './generator.ts'
import { drawEveryday, keyFiles, leftOfKey } from './surrounded.ts'

/** Drawn anew each night; a seed that is given is taken, and each failure names it. */
const seed = Number(process.env.SECRETS_SEED ?? (isNightly ? Date.now() % 2 ** 31 : 20261129))

describe(`S-1: keys with an unmistakable mark, seed ${seed}`, () => {
  it('has shapes, neighbours, surroundings and places enough', () => {
    expect(shapes.length).toBeGreaterThanOrEqual(40)
    expect(new Set(neighbours).size).toBeGreaterThanOrEqual(60)
    expect(surroundings.length).toBeGreaterThanOrEqual(30)
    expect(Object.keys(places)).toHaveLength(5)
  })
  it('are found whatever stands before them, around them and in them', { timeout: 600_000 }, async () => {
    const fakes = createFakes(seed)
    const left: string[] = []
    for (let round = 0; round < runs(2_000, 60_000); round++) {
      const { what, text, key, place } = drawKey(fakes)
      const rest = (await places[place]?.(createScanner(), text)) ?? text
      if (isLeft(rest, key)) left.push(`${what}: ${JSON.stringify(text)}`)
    }
    expect(left).toEqual([])
  })
  test.each(neighbours.map((neighbour) => [JSON.stringify(neighbour), neighbour] as const))(
    'every shape behind %s',
    async (_, neighbour) => {
      const fakes = createFakes(seed + neighbour.length)
      const keys = shapes.map(([, shape]) => fakes.make(shape))
      const { value } = await createScanner().redact(keys.map((key) => `it is ${neighbour}${key} there`))
      expect(keys.filter((key, at) => isLeft(value[at] ?? '', key))).toEqual([])
    },
  )
})

describe('S-1b: private keys, whatever prefixes their lines', () => {
  const keys = {
    RSA: generateKeyPairSync('rsa', {
      modulusLength: 2048,
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
      publicKeyEncoding: { type: 'spki', format: 'pem' },
    }).privateKey,
    'old RSA': generateKeyPairSync('rsa', {
      modulusLength: 2048,
      privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
      publicKeyEncoding: { type: 'spki', format: 'pem' },
    }).privateKey,
    EC: generateKeyPairSync('ec', {
      namedCurve: 'P-256',
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
      publicKeyEncoding: { type: 'spki', format: 'pem' },
    }).privateKey,
    Ed25519: generateKeyPairSync('ed25519', {
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
      publicKeyEncoding: { type: 'spki', format: 'pem' },
    }).privateKey,
  }
  test.each(
    Object.entries(keyFiles).flatMap(([how, write]) =>
      Object.entries(keys).map(([kind, key]) => [kind, how, key, write] as const),
    ),
  )('%s, %s', async (_, __, key, write) => {
    for (const [place, come] of Object.entries(places)) {
      const left = await come(createScanner(), `The key that fails:\n\n${write(key)}\n\nIt is refused.`)
      expect([place, leftOfKey(left, key)]).toEqual([place, []])
      expect(left).toContain('It is refused.')
    }
  })
  it('and not what stands behind a key that was cut off', async () => {
    const cut = `${keys.RSA.split('\n').slice(0, 6).join('\n')}\n\nThe rest was cut: see src/configuration/certificates/readPrivateKey.ts.`
    const { value } = await createScanner().redact(cut)
    expect(leftOfKey(value, keys.RSA)).toEqual([])
    expect(value).toContain('The rest was cut: see src/configuration/certificates/readPrivateKey.ts.')
  })
})

describe(`S-7: everyday surroundings, seed ${seed}`, () => {
  test.each(Object.keys(everyday))('%s', async (name) => {
    const fakes = createFakes(seed + name.length * 7919)
    let found = 0
    const rounds = 20
    for (let round = 0; round < rounds; round++) {
      const { text, secrets } = drawEveryday(everyday[name] ?? '', fakes)
      const { value } = await createScanner().redact({ text })
      if (secrets.every((secret) => !value.text.includes(secret.slice(2, 8)))) found++
    }
    // A random value may read as a word.
    expect(found / rounds, name).toBeGreaterThanOrEqual(0.7)
  })
})
