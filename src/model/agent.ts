import { randomBytes } from 'node:crypto'
import { rmSync } from 'node:fs'
import { mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { modelFailed, modelUnknown } from '../errors.ts'
import type { Ask } from '../types.ts'
import type { Model } from './model.ts'
import { endOf, runProgram } from './program.ts'

/** An agent, and what of the person's surroundings it gets. */
export interface AskedAgent {
  /** Name people use. */
  label: string
  program: string
  ask: Ask
  /** As the agent names it; null: whichever it takes by itself. */
  model: string | null
  env: Readonly<Record<string, string>>
}

/** Whoever reads a prompt as an agent takes tools for offered and a first word for a command. */
const before = (
  id: string,
): string => `This is one question. Answer it from the text below alone, in text, without any tool.
Write your answer once, between a line <reply-${id}> and a line </reply-${id}>.

`

/** Where a mark of a request begins and ends in a text, with what else stands on its line. */
interface Mark {
  isOpening: boolean
  /** Nothing else stands on its line. */
  isAlone: boolean
  /** It is the first or the last on its line. */
  isAtEdge: boolean
  from: number
  to: number
}

/** In the order in which they stand there. */
function marksOf(id: string, text: string): Mark[] {
  const mark = new RegExp(`(?:(^[ \\t]*)|)<(/?)reply-${id}>(?:([ \\t]*$)|)`, 'gm')
  return [...text.matchAll(mark)].map(({ 0: whole, 1: before, 2: slash, 3: after, index }) => ({
    isOpening: slash === '',
    isAlone: before !== undefined && after !== undefined,
    isAtEdge: before !== undefined || after !== undefined,
    from: index,
    to: index + whole.length,
  }))
}

/** What stands last between an opening and the end that follows it; null where nothing does. */
function lastBetween(marks: readonly Mark[], text: string): string | null {
  for (let i = marks.length - 1; i > 0; i--) {
    const [opening, end] = [marks[i - 1], marks[i]]
    if (!opening?.isOpening || end === undefined || end.isOpening) continue
    const said = text.slice(opening.to, end.from).trim()
    if (said !== '') return said
  }
  return null
}

/**
 * What stands between the marks of this request, the last time that something stands there: hooks of the person's own may make an
 * agent go on after its answer. An agent may speak of the marks as well, in a sentence or within the answer: those alone on their
 * lines come first, then those at an edge of their lines, and one whose end is missing goes on to the end of the text, or to the next
 * opening. All that it said where nothing is marked; whoever asked judges that anyway. Takes time that grows with the text alone.
 */
export function replyTo(id: string, text: string): string {
  const all = marksOf(id, text)
  if (all.length === 0) return text
  const alone = all.filter(({ isAlone }) => isAlone)
  const atEdge = all.filter(({ isAtEdge }) => isAtEdge)
  const begunAtEdge = all.filter(({ isOpening, isAtEdge }) => isAtEdge || !isOpening)
  return (
    lastBetween(alone, text) ??
    lastBetween(atEdge, text) ??
    lastBetween(begunAtEdge, text) ??
    lastBetween(withEnds(begunAtEdge, text), text) ??
    lastBetween(all, text) ??
    lastBetween(withEnds(all, text), text) ??
    withoutMarks(all, text)
  )
}

/** With an end for every opening that has none: the next opening, or the end of the text. */
const withEnds = (marks: readonly Mark[], text: string): Mark[] =>
  marks.flatMap((mark, i) => {
    const next = marks[i + 1]
    if (!mark.isOpening || next?.isOpening === false) return [mark]
    const at = next?.from ?? text.length
    return [mark, { isOpening: false, isAlone: false, isAtEdge: false, from: at, to: at }]
  })

const withoutMarks = (marks: readonly Mark[], text: string): string =>
  [...marks, { from: text.length }].map(({ from }, i) => text.slice(marks[i - 1]?.to ?? 0, from)).join('')

/** From `@` to the sign of the same look that no program knows (U+FF01 … U+FF5E). */
const WIDE = 0xfee0

/**
 * The model of an agent, asked through its own headless mode and login: the prompt on standard input, in an empty folder of its own,
 * so that its session is of no repository. Nothing in the prompt calls in a file or a skill. The reply is its text blocks, joined with
 * a newline, and of those what it marked as the answer to this request.
 */
export function agentModel({ label, program, ask, model, env }: AskedAgent): Model {
  const name = model === null ? label : `${label} (${model})`
  const wide = (sign: string): string => String.fromCharCode(sign.charCodeAt(0) + WIDE)
  const signs = [...ask.expands]
  return {
    name,
    async ask({ prompt, signal }) {
      const id = randomBytes(6).toString('hex')
      const folder = await realpath(await mkdtemp(join(tmpdir(), 'handoff-ask-')))
      // Also when this process is told to end at once.
      const remove = (): void => rmSync(folder, { recursive: true, force: true })
      process.once('exit', remove)
      try {
        const { exit, stdout, stderr } = await runProgram({
          file: program,
          args: ask.args(model),
          stdin: signs.reduce((text, sign) => text.replaceAll(sign, wide(sign)), before(id) + prompt),
          cwd: folder,
          env: { ...env, ...ask.env, HANDOFF: '0' },
          ...(signal === undefined ? {} : { signal }),
        }).catch((cause) => {
          if (signal?.aborted) throw signal.reason
          throw modelFailed(name, cause)
        })
        const said = ask.blocks(stdout).join('\n')
        const text = exit === 0 ? replyTo(id, said) : ''
        if (text.trim() === '') {
          const failure = ask.failure({ stdout, stderr }, model)
          if (failure?.isUnknownModel) throw modelUnknown(name, failure.said)
          const nothing =
            exit === 0 ? 'it said nothing' : endOf(plainOf(stdout, said !== '')) || howItEnded(exit)
          throw modelFailed(name, failure?.said || stderr.trim() || nothing)
        }
        return signs.reduce((reply, sign) => reply.replaceAll(wide(sign), sign), text)
      } finally {
        process.off('exit', remove)
        await rm(folder, { recursive: true, force: true })
      }
    },
  }
}

/** What a program that failed printed beside its records; with them where it gave no answer, which is no reason. */
function plainOf(stdout: string, isAnswer: boolean): string {
  const plain = stdout.split('\n').filter((line) => !/^\s*["{}]/.test(line))
  return plain.join('\n').trim() || (isAnswer ? '' : stdout.trim())
}

const howItEnded = (exit: number | null): string =>
  exit === null ? 'it was ended by a signal' : `it ended with status ${exit}`
