/**
 * What grows with the number of briefs: the commands that read the chain, hooks and `create` in repositories of 20, 300 and 2,000 briefs, in
 * turn, round after round. A ratio is the median of those of the rounds.
 *
 *   npm run bench:chain -- [--briefs 20,300,2000] [--plain <n>] [--node <node>] [--beside <label>=<handoff.cjs>]… [--runs 9] [--check]
 *
 * --plain puts that many commits without a brief between two. --check exits 1 when a goal is missed. bench/speed.md holds the figures by date.
 */
import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { makeChain } from './chain-place.mjs'
import {
  conditions,
  median,
  OPTIONS,
  printTable,
  programsFrom,
  ratioTo,
  roundsFrom,
  runInTurn,
  shown,
} from './runs.mjs'
import { GOAL } from './speed-place.mjs'

/** With the most briefs, at most so many times what it takes with the fewest. */
const GOALS = { status: 1.6, 'session-start': 1.8 }

const { values } = parseArgs({
  options: {
    ...OPTIONS,
    briefs: { type: 'string', default: '20,300,2000' },
    plain: { type: 'string', default: '0' },
  },
})
const rounds = roundsFrom(values.runs)
const node = resolve(values.node)
const counts = values.briefs.split(',').map(Number)
if (!counts.every((n) => Number.isInteger(n) && n >= 20))
  throw new Error('--briefs takes numbers from 20 upwards')

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'handoff-chain-')))
try {
  const programs = programsFrom(values.beside)
  const cases = []
  for (const count of counts)
    for (const { label, path } of programs) {
      // A repository for each: what one program keeps in it, another may not read.
      const place = await makeChain(join(folder, `${label}-${count}`), count, Number(values.plain))
      cases.push(
        ...casesOf(place, path).map((one) => ({ ...one, label, count, program: node, place, isNode: true })),
      )
    }
  // Upon a brief that `create` has made, what is open here is found at once.
  const needsOpen = ({ name }) => name === 'create' || name.startsWith('show,')
  for (const isLast of [false, true])
    runInTurn(
      cases.filter((one) => needsOpen(one) === isLast),
      rounds,
      join(folder, 'usage'),
    )
  console.log(`${conditions(node, rounds)}\nmedian ms (least, CPU ms) by number of briefs\n`)
  const missed = []
  const rows = []
  for (const name of new Set(cases.map((one) => one.name)))
    for (const { label } of programs) {
      const some = cases.filter((one) => one.name === name && one.label === label)
      const [fewest, most] = [some[0], some.at(-1)]
      const ratio = ratioTo(most, fewest)
      rows.push([
        `${name}: ${label}`,
        ...some.map(
          (one) => `${shown(median(one.times))} (${shown(Math.min(...one.times))}, ${shown(one.cpuMs)})`,
        ),
        shown(ratio, 2),
        shown(most.cpuMs / fewest.cpuMs, 2),
      ])
      if (label === 'this' && ratio > (GOALS[name] ?? Infinity)) missed.push(`${name}: ≤ ${GOALS[name]} ×`)
    }
  printTable(['', ...counts.map(String), 'most ÷ fewest', 'CPU'], rows)
  for (const one of missed) console.log(`missed: ${one}`)
  if (values.check && missed.length > 0) process.exitCode = 1
} finally {
  rmSync(folder, { recursive: true, force: true })
}

function casesOf({ repo, id, from, to }, path) {
  const handoff = (name, ...args) => ({ name, args: [path, ...args] })
  return [
    handoff('status', 'status'),
    handoff('show <id>', 'show', id),
    handoff('log', 'log'),
    handoff('log --all --json', 'log', '--all', '--json'),
    handoff('check --range', 'check', '--range', 'HEAD~3..HEAD'),
    {
      ...handoff('session-start', 'hook', 'session-start', '--agent', 'claude-code'),
      input: (round) => JSON.stringify({ session_id: `bench-${round}`, cwd: repo, source: 'startup' }),
    },
    { ...handoff('post-checkout', 'hook', 'post-checkout', '--', from, to, '1'), input: '' },
    handoff('create --dry-run', 'create', GOAL, '--dry-run'),
    // The same goal twice would make no second commit.
    { name: 'create', args: (round) => [path, 'create', `${GOAL}, attempt ${round + 3}`] },
    handoff('show, of an open brief', 'show'),
  ]
}
