/**
 * Makes the pictures of a terminal in docs/images: real runs of the built program in tmux, in a neutral sample, put on a page and
 * taken by a real Chromium. `npm run build` first; `node scripts/terminal-images.mjs [handoff.cjs] [--text]`; with --text the screens are
 * printed and nothing is written. `CHROMIUM` names another browser.
 */
import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { chromium } from 'playwright-core'
import { loadSource } from './load-source.mjs'
import { takePicture } from './take-picture.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const { values, positionals } = parseArgs({
  options: { text: { type: 'boolean', default: false } },
  allowPositionals: true,
})
const program = positionals[0] ?? join(root, 'bin', 'handoff.cjs')
const COLUMNS = 92
const COLORS = ['#484f58', '#ff7b72', '#3fb950', '#d29922', '#58a6ff', '#bc8cff', '#39c5cf', '#d1d5da']
const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g
const OPEN_ITEM = /("content":")[^"]*(","status":"(?:in_progress|pending)")/g
/** The longest that a screen may take to show what is waited for. */
const PATIENCE = 30_000

// Short: the path of a socket may have 107 bytes.
const base = mkdtempSync(join(tmpdir(), 'hp-'))
const place = join(base, 'mail-service')
const env = {
  PATH: `${join(base, 'bin')}:${process.env.PATH}`,
  HOME: base,
  LANG: 'C.UTF-8',
  TERM: 'xterm-256color',
  PS1: '$ ',
  HISTFILE: '',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_AUTHOR_NAME: 'Dev One',
  GIT_AUTHOR_EMAIL: 'dev@example.com',
  GIT_COMMITTER_NAME: 'Dev One',
  GIT_COMMITTER_EMAIL: 'dev@example.com',
}

/** What is typed, what is waited for and the key before it, step by step; the lines of the screen, and how many are shown when not all. */
const SCREENS = [
  { name: 'show', rows: 130, keep: 44, steps: [['handoff show', /Next Goal/]] },
  { name: 'log-graph', rows: 20, steps: [['handoff log --all --graph', /Gemini/]] },
  { name: 'status', rows: 24, steps: [['handoff status', /Open brief|brief/i]] },
  {
    name: 'create',
    rows: 40,
    steps: [
      ['handoff create', /accomplish/],
      ['continue', /too-short/],
      ['move the cap behind the jitter in nextDelay() and make npm test pass', /Handed over/, 'C-u'],
    ],
  },
]

try {
  const { writeSampleChain, findChromium, launchOptions, makeSession } = await tools()
  writeSampleChain(place, env)
  mkdirSync(join(base, 'bin'))
  writeFileSync(join(base, 'bin', 'handoff'), `#!/bin/sh\nexec '${process.execPath}' '${program}' "$@"\n`)
  chmodSync(join(base, 'bin', 'handoff'), 0o755)
  prepare(makeSession)
  const shots = []
  for (const screen of SCREENS) shots.push({ ...screen, text: await taken(screen) })
  if (values.text) for (const { name, text } of shots) console.log(`== ${name}\n${text}\n`)
  else await draw(shots, findChromium, launchOptions)
} finally {
  try {
    tmux('kill-server')
  } catch {
    // It never began.
  }
  // What ran in there may still be writing; only the promised form tries again.
  await rm(base, { recursive: true, force: true, maxRetries: 20, retryDelay: 200 })
}

async function tools() {
  const load = (entry) => loadSource(base, entry)
  const all = await Promise.all(
    ['test/browser/sample-chain.ts', 'test/browser/chromium.ts', 'bench/make-session.mjs'].map(load),
  )
  return Object.assign({}, ...all)
}

/** A session of Claude Code, its hooks, and trust in what stands here. */
function prepare(makeSession) {
  const handoff = (...args) =>
    execFileSync('handoff', args, { cwd: place, env: { ...env, CI: '1' }, stdio: 'ignore' })
  const folder = join(base, '.claude', 'projects', place.replace(/[^a-zA-Z0-9]/g, '-'))
  const out = join(folder, '5f0c7f6e-1d5b-4f0e-9a44-0c1f2b7d9e10.jsonl')
  makeSession({ out, bytes: 60_000, cwd: place, branch: 'feature/retry-scheduler' })
  // Its last event was three minutes ago.
  const text = readFileSync(out, 'utf8').replace(
    OPEN_ITEM,
    '$1move the cap behind the jitter in nextDelay()$2',
  )
  const times = [...text.matchAll(TIME)].map(([time]) => Date.parse(time))
  const late = Date.now() - 180_000 - Math.max(...times)
  writeFileSync(
    out,
    text.replace(TIME, (time) => new Date(Date.parse(time) + late).toISOString()),
  )
  handoff('init', '--agent', 'claude-code', '--yes')
  handoff('trust', '20260716T151945-08d1e5a4')
}

function tmux(...args) {
  return execFileSync('tmux', ['-S', join(base, 's'), '-f', '/dev/null', ...args], {
    env,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

/** The screen after the last step, with its colours, without the empty lines at its end. */
async function taken({ name, rows, keep, steps }) {
  const size = ['-x', String(COLUMNS), '-y', String(rows)]
  tmux('new-session', '-d', '-s', name, ...size, '-c', place, '--', 'bash', '--norc', '--noprofile')
  const screen = (...more) => tmux('capture-pane', '-p', '-t', name, ...more)
  const until = async (pattern) => {
    for (const start = Date.now(); !pattern.test(screen()); await sleep(100))
      if (Date.now() - start > PATIENCE) throw new Error(`${name}: no ${pattern} in\n${screen()}`)
    // What is drawn over is drawn to its end.
    await sleep(1500)
  }
  await until(/^\$ $|^\$/m)
  for (const [typed, pattern, before] of steps) {
    if (before !== undefined) tmux('send-keys', '-t', name, before)
    tmux('send-keys', '-t', name, '-l', typed)
    tmux('send-keys', '-t', name, 'Enter')
    await until(pattern)
  }
  const seen = screen(...(values.text ? [] : ['-e']))
    .trimEnd()
    .split('\n')
  return keep === undefined ? seen.join('\n') : [...seen.slice(0, keep), '…'].join('\n')
}

async function draw(shots, findChromium, launchOptions) {
  const images = join(root, 'docs', 'images')
  mkdirSync(images, { recursive: true })
  const browser = await chromium.launch(launchOptions(findChromium(process.env)))
  try {
    const tab = await browser.newPage({ viewport: { width: 900, height: 700 }, deviceScaleFactor: 1.5 })
    for (const { name, text } of shots) {
      await tab.setContent(pageOf(text))
      await takePicture(tab, await tab.locator('pre').boundingBox(), join(images, `terminal-${name}.webp`))
    }
  } finally {
    await browser.close()
  }
}

function pageOf(text) {
  return `<!doctype html><meta charset="utf-8"><style>
body { margin: 0; background: #0d1117 }
pre { display: inline-block; width: ${COLUMNS}ch; margin: 0; padding: 14px 18px; background: #0d1117; color: #d1d5da;
  font: 13px/1.35 'DejaVu Sans Mono', monospace }
</style><pre>${spans(text)}</pre>`
}

/** Text with the colours of a terminal as markup: SGR alone, which is all that tmux writes. */
function spans(text) {
  let style = {}
  // biome-ignore lint/suspicious/noControlCharactersInRegex: it is what is looked for
  const parts = text.split(/\x1b\[([\d;]*)m/)
  return parts
    .map((part, at) => {
      if (at % 2 === 1) {
        style = styled(style, part)
        return ''
      }
      const safe = part.replace(/[&<>]/g, (sign) => `&#${sign.charCodeAt(0)};`)
      const css = Object.entries(style).map(([key, value]) => `${key}:${value}`)
      return css.length === 0 || safe === '' ? safe : `<span style="${css.join(';')}">${safe}</span>`
    })
    .join('')
}

function styled(before, codes) {
  let style = before
  const without = (...keys) =>
    Object.fromEntries(Object.entries(style).filter(([key]) => !keys.includes(key)))
  for (const one of codes.split(';').map(Number)) {
    if (one === 0) style = {}
    else if (one === 1) style = { ...style, 'font-weight': 'bold' }
    else if (one === 2) style = { ...style, opacity: '.65' }
    else if (one === 3) style = { ...style, 'font-style': 'italic' }
    else if (one === 4) style = { ...style, 'text-decoration': 'underline' }
    else if (one === 7) style = { ...style, background: '#d1d5da', color: '#0d1117' }
    else if (one === 22) style = without('font-weight', 'opacity')
    else if (one === 23) style = without('font-style')
    else if (one === 24) style = without('text-decoration')
    else if (one === 27) style = without('background', 'color')
    else if (one === 39) style = without('color')
    else if (one === 49) style = without('background')
    else if (one >= 30 && one <= 37) style = { ...style, color: COLORS[one - 30] }
    else if (one === 90) style = { ...style, color: '#8b949e' }
    else if (one > 90 && one <= 97) style = { ...style, color: COLORS[one - 90] }
    else throw new Error(`no style for SGR ${one}`)
  }
  return style
}
