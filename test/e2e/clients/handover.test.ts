import { describe, expect } from 'vitest'
import type { ClientId } from '../client/client.ts'
import type { Report } from '../client/run.ts'
import { git, handoff, type Lab, makeLab, textOf } from '../lab.ts'
import { CHECK, clientTest, DEMAND, GOAL, pickUp, textsOf, work } from './work.ts'

const FACTS = [GOAL, DEMAND, 'calc.js', CHECK]

/** Makes the brief with the built program: committed, checked, with the facts, and nothing else touched. */
async function create(lab: Lab, agent: ClientId): Promise<void> {
  const before = await git(lab, 'status', '--porcelain')
  const made = await handoff(lab, 'create', GOAL, '--json')
  expect(made.stderr + made.stdout).not.toMatch(/internal error|at file:/i)
  expect(made.code, made.stderr + made.stdout).toBe(0)
  const answer = JSON.parse(made.stdout)
  expect(answer).toMatchObject({ ok: true, session: { agent }, branch: 'feature/fix-calc' })
  expect(await git(lab, 'status', '--porcelain')).toBe(before)
  expect((await git(lab, 'rev-parse', 'HEAD')).trim()).toBe(answer.commit)
  const brief = await git(lab, 'show', `HEAD:${answer.path}`)
  for (const fact of FACTS) expect(brief).toContain(fact)
  const checked = await handoff(lab, 'check', answer.path)
  expect(checked.code, checked.stderr + checked.stdout).toBe(0)
}

/** The request after the read holds the facts in one text, the file's; the request before it does not hold them. */
function expectPickedUp(report: Report): void {
  const [first, second] = report.requests.map((body) => textsOf(body))
  expect(first?.filter((text) => text.includes(DEMAND))).toEqual([])
  const read = second?.find((text) => text.includes('# Handoff Context')) ?? ''
  for (const fact of FACTS) expect(read).toContain(fact)
}

describe('a fresh agent told to read .handoff/latest.md has the goal, the demand, the file and the failing command', () => {
  clientTest('Claude Code to Claude Code', ['claude-code'], async () => {
    const lab = await makeLab()
    await work(lab, 'claude-code')
    await create(lab, 'claude-code')
    expectPickedUp(await pickUp(lab, 'claude-code'))
  })

  clientTest('Claude Code to Codex', ['claude-code', 'codex'], async () => {
    const lab = await makeLab()
    await work(lab, 'claude-code')
    await create(lab, 'claude-code')
    expectPickedUp(await pickUp(lab, 'codex'))
  })

  // The model's name decides the tools: classic ones, or one tool that takes JavaScript.
  for (const [model, tools] of [
    ['gpt-5.5', 'classic tools'],
    ['gpt-6.1-sol', 'code mode'],
  ] as const) {
    clientTest(`Codex with ${tools} to Claude Code`, ['claude-code', 'codex'], async () => {
      const lab = await makeLab()
      await work(lab, 'codex', { model })
      await create(lab, 'codex')
      expectPickedUp(await pickUp(lab, 'claude-code'))
    })
  }

  clientTest('Claude Code to Codex in code mode', ['claude-code', 'codex'], async () => {
    const lab = await makeLab()
    await work(lab, 'claude-code')
    await create(lab, 'claude-code')
    expectPickedUp(await pickUp(lab, 'codex', 'gpt-6.1-sol'))
  })

  clientTest('Pi to Claude Code', ['pi', 'claude-code'], async () => {
    const lab = await makeLab()
    await work(lab, 'pi')
    await create(lab, 'pi')
    expectPickedUp(await pickUp(lab, 'claude-code'))
  })

  clientTest('Claude Code to Pi', ['pi', 'claude-code'], async () => {
    const lab = await makeLab()
    await work(lab, 'claude-code')
    await create(lab, 'claude-code')
    expectPickedUp(await pickUp(lab, 'pi'))
  })
})

describe('the brief of a real session', () => {
  clientTest('is one commit with nothing but our own files', ['claude-code'], async () => {
    const lab = await makeLab()
    await work(lab, 'claude-code')
    await create(lab, 'claude-code')
    expect((await git(lab, 'rev-list', '--count', 'main..HEAD')).trim()).toBe('1')
    const committed = (await git(lab, 'show', '--name-only', '--format=', 'HEAD')).trim().split('\n')
    expect(committed.filter((path) => !path.startsWith('.handoff/'))).toEqual([])
    expect(await textOf(lab, 'calc.js')).toContain('a + b')
  })
})
