import { rmSync } from 'node:fs'
import { mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { modelFailed } from '../errors.ts'
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
const BEFORE = 'This is one question. Answer it from the text below alone, in text, without any tool.\n\n'

/** From `@` to the sign of the same look that no program knows (U+FF01 … U+FF5E). */
const WIDE = 0xfee0

/**
 * The model of an agent, asked through its own headless mode and login: the prompt on standard input, in an empty folder of its own,
 * so that its session is of no repository. Nothing in the prompt calls in a file or a skill. The reply is its text blocks, joined with
 * a newline.
 */
export function agentModel({ label, program, ask, model, env }: AskedAgent): Model {
  const name = model === null ? label : `${label} (${model})`
  const wide = (sign: string): string => String.fromCharCode(sign.charCodeAt(0) + WIDE)
  const signs = [...ask.expands]
  return {
    name,
    async ask({ prompt, signal }) {
      const folder = await realpath(await mkdtemp(join(tmpdir(), 'handoff-ask-')))
      // Also when this process is told to end at once.
      const remove = (): void => rmSync(folder, { recursive: true, force: true })
      process.once('exit', remove)
      try {
        const { exit, stdout, stderr } = await runProgram({
          file: program,
          args: ask.args(model),
          stdin: signs.reduce((text, sign) => text.replaceAll(sign, wide(sign)), BEFORE + prompt),
          cwd: folder,
          env: { ...env, ...ask.env, HANDOFF: '0' },
          ...(signal === undefined ? {} : { signal }),
        }).catch((cause) => {
          if (signal?.aborted) throw signal.reason
          throw modelFailed(name, cause.code === 'ENOENT' ? `\`${program}\` is not on PATH` : cause)
        })
        if (exit !== 0) throw modelFailed(name, stderr.trim() || endOf(stdout.trim()) || howItEnded(exit))
        const text = ask.blocks(stdout).join('\n')
        if (text.trim() === '') throw modelFailed(name, stderr.trim() || 'it said nothing')
        return signs.reduce((reply, sign) => reply.replaceAll(wide(sign), sign), text)
      } finally {
        process.off('exit', remove)
        await rm(folder, { recursive: true, force: true })
      }
    },
  }
}

const howItEnded = (exit: number | null): string =>
  exit === null ? 'it was ended by a signal' : `it ended with status ${exit}`
