/**
 * Asks recorded sessions the questions of ask-questions.json and prints which are answered within the first three hits: every
 * entry of `holds` (alternatives apart by |) must stand in what they quote. Questions marked `held` were not looked at while
 * the search was built. `node bench/ask.mjs --corpus <dir> [--show]`; --show prints the hits of what is not answered.
 */
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { parseArgs } from 'node:util'
import { gunzipSync } from 'node:zlib'
import { openReader } from './corpus/events.mjs'
import { loadSource } from './load-source.mjs'

const { values } = parseArgs({
  options: { corpus: { type: 'string' }, show: { type: 'boolean', default: false } },
})
if (!values.corpus) throw new Error('Usage: node bench/ask.mjs --corpus <dir> [--show]')

const HITS = 3

const questions = JSON.parse(readFileSync(new URL('./ask-questions.json', import.meta.url), 'utf8'))
const folder = realpathSync(mkdtempSync(join(tmpdir(), 'handoff-ask-')))
let read
try {
  read = await openReader(folder)
  const { createSearch } = await loadSource(folder, 'src/ask/search.ts')
  const { clipQuote } = await loadSource(folder, 'src/ask/answer.ts')
  const answered = { true: [], false: [] }
  for (const { session, question, holds, held = false } of questions) {
    const events = await eventsOf(session)
    const start = performance.now()
    const search = createSearch(question)
    search.begin()
    for (const event of events) search.add(event)
    const hits = search.hits(HITS)
    const ms = Math.round(performance.now() - start)
    const quotes = hits.map((hit) => quotesIn(hit).map((quote) => clipQuote(quote, question)))
    const told = quotes.flat().join('\n').toLowerCase()
    const missing = holds.filter((any) => !any.split('|').some((one) => told.includes(one.toLowerCase())))
    answered[held].push(missing.length === 0)
    console.log(
      `${missing.length === 0 ? 'yes' : 'NO '} ${held ? 'held' : '    '} ${String(ms).padStart(4)} ms  ${basename(session)}: ${question}${missing.length === 0 ? '' : ` (missing ${missing.join(', ')})`}`,
    )
    if (!values.show || missing.length === 0) continue
    for (const [at, { passage, score }] of hits.entries()) {
      console.log(`       ${at + 1}. ${passage.who}, turn ${passage.turn}, ${score.toFixed(2)}`)
      console.log(quotes[at].join('\n--\n').replace(/^/gm, '          '))
    }
  }
  const share = (all) => `${all.filter(Boolean).length} of ${all.length}`
  console.log(
    `\nanswered within ${HITS} hits: ${share(answered.false)}, held questions ${share(answered.true)}`,
  )
} finally {
  rmSync(folder, { recursive: true, force: true })
}

/** Every text that a hit shows. */
function quotesIn(hit) {
  return [hit.quote, hit.to, hit.later?.quote].filter(Boolean)
}

function eventsOf(session) {
  const path = join(folder, basename(session).concat('.jsonl'))
  const text = gunzipSync(readFileSync(join(values.corpus, `${session}.jsonl.gz`))).toString('utf8')
  writeFileSync(path, text)
  return read(path, text)
}
