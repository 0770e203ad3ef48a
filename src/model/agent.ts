import { randomBytes } from 'node:crypto'
import { rmSync } from 'node:fs'
import { mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { modelFailed, modelUnknown } from '../errors/writing.ts'
import type { Ask, Fork } from '../types/agent.ts'
import type { SessionRef } from '../types/session.ts'
import { endOf, type Model, runProgram } from './model.ts'

/** An agent, and what of the person's surroundings it gets. */
export interface AskedAgent {
  /** Name people use. */
  label: string
  program: string
  ask: Ask
  /** As the agent names it; null: whichever it takes by itself. */
  model: string | null
  env: Readonly<Record<string, string>>
  /** The question goes to a fork of this session. */
  forkOf?: { fork: Fork; session: SessionRef } | null
}

/** Whoever reads a prompt as an agent takes tools for offered and a first word for a command. */
const before = (
  id: string,
  source: string,
): string => `This is one question. Answer it from ${source} alone, in text, without any tool.
Write your answer once, between a line <reply-${id}> and a line </reply-${id}>.

`

/** From `@` to the sign of the same look that no program knows (U+FF01 … U+FF5E). */
const WIDE = 0xfee0

/**
 * The model of an agent, asked through its own headless mode and login: the prompt on standard input, in an empty folder of its own,
 * so that its session is of no repository. Nothing in the prompt calls in a file or a skill. The reply is its text blocks, joined with
 * a newline, and of those what it marked as the answer to this request.
 */
export function agentModel({ label, program, ask, model, env, forkOf = null }: AskedAgent): Model {
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
      const cwd = forkOf?.fork.inPlace ? (forkOf.session.cwd ?? folder) : folder
      const run = (args: string[], stdin: string) =>
        runProgram({
          ...{ file: program, args, stdin, cwd, env: { ...env, ...ask.env, HANDOFF: '0' } },
          ...(signal === undefined ? {} : { signal }),
        })
      try {
        const text = before(id, forkOf === null ? 'the text below' : 'this session') + prompt
        const { exit, stdout, stderr } = await run(
          forkOf === null ? ask.args(model) : forkOf.fork.args(forkOf.session, model, folder),
          signs.reduce((whole, sign) => whole.replaceAll(sign, wide(sign)), text),
        ).catch((cause) => {
          if (signal?.aborted) throw signal.reason
          throw modelFailed(name, cause)
        })
        const undo = forkOf?.fork.undo?.(stdout) ?? null
        if (undo !== null) await run(undo, '')
        const said = ask.blocks(stdout).join('\n')
        const reply = exit === 0 ? replyTo(id, said).trim() : ''
        if (reply === '') {
          const failure = ask.failure({ stdout, stderr }, model)
          if (failure?.isUnknownModel) throw modelUnknown(name, failure.said)
          const nothing =
            exit === 0 ? 'it said nothing' : endOf(plainOf(stdout, said !== '')) || howItEnded(exit)
          throw modelFailed(name, failure?.said || stderr.trim() || nothing)
        }
        return signs.reduce((whole, sign) => whole.replaceAll(wide(sign), sign), reply)
      } finally {
        process.off('exit', remove)
        await rm(folder, { recursive: true, force: true })
      }
    },
  }
}

/** What a program that failed printed beside its records; with them where it gave no answer, which is no reason. */
function plainOf(stdout: string, isAnswer: boolean): string {
  const plain = stdout.split('\n').filter((line) => !'"{}'.includes(line.trimStart().charAt(0) || ' '))
  return plain.join('\n').trim() || (isAnswer ? '' : stdout.trim())
}

const howItEnded = (exit: number | null): string =>
  exit === null ? 'it was ended by a signal' : `it ended with status ${exit}`

/**
 * What stands last between the two marks of this request, each alone on its line: a hook of the person may make an agent go on after its
 * answer. Without such a pair, the longest part that a mark begins or ends; all of it where nothing is marked.
 */
export function replyTo(id: string, text: string): string {
  const between = text.split(new RegExp(`^[ \\t]*</?reply-${id}>[ \\t\\r]*$`, 'm')).slice(1, -1)
  const last = between.findLast((part) => part.trim() !== '')
  if (last !== undefined) return last
  const parts = text.split(new RegExp(`</?reply-${id}>`))
  return parts.reduce((longest, part) => (part.trim().length > longest.trim().length ? part : longest))
}
