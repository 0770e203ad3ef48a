/**
 * Measures what a brief is worth that the departing agent helped to write.
 *
 *   npm run bench:narrative -- --export <dir> [--corpus <dir>] [--set dev] [--sample <n>]
 *   npm run bench:narrative -- --score <dir>  [--corpus <dir>] [--set dev] [--program <handoff.cjs>] [--verbose]
 *
 * `--export` writes `<dir>/<n>/question.md` for each labelled cut: the contract, the goal, and the conversation as the agent's client
 * would hold it (from the last compaction on, outputs of tools whole up to 12,000 characters). Whoever plays the agent writes `<dir>/<n>/answer.md`.
 * `--score` hands every answer to `create --notes`, and counts what the brief tells beside the quoted brief and the answer alone.
 * The figures of record stand in bench/quality.md.
 */
import { spawnSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { runPython } from './corpus/scorers.mjs'
import { readCuts, spread, textAt } from './corpus/sessions.mjs'
import { transcriptOf } from './corpus/transcript.mjs'

const { values } = parseArgs({
  options: {
    corpus: { type: 'string', default: fileURLToPath(new URL('../../shared/corpora', import.meta.url)) },
    export: { type: 'string' },
    score: { type: 'string' },
    set: { type: 'string', default: 'dev' },
    sample: { type: 'string' },
    program: { type: 'string', default: fileURLToPath(new URL('../bin/handoff.cjs', import.meta.url)) },
    verbose: { type: 'boolean', default: false },
  },
})

/** UTF-16 units of the conversation, about 250,000 tokens: the window of most clients. */
const MOST_CONVERSATION = 1_000_000

const root = join(resolve(values.corpus), values.set)
const labels = join(root, 'facts.jsonl')
if ((values.export === undefined) === (values.score === undefined) || !existsSync(labels))
  throw new Error('Usage: npm run bench:narrative -- --export <dir> | --score <dir> [--corpus <dir>]')
const folder = realpathSync(mkdtempSync(join(tmpdir(), 'handoff-narrative-')))
try {
  if (values.export === undefined) scoreAnswers(resolve(values.score))
  else exportQuestions(resolve(values.export))
} finally {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
}

function exportQuestions(out) {
  const contract = readFileSync(new URL('../templates/agents/notes.txt', import.meta.url), 'utf8')
  const labelled = new Set(lines(labels).map(({ id }) => id))
  const all = readCuts(root).filter(({ id }) => labelled.has(id))
  const items = spread(all, Number(values.sample ?? all.length))
  for (const [at, item] of items.entries()) {
    const place = join(out, String(at + 1).padStart(2, '0'))
    mkdirSync(place, { recursive: true })
    writeFileSync(join(place, 'id'), item.id)
    const conversation = newest(transcriptOf(textAt(root, item), item.format))
    writeFileSync(
      join(place, 'question.md'),
      `# What you did and heard so far\n\n${conversation}\n\n# Now the user types: /handoff ${item.goal}\n\n${contract}`,
    )
    console.log(`${place}: ${conversation.length} characters, ${item.id}`)
  }
}

/** The newest records that fit. */
function newest(records) {
  let size = 0
  const kept = records.toReversed().filter((text) => {
    size += text.length
    return size <= MOST_CONVERSATION
  })
  const left = records.length - kept.length
  return [...(left === 0 ? [] : ['(what came before does not fit any more)']), ...kept.reverse()].join('\n\n')
}

function sessionFile(item) {
  const path = join(folder, item.format === 'opencode' ? 'session.json' : 'session.jsonl')
  const text = textAt(root, item)
  writeFileSync(path, text)
  return { path, text }
}

function scoreAnswers(out) {
  const byId = new Map(readCuts(root).map((item) => [item.id, item]))
  const place = join(folder, 'repository')
  const git = (...args) =>
    spawnSync('git', ['-C', place, '-c', 'user.name=m', '-c', 'user.email=m@example.com', ...args])
  mkdirSync(place)
  git('init', '-q')
  git('commit', '-q', '--allow-empty', '-m', 'start')
  const rows = { alone: [], quoted: [], both: [] }
  for (const name of readdirSync(out).sort()) {
    const answer = join(out, name, 'answer.md')
    if (!existsSync(answer)) continue
    const item = byId.get(readFileSync(join(out, name, 'id'), 'utf8').trim())
    const { path } = sessionFile(item)
    const make = (...more) => {
      const args = [
        'create',
        '--session',
        path,
        '--dry-run',
        '--json',
        '--no-edit',
        '--allow-vague',
        '--redact',
        ...more,
      ]
      const { stdout } = spawnSync(
        'node',
        [resolve(values.program), ...args, '--', item.goal.padEnd(12, '.')],
        {
          cwd: place,
          encoding: 'utf8',
          env: { ...process.env, CI: '1' },
          maxBuffer: 64 << 20,
        },
      )
      const made = JSON.parse(stdout)
      if (made.ok !== true) console.log(`${item.id}: ${made.errors?.[0]?.message}`)
      return { id: item.id, markdown: made.markdown ?? '', tokens: made.tokens ?? 0 }
    }
    rows.alone.push({ id: item.id, markdown: readFileSync(answer, 'utf8'), tokens: 0 })
    rows.quoted.push(make())
    const both = make('--notes', answer)
    rows.both.push(both)
    writeFileSync(join(out, name, 'brief.md'), both.markdown)
  }
  const told = new Set(rows.both.map(({ id }) => id))
  const some = join(folder, 'facts.jsonl')
  writeFileSync(
    some,
    lines(labels)
      .filter(({ id }) => told.has(id))
      .map((label) => `${JSON.stringify(label)}\n`)
      .join(''),
  )
  const title = { alone: 'the page alone', quoted: 'the quoted brief', both: 'the brief with the page' }
  for (const [row, predictions] of Object.entries(rows)) {
    const file = join(folder, `${row}.jsonl`)
    writeFileSync(file, predictions.map((one) => `${JSON.stringify(one)}\n`).join(''))
    const args = ['score', root, some, file, ...(values.verbose && row === 'both' ? ['--verbose'] : [])]
    const printed = runPython(join(root, '../tools/facts.py'), ...args)
    const tokens = predictions.map(({ tokens }) => tokens).sort((a, b) => a - b)
    const shown = printed.split('\n').filter((line) => /^(?:brief|missed|misled)/.test(line))
    console.log(`\n${title[row]}\n${shown.join('\n')}`)
    if (row !== 'alone') console.log(`tokens: median ${tokens[tokens.length >> 1]}, most ${tokens.at(-1)}`)
  }
}

function lines(file) {
  return readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
}
