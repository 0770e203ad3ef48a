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

const scenario: Scenario = {
  turns: [
    { on: '(?<path>\\.handoff/requests/(?<id>[\\w-]+)\\.md)', steps: write },
    {
      on: 'A handoff brief is open',
      steps: [[{ read: '.handoff/latest.md' }], [{ say: 'I go on with sub.' }]],
    },
    { on: 'fix add', steps: workSteps },
  ],
}

/** The person types the command beside the session. */
async function changeAgents(from: ClientId, to: ClientId): Promise<void> {
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
  const job: CycleJob = {
    ...{ from, to, ask: ASK, path: lab.path, timeout: 90_000, last: '# Handoff Context' },
    ...{ scenario, programs },
    bench: { home: lab.home, repo: lab.repo },
    command: [process.execPath, join(root, 'bin/handoff.cjs'), ...options],
  }
  const report = await runInside<CycleReport>('cycle-inside.ts', job)
  const shown = () =>
    [report.problems.join('\n'), report.stdout, report.stderr, ...Object.entries(report.screens).flat()].join(
      '\n',
    )
  if (process.env.HANDOFF_E2E_SHOW === '1') process.stderr.write(`${shown()}\n`)
  expect(report.problems, shown()).toEqual([])
  expect(report.code, shown()).toBe(0)
  const answer = JSON.parse(report.stdout)
  expect(answer, shown()).toMatchObject({ asked: { agent: from, via: 'tmux' }, successor: { agent: to } })
  expect(answer.successor.sessionId, shown()).toEqual(expect.any(String))

  // What it wrote is in the brief, which is committed and checked; what it wrote it in is gone.
  const path = (await git(lab, 'ls-files', '.handoff/briefs')).trim()
  expect(path).toContain(answer.id)
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
  const pointed = requests.findIndex((text) => text.includes('A handoff brief is open'))
  const read = requests.findIndex((text) => text.includes('# Handoff Context') && text.includes(DEMAND))
  expect(asked).toBeGreaterThanOrEqual(0)
  // The line of the persona with the pointer, then the brief that the successor read.
  expect(pointed).toBeGreaterThan(asked)
  expect(requests[pointed]).toContain(PERSONA)
  expect(requests[pointed]).not.toContain(DEMAND)
  expect(read).toBeGreaterThan(pointed)

  // The old session goes on.
  expect(report.panes.filter((program) => program !== 'sleep')).toHaveLength(2)
  const journal = await textOf(lab, '.git/handoff/journal')
  expect(journal).not.toContain('"failed":')
}

describe('the whole change of agents under tmux', () => {
  for (const [from, to] of [
    ['claude-code', 'codex'],
    ['codex', 'claude-code'],
    ['pi', 'claude-code'],
  ] as const) {
    const name = `${from} to ${to}`
    if (hasTmux || process.env.HANDOFF_E2E_REQUIRE === '1')
      clientTest(name, [from, to], () => changeAgents(from, to))
    else test.skip(`${name} [not run: tmux is not installed]`)
  }
})
