import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { describe, expect, it } from 'vitest'
import { adapters } from '../../../src/agents/table.ts'
import { readFixture } from './read-fixture.ts'

/**
 * A folder is a test case: `test/fixtures/agents/<agent>/<what-it-proves>/session.*` in, `events.json` out;
 * where other files of the session lie beside its folder, it is in a folder of that case.
 * UPDATE_FIXTURES=1 writes `events.json` anew; read it against the record before it is committed.
 */
const base = join(import.meta.dirname, '../../fixtures/agents')
const folders = (path: string): string[] =>
  existsSync(path)
    ? readdirSync(path, { withFileTypes: true })
        .filter((entry) => entry.isDirectory())
        .map((entry) => entry.name)
        .sort()
    : []

async function readCase(agent: string, folder: string): Promise<string | null> {
  const read = await readFixture(folder)
  if (read === null) return null
  const { ref, events, skipped } = read
  expect(read.agent).toBe(agent)
  const session = { id: ref.id, cwd: ref.cwd, startedAt: ref.startedAt, branch: ref.branch, title: ref.title }
  // One event a line, so that a change is one line of a diff.
  const lines = events.map((event) => `    ${JSON.stringify(event)}`).join(',\n')
  return `{\n  "session": ${JSON.stringify(session)},\n  "skipped": ${JSON.stringify(skipped)},\n  "events": [\n${lines}\n  ]\n}\n`
}

describe.each(folders(base))('%s', (agent) => {
  it('is an agent of the table', () => {
    expect(adapters.map((adapter) => adapter.id)).toContain(agent)
  })
  it.for(folders(join(base, agent)))('%s', async (name, { skip }) => {
    const folder = join(base, agent, name)
    const actual = await readCase(agent, folder)
    if (actual === null) return skip('this Node opens no database')
    const expected = join(folder, 'events.json')
    const told = existsSync(expected) ? JSON.parse(readFileSync(expected, 'utf8')) : null
    // What says the same in another order stays as it is.
    if (process.env.UPDATE_FIXTURES && !isDeepStrictEqual(JSON.parse(actual), told))
      writeFileSync(expected, actual)
    expect(JSON.parse(actual)).toEqual(JSON.parse(readFileSync(expected, 'utf8')))
  })
})
