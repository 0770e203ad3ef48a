import { describe, expect, it } from 'vitest'
import { createScanner } from '../../../src/secrets/scanner.ts'
import { clipLine } from '../../../src/text/safe-text.ts'
import { createFakes } from '../secrets/fake.ts'

describe('a line that is cut', () => {
  it('is cut at a word, and inside of one that is most of it', () => {
    expect(clipLine('one two three four five', 20)).toBe('one two three four…')
    expect(clipLine(`see feature/${'long-name-'.repeat(5)}`, 30)).toBe('see feature/long-name-long-na…')
    expect(clipLine('日'.repeat(50), 10)).toBe(`${'日'.repeat(9)}…`)
    expect(clipLine('x'.repeat(50), 60)).toBe('x'.repeat(50))
  })

  it('seems to hold no key where the whole held none', async () => {
    const key = createFakes(7).make('ghp_{A-Za-z0-9:36}')
    const subject = `export GITHUB_${'TOKEN'}=${key}${'a'.repeat(900)}`
    const scanner = createScanner()
    expect((await scanner.redact(subject)).value).toBe(subject)
    for (const max of [60, 100, 200]) {
      const cut = clipLine(subject, max)
      expect(await scanner.find(cut)).toEqual([])
      expect(cut).toMatch(/ghp_\w{4}…$/)
    }
  })
})
