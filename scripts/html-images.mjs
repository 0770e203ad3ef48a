/**
 * Makes the pictures of docs/images: the HTML view of a neutral sample, light and dark, in a real Chromium.
 * `npm run build` first; `CHROMIUM` names another browser.
 */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { chromium } from 'playwright-core'
import { loadSource } from './load-source.mjs'
import { takePicture } from './take-picture.mjs'

/** What is seen of the page, in CSS pixels. */
const VIEW = { width: 1160, height: 760 }

const root = fileURLToPath(new URL('..', import.meta.url))
const program = process.argv[2] ?? join(root, 'bin', 'handoff.cjs')
const base = mkdtempSync(join(tmpdir(), 'handoff-images-'))
try {
  const load = (entry) => loadSource(base, entry)
  const [{ writeSampleChain }, { launchOptions, findChromium }] = await Promise.all([
    load('test/browser/sample-chain.ts'),
    load('test/browser/chromium.ts'),
  ])
  const place = join(base, 'mail-service')
  const env = {
    PATH: process.env.PATH,
    HOME: base,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_AUTHOR_NAME: 'Dev One',
    GIT_AUTHOR_EMAIL: 'dev@example.com',
    GIT_COMMITTER_NAME: 'Dev One',
    GIT_COMMITTER_EMAIL: 'dev@example.com',
  }
  writeSampleChain(place, env)
  const page = join(base, 'chain.html')
  execFileSync(process.execPath, [program, 'log', '--all', '--html', page], {
    cwd: place,
    env,
    stdio: 'inherit',
  })
  const images = join(root, 'docs', 'images')
  mkdirSync(images, { recursive: true })
  const browser = await chromium.launch(launchOptions(findChromium(process.env)))
  try {
    for (const colorScheme of ['light', 'dark']) {
      const tab = await browser.newPage({ viewport: VIEW, colorScheme })
      await tab.goto(pathToFileURL(page).href)
      await takePicture(tab, { x: 0, y: 0, ...VIEW }, join(images, `log-html-${colorScheme}.webp`))
      await tab.close()
    }
  } finally {
    await browser.close()
  }
} finally {
  rmSync(base, { recursive: true, force: true })
}
