import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { ClientId } from '../client/client.ts'
import type { Report } from '../client/run.ts'
import { git, handoff, type Lab } from '../lab.ts'
import { CHECK, DEMAND, GOAL, textsOf, work } from './work.ts'

const FACTS = [GOAL, DEMAND, 'calc.js', CHECK]

/** Makes the brief with the built program: committed, checked, with the facts, and nothing else touched. Gives its id and that of the session. */
export async function create(
  lab: Lab,
  agent: ClientId,
): Promise<{ id: string; path: string; session: string }> {
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
  return { id: answer.id, path: answer.path, session: answer.session.id }
}

/** The request after the read holds the facts in one text, the file's; the request before it does not hold them. */
export function expectPickedUp(report: Report): void {
  // Titles and the like are asked for without tools; Codex in code mode tells its tools among the items of the input.
  const turns = report.requests.filter(
    (body) =>
      (Array.isArray(body.tools) && body.tools.length > 0) ||
      JSON.stringify(body.input ?? '').includes('"type":"additional_tools"'),
  )
  const [first, second] = turns.map((body) => textsOf(body))
  expect(first?.filter((text) => text.includes(DEMAND))).toEqual([])
  const read = second?.find((text) => text.includes('# Handoff Context')) ?? ''
  for (const fact of FACTS) expect(read).toContain(fact)
}

/** A session that calls `create` itself, is asked for its page, and calls again with `second`: the brief is of that session, and sound. Gives its text. */
export async function handsOverItself(
  lab: Lab,
  id: ClientId,
  second = `handoff create '${GOAL}' --json > ../made.json`,
): Promise<string> {
  await work(lab, id, { extra: [[{ run: `handoff create '${GOAL}'; true` }], [{ run: second }]] })
  const made = JSON.parse(await readFile(join(lab.repo, '..', 'made.json'), 'utf8'))
  expect(made).toMatchObject({ ok: true, session: { agent: id } })
  const checked = await handoff(lab, 'check', made.path)
  expect(checked.code, checked.stderr + checked.stdout).toBe(0)
  const brief = await git(lab, 'show', `HEAD:${made.path}`)
  expect(brief).toContain(GOAL)
  return brief
}
