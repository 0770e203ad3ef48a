import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { toldIn } from '../../../scripts/doc-tables.ts'
import { adapters } from '../../../src/agents/table.ts'
import { setupPlace } from '../../../src/init/init-agents.ts'
import type { SessionEvent } from '../../../src/types/session.ts'
import { readFixture } from './read-fixture.ts'

const root = join(import.meta.dirname, '../../..')
const cells = new Map(
  readFileSync(join(root, 'docs/agents/README.md'), 'utf8')
    .split('\n')
    .map((line) => line.replace(/ \|$/, '').split(' | '))
    .filter((row) => row.length > 4)
    .map(([agent = '', can = '', told = '', version = '', source = '']) => {
      const able = can === 'all' ? ['found', 'read', 'set up', 'started'] : can.split('/')
      const tells = told === 'all' ? ['requests', 'files', 'exit codes', 'last message'] : told.split('/')
      const id = /`([\w-]+)`/.exec(agent)?.[1] ?? ''
      return [id, { able, told: tells, version, isRecorded: source === 'recorded' }] as const
    }),
)

/** The sessions of its fixtures, as this program reads them; Kilo is read as OpenCode is. What this Node cannot open is told as it was. */
async function readFixtures(id: string): Promise<{ name: string; events: SessionEvent[] }[]> {
  const folder = join(root, 'test/fixtures/agents', id === 'kilo' ? 'opencode' : id)
  return Promise.all(
    readdirSync(folder).map(async (name) => {
      const told = () => JSON.parse(readFileSync(join(folder, name, 'events.json'), 'utf8'))
      return { name, events: ((await readFixture(join(folder, name))) ?? told()).events }
    }),
  )
}

describe.each(adapters.map((adapter) => [adapter.id, adapter] as const))(
  '%s in the table of agents',
  (id, adapter) => {
    const { able = [], told = [], version, isRecorded } = cells.get(id) ?? {}
    let sessions: Awaited<ReturnType<typeof readFixtures>> = []
    let tells: string[] = []
    beforeAll(async () => {
      sessions = await readFixtures(id)
      tells = toldIn(sessions.map(({ events }) => events))
    })

    it('found', () => expect(able.includes('found')).toBe(adapter.isNamed !== true))
    it('read', () =>
      expect([able.includes('read'), sessions.every(({ events }) => events.length > 0)]).toEqual([
        true,
        true,
      ]))
    for (const cell of ['requests', 'files', 'last message'])
      it(cell, () => expect(told.includes(cell)).toBe(tells.includes(cell)))
    it('commands with outcome', () => {
      const outcome = (words: readonly string[]) => words.filter((word) => /codes|failures/.test(word))
      expect(outcome(told)).toEqual(outcome(tells))
    })
    it('set up', () => {
      const edits = adapter.setup?.(setupPlace({ home: '/home/dev', env: {} }, '/home/dev/repo', id)) ?? []
      expect(able.includes('set up')).toBe(edits.length > 0)
    })
    it('started', () => {
      const { args = [], stdin = '' } = adapter.launch?.headless('Read the brief.') ?? {}
      expect(able.includes('started')).toBe([...args, stdin].some((word) => word.includes('Read the brief.')))
    })
    it('recorded at', () => {
      expect(version).toBe(adapter.basis.of)
      expect(isRecorded).toBe(adapter.basis.is === 'recorded')
      expect(isRecorded).toBe(isRecorded && sessions.some(({ name }) => !name.startsWith('documented-')))
    })
  },
)
