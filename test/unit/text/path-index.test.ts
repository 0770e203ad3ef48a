import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { openPathIndex } from '../../../src/text/path-index.ts'

const nameOf = (path: string) => path.slice(path.lastIndexOf('/') + 1)
const likeness = (path: string) => nameOf(path).toLowerCase()

describe('an index of paths', () => {
  const part = fc.oneof(
    fc.constantFrom(
      'a',
      'A',
      'src',
      'index',
      'é',
      'É',
      'İ',
      '.env',
      'x.y',
      'x.',
      '𝒳',
      '\ue000',
      '\ufffd',
      'sp ace',
      '-',
    ),
    fc.string({ minLength: 1, maxLength: 3 }).map((text) => text.replace(/[\0/]/g, '_')),
  )
  const ending = fc.constantFrom('', '', '.ts', '.TS', '.test.ts', '.')
  const path = fc
    .tuple(fc.array(part, { minLength: 1, maxLength: 4 }), ending)
    .map(([parts, end]) => parts.join('/') + end)
  const paths = fc.array(path, { maxLength: 30 })

  it('answers as a search of all names does, whatever the names', () => {
    fc.assert(
      fc.property(paths, paths, path, (one, two, other) => {
        const set = new Set([...one, ...two])
        const files = openPathIndex(set)
        const wrong: unknown[] = []
        const same = (what: string, asked: string, told: unknown, expected: unknown) => {
          if (told !== expected) wrong.push({ what, asked, told, expected })
        }
        const folders = new Set(
          [...set].flatMap((one) => [...one.matchAll(/\//g)].map(({ index }) => one.slice(0, index))),
        )
        for (const asked of [...set, other, `${other}x`, '', '/']) {
          for (let end = asked.length; end > 0; end = asked.lastIndexOf('/', end - 1)) {
            const folder = asked.slice(0, end)
            same('folder', folder, files.hasFolder(folder), folders.has(folder))
          }
          const like = [...set].filter((one) => likeness(one) === likeness(asked))
          same('like', asked, files.namedLike(nameOf(asked)).sort().join('\0'), like.sort().join('\0'))
        }
        expect(wrong).toEqual([])
      }),
      { numRuns: 500 },
    )
  })

  it('answers for 100,000 files', () => {
    const files = openPathIndex(Array.from({ length: 100_000 }, (_, n) => `packages/p${n % 97}/src/f${n}.ts`))
    expect(files.hasFolder('packages/p96')).toBe(true)
    expect(files.namedLike('f77777.ts')).toEqual([`packages/p${77_777 % 97}/src/f77777.ts`])
  })
})
