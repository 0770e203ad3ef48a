import { expect, inject, test } from 'vitest'
import type { ClientId } from '../client/client.ts'
import { runInside } from '../client/run.ts'
import type { Act, ScreenJob, ScreenReport } from '../client/screen-inside.ts'
import { turnLimit } from '../client/slow.ts'
import { clients } from '../client/table.ts'
import type { Lab } from '../lab.ts'
import type { Json } from '../model/dialect.ts'
import type { Step } from '../model/scenario.ts'
import { hasTmux } from '../tmux.ts'
import { clientTest, putOnPath, textsOf } from './work.ts'

/** How a session is told of the open brief. */
export const BEGINNING = 'A handoff brief is open on branch'

/** Declares a test in which clients are on a screen. */
export function onScreen(name: string, needs: readonly ClientId[], body: () => Promise<void>): void {
  if (hasTmux || process.env.HANDOFF_E2E_REQUIRE === '1') clientTest(name, needs, body, 900_000)
  else test.skip(`${name} [not run: tmux is not installed]`)
}

/** A person's session with one client on a screen. */
export async function session(
  lab: Lab,
  id: ClientId,
  script: [on: string, steps: Step[]][],
  acts: Act[],
  args: string[] = [],
  command?: string[],
): Promise<ScreenReport> {
  const installed = inject('clients')[id]
  if ('missing' in installed) throw new Error(installed.missing)
  await putOnPath(lab, clients[id].bin, installed.program)
  const job: ScreenJob = {
    ...{ client: id, program: installed.program, path: lab.path, acts, args, timeout: turnLimit(id) },
    bench: { home: lab.home, repo: lab.repo },
    scenario: { turns: script.map(([on, steps]) => ({ on, steps })) },
    ...(command === undefined ? {} : { command }),
  }
  const report = await runInside<ScreenReport>('screen-inside.ts', job)
  const shown = [...report.problems, ...report.screens].join('\n')
  if (process.env.HANDOFF_E2E_SHOW === '1') process.stderr.write(`${shown}\n`)
  expect(report.problems, shown).toEqual([])
  return report
}

/** The pointers among the texts of a request, whole. */
export const pointersIn = (body: Json): string[] => textsOf(body).filter((text) => text.includes(BEGINNING))

/** The pointers in the first request of a new session in which the person says hello. */
export async function heardBy(lab: Lab, id: ClientId, args: string[] = []): Promise<string[]> {
  const script: [string, Step[]][] = [['hello', [[{ say: 'Hello.' }]]]]
  const { acts } = await session(lab, id, script, [{ say: 'hello' }], args)
  const bodies = acts.flatMap(({ requests }) => requests)
  // Titles and the like are asked for without tools.
  return pointersIn(bodies.find(({ tools }) => Array.isArray(tools) && tools.length > 0) ?? {})
}
