/**
 * Measures again what bench/decisions.md says of the program's form: each pair runs in turn, round after round, and is told as the
 * median of the ratios of a round, which a busy machine moves little. `node bench/decisions.mjs [--runs 15]`; build first.
 */
import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { estimateTokenCount } from 'tokenx'
import { HANDOFF, timed } from './runs.mjs'
import { makePlace, SIZES } from './speed-place.mjs'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const GOAL = 'make the logout test pass without a global, keep the public API'
const { values } = parseArgs({ options: { runs: { type: 'string', default: '15' } } })
const rounds = Number(values.runs)

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'handoff-decisions-')))
try {
  const place = makePlace(folder, SIZES[0])
  for (const kind of ['cjs', 'mjs']) writeFileSync(join(folder, `empty.${kind}`), '')
  const dry = ['create', GOAL, '--dry-run']
  const runIn = (where, args, env = {}) =>
    timed({ name: args.join(' '), program: process.execPath, args, place: where, env })
  const run = (args, env) => runIn(place, args, env)
  tell('an empty .mjs, as a multiple of an empty .cjs', () => [
    run([join(folder, 'empty.mjs')]),
    run([join(folder, 'empty.cjs')]),
  ])
  tell('a dry run of 50 KB without compiled code, as a multiple of one with it', () => [
    run([HANDOFF, ...dry], { HANDOFF_NO_CACHE: '1' }),
    run([HANDOFF, ...dry]),
  ])
  tell('a dry run with the exact tokenizer, as a multiple of one with the estimate', () => [
    run([HANDOFF, ...dry, '--exact']),
    run([HANDOFF, ...dry]),
  ])
  let n = 0
  tell('a handoff with its commit, as a multiple of a dry run', () => {
    n += 1
    const goal = `${GOAL}, attempt ${n}`
    return [
      runIn(place.committing, [HANDOFF, 'create', goal]),
      runIn(place.committing, [HANDOFF, 'create', `${goal} again`, '--dry-run']),
    ]
  })
  estimates()
} finally {
  rmSync(folder, { recursive: true, force: true })
}

function tell(what, round) {
  round()
  const ratios = Array.from({ length: rounds }, () => {
    const [a, b] = round()
    return a / b
  }).sort((a, b) => a - b)
  const at = (share) => ratios[Math.floor((ratios.length - 1) * share)].toFixed(2)
  console.log(`${what}: ${at(0.5)} (quarter to three quarters: ${at(0.25)} to ${at(0.75)}; ${rounds} rounds)`)
}

/** The estimate of tokens against the tokenizer, over the briefs that this repository holds. */
function estimates() {
  const kept = join(ROOT, '.handoff', 'briefs')
  const golden = join(ROOT, 'test', 'fixtures', 'brief')
  const files = [kept, golden].flatMap((at) =>
    readdirSync(at, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.md'))
      .map((name) => join(at, name)),
  )
  const off = files
    .map((file) => readFileSync(file, 'utf8'))
    .map((text) => estimateTokenCount(text) / countTokens(text, { allowedSpecial: 'all' }) - 1)
    .sort((a, b) => a - b)
  const percent = (share) => `${(100 * share).toFixed(1)} %`
  const median = off[Math.floor(off.length / 2)]
  console.log(
    `the estimate of tokens over ${off.length} briefs: ${percent(off[0])} to ${percent(off.at(-1))} off, median ${percent(median)}`,
  )
}
