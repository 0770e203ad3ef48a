import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { parseBrief } from '../../../src/brief/parse.ts'
import { renderHtml } from '../../../src/report/html.ts'
import { escapeHtml, html, jsonBlock, textOf } from '../../../src/report/html-markup.ts'
import {
  dateOf,
  type HtmlInput,
  type HtmlNode,
  MOST_BRIEFS,
  MOST_TEXT,
  pageBriefs,
} from '../../../src/report/html-page-brief.ts'
import { sectionsMarkup } from '../../../src/report/html-sections.ts'
import { edgePath, layoutTimeline } from '../../../src/report/html-timeline.ts'
import { quoteLines } from '../../../src/text/safe-text.ts'
import { notes, textOf as wholeText } from './sample-brief.ts'

const SRC = fileURLToPath(new URL('../../../src/', import.meta.url))
const whole = wholeText()
const TEMPLATES = {
  page: '{{policy}}\n{{style}}\n{{title}}{{name}}\n{{summary}}\n{{filters}}\n{{timeline}}{{legend}}{{briefs}}{{data}}{{script}}\n',
  style: 'a{}',
  script: '1',
}

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
const input = (chain: readonly HtmlNode[], more: Partial<HtmlInput> = {}): HtmlInput => ({
  name: 'repo',
  scope: 'the current branch',
  notices: [],
  chain,
  shown: [...chain].sort((a, b) => (a.id < b.id ? 1 : -1)),
  read: new Map(),
  truths: new Map(),
  current: null,
  parked: new Set(),
  ...more,
})

describe('markup', () => {
  it('escapes whatever is put in, and shows what nobody can see', () => {
    expect(textOf(html`<p title="${'"><b>'}">${`<i>'&\`\u202e`}</p>`)).toBe(
      '<p title="&quot;&gt;&lt;b&gt;">&lt;i&gt;&#39;&amp;&#96;\\u{202e}</p>',
    )
    expect(textOf(html`${null}${undefined}${false}${0}${['a', html`<b>${'<'}</b>`]}`)).toBe('0a<b>&lt;</b>')
    expect(escapeHtml('a\u2028b\u0000')).toBe('a\\u{2028}b\\u{0}')
  })

  it('takes nothing for finished that it has not made itself', () => {
    const forged = { markup: '<b>', [Symbol('markup')]: '<b>', toString: () => '<b>' } as unknown as string
    expect(textOf(html`${forged}`)).not.toContain('<b>')
  })

  it('keeps data inside its element', () => {
    const value = { a: '</script><!--<script>', b: '\u2028\u2029&', c: ['<'] }
    const text = textOf(jsonBlock(value))
    expect(text).not.toMatch(/[<>&\u2028\u2029]/)
    expect(JSON.parse(text)).toEqual(value)
  })

  it('is turned into text in one place, where the page is put together', () => {
    const files = readdirSync(`${SRC}report`).filter((name) => /^html.*\.ts$/.test(name))
    expect(files.length).toBeGreaterThan(5)
    const users = files.filter((name) =>
      /\btextOf\b.*html-markup/.test(readFileSync(`${SRC}report/${name}`, 'utf8')),
    )
    expect(users).toEqual(['html.ts'])
  })
})

describe('layoutTimeline', () => {
  const lanes = (parents: readonly (number | null)[]) => {
    const nodes = parents.map((parent, i) => ({
      id: String(i),
      parents: parent === null ? [] : [String(parent)],
    }))
    return layoutTimeline(nodes, (other) => other === '99')
  }

  it('keeps a chain in one lane and gives a fork one of its own until it joins', () => {
    expect(lanes([1, 2, null]).lanes).toEqual([0, 0, 0])
    expect(lanes([2, 2, 3, null]).lanes).toEqual([0, 1, 0, 0])
    expect(lanes([3, 2, 3, 4, null]).lanes).toEqual([0, 1, 1, 0, 0])
  })

  it('uses a lane again when its chain has ended', () => {
    expect(lanes([1, null, 3, null]).lanes).toEqual([0, 0, 0, 0])
    expect(lanes([4, 2, null, null, null]).lanes).toEqual([0, 1, 1, 1, 0])
  })

  it('tells a missing parent from one that is not drawn, and a circle from a line', () => {
    expect(lanes([99, 98, 0, 3]).edges).toEqual([
      { from: 0, to: null, kind: 'missing' },
      { from: 1, to: null, kind: 'cut' },
      { from: 2, to: 0, kind: 'cycle' },
      { from: 3, to: 3, kind: 'cycle' },
    ])
    expect(edgePath(16, 32, 16, 96)).toBe('M16 32V96')
    expect(edgePath(16, 32, 16, 32)).not.toBe('M16 32V32')
  })

  it('draws the line to a second parent in a lane of its own', () => {
    const merged = [
      { id: 'm', parents: ['b', 'c'] },
      { id: 'b', parents: ['a'] },
      { id: 'c', parents: ['a'] },
      { id: 'a', parents: [] },
    ]
    expect(layoutTimeline(merged, () => false)).toMatchObject({
      lanes: [0, 0, 1, 0],
      count: 2,
      edges: [
        { from: 0, to: 1, kind: 'parent' },
        { from: 0, to: 2, kind: 'parent', via: 36 },
        { from: 1, to: 3, kind: 'parent' },
        { from: 2, to: 3, kind: 'parent' },
      ],
    })
    expect(edgePath(16, 32, 36, 160, 36)).toBe('M16 32C16 60 36 48 36 76V160')
    const both = layoutTimeline(
      [
        { id: 'm', parents: ['b', 'lost', 'm'] },
        { id: 'b', parents: [] },
      ],
      () => true,
    )
    expect(both.edges.map(({ kind }) => kind)).toEqual(['parent', 'missing', 'cycle'])
  })

  it('never draws two chains over each other in one lane', () => {
    // A fixed row of odd numbers: forks, ends and long lines mixed.
    let seed = 7
    const dice = (most: number) => {
      seed = (seed * 48_271) % 2_147_483_647
      return seed % most
    }
    for (let round = 0; round < 200; round++) {
      const count = 3 + dice(30)
      const parents = Array.from({ length: count }, (_, i) =>
        i === count - 1 || dice(6) === 0 ? null : i + 1 + dice(Math.min(9, count - 1 - i)),
      )
      const { lanes: placed, edges } = lanes(parents)
      for (const { from, to } of edges) {
        if (to === null) continue
        for (let row = from + 1; row < to; row++)
          expect(placed[row], `${parents.join()} row ${row}`).not.toBe(placed[from])
      }
    }
  })
})

describe('pageBriefs', () => {
  it('tells what follows what from the whole chain, not only from what is shown', () => {
    const chain = [
      node(1),
      node(2),
      node(3, { kind: 'done', state: 'closed' }),
      node(4, { parents: [id(1)], state: 'landed' }),
      node(5, { parents: [id(90)] }),
    ]
    const all = pageBriefs(input(chain))
    expect(all.map(({ state }) => state)).toEqual(['open', 'landed', 'closed', 'open', 'open'])
    expect(all.map(({ follows }) => follows.map(({ is }) => is).join())).toEqual([
      'missing',
      'here',
      'here',
      'here',
      '',
    ])
    expect(all.at(-1)?.children).toEqual([id(2), id(4)])
    const [merged] = pageBriefs(input([...chain, node(6, { parents: [id(4), id(91)] })]))
    expect(merged?.follows).toEqual([
      { id: id(4), is: 'here' },
      { id: id(91), is: 'missing' },
    ])
    const [part] = pageBriefs(input(chain, { shown: [node(2)] }))
    expect(part).toMatchObject({ follows: [{ is: 'cut' }], isOpen: true, state: 'open', marks: ['open'] })
  })

  it('cuts what no page can hold, and says it', () => {
    const chain = Array.from({ length: MOST_BRIEFS + 3 }, (_, i) => node(i + 1))
    const page = renderHtml(input(chain), TEMPLATES)
    expect(page).toMatchObject({ shown: MOST_BRIEFS, total: MOST_BRIEFS + 3 })
    expect(page.text).toContain(`3 older briefs left out: a page holds ${MOST_BRIEFS}.`)
    const parsed = parseBrief(whole)
    const long = { ...parsed, body: 'x'.repeat(MOST_TEXT / 2) }
    const read = new Map([1, 2, 3].map((n) => [id(n), long]))
    const full = renderHtml(input([node(1), node(2), node(3)], { read }), TEMPLATES)
    expect(full.text).toContain('Of 1 brief only the head is here')
  })

  it('shows the head of a brief that cannot be read, and why', () => {
    const read = new Map([[id(1), 'larger than 65536 bytes']])
    const { text } = renderHtml(input([node(1)], { read }), TEMPLATES)
    expect(text).toContain('cannot be shown: larger than 65536 bytes.')
    expect(text).toContain(`handoff show ${id(1)}`)
  })
})

describe('renderHtml', () => {
  it('gives the same bytes for the same chain, in whatever order it came', () => {
    const chain = [node(1), node(2), node(3, { branch: null })]
    const read = new Map([[id(2), parseBrief(whole)]])
    const once = renderHtml(input(chain, { read }), TEMPLATES).text
    expect(renderHtml(input([...chain].reverse(), { read }), TEMPLATES).text).toBe(once)
  })

  it('names the one style and the one script in its policy, and nothing else', () => {
    const { text } = renderHtml(input([node(1)]), TEMPLATES)
    expect(text.split('\n')[0]).toMatch(
      /^default-src 'none'; style-src 'sha256-[\w+/]{43}='; script-src 'sha256-[\w+/]{43}='; base-uri 'none'; form-action 'none'$/,
    )
  })

  it('looks no second time at what was put in', () => {
    const chain = [node(1, { goal: '{{script}} $& $1', branch: '{{style}}' })]
    const { text } = renderHtml(input(chain), TEMPLATES)
    expect(text).toContain('{{script}} $&amp; $1')
  })

  it('offers only choices that make a difference', () => {
    const one = renderHtml(input([node(1), node(2)]), TEMPLATES).text
    expect(one).not.toContain('name="branch"')
    const two = renderHtml(input([node(1), node(2, { branch: null, agent: 'Pi' })]), TEMPLATES).text
    expect(two).toContain('<option value="">(detached)</option><option value="main">main</option>')
    expect(two).toContain('<option value="Pi">')
    expect(two).not.toContain('name="persona"')
  })
})

describe('sectionsMarkup', () => {
  const link = (other: string) => html`<a>${other}</a>`
  const shown = (markdown: string): string =>
    textOf(
      sectionsMarkup(parseBrief(whole.replace(/\n# Handoff Context[\s\S]*$/, `\n${markdown}`)), 'b', link),
    )

  it('shows every section of a whole brief with structure', () => {
    const text = textOf(sectionsMarkup(parseBrief(whole), 'b', link))
    expect([...text.matchAll(/<h3[^>]*><span[^>]*>([^<]+)/g)].map(([, name]) => name)).toEqual([
      'Status',
      'Working Memory',
      'Where it stands',
      'How it got here',
      'Constraints &amp; Preferences',
      'Key Decisions',
      'Progress',
      'Relevant Commands',
      'Open Questions / Risks',
    ])
    expect(text).toContain('<q class="say" dir="auto">use vitest, not jest</q>')
    expect(text).toContain('<b>Why</b> <span dir="auto">the gateway drops clients after 45 s</span>')
    expect(text).toContain('<b>Abandoned</b>')
    expect(text).not.toMatch(/\*\*|^- |^## |\\</m)
  })

  it('shows the last message as a quote, with its lists, code and tables', () => {
    const message =
      'Done:\n\n- one\n  - `a<b>`\n    go on\n- two <i>\n\n```sh\nnpm test\n# not a heading\n```\n| a | b |\n| - | - |\n> said\n\n## Next\nShall I?'
    const text = textOf(
      sectionsMarkup(
        parseBrief(
          wholeText((brief) => {
            brief.closing = [...quoteLines(message, 3000), '', '- Committed after it']
          }),
        ),
        'b',
        link,
      ),
    )
    const quote = /<blockquote>([\s\S]*)<\/blockquote>/.exec(text)?.[1] ?? ''
    expect(quote).toContain('<p dir="auto">Done:</p>')
    expect(quote).toMatch(
      /<li><span[^>]*>one<\/span><ul><li><span[^>]*><code dir="ltr">a&lt;b&gt;<\/code> go on<\/span><\/li>\n<\/ul>\n<\/li>\n<li><span[^>]*>two &lt;i&gt;/,
    )
    expect(quote).toContain('<pre><code dir="auto">npm test\n# not a heading</code></pre>')
    expect(quote).toContain('<pre><code dir="auto">| a | b |\n| - | - |</code></pre>')
    expect(quote).toContain('<blockquote><p dir="auto">said</p>\n</blockquote>')
    expect(quote).toContain('<h4 dir="auto">Next</h4>\n<p dir="auto">Shall I?</p>')
    expect(text.slice(text.indexOf('Shall I?'))).toMatch(/<\/blockquote>\n<ul><li>.*Committed after it/)
  })

  it('shows what came of a request below it, and notes under their headings', () => {
    const text = textOf(
      sectionsMarkup(
        parseBrief(
          wholeText((brief) => {
            brief.notes = notes({
              abandonedApproaches: ['a <b>'],
              other: '### Traps\n\n- the wheel\n  rounds up',
            })
          }),
        ),
        'b',
        link,
      ),
    )
    expect(text).toMatch(/now cap the backoff at 30 s&quot;<\/span><ul><li><span[^>]*>Moved the cap\./)
    expect(text).not.toContain('Quoted from the session')
    expect(text).toMatch(/<b>Abandoned<\/b> <span[^>]*>a &lt;b&gt;<\/span>/)
    expect(text).toMatch(/<h4 dir="auto">Traps<\/h4>\n<ul><li><span[^>]*>the wheel rounds up<\/span>/)
  })

  it('leaves nothing out: hand-written lines, unknown headings, fences, conflict markers, text before the first heading', () => {
    const text = shown(
      [
        'before it all',
        '# Handoff Context',
        '<<<<<<< HEAD',
        '## Relevant Files',
        '- not a file at all',
        'a line by hand',
        '- `a.ts` — reason [read]',
        '  ```sh',
        '  its block',
        '  ```',
        '## Something <b>else</b>',
        '* a star',
        '> a quote',
        '```',
        'open to the end & <i>',
      ].join('\n'),
    )
    for (const words of [
      'before it all',
      '&lt;&lt;&lt;&lt;&lt;&lt;&lt; HEAD',
      'not a file at all',
      'a line by hand',
      'a.ts',
      'Something &lt;b&gt;else&lt;/b&gt;',
      '<li><span class="say" dir="auto">a star</span></li>',
      '<blockquote><p dir="auto">a quote</p>',
      'its block',
      'open to the end &amp; &lt;i&gt;',
    ])
      expect(text).toContain(words)
  })

  it('shows the block of an item once, below it, and a block of the same text as well', () => {
    const text = shown(
      [
        '## Relevant Commands',
        '',
        '- ok, run [transcript]',
        '  ```sh',
        '  make',
        '  ```',
        '',
        '```sh',
        'make',
        '```',
      ].join('\n'),
    )
    expect(text.split('make').length - 1).toBe(2)
  })
})

it('dateOf tells the recorded time, and shows what is none as it is', () => {
  expect(dateOf('2026-07-03T07:45:02.000Z')).toBe('3 Jul 2026, 07:45')
  expect(dateOf('some\nday')).toBe('some day')
})
