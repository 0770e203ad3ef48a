import { mkdtempSync, readdirSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createTrajectory, type Trajectory } from '../../../src/agents/atif/write.ts'
import { identifyFile } from '../../../src/agents/find.ts'
import { defaultConfig } from '../../../src/config/keys.ts'
import { createDigest } from '../../../src/facts/digest.ts'
import type { SessionEvent } from '../../../src/types/session.ts'
import { readFixture } from './read-fixture.ts'

const base = join(import.meta.dirname, '../../fixtures/agents')
const save = (text: string): string => {
  const path = join(mkdtempSync(join(tmpdir(), 'atif-')), 'session.json')
  writeFileSync(path, text)
  return path
}

async function read(path: string) {
  const { adapter, ref } = await identifyFile(path)
  const events: SessionEvent[] = []
  for await (const batch of adapter.read(ref, {})) events.push(...batch)
  return { adapter, ref, events }
}

/** What a brief says of a session comes from here. */
function evidenceOf({ ref, events }: Pick<Awaited<ReturnType<typeof read>>, 'ref' | 'events'>) {
  const digest = createDigest({ sessionCwd: ref.cwd, home: '/home/dev' })
  for (const event of events) digest.add(structuredClone(event))
  return digest.finish({
    git: null,
    goal: 'go on',
    focus: null,
    agent: null,
    sessionId: 'same',
    config: defaultConfig(),
    skipped: {},
  })
}

const sessions = readdirSync(base).flatMap((agent) =>
  readdirSync(join(base, agent)).map((name) => [`${agent}/${name}`, join(base, agent, name)] as const),
)

describe('a session written as ATIF', () => {
  it('has recorded sessions to write', () => {
    expect(sessions.length).toBeGreaterThan(50)
  })

  it.for(sessions)('tells the same when it is read again: %s', async ([, folder], { skip }) => {
    const first = await readFixture(folder)
    if (first === null) return skip('this Node opens no database')
    const trajectory = createTrajectory(first.ref)
    for (const event of first.events) trajectory.add(structuredClone(event))
    const document = trajectory.end()
    expect(wrongIn(document)).toEqual([])
    const second = await read(save(JSON.stringify(document, null, 2)))
    expect(second.adapter.id).toBe('atif')
    expect(second.ref).toMatchObject({ id: first.ref.id, cwd: first.ref.cwd })
    expect(evidenceOf(second)).toEqual(evidenceOf(first))
  })
})

/** What validators refuse: steps out of order, fields of an agent elsewhere, results without their call. */
const wrongIn = ({ steps }: Trajectory): string[] =>
  steps.flatMap(({ step_id, source, tool_calls = [], observation, metrics }, at) => {
    const ids = tool_calls.map(({ tool_call_id }) => tool_call_id)
    return [
      ...(step_id === at + 1 ? [] : ['order']),
      ...(source !== 'agent' && (ids.length > 0 || metrics !== undefined) ? ['source'] : []),
      ...(observation?.results ?? []).flatMap(({ source_call_id }) =>
        ids.includes(source_call_id ?? '') ? [] : ['result'],
      ),
    ]
  })

describe('reading ATIF', () => {
  const document = (version: string, more: object = {}) => ({
    schema_version: version,
    agent: { name: 'a', version: '1' },
    steps: [{ step_id: 1, source: 'user', message: 'Fix sub.' }],
    ...more,
  })

  it('refuses a newer version by its name', async () => {
    for (const version of ['ATIF-v1.9', 'ATIF-v2.0'])
      await expect(read(save(JSON.stringify(document(version))))).rejects.toMatchObject({
        code: 'E_SESSION_FORMAT',
        message: expect.stringMatching(new RegExp(`is "?${version}"?, and handoff reads up to ATIF-v1.8`)),
      })
  })

  it('takes the file for no session when no step of it is whole, or none is there', async () => {
    const whole = JSON.stringify(document('ATIF-v1.7'))
    await expect(read(save(whole.slice(0, -5)))).rejects.toMatchObject({
      message: expect.stringContaining('cut off or damaged'),
    })
    await expect(read(save(JSON.stringify(document('ATIF-v1.7', { steps: null }))))).rejects.toMatchObject({
      message: expect.stringContaining('it holds no steps'),
    })
  })

  it('reads files and commands by the names of tools that common writers have (A-11)', async () => {
    const calls = [
      ['run_in_terminal', { command: 'npm test' }],
      ['developer__shell', { command: 'npm test' }],
      ['execute_command', { command: 'npm test' }],
      ['exec', { command: 'npm test' }],
      ['replace_string_in_file', { filePath: '/home/dev/repo/a.ts' }],
      ['apply_diff', { path: '/home/dev/repo/a.ts' }],
      ['file_editor', { command: 'str_replace', path: '/home/dev/repo/a.ts' }],
      ['file_editor', { command: 'create', path: '/home/dev/repo/a.ts' }],
      ['str_replace_editor', { command: 'create', path: '/home/dev/repo/a.ts' }],
      ['WriteFile', { path: '/home/dev/repo/a.ts' }],
      ['developer__text_editor', { command: 'view', path: '/home/dev/repo/a.ts' }],
    ].map(([name, args], at) => ({ tool_call_id: `c${at}`, function_name: name, arguments: args }))
    const steps = [
      ...document('ATIF-v1.7').steps,
      { step_id: 2, source: 'agent', message: '', tool_calls: calls },
    ]
    const { events } = await read(save(JSON.stringify(document('ATIF-v1.7', { steps }))))
    const told = events.flatMap((event) => {
      if (event.kind !== 'call') return []
      const { action } = event
      return action.type === 'edit' ? action.files.map(({ change }) => change) : [action.type]
    })
    const edited = ['update', 'update', 'update', 'create', 'create', 'create']
    expect(told).toEqual(['run', 'run', 'run', 'run', ...edited, 'read'])
  })

  it('names a file without an id after itself, and survives fields of another kind', async () => {
    const odd = [null, 3, { source: 'agent', tool_calls: [null, { arguments: 'x' }], observation: [] }]
    const own = (kind: string) => ({ source: 'system', message: null, extra: { handoff: { kind } } })
    const kinds = ['plan', 'question', 'setting', 'proposal', 'skill', 'constructor', '__proto__']
    const steps = [...document('ATIF-v1.8').steps, ...odd, ...kinds.map(own)]
    const { ref, events } = await read(save(JSON.stringify(document('ATIF-v1.8', { steps }))))
    expect(ref).toMatchObject({ id: 'session', cwd: null })
    expect(events.map(({ kind }) => kind)).toContain('prompt')
  })
})
