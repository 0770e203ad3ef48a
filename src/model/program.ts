import { spawn } from 'node:child_process'
import { modelFailed } from '../errors.ts'
import type { Model } from './model.ts'

/** A reply takes seconds; one that takes longer than this never comes. In ms. */
const TIMEOUT = 300_000
/** Bytes of a reply that are kept. */
const MOST = 1 << 20

/**
 * A model behind a program of the person's own, such as an agent's headless mode: the prompt on its standard input, the
 * reply on its standard output. The words are split at spaces and no shell sees them.
 */
export function programModel(command: string): Model {
  const [file = '', ...args] = command.trim().split(/\s+/)
  return {
    name: command,
    ask: ({ prompt, signal }) =>
      new Promise((resolve, reject) => {
        const child = spawn(file, args, {
          stdio: ['pipe', 'pipe', 'pipe'],
          timeout: TIMEOUT,
          ...(signal === undefined ? {} : { signal }),
        })
        let reply = ''
        let said = ''
        child.stdout.setEncoding('utf8').on('data', (part: string) => {
          if (reply.length < MOST) reply += part
        })
        child.stderr.setEncoding('utf8').on('data', (part: string) => {
          said = `${said}${part}`.slice(-1000)
        })
        // A program that never reads its input closes the pipe; its exit status tells the rest.
        child.stdin.on('error', () => undefined)
        child.stdin.end(prompt)
        child.once('error', (cause) => reject(signal?.aborted ? signal.reason : modelFailed(command, cause)))
        child.once('close', (code) =>
          code === 0 && reply.trim() !== ''
            ? resolve(reply)
            : reject(modelFailed(command, said.trim() || `exit ${code ?? 'by a signal'}, no reply`)),
        )
      }),
  }
}
