/**
 * `npm run bench:handoff -- [options]`: contestants side by side on synthetic sessions. README.md says what is measured and how to add one.
 *
 *   --seed <text>        other sessions; 1 without it
 *   --only <ids>         these contestants, with commas between them
 *   --small              the form that the tests run
 *   --missed <id>        each thing that this contestant missed
 *   --write <folder>     what each contestant wrote
 *   --keep               leave the sessions and repositories where they are
 *   --json               the figures as one object
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { CONTESTANTS, WITH_PAGES } from './contestants/index.mjs'
import { FULL, runBenchmark, runPages, SMALL } from './run.mjs'
import { figuresOf, printMissed, printPages, printTables } from './tables.mjs'

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    only: { type: 'string' },
    small: { type: 'boolean', default: false },
    missed: { type: 'string' },
    write: { type: 'string' },
    keep: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
})
const ids = CONTESTANTS.map(({ id }) => id)
const wanted = values.only?.split(',') ?? ids
const unknown = [...wanted, values.missed ?? wanted[0]].find((id) => !ids.includes(id))
if (unknown !== undefined) stop(`"${unknown}" is not in contestants/index.mjs. There are: ${ids.join(', ')}.`)
const some = CONTESTANTS.filter(({ id }) => wanted.includes(id))
for (const { id, missing } of some) if (missing) console.error(`${id} does not run: ${missing}`)
const contestants = some.filter(({ missing }) => !missing)
if (contestants.length === 0) stop('No contestant runs.')
const started = Date.now()
const size = { ...(values.small ? SMALL : FULL), seed: values.seed }
const results = runBenchmark(contestants, size, {
  keep: values.keep,
  tell: (id) => process.stderr.isTTY && process.stderr.write(`\r\x1b[K${id}`),
})
if (values.write) writeDocuments(values.write)
if (values.json) console.log(JSON.stringify(results.map(asJson), null, 2))
else {
  printTables(results)
  if (!values.only) printPages(runPages([...contestants, ...WITH_PAGES.filter(({ missing }) => !missing)]))
  const missed = results.find(({ contestant }) => contestant.id === values.missed)
  if (missed) printMissed(missed)
  console.log(`\nseed ${values.seed}, ${Math.round((Date.now() - started) / 1000)} s`)
}

function stop(reason) {
  console.error(reason)
  process.exit(2)
}

function asJson(result) {
  const { all, at, chain } = figuresOf(result)
  const rules = Object.fromEntries(size.lengths.map((turns) => [turns, at(turns).rules]))
  return {
    id: result.contestant.id,
    version: result.version,
    ...all,
    rules,
    hops: { 1: chain(1), 2: chain(2), 4: chain(4) },
    failed: result.failed,
  }
}

function writeDocuments(folder) {
  for (const { contestant, single, hops } of results) {
    mkdirSync(join(folder, contestant.id), { recursive: true })
    for (const { case: one, markdown, hop } of [...single, ...hops])
      writeFileSync(
        join(folder, contestant.id, `${one.id.replaceAll(' ', '-')}${hop ? '' : `-${one.agent}`}.md`),
        markdown,
      )
  }
}
