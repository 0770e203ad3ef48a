import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'

/** Goals longer than this many bytes are cut at their end; the product takes at most 4,096. */
const GOAL_BYTES = 4000

/** Every labelled cut. */
export const readCuts = (corpus) =>
  readFileSync(join(corpus, 'cuts.jsonl'), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
    .map((cut) => ({ ...cut, goal: trim(cut.goal), cut }))

/** `count` of the items, evenly spaced: cuts of one repository stand side by side. */
export const spread = (items, count) =>
  items.filter(
    (_, n) => Math.floor(((n + 1) * count) / items.length) > Math.floor((n * count) / items.length),
  )

/** Text of the session as it stood at the cut: `line` keeps the physical lines before it, `message` the messages. */
export function textAt(corpus, { file, cut }) {
  const packed = readFileSync(join(corpus, file))
  const text = (file.endsWith('.gz') ? gunzipSync(packed) : packed).toString('utf8')
  const at = cut?.at ?? {}
  if (at.message !== undefined) {
    const session = JSON.parse(text)
    return JSON.stringify({ ...session, messages: session.messages.slice(0, at.message) })
  }
  if (at.line === undefined) return text
  return `${text
    .split('\n')
    .slice(0, at.line - 1)
    .join('\n')}\n`
}

/** Paths the repository ever had, or null when the corpus does not tell. */
export function repositoryFiles(corpus, repo) {
  const list = join(corpus, 'repos', `${repo.replace('/', '+')}.files.txt`)
  return existsSync(list) ? readFileSync(list, 'utf8').split('\n').filter(Boolean) : null
}

function trim(goal) {
  const bytes = Buffer.from(goal)
  return bytes.length <= GOAL_BYTES
    ? goal
    : bytes
        .subarray(0, GOAL_BYTES)
        .toString('utf8')
        .replace(/\uFFFD+$/, '')
}
