import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { briefPath } from '../../src/brief/id.ts'
import { type ParsedBrief, parseBrief } from '../../src/brief/parse.ts'
import { renderBrief } from '../../src/brief/render.ts'
import { htmlTemplates } from '../../src/log/log-html.ts'
import { type HtmlNode, type HtmlPage, renderHtml } from '../../src/report/html.ts'
import { hiddenIn, visible } from '../../src/text/safe-text.ts'
import { cli } from '../repo/cli.ts'
import { makeFolder, makeRepo } from '../repo/make-repo.ts'
import { byNight } from '../sampled.ts'
import { sampleBrief } from '../unit/report/sample-brief.ts'
import { withBrowser } from './open-page.ts'
import { port } from './sample-chain.ts'

const open = withBrowser()

type Sketch = Partial<HtmlNode> & { id: string }

/** A page of a chain that is only sketched: no git, no texts. `nodes`: newest first. */
function pageOf(nodes: readonly Sketch[], more: { read?: Map<string, ParsedBrief | string> } = {}): HtmlPage {
  const chain = nodes.map((node) => ({ ...NODE, ...node }))
  return renderHtml(
    {
      name: 'sketch',
      scope: 'the current branch',
      notices: [],
      chain,
      shown: chain,
      read: more.read ?? new Map(),
      current: null,
      parked: new Set(),
    },
    htmlTemplates(),
  )
}

const NODE: HtmlNode = {
  id: '',
  parents: [],
  kind: 'handoff',
  goal: 'finish the retry queue',
  branch: 'main',
  agent: 'Claude Code',
  createdAt: '2026-07-13T17:45:02.000Z',
  path: '.handoff/briefs/x.md',
  commit: 'a'.repeat(40),
  state: 'open',
  inTree: true,
}

function save({ text }: HtmlPage): string {
  const file = join(makeFolder(), 'chain.html')
  writeFileSync(file, text)
  return file
}

const id = (n: number): string => `20260713T${String(100_000 + n)}-${String(10_000_000 + n)}`
const edges = (page: Page): Promise<string[]> =>
  page.locator('.graph .edge').evaluateAll((all) => all.map((edge) => edge.getAttribute('class') ?? ''))

describe('odd chains', () => {
  it('leads a line past what is filtered out, dashed', async () => {
    const { page } = await open(
      save(
        pageOf([
          { id: id(4), parents: [id(3)], branch: 'x' },
          { id: id(3), parents: [id(2)], branch: 'y' },
          { id: id(2), parents: [id(1)], branch: 'y' },
          { id: id(1), branch: 'x' },
        ]),
      ),
    )
    await page.locator('[name=branch]').selectOption('x')
    expect(await page.locator('.graph .node:visible').count()).toBe(2)
    expect(await edges(page)).toEqual([
      'edge parent hue0 skip',
      'edge parent hue1 skip',
      'edge parent hue1 skip',
    ])
    const paths: string[] = await page.evaluate('probe.paths()')
    expect([paths[0], paths[2]]).toEqual(['M16 32V64', 'M16 64V96'])
    await page.locator('[name=branch]').selectOption('y')
    expect(await page.locator('.graph .edge:not([hidden])').count()).toBe(1)
  })

  it('shows a circle, a brief that is its own parent, and two with the same missing parent', async () => {
    const { page, troubles } = await open(
      save(
        pageOf([
          { id: id(6), parents: [id(5)] },
          { id: id(5), parents: [id(6)] },
          { id: id(4), parents: [id(4)] },
          { id: id(3), parents: [id(0)] },
          { id: id(2), parents: [id(0)] },
          { id: id(1), kind: 'done' },
        ]),
      ),
    )
    expect((await edges(page)).map((name) => name.split(' ')[1])).toEqual([
      'parent',
      'cycle',
      'cycle',
      'missing',
      'missing',
    ])
    expect(await page.locator('article.brief').count()).toBe(6)
    const drawn = await page.evaluate('probe.paths()')
    await page.locator('[name=text]').fill('no such')
    await page.locator('[name=text]').fill('')
    expect(await page.evaluate('probe.paths()')).toEqual(drawn)
    expect(troubles).toEqual([])
  })

  it('draws the line to a second parent beside the first, before and after a filter', async () => {
    const { page, troubles } = await open(
      save(
        pageOf([
          { id: id(4), parents: [id(3), id(2)] },
          { id: id(3), parents: [id(1)] },
          { id: id(2), parents: [id(1)] },
          { id: id(1) },
        ]),
      ),
    )
    const drawn: string[] = await page.evaluate('probe.paths()')
    expect(drawn.slice(0, 2)).toEqual(['M16 32V96', 'M16 32C16 60 36 48 36 76V160'])
    await page.locator('[name=text]').fill('no such')
    await page.locator('[name=text]').fill('')
    expect(await page.evaluate('probe.paths()')).toEqual(drawn)
    expect(troubles).toEqual([])
  })

  byNight('draws forty branches side by side without spreading over the page', async () => {
    const nodes: Sketch[] = []
    for (let n = 40; n > 0; n--) nodes.push({ id: id(n + 100), parents: [id(1)], branch: `topic/${n}` })
    const { page } = await open(save(pageOf([...nodes, { id: id(1) }])), {
      viewport: { width: 375, height: 700 },
    })
    const box = await page.locator('.graph').boundingBox()
    expect(box?.width).toBeLessThan(240)
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(375)
    expect(await page.locator('.graph .edge').count()).toBe(40)
  })

  it('says that there is nothing yet', async () => {
    const { page, troubles } = await open(save(pageOf([])))
    expect(await page.getByText('No briefs yet.').isVisible()).toBe(true)
    expect(await page.locator('#filters').isVisible()).toBe(false)
    for (const key of ['j', 'k', '/', 'Escape']) await page.keyboard.press(key)
    expect(troubles).toEqual([])
  })

  byNight(
    'holds a thousand briefs and stays usable, and says what it left out',
    {
      timeout: 180_000,
    },
    async () => {
      const parsed = parseBrief(renderBrief(sampleBrief({ id: id(1), goal: 'one of many' }, port)))
      const read = new Map<string, ParsedBrief>()
      const nodes: Sketch[] = []
      for (let n = 1100; n > 0; n--) {
        const [own, parents] = [id(n), n === 1 || n % 97 === 0 ? [] : [id(n - 1)]]
        const goal = `milestone-${n}-of-the-long-way`
        nodes.push({ id: own, parents, goal, branch: `part/${n % 9}` })
        read.set(own, {
          ...parsed,
          meta: { ...parsed.meta, id: own, goal, parents },
          goal: { text: goal, line: 1 },
        })
      }
      const made = pageOf(nodes, { read })
      const { page } = await open(save(made))
      expect(await page.locator('.summary').textContent()).toContain(
        '100 older briefs left out: a page holds 1000.',
      )
      expect(await page.locator('.graph .edge.cut').count()).toBe(1)
      const begun = Date.now()
      await page.locator('[name=text]').fill('milestone-500-of milestone-499-of')
      expect(await page.evaluate('probe.shownGoals()')).toEqual(['milestone-500-of-the-long-way'])
      await page.keyboard.press('Escape')
      await page.keyboard.press('j')
      const took = Date.now() - begun
      console.log(
        `1,000 briefs: ${(made.text.length / 1e6).toFixed(1)} MB, search, clear and next in ${took} ms`,
      )
      expect(took).toBeLessThan(15_000)
    },
  )
})

describe('a hostile brief', () => {
  const END = '</script><script>globalThis.ran = "script"</script>'
  const EVIL = [
    END,
    '<img src=x onerror="globalThis.ran = 1">',
    '<svg onload="globalThis.ran = 2"><style>body { display: none }</style>',
    '[a link](javascript:globalThis.ran=3) https://example.com/a <javascript:alert(1)>',
    '\u202egnp.exe\u202c \u200b\u2066hidden\u2069 \u0007\u001b[31mred',
    '<!-- a comment --><details><summary>s</summary>folded</details>',
    '{{script}} {{data}} $& $1 $<x>',
    '`<b>code</b>` &lt;i&gt; " onfocus=globalThis.ran=4 autofocus x="',
    'line\u2028separator\u2029and\u0085next',
    'w'.repeat(3000),
  ]

  it('runs nothing, loads nothing, hides nothing', async () => {
    const repo = makeRepo({ name: 'odd & <b>bold' })
    const own = '20260713T174502-2ab09c1d'
    const goal = `stop it ${END}`
    const written = renderBrief(
      sampleBrief(
        {
          id: own,
          goal,
          branch: `x${END}`,
          persona: END,
          focus: EVIL[1] ?? '',
          parents: ['20260713T174501-2ab09c1d'],
          reason: END,
          agent: { id: 'codex', label: END, version: END, model: END },
          skills: [END],
        },
        {
          constraints: EVIL.map((text) => ({ text, source: 'user', at: null })),
          files: [{ path: END, reason: END, evidence: ['read'], source: 'transcript' }],
          commands: [
            {
              command: `echo ${END}\n${EVIL[1]}`,
              outcome: 'ok',
              exitCode: 0,
              cwd: END,
              kind: 'run',
              runs: 1,
              source: 'transcript',
              at: null,
            },
          ],
        },
      ),
    )
    // By hand, where no writer of ours made anything harmless.
    const raw = EVIL.map((text) => `- ${text}\n\n${text}\n\n<<<<<<< HEAD\n`)
    const text = `${written}\n## Anything ${END}\n\n${raw.join('\n')}\n\`\`\`html\n${EVIL.join('\n')}\n`
    repo.commit('brief', { [briefPath(own, goal)]: text })
    const file = join(repo.base, 'chain.html')
    const result = await cli(repo, ['log', '--html', file])
    expect(result).toMatchObject({ code: 0 })
    const source = readFileSync(file, 'utf8')
    expect(hiddenIn(source)).toEqual([])
    {
      const { page, requests, troubles } = await open(file)
      await page.waitForTimeout(300)
      expect(requests).toEqual([])
      expect(troubles).toEqual([])
      expect(await page.locator('script').count()).toBe(2)
      for (const none of [
        'img',
        'iframe',
        'article style',
        'article script',
        '[onerror], [onload], [onfocus]',
        'article input',
        '[src]',
        '[style]',
        'a:not([href^="#"])',
        'article details details',
      ])
        expect(await page.locator(none).count(), none).toBe(0)
      const seen = (await page.locator('article').textContent()) ?? ''
      for (const words of EVIL) expect(seen).toContain(visibleOf(words))
      expect(seen).toContain('\\u{202e}gnp.exe\\u{202c} \\u{200b}\\u{2066}hidden\\u{2069}')
      expect(seen).toContain('<<<<<<< HEAD')
      expect(await page.locator('article').isVisible()).toBe(true)
    }
    const { page } = await open(file, { viewport: { width: 375, height: 700 } })
    expect(await page.evaluate('globalThis.ran ?? null')).toBeNull()
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(375)
    await page.keyboard.press('j')
    expect(await page.locator('article .branch').first().textContent()).toBe(`x${END}`)
  })
})

/** What is seen of a text up to its first code span, whose marks are not. */
const visibleOf = (text: string): string => (visible(text).split('`')[0] ?? '').trim()
