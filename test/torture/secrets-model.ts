import { existsSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { root } from '../e2e/build.ts'
import { startModelServer } from '../repo/model-server.ts'
import type { Context } from './part.ts'
import { plantDefect } from './program.ts'
import { KINDS } from './secrets-fakes.ts'
import { GOAL, plantEverywhere } from './secrets-gathered.ts'
import { eachTurn, type Leak, openTrial, type Trial, tellLeaks } from './secrets-trial.ts'
import type { Traces } from './secrets-world.ts'

const MODEL = 'anthropic/claude-haiku-4-5'
const QUESTION = 'question to a model'

/** What stands in the session reaches no model, and what a model answers no brief. */
export async function models(context: Context): Promise<void> {
  const { program, seed, row, case: tell, scratch } = context
  const found: Leak[] = []
  const wrong: string[] = []
  let [asked, answered] = [0, 0]
  await eachTurn(context, KINDS.length, async (turn) => {
    const trial = openTrial(program, seed + 4000, turn)
    const { leaks, error } = await ask(trial, program)
    if (error !== null) wrong.push(error)
    for (const leak of leaks)
      tell({ fault: `secret in ${leak.place}`, operation: 'create --extract', ...leak })
    found.push(...leaks)
    for (const [place, kinds] of trial.planted)
      if (isAnswer(place)) answered += kinds.length
      else asked += kinds.length
  })
  const inQuestion = found.filter(({ where }) => where === QUESTION)
  const rest = found.filter(({ where }) => where !== QUESTION)
  const operation = 'create --extract'
  const line = (fault: string, count: number, leaks: Leak[]): void =>
    row(
      fault,
      operation,
      count,
      [tellLeaks(leaks), ...new Set(wrong)].filter((text) => text !== ''),
    )
  line('secret in the question to a model', asked, inQuestion)
  line('secret in the output of a model', answered, rest)

  // Where nothing is scanned, both are seen.
  const blind = plantDefect(
    scratch('blind-model'),
    'dist/cli.cjs',
    /new Set\([\w$]+\.allow\)/,
    '{has:()=>true}',
  )
  const { leaks } = await ask(openTrial(blind, seed, 0), blind)
  const seen = new Set(
    leaks.map(({ where, place }) => (where === QUESTION ? 'question' : isAnswer(place) ? 'answer' : '')),
  )
  row(
    'planted defect: nothing is scanned',
    operation,
    leaks.length,
    seen.has('question') && seen.has('answer'),
    `seen in ${[...seen]
      .filter((one) => one !== '')
      .sort()
      .join(', ')}`,
  )
}

const isAnswer = (place: string): boolean => place.startsWith('answer of a model')

/** One run with a model on loopback: secrets in everything that is read, and in everything that it says. */
async function ask(
  { world, plant, leaks }: Trial,
  program: string,
): Promise<{ leaks: Leak[]; error: string | null }> {
  // The packages that a person installs beside the program.
  const modules = join(dirname(program), '..', 'node_modules')
  if (!existsSync(modules)) symlinkSync(join(root, 'node_modules'), modules)
  const env = plantEverywhere(world, plant)
  const said = (place: string): string =>
    `The key of the queue is ${plant(`answer of a model, ${place}`).text} today.`
  const answer = [
    `## Where it stands\n${said('text')}`,
    `## Fails now\n\`deploy ${said('command')}\``,
    `## Names\n- \`src/${said('path')}\``,
    `## Questions for the user\n${said('question')}`,
  ].join('\n\n')
  world.settle()
  const server = await startModelServer([{ text: answer }])
  try {
    const ran = await world.run(['create', GOAL, '--json', '--extract', MODEL], {
      env: { ...env, ...server.env },
    })
    const questions: Traces = server.bodies.flatMap((body) => [
      { where: QUESTION, text: body },
      { where: QUESTION, text: stringsIn(JSON.parse(body)).join('\n') },
    ])
    const isAsked = ran.stdout.includes('"attempts":1') && ran.stdout.includes('"mode":"model"')
    return {
      leaks: leaks(questions),
      error: ran.code === 0 && isAsked ? null : `exit ${ran.code}, ${server.bodies.length} questions`,
    }
  } finally {
    await server.close()
  }
}

const stringsIn = (value: unknown): string[] =>
  typeof value === 'string'
    ? [value]
    : typeof value === 'object' && value !== null
      ? Object.values(value).flatMap(stringsIn)
      : []
