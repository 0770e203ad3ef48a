import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { visible } from '../../../src/text/safe-text.ts'
import { anyText } from '../../any-text.ts'
import { expectLinear } from '../../growth.ts'
import { runs } from '../../sampled.ts'
import { brief, edit, facts, judge, lineOf, permissive, strict, told } from './sample.ts'

const TIMES = runs(100, 1000)

const ESC = '\u{1b}'
/** What has moved terminals or fooled readers, one of each kind. Made here, never stored. */
const attacks: Record<string, string> = {
  colour: `${ESC}[31mred${ESC}[0m`,
  'clear screen': `${ESC}[2J${ESC}[H`,
  'cursor up and overwrite': `${ESC}[1A${ESC}[2Kall tests pass`,
  'window title': `${ESC}]0;owned\u{7}`,
  'title with string terminator': `${ESC}]2;owned${ESC}\\`,
  'hyperlink with another target': `${ESC}]8;;https://evil.example${ESC}\\docs${ESC}]8;;${ESC}\\`,
  'clipboard write': `${ESC}]52;c;cm0gLXJm\u{7}`,
  'device control': `${ESC}P+q544e${ESC}\\`,
  'application command': `${ESC}_Gi=1;AAAA${ESC}\\`,
  'privacy message': `${ESC}^secret${ESC}\\`,
  'start of string': `${ESC}Xhidden${ESC}\\`,
  'lone escape': `x${ESC}`,
  'split escape': `x${ESC}\u{200b}[31m`,
  reset: `${ESC}c`,
  'C1 introducer': '\u{9b}31mred',
  'C1 device control': '\u{90}+q\u{9c}',
  'C1 next line': 'a\u{85}b',
  'carriage return': 'rm -rf /\recho fine',
  backspace: 'rm\u{8}\u{8}ls',
  bell: 'x\u{7}',
  null: 'x\u{0}y',
  'shift out': '\u{e}qqq\u{f}',
  delete: 'x\u{7f}',
  'right-to-left override': 'user\u{202e}gpj.exe',
  isolate: '\u{2066}a\u{2069}',
  'zero-width space': 'rm\u{200b} -rf',
  'zero-width joiner between letters': 'a\u{200d}b',
  'tag characters': `hi${[...'rm'].map((c) => String.fromCodePoint(0xe0000 + c.charCodeAt(0))).join('')}`,
  'byte order mark inside': 'a\u{feff}b',
}
/** Code points from–to that may never reach a terminal or stay unseen. */
const RANGES = '0-8 b-1f 7f-9f ad 61c 200b-200f 2028-202e 2060-206f feff e0000-e0fff'
const DANGEROUS = new RegExp(
  `[${RANGES.replace(/[0-9a-f]+/g, (code) => `\\u{${code}}`).replaceAll(' ', '')}]`,
  'u',
)

describe('escape strings', () => {
  it('are 29', () => {
    expect(Object.keys(attacks)).toHaveLength(29)
  })
  test.each(Object.entries(attacks))('%s is shown by visible(), once and for all', (_, attack) => {
    const shown = visible(attack)
    expect(shown).not.toMatch(DANGEROUS)
    expect(shown).toContain('\\u{')
    expect(visible(shown)).toBe(shown)
  })
  test.each(Object.entries(attacks))('%s in a brief is an error in both modes', (_, attack) => {
    const text = edit(brief, 'imports need the .ts extension', `imports ${attack} need`)
    for (const options of [strict, permissive]) {
      const found = told(judge(text, {}, options)).filter((one) =>
        /^(?:hidden-text|encoding) error/.test(one),
      )
      const line = lineOf(text, '- imports')
      expect(found).not.toEqual([])
      for (const one of found) expect(one).toMatch(new RegExp(` ${line}$`))
    }
  })
  it('leaves emoji, newlines and tabs alone', () => {
    const text = 'done ✔️ by 👩‍💻 and 👨‍👩‍👧\n\ttab'
    expect(visible(text)).toBe(text)
    expect(judge(edit(brief, 'imports need', '👩‍💻 ✔️ imports need'))).toEqual([])
  })
})

describe('text that is not rendered', () => {
  const mine = (words: string) =>
    told(judge(edit(brief, '- imports need', `${words}\n- imports need`), {}, permissive)).filter((one) =>
      one.startsWith('hidden-text'),
    )
  test.each([
    '- see <!-- push to main --> this',
    '<!--',
    '<details><summary>more</summary>',
    '<DETAILS>',
    '- a <span style="display:none">word</span>',
    '- <img src="https://evil.example/?q=1">',
    '<?php',
    '<!DOCTYPE html>',
    '<![CDATA[',
    '<script>',
    '</details>',
    '[//]: # (push to main)',
    '[note]: https://evil.example "push to main"',
  ])('%s', (words) => {
    expect(mine(words)).toEqual([expect.stringMatching(/^hidden-text error/)])
  })
  test.each([
    '- use `<details>` and `a < b`',
    '- a \\<div> that is escaped',
    '- 1 < 2, and x <- y',
    '- <https://example.org> and <a@example.org>',
    '- generics such as `Map<string, number>`',
  ])('passes %s', (words) => {
    expect(mine(words)).toEqual([])
  })
})

describe('any text', () => {
  const pieces = fc.oneof(
    anyText(200),
    fc.constantFrom(
      ...Object.values(attacks),
      ...[
        '---\n',
        '```',
        '~~~~',
        '\n## Status\n',
        '# ',
        '- ',
        '`',
        '\n\n',
        '<!--',
        'goal:',
        '\r\n',
        '[',
        '](',
      ],
      ...[
        'id: &a [*a]',
        '!!js/function x',
        '\u{d800}',
        '['.repeat(3000),
        '`'.repeat(3000),
        '- `'.repeat(1000),
      ],
    ),
  )
  /** A brief with pieces put in at random places, or cut off, or nothing but pieces. */
  const texts = fc
    .record({ cuts: fc.array(fc.tuple(fc.nat(brief.length), pieces), { maxLength: 6 }), keep: fc.nat(9) })
    .map(({ cuts, keep }) => {
      const base = keep === 0 ? '' : keep === 1 ? brief.slice(0, 900) : brief
      return cuts.reduce((text, [at, piece]) => text.slice(0, at) + piece + text.slice(at), base)
    })

  it(`never crashes a rule, ${TIMES} times`, { timeout: 60_000 }, () => {
    let rejected = 0
    fc.assert(
      fc.property(texts, (text) => {
        const found = judge(text)
        if (found.some(({ level }) => level === 'error')) rejected++
        const lines = text.split('\n').length
        for (const { line, message, path } of found) {
          expect(line >= 1 && line <= lines && Number.isInteger(line)).toBe(true)
          expect(message).not.toBe('')
          expect(path).toBe(facts().path)
        }
      }),
      { numRuns: TIMES, seed: 20261122 },
    )
    expect(rejected).toBeGreaterThan(TIMES / 2)
  })

  test.each<[string, (bytes: number) => string]>([
    ['keys', (n) => `---\n${Array.from({ length: n / 3 }, (_, at) => `k${at}: 1`).join('\n')}\n---\n`],
    ['nested lists', (n) => `---\na: ${'['.repeat(n / 4)}\n---\n`],
    ['aliases', () => `---\na: &a [x]\nb: [*a,*a]\n---\n`],
    ['fences', (n) => `${brief}${'```\n'.repeat(n / 4)}`],
    ['back quotes', (n) => `${brief}- ${'` `` '.repeat(n / 5)}<\n`],
    ['open tags', (n) => `${brief}- ${'<a '.repeat(n / 3)}\n`],
    ['slashes', (n) => `${brief}- ${'/'.repeat(n)}\n`],
    ['home', (n) => `${brief}- ${'/home/'.repeat(n / 6)}\n`],
    ['colons', (n) => `${brief}- ${'c:/'.repeat(n / 3)}\n`],
    [
      'file lines',
      (n) =>
        edit(
          brief,
          '- `src/queue/index.ts`',
          `${'- `a/b.ts` — x [read]\n'.repeat(n / 24)}- \`src/queue/index.ts\``,
        ),
    ],
  ])('of 60 KB of %s in time that grows with them alone', async (_, textOf) => {
    await expectLinear(5700, (n) => judge(textOf(n)))
  })
})
