/** Runs contestants over the sessions and scores what they write. No model, no network; the same seed gives the same scores. */
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { amountsOf, chainCases, nextSession, pageCases, singleCases, startLine } from './cases.mjs'
import { scoreDocument } from './score/score.mjs'

const HOPS = [1, 2, 4]
/** Every so many sessions are handed over twice, to compare the bytes. */
const TWICE = 3

export const FULL = { seed: 1, lengths: [100, 400, 1000], count: 5, chains: 4, chainTurns: 80 }
export const SMALL = { seed: 1, lengths: [80, 1000, 100, 120], count: 1, chains: 1, chainTurns: 60 }

/**
 * @param {object[]} contestants @param {typeof FULL} size
 * @returns one record for each contestant: `single` and `hops` are lists of scored documents, `failed` says what it could not read.
 */
export function runBenchmark(contestants, size, { tell = () => {}, keep = false } = {}) {
  const root = makeRoot()
  try {
    const results = contestants.map(startResult)
    for (const [n, one] of singleCases(size).entries()) {
      tell(one.id)
      const line = startLine(join(root, one.id), one)
      const { input, events, truth } = nextSession(line)
      for (const result of results) {
        const first = makeOne(result, one, { ...input, events }, truth, root)
        if (!first) continue
        if (n % TWICE === 0)
          first.differs = differenceOf(first.text, made(result.contestant, { ...input, events }, root).text)
        result.single.push(first)
      }
      if (!keep) rmSync(line.folder, { recursive: true, force: true })
    }
    for (const one of chainCases({ ...size, count: size.chains, turns: size.chainTurns }))
      for (const result of results) {
        tell(`${one.id} ${result.contestant.id}`)
        runChain(result, one, root, keep)
      }
    return results
  } finally {
    if (keep) console.error(`Sessions and repositories are in ${root}`)
    else rmSync(root, { recursive: true, force: true })
  }
}

/** The same contestants and those with a page, on the two sessions that have pages. */
export function runPages(contestants) {
  const root = makeRoot()
  try {
    const results = contestants.map(startResult)
    for (const one of pageCases()) {
      const line = startLine(join(root, one.id), one)
      const { input, events, truth } = nextSession(line)
      const pages = pagesOf(one.id, events)
      for (const result of results) {
        const scored = makeOne(result, one, { ...input, events, pages }, truth, root)
        if (scored) result.single.push(scored)
      }
    }
    return results
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
}

/** A page belongs to one session: after a change of the generator it has to be written anew. */
function pagesOf(id, events) {
  const place = (name) => fileURLToPath(new URL(`pages/${name}`, import.meta.url))
  const hash = createHash('sha256').update(JSON.stringify(events)).digest('hex').slice(0, 16)
  const known = JSON.parse(readFileSync(place('sessions.json'), 'utf8'))
  if (known[id] !== hash) throw new Error(`pages/${id}.*.md were written for another session than ${hash}.`)
  return { short: place(`${id}.short.md`), sections: place(`${id}.sections.md`) }
}

const startResult = (contestant) => ({
  contestant,
  version: contestant.version(),
  single: [],
  hops: [],
  failed: [],
})

/** Each session of a chain begins with what the contestant handed over from the one before; each contestant has its own repository. */
function runChain(result, one, root, keep) {
  const { contestant } = result
  const line = startLine(join(root, `${one.id}-${contestant.id}`), one)
  let opening = []
  for (let hop = 1; hop <= Math.max(...HOPS); hop++) {
    const { input, events, truth } = nextSession(line, { ...amountsOf(line), opening })
    const all = { ...input, events }
    const scored = makeOne(result, { ...one, id: `${one.id} hop ${hop}` }, all, truth, root)
    if (!scored) return
    if (HOPS.includes(hop)) result.hops.push({ ...scored, hop })
    opening = contestant.handOver?.(all) ?? pasted(scored.markdown)
  }
  if (!keep) rmSync(line.folder, { recursive: true, force: true })
}

/** Without a way of its own, what a contestant wrote is the first message of the next session. */
const pasted = (markdown) => [
  { kind: 'prompt', text: `Go on with the work of the session before. This was handed over:\n\n${markdown}` },
  { kind: 'reply', text: 'I have read it and go on from there.' },
]

function makeOne(result, one, input, truth, root) {
  try {
    const { markdown, text, used } = made(result.contestant, input, root)
    return {
      case: one,
      markdown,
      text,
      used,
      tokens: countTokens(text),
      score: scoreDocument(markdown, truth),
    }
  } catch (error) {
    result.failed.push({ case: one.id, agent: one.agent, reason: error.message.split('\n')[0] })
    return null
  }
}

/** The first line that differs, once and again; null when all is the same. */
function differenceOf(one, other) {
  if (one === other) return null
  const [lines, others] = [one.split('\n'), other.split('\n')]
  const at = lines.findIndex((line, n) => line !== others[n])
  return `line ${at + 1}: ${lines[at]} | ${others[at]}`
}

/** `text` is without what must differ: the folder of this run, the time, and what the contestant stamps with it. */
function made(contestant, input, root) {
  const start = process.hrtime.bigint()
  const { markdown, used = {} } = contestant.make(input)
  const ms = Number(process.hrtime.bigint() - start) / 1e6
  let text = markdown
    .replaceAll(root, '/home/dev')
    .replaceAll(root.replace(/[^a-zA-Z0-9]/g, '-'), '-home-dev')
    .replace(/\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d)?(?:\.\d+)?Z?/g, '2026-03-02T09:00:00.000Z')
  for (const [pattern, stamp] of contestant.stamps ?? []) text = text.replace(pattern, stamp)
  return { markdown, text, used: { ms, ...used } }
}

/** A folder whose name always has the same length, so that no text changes with it. */
function makeRoot() {
  for (let n = 1; n < 10; n++) {
    const root = join(realpathSync(tmpdir()), `handoff-bench-${n}`)
    try {
      mkdirSync(root)
      return root
    } catch (error) {
      if (error.code !== 'EEXIST') throw error
    }
  }
  throw new Error(`Nine folders handoff-bench-<n> are in ${tmpdir()} already; remove those that no run uses.`)
}
