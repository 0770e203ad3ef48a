import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { loadCases } from '../../../../bench/eval/load-cases.ts'
import { makeScratch, type Scratch } from '../../../../bench/eval/scratch.ts'
import { type ParsedBrief, parseBrief } from '../../../../src/brief/parse.ts'
import { cli } from '../../../repo/cli.ts'
import { atFolder, makeEnv, makeFolder, type TempRepo } from '../../../repo/make-repo.ts'
import { succeeded } from '../../../repo/usual.ts'

const CASES = fileURLToPath(new URL('../../../evals', import.meta.url))
/** Recorded sessions of every agent, with demands, decisions, plans, failures and secrets in them. */
const NAMES = [
  'cc-feature-cap',
  'cc-plan-accepted',
  'cc-user-correction',
  'cc-secret-in-output',
  'cm-refactor-split',
  'cx-plan-pending',
  'cx-settled-check',
  'oc-sum-validation',
  'pi-forged-sections',
  'pi-renamed-since',
  'plain-design',
  'plain-japanese',
]

/** Those that are resumed again and again. */
const LONG = ['cc-feature-cap', 'cx-plan-pending', 'plain-design']
/** What the departing agent left besides. */
const NOTES = {
  currentLineOfAttack: 'follow the retry counter through run()',
  activeHypothesis: 'it is raised before the job runs',
  abandonedApproaches: ['a second queue for failed jobs'],
  openQuestions: ['may a job be cancelled?'],
  decisions: [
    {
      what: 'Cap the backoff at 30 s',
      why: 'the gateway drops clients after 45 s',
      alternatives: ['jitter only'],
    },
    { what: 'No new dependency — for now', why: null, alternatives: [] },
    {
      what: 'Keep `createQueue()` as it is',
      why: 'others import it',
      alternatives: ['a class', 'a factory'],
    },
  ],
  blockers: ['no access to the staging gateway'],
  nextSteps: ['write the changelog entry'],
  information: ['the queue runs jobs one by one'],
  files: [{ path: 'README.md', reason: 'tells the options' }],
}
/** How much there was to lose, in all cases together. */
const seen = { constraints: 0, decisions: 0 }

const hoursAfter = (from: Date, hours: number) => new Date(from.getTime() + hours * 3_600_000)

/** The facts of a brief without where they come from. */
function factsOf({ brief }: ParsedBrief) {
  const text = (fact: { text: string; source: string }) => `${fact.text} [${fact.source}]`
  return {
    constraints: brief.constraints.map(text),
    decisions: brief.decisions.map(({ what, why, alternatives, by }) =>
      JSON.stringify([what, why, alternatives, by]),
    ),
    information: brief.information.map(text),
    questions: brief.questions
      .filter(({ source }) => source !== 'git')
      .map((one) => `${one.kind} ${text(one)}`),
    commands: brief.commands.map(({ command, outcome, exitCode, cwd, kind, runs }) =>
      JSON.stringify([command, outcome, exitCode, cwd, kind, runs]),
    ),
    files: brief.files.map(({ path }) => path),
    pending: brief.progress.pending.map(text),
    steps: brief.nextSteps.map(text),
  }
}

/** Every label that a carried item may have, counted per line. */
const labelsOf = (markdown: string): number[] =>
  markdown.split('\n').map((line) => [...line.matchAll(/ — from \d{8}T\d{6}-[0-9a-f]{8}/g)].length)

describe.each(NAMES)('%s, resumed in a fresh clone under another home', (name) => {
  let scratch: Scratch
  let clone: TempRepo
  // biome-ignore lint/suspicious/noExplicitAny: the object of --json
  let first: any
  let old: ParsedBrief

  beforeAll(async () => {
    const [loaded] = await loadCases(CASES, { id: name, tag: undefined })
    if (loaded === undefined) throw new Error(`no case ${name}`)
    scratch = await makeScratch(loaded)
    const argv = ['create', loaded.one.goal, '--session', scratch.session ?? '', '--notes', '-', '--json']
    first = succeeded(await cli(scratch, argv, { now: scratch.now, stdin: JSON.stringify(NOTES) }))
    old = parseBrief(first.markdown)
    const base = makeFolder()
    const env = makeEnv(join(base, 'other-home'))
    execFileSync('git', ['clone', '-q', `file://${scratch.root}`, join(base, 'clone')], { env })
    clone = atFolder(base, join(base, 'clone'), env)
  })
  afterAll(() => scratch?.remove())

  it('loses no constraint, no decision and nothing else it says, and labels each item', async () => {
    const before = clone.git(['rev-parse', `HEAD:${first.path}`])
    const json = succeeded(await cli(clone, ['resume', '--json'], { now: hoursAfter(scratch.now, 24) }))
    const parsed = parseBrief(json.markdown)
    expect(json).toMatchObject({
      transcript: 'carried',
      parents: [first.id],
      resumedFrom: { id: first.id, createdAt: old.meta.createdAt },
    })
    expect(parsed.meta).toMatchObject({ goal: old.meta.goal, agent: old.meta.agent })
    expect(parsed.meta.focus).toBe(old.meta.focus)
    expect(parsed.meta.notes).toEqual({ capturedAt: scratch.now.toISOString() })
    expect(parsed.brief.notes).toEqual(old.brief.notes)
    expect(parsed.brief.notesAge).toBe('1 d')
    const [then, now] = [factsOf(old), factsOf(parsed)]
    for (const kind of [
      'constraints',
      'decisions',
      'information',
      'questions',
      'commands',
      'pending',
      'steps',
    ] as const)
      expect(now[kind], kind).toEqual(expect.arrayContaining(then[kind]))
    expect(now.constraints).toEqual(then.constraints)
    seen.constraints += then.constraints.length
    seen.decisions += then.decisions.length + (old.brief.notes?.page.match(/^- Decision: /gm)?.length ?? 0)
    // Two files of these sessions were never committed, so they are gone here; every one is told all the same.
    expect(now.files).toEqual(expect.arrayContaining(then.files))
    const origin = {
      from: first.id,
      ...(old.meta.head === null ? {} : { fromHead: old.meta.head.slice(0, 8) }),
    }
    for (const fact of [...parsed.brief.constraints, ...parsed.brief.information, ...parsed.brief.commands])
      expect(fact).toMatchObject(origin)
    for (const fact of parsed.brief.decisions.filter(({ by }) => by !== 'project'))
      expect(fact).toMatchObject(origin)
    expect(clone.git(['rev-parse', `HEAD:${first.path}`])).toBe(before)
    for (const secret of scratch.secrets) expect(json.markdown).not.toContain(secret)
    const checked = await cli(clone, ['check', '--mode', 'strict', '--json'])
    expect(checked.json.findings.filter(({ level }: { level: string }) => level === 'error')).toEqual([])
    expect(checked.code).toBe(0)
  })

  if (LONG.includes(name))
    it('resumed five times more it still loses nothing, stacks no label and does not grow', async () => {
      const sizes: number[] = []
      let last = succeeded(await cli(clone, ['resume', '--json'], { now: hoursAfter(scratch.now, 25) }))
      for (let n = 0; n < 5; n++) {
        clone.commit(`work ${n}`, { 'elsewhere.txt': `${n}\n` })
        const next = succeeded(
          await cli(clone, ['resume', '--json'], { now: hoursAfter(scratch.now, 26 + n) }),
        )
        expect(next.parents).toEqual([last.id])
        sizes.push(next.tokens)
        last = next
      }
      const parsed = parseBrief(last.markdown)
      const [then, now] = [factsOf(old), factsOf(parsed)]
      expect(now.constraints).toEqual(then.constraints)
      expect(now.decisions).toEqual(expect.arrayContaining(then.decisions))
      expect(now.commands).toEqual(then.commands)
      expect(now.questions).toEqual(expect.arrayContaining(then.questions))
      expect(Math.max(...labelsOf(last.markdown))).toBeLessThanOrEqual(1)
      for (const fact of parsed.brief.constraints) expect(fact.from).toBe(first.id)
      // What comes is one line in Progress per commit, since here every one was made after the base.
      const [one = 0] = sizes
      expect(Math.max(...sizes) - one).toBeLessThan(5 * 30)
    })
})

it('and there was something to lose', () => {
  expect(seen.constraints).toBeGreaterThan(10)
  expect(seen.decisions).toBeGreaterThan(30)
})
