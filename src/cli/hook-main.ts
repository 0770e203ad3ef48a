import { fstatSync, readFileSync, writeFileSync } from 'node:fs'
import { orNull } from '../errors/handoff-error.ts'
import { run } from '../hook/agent-hook.ts'
import { openOutput } from '../output/output.ts'
import { folderOf, homeOf } from './invocation.ts'

/**
 * `handoff hook <event> --agent <id>` as agents call it, in a program of its own: one that loads all commands and their parser takes twice as
 * long. Everything else about it is the command's. The exit status is 0 whatever happens.
 */
export async function main(process: NodeJS.Process): Promise<void> {
  // What goes wrong outside a repository, or in a folder that is gone, can be told nowhere: not to the agent, whose prompt would stop.
  await callHook(process).catch(() => undefined)
}

async function callHook(process: NodeJS.Process): Promise<void> {
  const { env, argv } = process
  const [event = '', , agent] = argv.slice(3)
  const out = openOutput({
    stdout: { write: (text) => writeAll(1, text) },
    stderr: { write: (text) => writeAll(2, text) },
    json: false,
    color: false,
    interactive: false,
  })
  const invocation = {
    place: {
      root: folderOf(process.cwd, null),
      home: homeOf(env),
      env,
      now: () => new Date(),
      newId: () => {
        throw new Error('a hook makes no brief')
      },
    },
    out,
    stderr: { write: (text: string) => writeAll(2, text) },
    readStdin: async () => readInput(() => process.stdin),
    version: '',
  }
  await run(invocation, [event], { agent })
}

/** All of standard input; nothing when it is a terminal. Read and written without streams, which take 8 ms to open. */
function readInput(stdin: () => NodeJS.ReadStream): string | Promise<string> {
  try {
    return fstatSync(0).isCharacterDevice() ? '' : readFileSync(0, 'utf8')
  } catch {
    // A pipe that does not block: what is not there yet has to be waited for.
    return readSlowly(stdin())
  }
}

async function readSlowly(stdin: NodeJS.ReadStream): Promise<string> {
  const parts: Buffer[] = []
  for await (const part of stdin) parts.push(part as Buffer)
  return Buffer.concat(parts).toString('utf8')
}

/** Nobody is told when nobody listens any more. */
function writeAll(descriptor: 1 | 2, text: string): void {
  // The agent has gone, or gave us a pipe that is full and does not block; neither is a reason to fail.
  orNull(() => writeFileSync(descriptor, text))
}
