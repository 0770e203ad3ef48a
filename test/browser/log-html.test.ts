import { statSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import type { Locator, Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { cli } from '../repo/cli.ts'
import { atFolder, makeEnv, makeFolder, type TempRepo } from '../repo/make-repo.ts'
import { sampled } from '../sampled.ts'
import { withBrowser } from './open-page.ts'
import { type SampleChain, writeSampleChain } from './sample-chain.ts'

/** What AA asks of text, and of the lines of a drawing. */
const TEXT = 4.5
const LINES = 3

const open = withBrowser()
let repo: TempRepo
let chain: SampleChain
let file: string

beforeAll(async () => {
  const base = makeFolder()
  const root = join(base, 'mail-service')
  const env = makeEnv(join(base, 'home'))
  chain = writeSampleChain(root, env)
  repo = atFolder(base, root, env)
  file = join(base, 'chain.html')
  expect(await cli(repo, ['log', '--all', '--html', file])).toMatchObject({ code: 0 })
})

const shown = (page: Page): Promise<string[]> => page.evaluate('probe.shownGoals()')
/** The text as it is seen, without what is hidden; a browser lays out what is near, a frame after it came near. */
async function seen(what: Locator): Promise<string> {
  await what.scrollIntoViewIfNeeded()
  await expect
    .poll(async () => {
      // biome-ignore lint/performance/useDomNodeTextContent: what is laid out is what is tested
      return (await what.innerText()) !== ''
    })
    .toBe(true)
  // biome-ignore lint/performance/useDomNodeTextContent: likewise
  return what.innerText()
}

const active = (page: Page): Promise<string> => page.evaluate('probe.active()')

describe('alone', () => {
  it('asks for nothing, and nothing goes wrong', async () => {
    const { page, requests, troubles } = await open(file)
    await page.waitForTimeout(200)
    expect(requests).toEqual([])
    expect(troubles).toEqual([])
    expect(await page.title()).toBe('Handoffs of mail-service')
  })

  it('stops everything that would load or run: images, styles, scripts, frames, connections, handlers', async () => {
    let told = 0
    // For a frame Chromium opens a connection before it asks the policy; nothing is ever said on it.
    const server = createServer((socket) => {
      socket.on('data', () => told++)
      socket.on('error', () => {})
      setTimeout(() => socket.destroy(), 200)
    })
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    const { page } = await open(file)
    const { port } = server.address() as AddressInfo
    const tried: { stopped: string[]; ran: unknown } = await page.evaluate(
      `probe.tryAll('127.0.0.1:${port}')`,
    )
    server.close()
    expect(tried.ran).toBeNull()
    expect(tried.stopped).toEqual([
      'connect-src',
      'frame-src',
      'img-src',
      'media-src',
      'object-src',
      'script-src-attr',
      'script-src-elem',
      'style-src-attr',
      'style-src-elem',
    ])
    expect(told).toBe(0)
  })
})

describe('the timeline', () => {
  it('draws a dot per brief and a line per parent, a stub for the one that is missing', async () => {
    const { page } = await open(file)
    expect(await page.locator('.graph .node').count()).toBe(7)
    expect(await page.locator('.graph .edge').count()).toBe(6)
    expect(await page.locator('.graph .edge.missing').count()).toBe(1)
    expect(await page.locator('.graph .node.closing').count()).toBe(1)
    expect(await page.locator('.graph .node.head').count()).toBe(2)
    expect(await page.locator('.graph .node .halo').count()).toBe(1)
    // Two lines end in the brief at which the work forked.
    const ends = (await paths(page)).map((path) => path.split(/[VC ]/).slice(-1)[0])
    expect(ends.filter((end, i) => ends.indexOf(end) !== i)).toHaveLength(1)
    expect(Math.max(...(await page.evaluate<number[]>('probe.offsets()')))).toBeLessThan(2)
  })

  it('says the same in words, newest first, each a link to its brief', async () => {
    const { page } = await open(file)
    const links = await page
      .locator('#timeline ol a')
      .evaluateAll((all) => all.map((a) => a.getAttribute('href')))
    expect(links).toEqual(chain.ids.map((id) => `#b-${id}`))
    expect(await seen(page.locator('#timeline ol a').nth(3))).toContain(
      'Closed: documented in docs/retry.md, merged',
    )
    await page.locator('#timeline ol a').nth(5).click()
    expect(await active(page)).toBe(`b-${chain.docs}`)
  })
})

const paths = (page: Page): Promise<string[]> => page.evaluate('probe.paths()')

describe('a brief', () => {
  it('can be read: goal, constraints, decisions, files, commands, notes, all of it', async () => {
    const { page } = await open(file)
    const text = await seen(page.locator(`#b-${chain.last}`))
    for (const words of [
      'move the cap behind the jitter in nextDelay(), make `npm test` pass, then delete the old delay table',
      'keep the public API of src/queue/index.ts exactly as it is',
      'do NOT touch the <Scheduler> component, that is another team',
      'Backoff is exponential and capped at 30 s',
      'the gateway drops clients after 45 s',
      'linear — or: jitter only',
      'src/queue/backoff.ts',
      'Limitation: 2 files outside the repository are left out.',
      'npm run build',
      'No access to the staging gateway.',
      'The wheel rounds up to its slot width',
      'Run the queue tests, then update docs/retry.md.',
      'Refused by the user: no second timer',
      'The cap is applied **before** the jitter is added:',
    ])
      expect(text).toContain(words)
    for (const [i, id] of chain.ids.entries()) {
      const article = page.locator(`#b-${id}`)
      expect(await seen(article.locator('h2'))).not.toBe('')
      expect(await seen(article.locator('.lineage'))).toMatch(
        i === 6 ? /^The first of its chain; followed by/ : /^Follows /,
      )
    }
  })

  it('says what changed since its parent, and where it stands in the chain', async () => {
    const { page } = await open(file)
    const last = page.locator(`#b-${chain.last}`)
    const changes = await seen(last.locator('.since'))
    expect(changes).toContain('Delete the old delay table')
    const gone = last.locator('.since .gone')
    expect(await seen(gone.nth(0))).toContain('CONSTRAINT DROPPED "use vitest, not jest"')
    expect(changes).toMatch(/Question gone\s+Should a cancelled job still count as an attempt\?/)
    const invoices = page.locator('article', { hasText: '20260715T101010-2f0ac210' }).last()
    expect(await seen(invoices.locator('.lineage'))).toContain('which is not in the history that is here')
  })
})

describe('filters', () => {
  const FILTERS = [
    ['text', 'staging gateway', [0]],
    ['text', 'JITTER   cap', [0, 4]],
    ['branch', 'docs/retry', [3, 5]],
    ['agent', 'Gemini CLI', [1, 2]],
    ['persona', 'writer', [3, 5]],
    ['state', 'closed', [3, 5]],
    ['since', '2026-07-15', [0, 1, 2]],
  ] as const
  it.each(sampled<(typeof FILTERS)[number]>(FILTERS, 3))('by %s: %s', async (name, value, rows) => {
    const { page } = await open(file)
    const all = await shown(page)
    const field = page.locator(`#filters [name=${name}]`)
    if (name === 'text' || name === 'since') await field.fill(value)
    else await field.selectOption(value)
    expect(await shown(page)).toEqual(rows.map((row) => all[row]))
    expect(await seen(page.locator('#found'))).toBe(`${rows.length} of 7 briefs`)
    expect(await page.locator('#timeline ol > li:visible').count()).toBe(rows.length)
    expect(Math.max(...(await page.evaluate<number[]>('probe.offsets()')))).toBeLessThan(2)
    await page.keyboard.press('Escape')
    expect(await shown(page)).toEqual(all)
  })

  it('work together; a line passes what is filtered out, and nothing left is said', async () => {
    const { page } = await open(file)
    await page.locator('[name=branch]').selectOption('feature/retry-scheduler')
    await page.locator('[name=text]').fill('public API')
    expect(await shown(page)).toHaveLength(3)
    await page.locator('[name=text]').fill('nextDelay')
    expect(await page.locator('.graph .edge:not([hidden])').count()).toBe(0)
    await page.locator('[name=text]').fill('2ab09c1d')
    await page.locator('[name=agent]').selectOption('Codex')
    expect(await shown(page)).toHaveLength(1)
    await page.locator('[name=text]').fill('nothing says this')
    expect(await page.locator('#none').isVisible()).toBe(true)
    await page.getByRole('button', { name: 'Clear' }).click()
    expect(await page.locator('#none').isVisible()).toBe(false)
    await page.locator('[name=persona]').selectOption('')
    await page.locator('[name=since]').fill('2026-07-14')
    expect(await shown(page)).toHaveLength(3)
  })
})

it('a link to a brief that is filtered out brings it back', async () => {
  const { page } = await open(file)
  await page.locator('[name=agent]').selectOption('Codex')
  await page.locator(`#b-${chain.last} .lineage a`).click()
  // The page hears of the new address a moment later.
  await expect.poll(() => active(page)).toBe(`b-${chain.cap}`)
  expect(await shown(page)).toHaveLength(7)
})

describe('keys', () => {
  it('j, k and the arrows go from brief to brief, and stop at the ends', async () => {
    const { page } = await open(file)
    for (const [key, row] of [
      ['j', 1],
      ['ArrowRight', 2],
      ['k', 1],
      ['ArrowLeft', 0],
      ['k', 0],
    ] as const) {
      await page.keyboard.press(key)
      expect(await page.locator('#timeline [aria-current]').getAttribute('href')).toBe(`#b-${chain.ids[row]}`)
      if (row > 0) expect(await active(page)).toBe(`b-${chain.ids[row]}`)
    }
    for (const _ of chain.ids) await page.keyboard.press('j')
    expect(await active(page)).toBe(`b-${chain.first}`)
    // Articles at the end are too short to come to the top: what is seen there is not what was opened.
    await page.waitForTimeout(200)
    expect(await page.locator('#timeline [aria-current]').getAttribute('href')).toBe(`#b-${chain.first}`)
    await page.evaluate(`document.getElementById('b-${chain.ids[1]}').scrollIntoView()`)
    await expect
      .poll(() => page.locator('#timeline [aria-current]').getAttribute('href'))
      .toBe(`#b-${chain.ids[1]}`)
    for (const _ of chain.ids) await page.keyboard.press('j')
    await page.locator('[name=branch]').selectOption('docs/retry')
    await page.locator('[name=branch]').blur()
    await page.keyboard.press('k')
    await page.keyboard.press('k')
    expect(await page.locator('#timeline [aria-current]').getAttribute('href')).toBe(`#b-${chain.closed}`)
    await page.keyboard.press('j')
    expect(await page.locator('#timeline [aria-current]').getAttribute('href')).toBe(`#b-${chain.docs}`)
  })

  it('in the timeline up, down, Home and End move, Enter opens', async () => {
    const { page } = await open(file)
    await page.locator('#timeline ol a').first().focus()
    for (const [key, row] of [
      ['ArrowDown', 1],
      ['ArrowDown', 2],
      ['ArrowUp', 1],
      ['End', 6],
      ['Home', 0],
      ['ArrowDown', 1],
    ] as const) {
      await page.keyboard.press(key)
      expect(await active(page)).toBe(`#b-${chain.ids[row]}`)
    }
    await page.keyboard.press('Enter')
    expect(await active(page)).toBe(`b-${chain.rounding}`)
  })

  it('/ searches, Escape clears and leaves, letters are typed and do nothing else', async () => {
    const { page } = await open(file)
    await page.keyboard.press('/')
    expect(await active(page)).toBe('text')
    await page.keyboard.type('jkt?')
    expect(await page.locator('[name=text]').inputValue()).toBe('jkt?')
    expect(await page.locator('#help').isVisible()).toBe(false)
    await page.keyboard.press('Escape')
    expect(await page.locator('[name=text]').inputValue()).toBe('')
    expect(await active(page)).toBe('BODY')
  })

  it('? tells the keys, and there they can be switched off', async () => {
    const { page } = await open(file)
    await page.keyboard.press('?')
    expect(await page.getByRole('dialog', { name: 'Keys' }).isVisible()).toBe(true)
    await page.getByLabel('Keys without Ctrl or Alt do something').uncheck()
    await page.keyboard.press('Escape')
    expect(await page.locator('#help').isVisible()).toBe(false)
    await page.keyboard.press('j')
    await page.keyboard.press('/')
    expect(await page.locator('#timeline [aria-current]').getAttribute('href')).toBe(`#b-${chain.last}`)
    await page.getByRole('button', { name: 'Keys' }).click()
    expect(await page.locator('#help').isVisible()).toBe(true)
    await page.getByRole('button', { name: 'Close' }).click()
    expect(await page.locator('#help').isVisible()).toBe(false)
  })

  it('Tab goes from the skip link through the tools and filters to the timeline, and the focus is seen', async () => {
    const { page } = await open(file)
    const stops: string[] = []
    for (let i = 0; i < 12; i++) {
      await page.keyboard.press('Tab')
      stops.push(await active(page))
      const outline = await page.evaluate(
        'parseFloat(getComputedStyle(document.activeElement.type === "radio" ? document.activeElement.nextElementSibling : document.activeElement).outlineWidth)',
      )
      expect(outline, stops.at(-1)).toBeGreaterThan(1)
    }
    expect(stops).toEqual([
      '#briefs',
      // What is open.
      expect.stringMatching(/^#b-/),
      expect.stringMatching(/^#b-/),
      'theme-auto',
      'keys',
      'text',
      'branch',
      'agent',
      'persona',
      'state',
      'since',
      'since',
    ])
    await page.locator('.skip').focus()
    await page.keyboard.press('Enter')
    expect(await active(page)).toBe('briefs')
  })
})

describe('for everyone', () => {
  it('has landmarks, names, headings in order and references that hold', async () => {
    const { page } = await open(file)
    expect(await page.evaluate('probe.structure()')).toEqual([])
    for (const [role, name] of [
      ['navigation', 'Timeline, newest first'],
      ['search', 'Filter the briefs'],
      ['group', 'Colours'],
    ] as const)
      expect(await page.getByRole(role, { name }).count(), name).toBe(1)
    expect(await page.getByRole('main').count()).toBe(1)
    expect(await page.getByRole('article', { name: /^round invoices once/ }).count()).toBe(1)
    expect(await page.getByRole('status').count()).toBe(1)
    // What a change is stands in words.
    const tree = await page.locator(`#b-${chain.last} .since`).ariaSnapshot()
    expect(tree).toContain('CONSTRAINT DROPPED')
  })

  it.each(['light', 'dark'] as const)(
    '%s: every text stands out from its ground, every line of the drawing too',
    async (colorScheme) => {
      const { page } = await open(file, { colorScheme, reducedMotion: 'reduce' })
      const check = async () => {
        const found: { ratio: number }[] = await page.evaluate('probe.contrast()')
        expect(found.length).toBeGreaterThan(15)
        expect(found.filter(({ ratio }) => ratio < TEXT)).toEqual([])
        expect(Math.min(...(await page.evaluate<number[]>('probe.drawing()')))).toBeGreaterThanOrEqual(LINES)
        return found[0]?.ratio ?? 0
      }
      const byItself = await check()
      const ground = (): Promise<string> =>
        page.evaluate('getComputedStyle(document.documentElement).backgroundColor')
      const before = await ground()
      await page.getByLabel(colorScheme === 'light' ? 'Dark' : 'Light', { exact: true }).check()
      expect(await ground()).not.toBe(before)
      await check()
      await page.getByLabel(colorScheme === 'light' ? 'Light' : 'Dark', { exact: true }).check()
      expect(await ground()).toBe(before)
      await page.keyboard.press('?')
      console.log(`lowest contrast, ${colorScheme}: ${byItself.toFixed(2)}`)
      expect(await check()).toBeGreaterThan(0)
    },
  )

  it('moves nothing where that is not wanted', async () => {
    const { page } = await open(file, { reducedMotion: 'reduce' })
    const moving =
      '[...document.querySelectorAll("*")].filter((e) => getComputedStyle(e).transitionDuration !== "0s").length'
    expect(await page.evaluate(moving)).toBe(0)
  })

  it('says without JavaScript which commands show the briefs', async () => {
    const { page } = await open(file, { javaScriptEnabled: false })
    expect(await page.locator('#filters').isVisible()).toBe(false)
    expect(await page.locator('#keys').isVisible()).toBe(false)
    expect(await seen(page.locator('noscript'))).toContain('handoff show')
  })

  it.each(sampled([320, 375, 768, 1920], 1))(
    '%i px wide: nothing has to be scrolled sideways',
    async (width) => {
      const { page } = await open(file, { viewport: { width, height: 700 } })
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width)
      expect(await page.locator('article.brief').first().isVisible()).toBe(true)
    },
  )

  it('on paper: no tools, every brief, dark on white', async () => {
    const { page } = await open(file, { colorScheme: 'dark' })
    await page.locator('summary').first().click()
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' })
    for (const tool of ['.tools', '#filters', '.skip'])
      expect(await page.locator(tool).isVisible(), tool).toBe(false)
    expect(await page.locator('article.brief:visible').count()).toBe(7)
    expect(await page.evaluate('getComputedStyle(document.documentElement).backgroundColor')).toBe(
      'rgb(255, 255, 255)',
    )
    const low: { ratio: number }[] = await page.evaluate('probe.contrast()')
    expect(low.filter(({ ratio }) => ratio < TEXT)).toEqual([])
    // What was folded on the screen is there on paper.
    expect(await page.locator(`#b-${chain.last} .since .gone`).first().isVisible()).toBe(true)
    const pdf = await page.pdf()
    expect(pdf.length).toBeGreaterThan(20_000)
  })
})

it('is small', () => {
  expect(statSync(file).size).toBeLessThan(150_000)
})
