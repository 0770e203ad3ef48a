import type { Context } from './part.ts'
import { plantDefect } from './program.ts'
import { CALLER, GOAL, plantEverywhere } from './secrets-gathered.ts'
import { handIn, prepareHanded } from './secrets-handed.ts'
import { openTrial } from './secrets-trial.ts'

const BUNDLE = 'dist/cli.cjs'

/** Defects planted on purpose are seen; where nothing is scanned, every place shows that it feeds something. */
export async function controls(context: Context): Promise<void> {
  await nothingScanned(context)
  await oneMissed(context)
}

async function nothingScanned({ scratch, seed, row }: Context): Promise<void> {
  // A scanner to which everything is allowed.
  const program = plantDefect(scratch('blind'), BUNDLE, /new Set\([\w$]+\.allow\)/, '{has:()=>true}')
  const { world, plant, planted, leaks } = openTrial(program, seed, 0)
  const env = plantEverywhere(world, plant)
  world.settle()
  await world.run(['create', GOAL, '--json', '--no-notes', '--persona', 'builder'], { env })
  await world.run(['sessions', '--json'], { env: CALLER })
  const seen = new Set(leaks().map(({ place }) => place))
  const unseen = [...planted.keys()].filter((place) => !seen.has(place))
  row(
    'planted defect: nothing is scanned',
    'create',
    planted.size,
    unseen.every((place) => FEEDS_NOTHING.has(place)),
    unseen.length === 0 ? '' : `reach nothing: ${unseen.join(', ')}`,
  )
}

/** Places that no brief is made of; they are planted all the same, in case one comes to be. */
const FEEDS_NOTHING: ReadonlySet<string> = new Set([
  'configuration, start line',
  'author of a commit',
  'address of a remote',
  'body of a commit',
  'trailer of a commit',
  'title of the session',
  'output that is cut',
])

async function oneMissed({ scratch, seed, row }: Context): Promise<void> {
  // The check of what is handed in passes over the notes.
  const check =
    /async function ([\w$]+)\(([\w$]+),([\w$]+),([\w$]+),([\w$]+)\)\{let\{value:([\w$]+),counts:([\w$]+)\}=await \2\.redact\(\4\);/
  const missed =
    'async function $1($2,$3,$4,$5){if($3==="notes")return $4;let{value:$6,counts:$7}=await $2.redact($4);'
  const program = plantDefect(scratch('missed'), BUNDLE, check, missed)
  const { world, plant, leaks } = openTrial(program, seed, 1)
  prepareHanded(world)
  world.settle()
  const found: string[] = []
  for (const place of ['goal', 'editor', 'outcome', 'notes, activeHypothesis', 'note --question']) {
    const wrong = await handIn(world, place, plant)
    if (wrong.length + leaks().length > 0) found.push(place)
  }
  const expected = 'notes, activeHypothesis, note --question'
  row(
    'planted defect: notes are not looked at',
    'note, create, done',
    5,
    found.join(', ') === expected,
    `seen at ${found.join(', ')}`,
  )
}
