import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'

const ESC = '\u001b'
/** Keys that the terminal itself turns into signals, for every program in it, unless it leaves them to one. */
const SIGNALS = { '\u0003': 'SIGINT', '\u001a': 'SIGTSTP', '\u001c': 'SIGQUIT' } as const

/** In ms. What is not stopped by then cannot be, as a group of processes that no shell could set going again. */
const STOPPED_MS = 100

/**
 * While nothing is asked, Esc does what Ctrl-C does. Gives what ends that. A program in the background leaves the keyboard alone: it
 * would be stopped for touching it.
 */
export function watchEscape(): () => void {
  const { stdin } = process
  let isOver = false
  let end = (): void => {}
  const raw = (on: boolean): void => {
    stdin.setRawMode(on)
  }
  const onData = (bytes: Buffer): void => {
    const keys = bytes.toString('latin1')
    if (keys === ESC) process.kill(process.pid, 'SIGINT')
    for (const [key, signal] of Object.entries(SIGNALS)) {
      if (!keys.includes(key)) continue
      if (signal !== 'SIGINT') raw(false)
      // The whole group, as the terminal does.
      process.kill(0, signal)
      if (signal !== 'SIGINT') setTimeout(onContinue, STOPPED_MS).unref()
    }
  }
  const start = async (): Promise<void> => {
    if (!(await isForeground()) || isOver) return
    raw(true)
  }
  const onContinue = (): void => void start()
  void start().then(() => {
    if (isOver || !stdin.isRaw) return
    stdin.on('data', onData).resume()
    // The keyboard must not keep the program running.
    stdin.unref()
    process.on('SIGCONT', onContinue)
    end = () => {
      process.off('SIGCONT', onContinue)
      stdin.off('data', onData).pause()
      stdin.ref()
      raw(false)
    }
  })
  return () => {
    if (isOver) return
    isOver = true
    end()
  }
}

/** This process belongs to the group that the terminal listens to; false when that cannot be told. */
async function isForeground(): Promise<boolean> {
  if (!process.stdin.isTTY || process.stdin.readableEnded || process.stdin.destroyed) return false
  const stat = await readFile('/proc/self/stat', 'utf8').catch(() => null)
  // Behind the name, which may hold anything: state, parent, group, session, terminal, group of the terminal.
  const [, , group, , , front] = stat?.slice(stat.lastIndexOf(')') + 2).split(' ') ?? []
  if (stat !== null) return group !== undefined && group === front
  const told = await promisify(execFile)('ps', ['-o', 'pgid=,tpgid=', '-p', String(process.pid)]).catch(
    () => null,
  )
  const [own, shown] = told?.stdout.trim().split(/\s+/) ?? []
  return own !== undefined && own === shown
}
