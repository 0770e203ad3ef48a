import { existsSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { gunzipSync } from 'node:zlib'

/** Goals longer than this many bytes are cut at their end; the product takes at most 4,096. */
const GOAL_BYTES = 4000

/** Every session of the manifest, to be handed over whole. */
export function readSessions(corpus, goal) {
  const [head, ...rows] = readFileSync(join(corpus, 'MANIFEST.tsv'), 'utf8').trimEnd().split('\n')
  const columns = head.split('\t')
  return rows.map((row) => {
    const cells = row.split('\t')
    const { file, format, repo } = Object.fromEntries(columns.map((column, at) => [column, cells[at]]))
    return { id: basename(file).split('.')[0], file, format, repo, goal, cut: null }
  })
}

/** Every labelled cut. */
export function readCuts(corpus) {
  return readFileSync(join(corpus, 'cuts.jsonl'), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
    .map((cut) => ({
      id: cut.id,
      file: cut.file,
      format: cut.format,
      repo: cut.repo,
      goal: trim(cut.goal),
      cut,
    }))
}

/**
 * `count` items: groups of the same `by` in turn until one is used up, and from each group items spread over its whole
 * list. Fewer items than groups are spread over the groups.
 */
export function spread(items, count, by = 'format') {
  const groups = grouped(items, by)
  if (count < groups.length)
    return Array.from({ length: count }, (_, n) => groups[Math.floor((n * groups.length) / count)][0])
  const quotas = groups.map(() => 0)
  for (let left = Math.min(count, items.length), at = 0; left > 0; at = (at + 1) % groups.length) {
    if (quotas[at] === groups[at].length) continue
    quotas[at] += 1
    left -= 1
  }
  return groups.flatMap((group, at) =>
    Array.from({ length: quotas[at] }, (_, n) => group[Math.floor((n * group.length) / quotas[at])]),
  )
}

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

function grouped(items, by) {
  const groups = new Map()
  for (const item of items) groups.set(item[by], [...(groups.get(item[by]) ?? []), item])
  return [...groups.values()]
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
