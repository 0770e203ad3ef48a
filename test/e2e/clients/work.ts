import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { inject, test } from 'vitest'
import { root } from '../build.ts'
import type { ClientId } from '../client/client.ts'
import { type Job, type Report, runClient } from '../client/run.ts'
import { testLimit, turnLimit, twice } from '../client/slow.ts'
import { clients } from '../client/table.ts'
import type { Lab } from '../lab.ts'
import type { Json } from '../model/dialect.ts'
import type { Scenario, Step } from '../model/scenario.ts'

/** What the person demands in every session here. */
export const DEMAND = 'Do not touch calc.test.js, the QA team owns it.'
/** The check that fails in every session here. */
export const CHECK = 'node --test calc.test.js'
export const GOAL =
  'make sub in calc.js pass its test the way add does now, keep both arrow functions as they are exported today, and say in one line what was wrong'
export const ASK = `Please fix add in calc.js so that its test passes. ${DEMAND}`
/** The page of the departing agent, with what a shell would change. */
export const PAGE = `## Where it stands
add is fixed in \`calc.js\`; sub still adds, so turn its sign. It isn't "$done".

## Next step
\`${CHECK}\`
`
/** The one command by which an agent hands page and goal over. */
export const handOver = (goal: string, more = ''): string =>
  `handoff create '${goal}' --notes - ${more} <<'HANDOFF_PAGE'\n${PAGE}HANDOFF_PAGE`
/** The turn in which the agent hands over with its page, after the person called the skill. */
export const handsOver: Scenario = {
  turns: [
    {
      on: 'Hand the work over|finish|make sub',
      steps: [
        [{ say: 'I write the page first.' }, { run: 'git status --short' }],
        [{ run: handOver(GOAL) }],
        [{ say: 'Handed over.' }],
      ],
    },
  ],
}

/** What a brief tells of the page. */
export const PAGE_TOLD = 'sub still adds, so turn its sign. It isn\'t "$done".'

const PICK_UP = 'Read .handoff/latest.md and continue'

export const workSteps: Step[] = [
  [{ say: 'I look at the code first.' }, { read: 'calc.js' }],
  [{ edit: 'calc.js', old: 'export const add = (a, b) => a - b', new: 'export const add = (a, b) => a + b' }],
  [{ run: CHECK }],
  [{ say: 'add is fixed. The test of sub still fails: sub adds instead of subtracting.' }],
]

/** Declares a test that needs real clients. One that cannot be had skips it by name, or fails it under HANDOFF_E2E_REQUIRE=1. `usual`: most ms of clients that are not slow. */
export function clientTest(
  name: string,
  needs: readonly ClientId[],
  body: () => Promise<void>,
  usual?: number,
): void {
  const missing = needs.flatMap((id) => {
    const found = inject('clients')[id]
    return 'missing' in found ? [`${id}@${clients[id].version} (${found.missing})`] : []
  })
  const limit = testLimit(needs)
  if (missing.length === 0) {
    if (limit === null) test(name, body, usual)
    else test(name, () => twice(name, body), limit)
  } else if (process.env.HANDOFF_E2E_REQUIRE === '1') {
    test(name, () => {
      throw new Error(`could not be installed: ${missing.join(', ')}`)
    })
  } else {
    test.skip(`${name} [not run, could not be installed: ${missing.join(', ')}]`, body)
  }
}

/** One headless turn of a real client. Throws when the client or the script failed. */
export const turn = (
  lab: Lab,
  id: ClientId,
  prompt: string,
  scenario: Scenario,
  model?: string,
  args: string[] = [],
): Promise<Report> => start(lab, id, scenario, { prompt, args, model: model ?? null })

/** Runs a program where the client and its model are, with the client's environment. Throws when it or the script failed. */
export const runBeside = (
  lab: Lab,
  id: ClientId,
  scenario: Scenario,
  ...command: string[]
): Promise<Report> => start(lab, id, scenario, { prompt: '', model: null, command })

/** The same with another client ready as well, which the program may start. */
export const runBesideBoth = (
  lab: Lab,
  [id, besides]: [ClientId, ClientId],
  scenario: Scenario,
  ...command: string[]
): Promise<Report> => start(lab, id, scenario, { prompt: '', model: null, command, besides })

/** `runBeside` for the built program. */
export const handoffBeside = (
  lab: Lab,
  id: ClientId,
  scenario: Scenario,
  ...args: string[]
): Promise<Report> =>
  runBeside(lab, id, scenario, process.execPath, join(root, 'bin', 'handoff.cjs'), ...args)

/** The person's own word that an agent started by the program may have the key of the scripted service: it is none of the agent's own. */
export async function allowKey(lab: Lab): Promise<void> {
  await mkdir(join(lab.home, '.config', 'handoff'), { recursive: true })
  await writeFile(join(lab.home, '.config', 'handoff', 'config.yaml'), 'passEnv: [SCRIPTED_API_KEY]\n')
}

async function start(
  lab: Lab,
  id: ClientId,
  scenario: Scenario,
  what: Pick<Job, 'prompt' | 'args' | 'command' | 'model' | 'besides'>,
): Promise<Report> {
  const program = await ready(lab, id)
  if (what.besides !== undefined) await ready(lab, what.besides)
  const report = await runClient({
    client: id,
    program,
    bench: { home: lab.home, repo: lab.repo },
    path: lab.path,
    scenario,
    timeout: turnLimit(id),
    ...what,
  })
  if (report.code !== 0 || report.problems.length > 0) {
    throw new Error(
      `${id} ended with ${report.code}: ${[...report.problems, report.stdout, report.stderr].join('\n')}`,
    )
  }
  return report
}

/** The client's program, on PATH as well. Throws when it could not be installed. */
async function ready(lab: Lab, id: ClientId): Promise<string> {
  const installed = inject('clients')[id]
  if ('missing' in installed) throw new Error(installed.missing)
  await putOnPath(lab, clients[id].bin, installed.program)
  return installed.program
}

/** A person who uses a client has it on PATH; `handoff` may have to ask it. */
export async function putOnPath(lab: Lab, name: string, program: string): Promise<void> {
  await symlink(program, join(lab.path.split(':')[0] ?? '', name)).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
}

/** The departing session: reads, edits, runs a failing test, under a demand of the person. `extra` steps come before the last reply. */
export const work = (
  lab: Lab,
  id: ClientId,
  options: { model?: string; extra?: Step[] } = {},
): Promise<Report> =>
  turn(
    lab,
    id,
    ASK,
    {
      turns: [
        { on: 'fix add', steps: [...workSteps.slice(0, 3), ...(options.extra ?? []), ...workSteps.slice(3)] },
      ],
    },
    options.model,
  )

/** The arriving session: a fresh client that is told nothing but to read the file. */
export const pickUp = (lab: Lab, id: ClientId, model?: string): Promise<Report> =>
  turn(
    lab,
    id,
    PICK_UP,
    {
      turns: [
        {
          on: 'Read \\.handoff/latest\\.md',
          steps: [[{ read: '.handoff/latest.md' }], [{ say: 'I go on with sub.' }]],
        },
      ],
    },
    model,
  )

/** Every text of a request body, however deep. */
export function textsOf(value: Json | unknown): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsOf) : []
}
