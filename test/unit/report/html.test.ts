import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parseBrief } from '../../../src/brief/parse.ts'
import { renderClosing } from '../../../src/brief/render.ts'
import {
  type HtmlInput,
  type HtmlNode,
  MOST_BRIEFS,
  MOST_TEXT,
  renderHtml,
} from '../../../src/report/html.ts'
import { brief, dataOf, textOf as wholeText } from './sample-brief.ts'

const TEMPLATES = { page: '{{policy}}\n{{style}}\n{{data}}\n{{script}}\n', style: 'a{}', script: '1' }

const id = (n: number): string => `20260713T${String(100_000 + n)}-${String(10_000_000 + n)}`
const node = (n: number, more: Partial<HtmlNode> = {}): HtmlNode => ({
  id: id(n),
  parents: n > 1 ? [id(n - 1)] : [],
  kind: 'handoff',
  goal: `goal ${n}`,
  branch: 'main',
  agent: 'Codex',
  createdAt: '2026-07-13T17:45:02.000Z',
  path: `.handoff/briefs/${id(n)}-x.md`,
  commit: 'a'.repeat(40),
  state: 'open',
  inTree: true,
  ...more,
})
const page = (chain: readonly HtmlNode[], more: Partial<HtmlInput> = {}) =>
  renderHtml(
    {
      name: 'repo',
      scope: 'the current branch',
      notices: [],
      chain,
      shown: [...chain].sort((a, b) => (a.id < b.id ? 1 : -1)),
      read: new Map(),
      current: null,
      parked: new Set(),
      ...more,
    },
    TEMPLATES,
  )

describe('the data of the page', () => {
  it('stays inside its element, and shows what nobody can see', () => {
    const { text } = page([node(1, { goal: '</script><!--<script>', branch: 'x\u2028\u202ey&' })])
    expect(text.split('</script>')).toHaveLength(3)
    expect(dataOf(text).briefs[0]).toMatchObject({
      goal: '</script><!--<script>',
      branch: 'x\\u{2028}\\u{202e}y&',
    })
  })

  it('is the same for the same chain, in whatever order it came', () => {
    const chain = [node(1), node(2), node(3, { branch: null })]
    const read = new Map([[id(2), parseBrief(wholeText())]])
    expect(page([...chain].reverse(), { read }).text).toBe(page(chain, { read }).text)
  })

  it('is cut to what a page can hold, and says so', () => {
    const chain = Array.from({ length: MOST_BRIEFS + 3 }, (_, i) => node(i + 1))
    const made = page(chain)
    expect(made).toMatchObject({ shown: MOST_BRIEFS, total: MOST_BRIEFS + 3 })
    expect(dataOf(made.text).left).toBe(3)
    const long = { ...brief(), body: 'x'.repeat(MOST_TEXT / 2) }
    const full = page([node(1), node(2), node(3)], { read: new Map([1, 2, 3].map((n) => [id(n), long])) })
    const why = dataOf(full.text).briefs.map((one: { why: string | null }) => one.why)
    expect(why).toEqual([null, null, 'the page is full'])
  })

  it('says why a brief cannot be read', () => {
    const { text } = page([node(1), node(2)], { read: new Map([[id(1), 'larger than 65536 bytes']]) })
    expect(dataOf(text).briefs).toMatchObject([
      { why: 'its text is not in this clone', text: null },
      { why: 'larger than 65536 bytes', text: null },
    ])
  })

  it('says the outcome of a closing record once', () => {
    const first = brief()
    const record = renderClosing({ ...first.meta, id: id(2), parents: [id(1)] }, 'shipped in 2.4')
    const chain = [node(1), node(2, { kind: 'done', parents: [id(1)] })]
    const { text } = page(chain, {
      read: new Map([
        [id(1), first],
        [id(2), parseBrief(record)],
      ]),
    })
    const closing = dataOf(text).briefs.find((one: { id: string }) => one.id === id(2))
    expect(JSON.stringify(closing).match(/shipped in 2\.4/g)).toEqual(['shipped in 2.4'])
  })

  it('has every line of a brief but our own words for agents and what stands in the head', () => {
    const markdown = wholeText().replace(/\n# Handoff Context[\s\S]*$/, (rest) =>
      rest
        .replace('# Handoff Context\n', 'before it all\n# Handoff Context\n<<<<<<< HEAD\n')
        .concat('\n## Something <b>else</b>\n* a star \\<i>\n```\nopen \\<to> the end\n'),
    )
    const { text } = page([node(1)], { read: new Map([[id(1), parseBrief(markdown)]]) })
    const { sections } = dataOf(text).briefs[0].text
    const told = sections.flatMap(({ lines }: { lines: string[] }) => lines)
    for (const line of [
      'before it all',
      '<<<<<<< HEAD',
      '* a star <i>',
      'open \\<to> the end',
      '- "use vitest, not jest"',
      '  - Moved the cap.',
    ])
      expect(told).toContain(line)
    expect(told.join('\n')).not.toMatch(/Quoted from the session|The facts below were true/)
    expect(sections.map((one: { heading: string }) => one.heading)).not.toContain('Next Goal (verbatim)')
  })
})

describe('the page', () => {
  it('names the one style and the one script in its policy, and nothing else', () => {
    expect(page([node(1)]).text.split('\n')[0]).toMatch(
      /^default-src 'none'; style-src 'sha256-[\w+/]{43}='; script-src 'sha256-[\w+/]{43}='; base-uri 'none'; form-action 'none'$/,
    )
  })

  it('looks no second time at what was put in', () => {
    const { text } = page([node(1, { goal: '{{script}} $& $1', branch: '{{style}}' })])
    expect(dataOf(text).briefs[0]).toMatchObject({ goal: '{{script}} $& $1', branch: '{{style}}' })
  })

  it('has a script that makes no markup, code or address of a text', () => {
    const script = readFileSync(new URL('../../../templates/html/page.js', import.meta.url), 'utf8')
    expect(script).not.toMatch(
      /innerHTML|outerHTML|insertAdjacentHTML|createContextualFragment|document\.write|\beval\b|\bFunction\(|DOMParser|\bsrc:|srcdoc|\bon\w+:|style:/,
    )
    const addresses = script.match(/href: .{4}/g) ?? []
    expect([addresses.length, new Set(addresses)]).toEqual([3, new Set(['href: `#b-'])])
  })
})
