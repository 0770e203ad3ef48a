import type { ByForm, Context, Part } from './part.ts'
import { sample } from './random.ts'
import { alarms } from './secrets-alarms.ts'
import { READERS, writeStrangersBrief } from './secrets-brief.ts'
import { controls } from './secrets-controls.ts'
import { KINDS } from './secrets-fakes.ts'
import { CALLER, GOAL, plainSession, plantEverywhere, writeNamedSession } from './secrets-gathered.ts'
import { HANDED, handDocument, handIn, handToServer, prepareHanded } from './secrets-handed.ts'
import { models } from './secrets-model.ts'
import { repeats } from './secrets-repeats.ts'
import { eachTurn, type Leak, openTrial, type Trial, tellLeaks } from './secrets-trial.ts'

/** Places where secrets are handed in, and how many secrets and kinds a run must have planted. */
const SAMPLE: ByForm<{ places: number; secrets: number; kinds: number }> = {
  ci: { places: 1, secrets: 45, kinds: 25 },
  short: { places: 14, secrets: 150, kinds: 60 },
  long: { places: HANDED.length, secrets: 150, kinds: KINDS.length },
}

/** What reads the same as others of these. */
const BY_NIGHT: ReadonlySet<string> = new Set([
  'create --preview',
  'sessions',
  'verify',
  'log --html',
  'resume',
  'done',
])

/** What was tried at a place, and what is wrong with what came of it. */
interface Tally {
  count: number
  wrong: string[]
  leaks: Leak[]
}

/** Well-formed secrets of every kind in every place that feeds a brief: none comes out anywhere. */
export const part: Part = {
  name: 'secrets',
  async run(context) {
    await gathered(context)
    await handed(context)
    if (context.form !== 'ci') {
      await inBriefs(context)
      await alarms(context)
      await repeats(context)
      await controls(context)
      await models(context)
    }
    tellKinds(context)
  },
}

/** Everything that the program reads by itself is replaced. */
async function gathered(context: Context): Promise<void> {
  const tallies = new Map<string, Tally>()
  await eachTurn(context, KINDS.length, async (turn) => {
    const trial = openTrial(context.program, context.seed, turn)
    const { world, plant } = trial
    const env = plantEverywhere(world, plant)
    world.settle()
    const runs: [string, string[], object?][] = [
      ['create', ['create', GOAL, '--json', '--no-notes', '--persona', 'builder'], { env }],
      ['create --preview', ['create', GOAL, '--preview'], { env }],
      ['sessions', ['sessions', '--json'], { env }],
      ['status', ['status'], { env }],
      ['review', ['review', 'HEAD~1..HEAD'], { env }],
      ['verify', ['verify'], { env }],
      ['log --html', ['log', '--html', 'chain.html'], { env }],
      ['resume', ['resume'], { env }],
      ['done', ['done', 'shipped'], { env }],
    ]
    for (const [name, argv, options] of runs) {
      if (context.form === 'ci' && BY_NIGHT.has(name)) continue
      const { code, stderr, stdout } = await world.run(argv, options)
      if (code !== 0 && name !== 'verify')
        fail(tallies, `${name}, exit ${code}`, `${stderr}${stdout}`.slice(0, 300))
      keep(context, tallies, trial, name)
    }
    if (context.form === 'ci') return count(tallies, trial)
    const plain = await world.run(['create', GOAL, '--json', '--session', '-', '--print'], {
      stdin: plainSession(plant),
    })
    if (plain.code !== 0) fail(tallies, 'session on standard input', `exit ${plain.code}`)
    keep(context, tallies, trial, 'create')
    const file = writeNamedSession(world, plant)
    world.settle()
    const named = await world.run(['create', GOAL, '--session', file, '--json'], {})
    if (named.code !== 0) fail(tallies, 'path of the session', `exit ${named.code}`)
    keep(context, tallies, trial, 'create')
    count(tallies, trial)
  })
  tell(context, tallies, 'create and what follows it')
}

async function handed(context: Context): Promise<void> {
  const tallies = new Map<string, Tally>()
  await eachTurn(context, 20, async (turn) => {
    const trial = openTrial(context.program, context.seed + 1000, 40 + turn * 5)
    prepareHanded(trial.world)
    trial.world.settle()
    const places = sample(HANDED, SAMPLE[context.form].places, context.random)
    for (const place of places) {
      for (const wrong of await handIn(trial.world, place, trial.plant)) fail(tallies, place, wrong)
      keep(context, tallies, trial, place)
    }
    for (const wrong of await handToServer(trial.world, trial.plant)) fail(tallies, 'MCP', wrong)
    keep(context, tallies, trial, 'mcp')
    if (context.form !== 'ci') {
      for (const wrong of await handDocument(trial.world, trial.plant))
        fail(tallies, 'document of a request', wrong)
      keep(context, tallies, trial, 'await')
    }
    count(tallies, trial)
  })
  tell(context, tallies, 'refused or replaced')
}

async function inBriefs(context: Context): Promise<void> {
  const tallies = new Map<string, Tally>()
  await eachTurn(context, 20, async (turn) => {
    const trial = openTrial(context.program, context.seed + 2000, 75 + turn * 5)
    const { world } = trial
    prepareHanded(world)
    await writeStrangersBrief(world, trial.plant)
    const head = world.repo.git(['rev-parse', 'HEAD'])
    for (const [name, argv] of Object.entries(READERS)) {
      world.settle()
      // An agent that calls these is refused a stranger's brief.
      const isOfPerson = name === 'resume' || name === 'verify'
      const { code } = await world.run(argv, isOfPerson ? {} : { env: CALLER })
      if (code !== (name.startsWith('check') ? 1 : 0)) fail(tallies, name, `exit ${code}`)
      keep(context, tallies, trial, name)
      world.repo.git(['reset', '-q', '--hard', head])
      world.repo.git(['clean', '-qfd'])
    }
    count(tallies, trial)
  })
  tell(context, tallies, 'resume, create, done, review, check, log --html, ask')
}

const tallyOf = (tallies: Map<string, Tally>, place: string): Tally => {
  const known = tallies.get(place) ?? { count: 0, wrong: [], leaks: [] }
  tallies.set(place, known)
  return known
}

const fail = (tallies: Map<string, Tally>, place: string, wrong: string): number =>
  tallyOf(tallies, place).wrong.push(wrong)

function keep({ case: tell }: Context, tallies: Map<string, Tally>, trial: Trial, operation: string): void {
  for (const leak of trial.leaks()) {
    tallyOf(tallies, leak.place).leaks.push(leak)
    tell({ fault: `secret in ${leak.place}`, operation, kind: leak.kind, leak: leak.where })
  }
}

function count(tallies: Map<string, Tally>, { planted }: Trial): void {
  for (const [place, kinds] of planted) {
    tallyOf(tallies, place).count += kinds.length
    for (const kind of kinds) everyKind.set(kind, (everyKind.get(kind) ?? 0) + 1)
  }
}

/** How many secrets of each kind were planted. */
const everyKind = new Map<string, number>()

function tellKinds({ row, form }: Context): void {
  const least = SAMPLE[form]
  const secrets = [...everyKind.values()].reduce((sum, one) => sum + one, 0)
  row(
    `secrets of ${everyKind.size} kinds`,
    'all of the above',
    secrets,
    secrets >= least.secrets && everyKind.size >= least.kinds,
  )
}

function tell({ row }: Context, tallies: ReadonlyMap<string, Tally>, operation: string): void {
  for (const [place, { count: tried, wrong, leaks }] of tallies)
    row(
      `secret in ${place}`,
      operation,
      tried,
      [tellLeaks(leaks), ...new Set(wrong)].filter((text) => text !== ''),
    )
}
