import { fileURLToPath, pathToFileURL } from 'node:url'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll } from 'vitest'
import { findChromium, launchOptions } from './chromium.ts'

export interface OpenedPage {
  page: Page
  /** Every address that was asked for after the file itself. */
  requests: string[]
  /** Errors and warnings of the console, uncaught errors, boxes that were opened. */
  troubles: string[]
}

/**
 * A real Chromium for the tests of a file, and a door to it: the page is opened anew, in a window that is kept for the same
 * options. Without a Chromium the tests fail and say so: a browser test never passes unseen.
 */
export function withBrowser(): (file: string, options?: BrowserContextOptions) => Promise<OpenedPage> {
  let browser: Browser | null = null
  const windows = new Map<string, OpenedPage>()
  beforeAll(async () => {
    const path = findChromium(process.env)
    if (path === null) throw new Error('no Chromium here: name one with CHROMIUM=<path>')
    browser = await chromium.launch(launchOptions(path))
  })
  afterAll(async () => {
    await browser?.close()
  })
  return async (file, options = {}) => {
    if (browser === null) throw new Error('the browser did not start')
    const name = JSON.stringify(options)
    const opened = windows.get(name) ?? (await openWindow(browser, options))
    windows.set(name, opened)
    await opened.page.goto('about:blank')
    opened.requests.length = 0
    opened.troubles.length = 0
    await opened.page.goto(pathToFileURL(file).href)
    // Its data is unpacked beside the loading of the page; the script sets the title, then draws in one go.
    if (options.javaScriptEnabled !== false)
      await opened.page.waitForFunction("document.title !== 'Handoffs'")
    opened.requests.shift()
    return opened
  }
}

async function openWindow(browser: Browser, options: BrowserContextOptions): Promise<OpenedPage> {
  const page = await browser.newPage({ viewport: { width: 1200, height: 900 }, ...options })
  const requests: string[] = []
  const troubles: string[] = []
  page.on('request', (request) => requests.push(request.url()))
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) troubles.push(message.text())
  })
  page.on('pageerror', (error) => troubles.push(String(error)))
  page.on('dialog', (box) => {
    troubles.push(`box: ${box.message()}`)
    void box.dismiss()
  })
  await page.addInitScript({ path: fileURLToPath(new URL('in-page.js', import.meta.url)) })
  return { page, requests, troubles }
}
