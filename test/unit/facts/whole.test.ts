import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createDigest } from '../../../src/facts/digest.ts'
import type { GitState } from '../../../src/types/git.ts'
import type { SessionEvent } from '../../../src/types/session.ts'
import { byNight, describeByNight } from '../../sampled.ts'
import {
  config,
  edit,
  events,
  extract,
  gitState,
  paths,
  prompt,
  read,
  reply,
  run,
  type Step,
} from './session.ts'

const CASES = new URL('../../fixtures/extract/', import.meta.url)
const json = (name: string, file: string) =>
  JSON.parse(readFileSync(new URL(`${name}/${file}`, CASES), 'utf8'))

/** Fixture git states list only what differs from a clean repository; `files` is a list, `renames` are pairs. */
function gitOf(name: string): GitState {
  const { files, renames = [], ...more } = json(name, 'git.json')
  return gitState(files, { ...more, renames: new Map(renames) })
}

/** Of a session that nobody wrote down. */
const NOBODY = {
  goal: 'go on with it',
  focus: null,
  inherited: null,
  agent: null,
  sessionId: null,
  config,
}

describe('a folder is a case', () => {
  const names = readdirSync(CASES).sort()
  it('there are cases', () => expect(names.length).toBeGreaterThan(2))
  it.each(names)('%s', (name) => {
    const { goal, focus = null, sessionCwd } = json(name, 'input.json')
    const digest = createDigest({ sessionCwd, home: '/home/dev' })
    for (const event of json(name, 'events.json') as SessionEvent[])
      digest.add(Object.assign({ at: null, sub: null, cwd: sessionCwd }, event))
    const evidence = digest.finish({
      git: gitOf(name),
      goal,
      focus,
      agent: { id: 'claude-code', label: 'Claude Code' },
      sessionId: 's1',
      config,
    })
    if (process.env.UPDATE_FIXTURES)
      writeFileSync(new URL(`${name}/evidence.json`, CASES), `${JSON.stringify(evidence, null, 2)}\n`)
    expect(evidence).toEqual(json(name, 'evidence.json'))
  })
})

const FILES = ['src/a.ts', 'src/b.ts', 'lib/a.ts', 'README.md', 'docs/guide.md', 'bin/run']
const path = fc.constantFrom(
  ...FILES,
  'src/new.ts',
  '/etc/passwd',
  '../x.ts',
  '.handoff/latest.md',
  'node_modules/x.js',
  '/home/dev/repo/src/a.ts',
  'src/a.ts:3',
  '',
)
const text = fc.oneof(
  path,
  fc.string(),
  path.map((p) => `Do not touch ${p}, create src/made.ts. Why?`),
)
const step: fc.Arbitrary<Step> = fc.oneof(
  text.map(prompt),
  text.map(reply),
  path.map((p) => read(p)),
  fc
    .tuple(path, fc.boolean(), fc.constantFrom('create' as const, 'update' as const, 'delete' as const))
    .map(([p, ok, change]) => edit(p, change, ok)),
  fc
    .tuple(
      fc.oneof(path, fc.string()),
      fc.constantFrom(
        'cat',
        'npm test',
        'git checkout --',
        'rm',
        'mv README.md',
        'git commit -m',
        'echo x >',
      ),
      fc.constantFrom(0, 1, null),
      text,
    )
    .map(([p, c, code, out]) => run(`${c} ${p}`, code, out)),
)

describe('for any session', () => {
  it('no file is listed that nothing ever named', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), text, (steps, goal) => {
        const evidence = extract(steps, { git: gitState(FILES), goal })
        const said = JSON.stringify([events(steps), goal])
        for (const file of evidence.files) {
          // `mv README.md 0/` makes a path that nobody wrote out.
          const folder = /^(.+\/)README\.md$/.exec(file.path)?.[1]
          const isKnown = [file.path, ...(folder === undefined ? [] : [folder])].some(
            (name) => FILES.includes(name) || said.includes(JSON.stringify(name).slice(1, -1)),
          )
          expect(isKnown, file.path).toBe(true)
          expect(file.path).not.toMatch(/^\/|^\.\.|^~|\.handoff|node_modules|^$/)
          expect(file.reason).not.toBe('')
          expect(file.evidence.length).toBeGreaterThan(0)
        }
        expect(new Set(paths(evidence)).size).toBe(evidence.files.length)
      }),
      { numRuns: 150 },
    )
  })

  it('every constraint is a piece of a prompt, every command was run', () => {
    const squeeze = (value: string) => value.replace(/\s+/g, ' ')
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        const evidence = extract(steps, { git: gitState(FILES) })
        const all = events(steps)
        const said = squeeze(all.map((event) => (event.kind === 'prompt' ? event.text : '')).join('\n'))
        const ran = all.map((event) =>
          event.kind === 'call' && event.action.type === 'run' ? event.action.command : '',
        )
        for (const { text: constraint } of evidence.constraints) expect(said).toContain(constraint)
        for (const { command } of evidence.commands)
          expect(ran.some((line) => line.startsWith(command))).toBe(true)
      }),
      { numRuns: 100 },
    )
  })

  it('the same events give the same evidence', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 20 }), text, (steps, goal) => {
        const options = { git: gitState(FILES), goal }
        expect(JSON.stringify(extract(steps, options))).toBe(JSON.stringify(extract(steps, options)))
      }),
      { numRuns: 50 },
    )
  })

  it('the order in which git lists files and changes says nothing', () => {
    const steps = [
      prompt('Look at src/a.ts, README.md'),
      edit('src/b.ts'),
      run('npm test', 1, 'src/a.ts:1: x'),
    ]
    const changes = FILES.map((file) => ({
      path: file,
      staged: false,
      unstaged: true,
      state: 'modified' as const,
    }))
    const forward = extract(steps, { git: gitState(FILES, { changes }) })
    const backward = extract(steps, {
      git: gitState([...FILES].reverse(), { changes: [...changes].reverse() }),
    })
    expect(JSON.stringify(backward)).toBe(JSON.stringify(forward))
  })

  it('finishing twice gives the same', () => {
    const digest = createDigest({ sessionCwd: '/home/dev/repo', home: '/home/dev' })
    for (const event of events([prompt('Do it well'), run('npm test', null)])) digest.add(event)
    const input = {
      git: gitState(FILES),
      ...NOBODY,
    }
    expect(digest.finish(input)).toEqual(digest.finish(input))
  })
})

describeByNight('memory', () => {
  byNight(
    'stays bounded however long the session',
    () => {
      const digest = createDigest({ sessionCwd: '/home/dev/repo', home: '/home/dev' })
      const stamp = { at: null, sub: null, cwd: '/home/dev/repo' }
      digest.add({ ...stamp, kind: 'prompt', text: 'Never push the branch.' })
      for (let i = 0; i < 21_000; i++) {
        const id = `c${i}`
        digest.add({
          ...stamp,
          kind: 'call',
          id,
          tool: 'Edit',
          by: 'agent',
          action: { type: 'edit', files: [{ path: `gen/f${i}.ts`, change: 'create' }] },
        })
        digest.add({ ...stamp, kind: 'result', id, ok: true, exitCode: null, text: 'x'.repeat(100) })
      }
      for (let i = 0; i < 3_500; i++)
        digest.add({
          ...stamp,
          kind: 'call',
          id: `n${i}`,
          tool: 'Bash',
          by: 'agent',
          action: { type: 'run', command: `npm test -- ${i}` },
        })
      const evidence = digest.finish({
        git: gitState([]),
        ...NOBODY,
      })
      expect(evidence.files.length).toBeLessThanOrEqual(20_000)
      expect(evidence.commands.length).toBeLessThanOrEqual(100)
      expect(evidence.constraints).toMatchObject([{ text: 'Never push the branch.' }])
    },
    20_000,
  )
})
