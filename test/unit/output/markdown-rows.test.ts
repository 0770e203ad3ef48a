import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parseBrief } from '../../../src/brief/parse.ts'
import { markdownRows, sectionRows } from '../../../src/output/markdown-rows.ts'
import { paint, rowCells } from '../../../src/text/rows.ts'
import { expectLinear } from '../../growth.ts'

const BRIEF = readFileSync(new URL('../../fixtures/brief/whole-brief/brief.md', import.meta.url), 'utf8')
const plain = (body: string, width = 40, isOurs = false): string =>
  paint(markdownRows(body, { width, color: false, isOurs }), false)
const coloured = (body: string, width = 40): string => paint(markdownRows(body, { width, color: true }), true)

describe('a brief on a terminal', () => {
  it.each([40, 80])('says all of it, in %i cells', (width) => {
    const { sections, body } = parseBrief(BRIEF)
    const rows = sectionRows(sections, { width, color: false })
    const isCode = (text: string) => text.includes('node bench/wheel.mjs')
    for (const row of rows)
      if (!isCode(row.map(({ text }) => text).join(''))) expect(rowCells(row)).toBeLessThanOrEqual(width)
    const words = (text: string) => text.replace(/\s+/g, '').replaceAll('\\<', '<')
    const shown = body.replace(/\[(\d{8}T\d{6}-[0-9a-f]{8})\]\(\1-[a-z-]+\.md\)/, '$1')
    expect(shown).not.toBe(body)
    expect(words(paint(rows, false))).toBe(words(shown))
  })

  it('tells the brief before it by its id, which `show` takes; the name of its file says no more', () => {
    const [id, other] = ['20260713T174502-2ab09c1d', '20260714T091522-01c40e9b']
    const rest = ', 2026-07-13T17:45:02.683Z: port the retry queue'
    for (const color of [false, true]) {
      const draw = (line: string) =>
        paint(markdownRows(`- ${line}${rest}`, { width: 200, color }), color).trimEnd()
      expect(draw(`[${id}](${id}-port-the-retry-queue.md)`)).toBe(`- ${id}${rest}`)
      // Whatever else a link says is shown with its target, as it stands.
      for (const link of [
        `[${id}](${other}-port-the-retry-queue.md)`,
        `[${id}](https://example.com/${id}-port.md)`,
        `[${id}](../${id}-port.md)`,
        `[the brief](${id}-port.md)`,
        `[${id}](javascript:${id}.md)`,
      ])
        expect(draw(link)).toBe(`- ${link}${rest}`)
      // What a person wrote that looks like one is no link.
      expect(draw(`\\[${id}]\\(${id}-port.md)`)).toBe(`- [${id}](${id}-port.md)${rest}`)
    }
  })

  it('sets lists in, undoes escapes, wraps the goal and no command', () => {
    const body =
      '## Relevant Commands\n\n- ok, run [transcript]\n  ```sh\n  node bench/wheel.mjs --slots 512 --jitter 3 --json\n  ```\n\n' +
      '## Next Goal (verbatim)\n\n```text\ncap the retry backoff at 30 s including jitter, \\<b>\n```\n'
    expect(plain(body)).toBe(`## Relevant Commands

- ok, run [transcript]
  \`\`\`sh
  node bench/wheel.mjs --slots 512 --jitter 3 --json
  \`\`\`

## Next Goal (verbatim)

\`\`\`text
cap the retry backoff at 30 s including
jitter, \\<b>
\`\`\`
`)
    expect(plain('- a \\<b> and `\\<c>` [user]\n\\# no heading')).toBe(
      '- a <b> and `\\<c>` [user]\n# no heading\n'.replace('\n#', ' \\#'),
    )
  })

  it('shows headings, code and labels by colour, without their marks', () => {
    const text = coloured('## Status\n\n- Last check: ``a`b`` failed [git]\n\n```sh\nls\n```\n')
    expect(text).toBe(
      '\u001b[1mStatus\u001b[22m\n\n- Last check: \u001b[36ma`b\u001b[39m failed\u001b[2m [git]\u001b[22m\n\n  \u001b[36mls\u001b[39m\n',
    )
  })

  it('joins the lines of a paragraph and of an item, and keeps an open fence to the end', () => {
    expect(plain('one\ntwo\n\n- three\n  four\n1. five\n\n```\nsix')).toBe(
      'one two\n\n- three four\n1. five\n\n```\nsix\n```\n',
    )
  })

  it('keeps each line of a quote, with its lists and blank lines', () => {
    const quote =
      '```\n> no quote\n```\n\n> The cap comes first:\n>\n> - before\n>   1. or behind\n> ```\n> npm test\n> ```\n'
    expect(plain(quote)).toBe(quote)
    expect(plain(`> ${'word '.repeat(9)}end\n`)).toBe(`> ${'word '.repeat(6).trim()} word\n  word word end\n`)
  })

  it.each([
    ['backticks', '`'],
    ['opened spans', '`a ``b '],
    ['brackets', ' ['],
    ['a long word', 'x'],
    ['wide characters', '再'],
    ['marks without a base', '\u0301'],
    ['spaces', ' '],
    ['hashes', '#'],
    ['stars', '*'],
    ['pipes', '|'],
  ])('takes time that grows with their number alone over %s', async (_, mark) => {
    await expectLinear(4000, (n) => {
      const line = mark.repeat(n / mark.length)
      for (const isOurs of [false, true]) plain(`- ${line}\n${line}\n`, 80, isOurs)
    })
  })
})

describe('a page of ours', () => {
  it('reads emphasis, links and tables', () => {
    const page =
      '## Exit codes\n\n**What** a [status](format.md#x) says:\n\n| code | when |\n| --- | --- |\n| `0` | done, with `a\\|b` | |\n| `130` | cancelled by the person at the terminal |\n\nMore.\n'
    expect(plain(page, 40, true)).toBe(`## Exit codes

What a status says:

\`0\`    done, with \`a|b\`
\`130\`  cancelled by the person at the
       terminal

More.
`)
  })

  it('puts long names above what is said of them', () => {
    const page = '| key | does |\n| --- | --- |\n| `limits.openQuestions` | most open questions |\n'
    expect(plain(page, 40, true)).toBe('`limits.openQuestions`\n    most open questions\n')
  })

  it('leaves all of that alone in the words of strangers', () => {
    expect(plain('**a** [b](c)\n\n| d | e |\n', 60)).toBe('**a** [b](c)\n\n| d | e |\n')
  })
})
