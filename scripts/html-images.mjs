/**
 * Makes the pictures of docs/images: the HTML view and the review of a neutral sample, light and dark, in a real Chromium.
 * `npm run build` first; `CHROMIUM` names another browser.
 */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { micromark } from 'micromark'
import { chromium } from 'playwright-core'
import { loadSource } from './load-source.mjs'
import { takePicture } from './take-picture.mjs'

/** What is seen of the page, in CSS pixels. */
const VIEW = { width: 1160, height: 760 }

/** The comment as a code host shows it, near enough. */
const HOST = `
  :root { color-scheme: light dark; font: 14px/1.5 system-ui, sans-serif }
  body { margin: 0; padding: 16px; width: 828px; background: light-dark(#fff, #0d1117); color: light-dark(#1f2328, #f0f6fc) }
  article { border: 1px solid light-dark(#d1d9e0, #3d444d); border-radius: 6px }
  header { padding: 8px 16px; border-bottom: inherit; background: light-dark(#f6f8fa, #151b23); color: light-dark(#59636e, #9198a1) }
  header { border-bottom: 1px solid light-dark(#d1d9e0, #3d444d); border-radius: 6px 6px 0 0 }
  main { padding: 4px 16px 12px }
  h3 { font-size: 17.5px; line-height: 1.25; margin: 16px 0 12px } p, ul, details { margin: 0 0 10px } ul { padding-left: 2em } li ul { margin: 0 }
  code { font: 85% ui-monospace, monospace; padding: .2em .4em; border-radius: 6px; background: light-dark(#818b981f, #656c7633) }`

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
  const comment = execFileSync(process.execPath, [program, 'review', 'main..HEAD'], {
    cwd: place,
    env,
    encoding: 'utf8',
  })
  const review = join(base, 'review.html')
  const body = micromark(comment, { allowDangerousHtml: true })
  writeFileSync(
    review,
    `<!doctype html><meta charset="utf-8"><style>${HOST}</style><article><header><b>github-actions</b> bot commented</header><main>${body}</main></article>`,
  )
  const images = join(root, 'docs', 'images')
  mkdirSync(images, { recursive: true })
  const browser = await chromium.launch(launchOptions(findChromium(process.env)))
  try {
    for (const colorScheme of ['light', 'dark']) {
      const tab = await browser.newPage({ viewport: VIEW, colorScheme })
      await tab.goto(pathToFileURL(page).href)
      await takePicture(tab, { x: 0, y: 0, ...VIEW }, join(images, `log-html-${colorScheme}.webp`))
      await tab.goto(pathToFileURL(review).href)
      const { height = 0 } = (await tab.locator('article').boundingBox()) ?? {}
      await takePicture(
        tab,
        { x: 0, y: 0, width: 860, height: height + 32 },
        join(images, `review-${colorScheme}.webp`),
      )
      await tab.close()
    }
  } finally {
    await browser.close()
  }
} finally {
  rmSync(base, { recursive: true, force: true })
}
