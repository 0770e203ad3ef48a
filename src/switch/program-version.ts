import { spawn } from 'node:child_process'

/** What a program says of its version, or why it says nothing, in a clause. */
export type SaidVersion = { version: string; why: null } | { version: null; why: string }

/** Bytes that are listened to. */
const MOST = 16_384

/**
 * Asks a program for its version with `--version`, through no shell. It is ended after `timeout` ms with whatever it has started, and its
 * output is not waited for then. Never rejects.
 */
export function programVersion(
  program: string,
  { cwd, env, timeout }: { cwd: string; env: Record<string, string>; timeout: number },
): Promise<SaidVersion> {
  return new Promise((resolve) => {
    // A group of its own, since the program may be a script that starts the real one.
    const child = spawn(program, ['--version'], {
      cwd,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    })
    let said = ''
    const end = (answer: SaidVersion): void => {
      clearTimeout(timer)
      for (const stream of [child.stdout, child.stderr]) stream.destroy()
      child.unref()
      resolve(answer)
    }
    const timer = setTimeout(() => {
      kill(child.pid)
      end({ version: null, why: `no answer within ${timeout / 1000} s` })
    }, timeout)
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        if (said.length < MOST) said += text
      })
    child.once('error', ({ code, message }: NodeJS.ErrnoException) =>
      end({ version: null, why: `it cannot be started (${code ?? message})` }),
    )
    child.once('close', (status) => {
      const version = /\d+\.\d+[\w.+-]*/.exec(said)?.[0]
      end(
        status === 0 && version !== undefined
          ? { version, why: null }
          : {
              version: null,
              why: status === 0 ? 'it says no version' : `it ended with ${status ?? 'a signal'}`,
            },
      )
    })
  })
}

function kill(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL')
  } catch {
    // It has just ended by itself.
  }
}
