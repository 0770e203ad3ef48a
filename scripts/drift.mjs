/**
 * Which recorded clients are behind the registry, and which of their sessions on this machine hold records of kinds that their reader does
 * not know. For the night: it ends with 1 where one is behind or a kind is unknown.
 *
 *   npm run clients:drift -- [--home <dir>] [--newest <sessions of each agent>]
 */

import { execFileSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { printTable } from '../bench/runs.mjs'
import { loadSource } from './load-source.mjs'

const { values } = parseArgs({
  options: { home: { type: 'string', default: homedir() }, newest: { type: 'string', default: '20' } },
})
const root = fileURLToPath(new URL('..', import.meta.url))
const folder = await mkdtemp(join(root, 'node_modules', '.drift-'))
try {
  const { adapters } = await loadSource(folder, 'src/agents/table.ts', { packages: 'external' })
  const rows = []
  for (const adapter of adapters.filter(({ basis }) => basis.is === 'recorded'))
    rows.push(await rowOf(adapter))
  printTable(
    ['agent', 'recorded', 'registry', 'sessions here', 'lines of unknown kinds'],
    rows.map(({ row }) => row),
  )
  const late = rows.filter(({ isLate }) => isLate)
  if (late.length > 0) {
    console.log(`\nRecord anew: ${late.map(({ row: [id] }) => id).join(', ')}`)
    process.exitCode = 1
  }
} finally {
  await rm(folder, { recursive: true, force: true })
}

async function rowOf(adapter) {
  const [name, ...words] = adapter.basis.of.split(' ')
  const recorded = words.at(-1) ?? ''
  const newest = newestOf(name)
  const { sessions, unknown } = await readHere(adapter)
  // A recorded version may be told without its last number, and a part of a client may be newer than the whole.
  const isNewer = newest?.localeCompare(recorded, 'en', { numeric: true }) > 0
  const isBehind = isNewer && !newest.startsWith(`${recorded}.`)
  const row = [adapter.id, recorded, newest ?? 'not found', String(sessions), String(unknown)]
  return { row, isLate: isBehind || unknown > 0 }
}

/** The newest version that the registry has; null where it has no such package. */
function newestOf(name) {
  try {
    return execFileSync('npm', ['view', name, 'version'], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim()
  } catch {
    return null
  }
}

/** Reads the newest sessions of an agent, of every repository. */
async function readHere(adapter) {
  const place = { home: values.home, env: process.env, root: '/', now: () => new Date() }
  const found = await adapter.find(place, ['/']).catch(() => [])
  const read = found.slice(0, Number(values.newest))
  let unknown = 0
  const options = { place, onSkip: (reason) => reason === 'unknown' && unknown++ }
  for (const ref of read)
    try {
      for await (const _ of adapter.read(ref, options));
    } catch (error) {
      console.error(`${ref.path}: ${error.message}`)
    }
  return { sessions: read.length, unknown }
}
