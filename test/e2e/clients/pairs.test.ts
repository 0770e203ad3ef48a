import { cp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, describe, expect, inject, test } from 'vitest'
import type { ClientId } from '../client/client.ts'
import { git, handoff, type Lab, makeLab, textOf } from '../lab.ts'
import type { Scenario } from '../model/scenario.ts'
import { create } from './handover.ts'
import { matrixText, missingIn, type Pair } from './matrix.ts'
import { allowKey, CHECK, clientTest, DEMAND, GOAL, handoffBeside, textsOf, work } from './work.ts'

const AGENTS = [
  'claude-code',
  'cline',
  'codex',
  'continue',
  'gemini-cli',
  'opencode',
  'pi',
  'qwen-code',
] as const satisfies ClientId[]

/** What the successor is asked for next. */
const NEXT_GOAL = 'add mul to calc.js beside add and sub, as an arrow function exported in the same way'

/** Continue writes its file only after the turn (1.5.47): a person hands over then. */
const writesLate = (id: ClientId): boolean => id === 'continue'

/** What the successor does once it has read the brief, until it hands over itself. */
const goesOn = (to: ClientId): Scenario => ({
  turns: [
    {
      on: 'A handoff brief is open',
      steps: [
        [{ say: 'I read the brief first.' }, { read: '.handoff/latest.md' }],
        // Claude Code edits no file that it has not read.
        [{ read: 'calc.js' }],
        [
          {
            edit: 'calc.js',
            old: 'export const sub = (a, b) => a + b',
            new: 'export const sub = (a, b) => a - b',
          },
        ],
        [{ run: CHECK }],
        ...(writesLate(to)
          ? []
          : [[{ run: `handoff create '${NEXT_GOAL}' --no-notes --json > ../next.json` }]]),
        [{ say: 'sub is fixed; it added instead of subtracting.' }],
      ],
    },
  ],
})

const pairs: Pair[] = []
const labs: (() => Promise<void>)[] = []

afterAll(async () => {
  console.log(`\n${matrixText(pairs)}\n`)
  for (const remove of labs) await remove()
}, 60_000)

/** A session of `from` that was handed over, made once; each successor then finds the same. */
function departed(from: ClientId): () => Promise<{ lab: Lab; id: string }> {
  let made: Promise<{ lab: Lab; id: string }> | null = null
  const depart = async () => {
    const lab = await makeLab((remove) => void labs.push(remove))
    await allowKey(lab)
    await work(lab, from)
    const { id } = await create(lab, from)
    for (const name of ['home', 'repo'] as const)
      await cp(lab[name], join(lab.folder, 'saved', name), { recursive: true, verbatimSymlinks: true })
    return { lab, id }
  }
  return async () => {
    made ??= depart()
    const { lab, id } = await made
    for (const name of ['home', 'repo'] as const) {
      await rm(lab[name], { recursive: true, force: true, maxRetries: 5 })
      await cp(join(lab.folder, 'saved', name), lab[name], { recursive: true, verbatimSymlinks: true })
    }
    return { lab, id }
  }
}

describe('every agent hands over to every other', () => {
  for (const from of AGENTS) {
    const depart = departed(from)
    for (const to of AGENTS.filter((id) => id !== from))
      clientTest(`${from} to ${to}`, [from, to], async () => {
        const pair: Pair = {
          ...{ from, to, created: null, started: null, marker: null },
          ...{ constraint: null, linked: null, ms: null },
        }
        pairs.push(pair)
        const { lab, id } = await depart()
        pair.created = id
        const began = Date.now()

        const report = await handoffBeside(lab, to, goesOn(to), 'resume', '--to', to, '--headless', '--json')
        const answer = JSON.parse(report.stdout)
        expect(answer).toMatchObject({ ok: true, id, agent: to, started: true, headless: true, exit: 0 })
        // Titles and the like are asked for without tools.
        const requests = report.requests
          .filter(({ tools }) => Array.isArray(tools) && tools.length > 0)
          .map(textsOf)
        const first = requests[0]?.join('\n') ?? ''
        expect(first).toContain('A handoff brief is open')
        expect(first).not.toContain(DEMAND)
        pair.started = 'resume --headless'

        const whereIs = (fact: string): string | null => {
          const at = requests.findIndex((texts) =>
            texts.some((text) => text.includes('# Handoff Context') && text.includes(fact)),
          )
          return at === -1 ? null : `request ${at + 1} of ${requests.length}`
        }
        pair.marker = whereIs(GOAL)
        pair.constraint = whereIs(DEMAND)
        expect(await textOf(lab, 'calc.js')).toContain('sub = (a, b) => a - b')

        const told = writesLate(to)
          ? (await handoff(lab, 'create', NEXT_GOAL, '--json', '--from', to)).stdout
          : await textOf(lab, '../next.json')
        const next = JSON.parse(told)
        expect(next, JSON.stringify(next)).toMatchObject({ ok: true, session: { agent: to } })
        const brief = await git(lab, 'show', `HEAD:${next.path}`)
        expect(brief).toContain(`\nparents:\n  - ${id}\n`)
        const quotes = brief.split('\n').filter((line) => line.includes(DEMAND))
        expect(quotes).toEqual([expect.stringContaining(`from ${id}`)])
        const checked = await handoff(lab, 'check', next.path)
        expect(checked.code, checked.stderr + checked.stdout).toBe(0)
        pair.linked = next.id
        pair.ms = Date.now() - began

        expect(missingIn(pair), matrixText([pair])).toEqual([])
      })
  }

  test('and every cell of the matrix was seen', () => {
    const has = (id: ClientId) => !('missing' in inject('clients')[id])
    const wanted = AGENTS.flatMap((from) =>
      AGENTS.filter((to) => to !== from && has(from) && has(to)).map((to) => `${from} to ${to}`),
    )
    expect(
      pairs.filter((pair) => missingIn(pair).length === 0).map(({ from, to }) => `${from} to ${to}`),
    ).toEqual(wanted)
  })
})
