import { stripVTControlCharacters } from 'node:util'
import type { Command } from 'commander'
import type { CommandModule, ExitCode, Invocation } from '../command.ts'
import { type Demo, openDemo } from '../demo/demo-place.ts'
import { INTRO, NEXT, OUTRO, STORY, type Step } from '../demo/story.ts'
import { type Output, openOutput } from '../output/output.ts'
import { plural } from '../text/count.ts'
import { paint, type Row, wrapMessage } from '../text/rows.ts'
import * as create from './create.ts'
import { done } from './done.ts'
import { note } from './note.ts'
import { review } from './review.ts'
import * as show from './show.ts'

const VERBS: Readonly<Record<string, CommandModule>> = { note, create, show, done, review }

export function define(command: Command): void {
  command.addHelpText('after', HELP)
}

const HELP = `
It removes the folder. Your repository, home and git configuration stay as they are.

Example:
  handoff demo`

export const run: CommandModule['run'] = async (invocation) => {
  const { out, place } = invocation
  const demo = await openDemo(place)
  // The story is of its own folder: only the last line says what calls the program where the person is.
  out.raw(`${INTRO}\n\n`)
  const steps: { about: string; command: string; output: string }[] = []
  try {
    for (const [at, step] of STORY.entries()) {
      const command = typed(step.words)
      out.raw(paint(headOf(at + 1, step.about, command), out.screen?.color ?? false))
      const { code, output } = await take(step, demo, invocation)
      steps.push({ about: step.about, command, output })
      out.raw(`${output}\n`)
      if (code !== 0) return code
    }
  } finally {
    demo.close()
  }
  out.raw(out.named(`${OUTRO}\n\n  ${NEXT}\n`))
  out.object({ ok: true, steps, next: NEXT, warnings: out.warnings })
  return 0
}

async function take(
  { words, before, from }: Step,
  demo: Demo,
  invocation: Invocation,
): Promise<{ code: ExitCode; output: string }> {
  before?.(demo)
  const [program, ...args] = words
  if (program === 'git') return { code: 0, output: await demo.git(args) }
  const { Command } = await import('commander')
  const verb = VERBS[args[0] ?? ''] as CommandModule
  const command = new Command()
  verb.define(command)
  command.parse(args.slice(1), { from: 'user' })
  const seen = recorder(invocation.out)
  const code = await verb.run(
    { ...invocation, ...seen, place: demo.place, onReader: () => undefined },
    command.args,
    command.opts(),
  )
  return { code, output: from === undefined ? seen.text() : beginAt(from, seen.text()) }
}

/** Keeps what is printed, as it looks where `out` prints. */
function recorder({ screen }: Output): Pick<Invocation, 'out' | 'stderr'> & { text: () => string } {
  let text = ''
  const write = (part: string): void => {
    text += part
  }
  const stream = screen === null ? { write } : { write, isTTY: true, columns: screen.columns }
  const color = screen?.color ?? false
  const look = { json: false, interactive: false, color, mayColor: color, wrap: wrapMessage }
  return { out: openOutput({ stdout: stream, stderr: stream, ...look }), stderr: stream, text: () => text }
}

function beginAt(heading: string, output: string): string {
  const lines = output.split('\n')
  const at = lines.findIndex((line) => stripVTControlCharacters(line).replace(/^#+ /, '') === heading)
  return at < 1 ? output : [`[… ${plural(at, 'line')} left out]`, '', ...lines.slice(at)].join('\n')
}

const headOf = (number: number, about: string, command: string): Row[] => [
  [{ text: `${number}. ${about}` }],
  [],
  ...command.split('\n').map((line, at): Row => [{ text: at === 0 ? `$ ${line}` : line, is: 'strong' }]),
]

/** Words as a person types them, options of a long command on lines of their own. */
function typed([program, ...args]: Step['words']): string {
  const words = args.map((word) => (/^[\w-]+$/.test(word) ? word : `"${word}"`))
  const line = [program === 'handoff' ? 'git handoff' : program, ...words].join(' ')
  return line.length < WIDE ? line : line.replace(/ (?=--)/g, ' \\\n    ')
}

/** Cells of a usual terminal. */
const WIDE = 100
