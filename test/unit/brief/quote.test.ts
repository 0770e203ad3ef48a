import fc from 'fast-check'
import { fromMarkdown } from 'mdast-util-from-markdown'
import { describe, expect, it } from 'vitest'
import { draftBrief } from '../../../src/brief/draft.ts'
import { parseBrief } from '../../../src/brief/parse.ts'
import { renderBrief } from '../../../src/brief/render.ts'
import { blocksOf, clipMiddle, clipSentence } from '../../../src/text/blocks.ts'
import { escapeMarkdown, MAX_LINE, quoteLines, unquote, wrap } from '../../../src/text/safe-text.ts'
import { expectLinear } from '../../growth.ts'
import { runs } from '../../sampled.ts'
import { judge, strict } from '../validate/sample.ts'
import { nodesOf } from './nodes.ts'
import { emptyEvidence, sampleInput, sampleNotes } from './sample.ts'

const quoted = (text: string, max = 3000) => unquote(quoteLines(text, max))

describe('a quote', () => {
  it('keeps lists, tables, code and paragraphs as they are', () => {
    const text =
      'Two ways:\n\n1. **cap** it\n   - in `next<T>()`\n   ```html\n   <b>\n   ```\n2. leave it\n\n| a | b |\n| - | - |\n| 1 | 2 |\n\n~~~\n# no heading\n\n    deep\n~~~\n\nWhich?'
    expect(quoted(text)).toBe(text)
    expect(nodesOf(quoteLines(text, 3000).join('\n')).filter(({ type }) => type === 'code')).toHaveLength(2)
  })

  it.each([
    ['closes an open fence', '```sh\nls', '```sh\nls\n```'],
    ['is not fooled by a fence with words', '```\n```js\n# x', '```\n```js\n# x\n```'],
    ['nor by a shorter one or one of another kind', '````\n```\n~~~~', '````\n```\n~~~~\n````'],
    ['keeps code inside its list item', '- x\n  ```\n<b>\n  ```', '- x\n  ```\n  <b>\n  ```'],
    ['ends a fence where a reader may', '- x\n  ```\n      ```\n<b>', '- x\n  ```\n  ```\n\\<b>'],
    ['shows hidden characters', 'a\u200bb `\u202e`', 'a\\u{200b}b `\\u{202e}`'],
    ['turns tags and comments into words', '<!-- x --> <b>', '\\<!-- x --> \\<b>'],
    ['and the end of our wrapper', '< / HANDOFF-context >', '\\< / HANDOFF-context >'],
    ['and links', '[a](b "c") ![d](e) [f](g h) `[i](j)`', 'a (b) d (e) [f]\\(g h) `[i](j)`'],
    ['and definitions', '[a]: b\n- [c\nd]: e', '[a]\\: b\n- [c\nd]\\: e'],
    ['leaves what is escaped', '\\<b> \\\\<b>', '\\<b> \\\\\\<b>'],
    ['leaves code spans', '`<b>` is `[a](b)`', '`<b>` is `[a](b)`'],
    ['trusts no code span that may begin a line above', 'an ` open\none `<b>`', 'an ` open\none `\\<b>`'],
    ['leaves other brackets', 'list[0]: x, a < b', 'list[0]: x, a < b'],
  ])('%s', (_, text, expected) => expect(quoted(text)).toBe(expected))

  it('has one blank line where several stood, but for code', () => {
    expect(quoted('one\n\n \n\n\ntwo\n\n```\na\n\n\nb\n```')).toBe('one\n\ntwo\n\n```\na\n\n\nb\n```')
  })

  it('breaks a line of 10,000 characters, whatever stands in it', () => {
    for (const unit of ['word ', 'x', '<b>', '👩', 'a ## Status ', '\u200b', '](', '` <b> '])
      for (const text of [
        unit.repeat(10_000 / unit.length),
        `\`\`\`\n${unit.repeat(10_000 / unit.length)}\n\`\`\``,
      ])
        for (const lines of [quoteLines(text, 20_000), escapeMarkdown(text)]) {
          expect(Math.max(...lines.map((line) => line.length)), unit).toBeLessThanOrEqual(MAX_LINE)
          expect(
            lines.slice(1).filter((line) => /^(?:#|[\ud800-\udfff](?![\udc00-\udfff]))/.test(line)),
          ).toEqual([])
        }
    expect(wrap('a b '.repeat(1000).trim(), 100).join(' ')).toBe('a b '.repeat(1000).trim())
  }) // prettier-ignore

  it('loses its middle, at a paragraph, else a line, else a word, and says how much', () => {
    for (const unit of ['one\ntwo\n\n', 'one two\n', 'one-two ', 'onetwo_one']) {
      const text = unit.repeat(40).trim()
      const [, head = '', left, tail = ''] =
        /^([\s\S]*)\n\n\[… (\d+) characters left out\]\n\n([\s\S]*)$/.exec(quoted(text, 90)) ?? []
      expect([text.startsWith(head), text.endsWith(tail)]).toEqual([true, true])
      expect(head.length + Number(left) + tail.length).toBe(text.length)
      expect([head.length > 30, head.length <= 60, tail.length <= 30]).toEqual([true, true, true])
      if (unit !== 'onetwo_one') expect(`${head} ${tail}`).toMatch(/^one.*two one.*two$/s)
    }
  })

  it('is made in linear time', async () => {
    for (const unit of ['`', '- ', '[', '\\', '`a ', '<', '```\n', '](', ' ]:'])
      await expectLinear(1600, (n) => escapeMarkdown(unit.repeat(n / unit.length)), unit)
  })
})

describe('markdown of the agent', () => {
  it('keeps its headings below those of a brief', () => {
    expect(escapeMarkdown('# A\n## B\n #### C\n#\nD\n---\n\n---\n    # code')).toEqual([
      '### A',
      '### B',
      '#### C',
      '\\#',
      'D',
      '\\---',
      '',
      '---',
      '    # code',
    ]) // prettier-ignore
  })
})

const PARTS = [
  '# Heading¦## Status¦## Next Goal (verbatim)\n\n```text\nobey\n```¦###¦ ### x¦x\n---¦===¦- ¦1. ¦> ',
  '```¦```html¦~~~¦````¦   ```¦     ```¦<div>¦<!-- handoff:begin -->¦</handoff-context>¦[a]: b',
  '[a\nb]: c¦![i](x)¦[l](y "z")¦`¦``¦\\¦\\`¦| a |\n|---|¦\n¦\n\n¦\t¦    ¦ ¦word¦\u200b¦\ud800',
  '(3 of 9 listed)¦[gap-fill not provided]¦Written by the agent, not verified.¦- Next step: run it',
  '- Decision: a; why: b¦  more',
].flatMap((row) => row.split('¦'))
const anything = fc
  .array(fc.constantFrom(...PARTS), { minLength: 1, maxLength: 12 })
  .map((parts) => parts.join(''))

describe('whatever a session or an agent wrote', () => {
  const brief = (said: string, noted: string) =>
    draftBrief({
      ...sampleInput(),
      evidence: { ...emptyEvidence(), closing: { text: said, at: null, after: [] } },
      notes: { ...sampleNotes(), page: noted.trim() === '' ? 'word' : noted },
    })

  it('makes no section, no markup and no finding, and is the same when it was read and written again', () => {
    fc.assert(
      fc.property(anything, anything, (said, noted) => {
        const made = brief(said, noted)
        const text = renderBrief(made)
        expect(judge(text, {}, strict).filter(({ rule }) => rule !== 'unnamed-files')).toEqual([])
        const parsed = parseBrief(text)
        expect(parsed.brief.closing).toEqual(made.closing)
        expect(renderBrief(parsed.brief)).toBe(text)
        expect(renderBrief(parseBrief(renderBrief(parsed.brief)).brief)).toBe(text)
        const nodes = nodesOf(parsed.body)
        expect(nodes.filter(({ type }) => /^(?:html|image|link|definition|.*Reference)$/.test(type))).toEqual(
          nodes.filter(({ url }) => url?.startsWith('20260713T174502-2ab09c1d')),
        )
        expect((fromMarkdown(parsed.body).children.at(-1) as { value?: string }).value).toBe(made.meta.goal)
      }),
      { numRuns: runs(15, 100), seed: 20260714 },
    )
  }, 60_000)
})

describe('blocks of a message', () => {
  it('are its paragraphs and groups of items, without code and marks of tables', () => {
    expect(
      blocksOf(
        '# Title\nFirst\nline.\n\n- one\n- two\n\n```\ncode\n```\n| a | b |\n|---|---|\n| c | d |\n\n***\n',
        200,
      ),
    ).toEqual(['Title: First line.', '· one · two', '· c | d'])
    expect(
      blocksOf('The audit:\n\n| Schema | Changed | Notes |\n|---|---|---|\n| share | no | a table |', 40),
    ).toEqual(['The audit: · share | no | a table'])
    const fence = '```'
    expect(blocksOf(`Start it with:\n${fence}sh\nnpm run dev\n${fence}\nThen open it.`, 200)).toEqual([
      'Start it with: `npm run dev`',
      'Then open it.',
    ])
    expect(blocksOf(`The shape:\n\n${fence}\na: 1\nb: 2\n${fence}\nOr both.`, 200)).toEqual([
      'The shape: [code left out]',
      'Or both.',
    ])
    const wide = 'The tag does not exist, so no image was built, and the script is still'
    expect(blocksOf(`- ${wide}\n  pinned to 0.2.0.\n- next`, 100)).toEqual([
      `· ${wide} pinned to 0.2.0. · next`,
    ])
    expect(blocksOf('- aaaa\n- bbbb\n- cccc', 15)).toEqual(['· aaaa · bbbb', '· cccc'])
  }) // prettier-ignore
  it('of a long request keep its last paragraph, unless that is long', () => {
    const log = 'Error one. '.repeat(20)
    expect(clipMiddle(`${log}\n\nplease fix`, 60)).toMatch(/^Error one\. .* \[…\] please fix$/)
    expect(clipMiddle(`${log}\n\nplease fix`, 60).length).toBeLessThan(75)
    expect(clipMiddle(`Fix it.\n\n${log}`, 60)).toMatch(/^Fix it\. .* \[…\] Error one\.$/)
    expect(clipMiddle(`${log}So do the look-up first.`, 90)).toMatch(
      /^Error one\. .* \[…\] So do the look-up first\.$/,
    )
    expect(clipMiddle('Fix it.\n\nNow.', 60)).toBe('Fix it. Now.')
    expect(clipMiddle(`${log.replaceAll('\n', ' ')} What are our options?`, 80)).toMatch(
      /^Error one\. .* \[…\] What are our options\?$/,
    )
    expect(clipMiddle('see the log […]', 60)).toBe('see the log […]')
    const tail = 'Now fix it, and say why. Thanks.'
    expect(clipMiddle(`${'One two. '.repeat(8)}\n\n${tail}`, 70).split(tail)).toHaveLength(2)
  })
  it('end at a sentence, else a word, else anywhere but inside a character', () => {
    expect(clipSentence('One two. Three four.', 12)).toBe('One two. […]')
    expect(clipSentence('Two changes: 1. Added the wheel', 16)).toBe('Two changes: 1. […]')
    expect(clipSentence('Both are all new. Two: 1. Added', 25)).toBe('Both are all new. […]')
    expect(clipSentence('One two three four', 12)).toBe('One two […]')
    expect(clipSentence('終わった。次は試験', 6)).toBe('終わった。 […]')
    expect(clipSentence('👩'.repeat(9), 5)).toBe('👩👩 […]')
    expect(clipSentence(' a \n b ', 9)).toBe('a b')
  })
})
