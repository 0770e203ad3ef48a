/**
 * Taking work over: `node takeover/index.mjs <command> [options]`. README.md in this folder says what is measured.
 *
 *   check              the tests of the fix fail before it and pass with it, for each task
 *   replay <task>      the session of the agent that is cut off, as it is played
 *   prepare            the folders of the players and, elsewhere, the key
 *   play               an agent's program takes over in each folder that has no DONE
 *   score              the table
 *
 *   --sources <dir>    bare repositories as <owner>+<name>/repo; cloned there if absent    --tasks <ids>   some tasks
 *   --dir <dir>        the play folders    --key <dir>   what players must not see         --views <ids>   instead of the pilot's four
 *   --players <n>      4                   --stop <name> instead of each task's own        --agent <cmd>   reads the prompt, e.g. "claude -p"
 *   --out <file>       raw rows of `score` as JSON
 */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { shown } from '../contestants/last-turns.mjs'
import { measure } from './measure.mjs'
import { playPredecessor, STOPS } from './predecessor.mjs'
import { prepare } from './prepare.mjs'
import { checkOut, run, sourceOf, tryTests } from './repositories.mjs'
import { printTable } from './table.mjs'
import { TASKS } from './tasks/index.mjs'
import { PILOT } from './views.mjs'

const text = (fallback) => ({ type: 'string', default: fallback })
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    sources: text('.cache/takeover'),
    dir: text('.cache/takeover-play'),
    key: text('.cache/takeover-key'),
    tasks: text(TASKS.map(({ id }) => id).join(',')),
    views: text(PILOT.join(',')),
    players: text('4'),
    stop: { type: 'string' },
    agent: { type: 'string' },
    out: { type: 'string' },
  },
})
const tasks = TASKS.filter(({ id }) => values.tasks.split(',').includes(id))
const [command, name] = positionals
const entries = () => JSON.parse(readFileSync(join(values.key, 'key.json'), 'utf8'))

if (command === 'check') for (const task of tasks) inFolder((folder) => checkTask(task, folder))
else if (command === 'replay')
  inFolder((folder) =>
    replay(
      TASKS.find(({ id }) => id === name),
      folder,
    ),
  )
else if (command === 'prepare') {
  const { dir: folder, key, sources, stop } = values
  const made = prepare({
    tasks,
    views: values.views.split(','),
    players: Number(values.players),
    folder,
    key,
    sources,
    stop,
    tell: console.error,
  })
  console.log(`${made.length} folders are in ${folder}; ${key} holds the key.`)
} else if (command === 'play') {
  if (!values.agent) throw new Error('Name the program that takes over: --agent "claude -p".')
  for (const { place } of entries().filter((one) => !existsSync(join(one.place, 'DONE'))))
    spawnSync(values.agent, {
      shell: true,
      cwd: place,
      input: readFileSync(join(place, 'PROMPT.md')),
      stdio: ['pipe', 'inherit', 'inherit'],
    })
} else if (command === 'score') {
  const rows = entries().flatMap((entry) => {
    const task = tasks.find(({ id }) => id === entry.task)
    const steps = join(values.key, entry.task, 'steps.json')
    const row = task && measure(task, entry, JSON.parse(readFileSync(steps, 'utf8')), values.sources)
    return row ? [row] : []
  })
  if (values.out) writeFileSync(values.out, `${JSON.stringify(rows, null, 2)}\n`)
  if (rows.length === 0) throw new Error('Nobody has played yet: there is no log of any entry of the key.')
  printTable(rows)
} else throw new Error('Say what to do: check, replay <task>, prepare, play or score.')

function inFolder(act) {
  const folder = mkdtempSync(join(tmpdir(), 'takeover-'))
  try {
    act(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function checkTask(task, folder) {
  const [repo, home] = [join(folder, 'repo'), join(folder, 'home')]
  const start = Date.now()
  checkOut(task, repo, home, values.sources)
  const suite = spawnSync('bash', ['-c', task.suite], { cwd: repo, encoding: 'utf8' })
  const before = tryTests(task, repo, home, values.sources)
  const changed = run('git', ['diff', '--name-only', `${task.fix}^`, task.fix], {
    cwd: sourceOf(task, values.sources),
  })
  for (const path of changed.stdout.trim().split('\n'))
    writeFileSync(
      join(repo, path),
      run('git', ['show', `${task.fix}:${path}`], { cwd: sourceOf(task, values.sources) }).stdout,
    )
  const after = tryTests(task, repo, home, values.sources)
  const isGood = suite.status === 0 && !before.solved && after.solved && after.suite
  console.log(
    `${isGood ? 'good' : 'BAD '} ${task.id}: suite ${suite.status === 0}, before ${before.solved}, after ${after.solved} ${after.suite}, ${Date.now() - start} ms`,
  )
  if (!isGood) console.log(suite.stdout.slice(-1500), after.output)
}

function replay(task, folder) {
  const { events, session } = playPredecessor(task, values.stop ?? STOPS.at(-1), folder, values.sources)
  for (const event of events) console.log(`${shown(event)}\n`)
  console.log(`${readFileSync(session, 'utf8').split('\n').length - 1} records`)
}
