import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, inject, test } from 'vitest'
import { root } from '../build.ts'
import type { ClientId } from '../client/client.ts'
import type { CycleJob, CycleReport } from '../client/cycle-inside.ts'
import { runInside } from '../client/run.ts'
import { clients } from '../client/table.ts'
import { git, handoff, makeLab, textOf } from '../lab.ts'
import type { Scenario, Step } from '../model/scenario.ts'
import { hasTmux } from '../tmux.ts'
import { ASK, allowKey, clientTest, DEMAND, GOAL, putOnPath, textsOf, workSteps } from './work.ts'

const PERSONA = 'You are the reviewer of this change.'

/** What only the departing agent knows; each line under one of the six headings, and what of it must stand in the brief. */
const ANSWER = `## What I was working on
- The two arrow functions of calc.js, one after the other.
## Current progress and state
- add is done; sub is untouched.
## Key decisions made and why
- keep the arrow functions - why: callers import them by name - instead of: a class
## Blockers encountered
- nobody has said what sub is to do with strings
## Files modified
- calc.js - holds both functions
## Next steps and what remains
- swap the operator in sub
`
const ITEMS = [
  'The two arrow functions of calc.js, one after the other.',
  'add is done; sub is untouched.',
  'callers import them by name',
  'nobody has said what sub is to do with strings',
  'holds both functions',
  'swap the operator in sub',
]

const write: Step[] = [
  [{ write: '{{path}}.part', content: `${ANSWER}END OF HANDOFF {{id}}\n` }],
  [{ run: "mv '{{path}}.part' '{{path}}'" }],
  [{ say: 'Written.' }],
]

/** `more`: steps of the departing agent before its last word. */
const scenarioFor = (more: Step[]): Scenario => ({
  turns: [
    { on: '(?<path>\\.handoff/requests/(?<id>[\\w-]+)\\.md)', steps: write },
    {
      on: 'A handoff brief is open',
      steps: [[{ read: '.handoff/latest.md' }], [{ say: 'I go on with sub.' }]],
    },
    { on: PERSONA, steps: [[{ say: 'I review it.' }]] },
    { on: 'fix add', steps: [...workSteps.slice(0, -1), ...more, ...workSteps.slice(-1)] },
  ],
})

/** `how`: the person types the command beside the session and may have that ended, or the departing agent calls it itself. */
async function changeAgents(from: ClientId, to: ClientId, how: 'beside' | 'ends' | 'itself'): Promise<void> {
  const lab = await makeLab()
  const done = await handoff(lab, 'init', '--agent', `${from},${to}`, '--yes')
  expect(done.code, done.stderr + done.stdout).toBe(0)
  await writeFile(join(lab.repo, '.handoff/config.yaml'), `personas: {reviewer: {start: "${PERSONA}"}}\n`)
  await git(lab, 'add', '.')
  await git(lab, 'commit', '-q', '-m', 'Set up handoff')
  await allowKey(lab)
  const programs: string[] = []
  for (const id of [from, to]) {
    const installed = inject('clients')[id]
    if ('missing' in installed) throw new Error(installed.missing)
    programs.push(installed.program)
    await putOnPath(lab, clients[id].bin, installed.program)
  }
  const options = ['switch', GOAL, '--to', to, '--persona', 'reviewer', '--timeout', '90s', '--json']
  const words = options.map((word) => (word === GOAL ? `'${word}'` : word))
  const job: CycleJob = {
    ...{ from, to, ask: ASK, path: lab.path, timeout: 90_000, last: '# Handoff Context' },
    scenario: scenarioFor(how === 'itself' ? [[{ run: `handoff ${words.join(' ')} --detach` }]] : []),
    programs,
    bench: { home: lab.home, repo: lab.repo },
    command:
      how === 'itself'
        ? null
        : [
            process.execPath,
            join(root, 'bin/handoff.cjs'),
            ...options,
            ...(how === 'ends' ? ['--end-outgoing'] : []),
          ],
  }
  const report = await runInside<CycleReport>('cycle-inside.ts', job)
  const shown = () =>
    [report.problems.join('\n'), report.stdout, report.stderr, ...Object.entries(report.screens).flat()].join(
      '\n',
    )
  if (process.env.HANDOFF_E2E_SHOW === '1') process.stderr.write(`${shown()}\n`)
  expect(report.problems, shown()).toEqual([])
  expect(report.code, shown()).toBe(how === 'itself' ? null : 0)
  const status = await handoff(lab, 'status', '--json', '--follow')
  const [answer] = JSON.parse(status.stdout.trim().split('\n').at(-1) ?? '').requests
  expect(answer, shown()).toMatchObject({ state: 'started', agent: from, via: 'tmux' })
  expect(answer.cycle.successor).toMatchObject({ agent: to, sent: 2 })

  // What it wrote is in the brief, which is committed and checked; what it wrote it in is gone.
  const { briefId } = answer.cycle
  const path = (await git(lab, 'ls-files', '.handoff/briefs')).trim()
  expect(path).toContain(briefId)
  const brief = await git(lab, 'show', `HEAD:${path}`)
  for (const text of [GOAL, DEMAND, ...ITEMS]) expect(brief).toContain(text)
  const checked = await handoff(lab, 'check', path)
  expect(checked.code, checked.stderr + checked.stdout).toBe(0)
  expect((await git(lab, 'status', '--porcelain')).trim()).toBe('M calc.js')

  // Titles and the like are asked for without tools.
  const requests = report.requests
    .slice(report.before)
    .filter(({ tools }) => Array.isArray(tools) && tools.length > 0)
    .map((body) => textsOf(body).join('\n'))
  const asked = requests.findIndex((text) => text.includes('Write the answer to exactly this file'))
  const first = requests.findIndex((text) => text.includes(PERSONA))
  const pointed = requests.findIndex((text) => text.includes('A handoff brief is open'))
  const read = requests.findIndex((text) => text.includes('# Handoff Context') && text.includes(DEMAND))
  expect(asked).toBeGreaterThanOrEqual(0)
  // The line of the persona alone, then the pointer alone, then the brief that the successor read.
  expect(first).toBeGreaterThan(asked)
  expect(requests[first]).not.toContain('A handoff brief is open')
  expect(pointed).toBeGreaterThan(first)
  expect(requests[pointed]).not.toContain(DEMAND)
  expect(read).toBeGreaterThan(pointed)

  // The old session ends when that was asked for, and only then.
  expect(report.panes.filter((program) => program !== 'sleep')).toHaveLength(how === 'ends' ? 1 : 2)
  const journal = await textOf(lab, '.git/handoff/journal')
  expect(journal).not.toContain('"failed":')
}

describe('the whole change of agents under tmux', () => {
  for (const [from, to, how] of [
    ['claude-code', 'codex', 'beside'],
    ['codex', 'claude-code', 'ends'],
    ['pi', 'claude-code', 'beside'],
    ['claude-code', 'codex', 'itself'],
    ['codex', 'claude-code', 'itself'],
  ] as const) {
    const name = `${from} to ${to}${{ beside: '', ends: ', ending the first', itself: ', called by the first' }[how]}`
    if (hasTmux || process.env.HANDOFF_E2E_REQUIRE === '1')
      clientTest(name, [from, to], () => changeAgents(from, to, how))
    else test.skip(`${name} [not run: tmux is not installed]`)
  }
})
