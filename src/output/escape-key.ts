import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'

/** Keys as a terminal sends them when it leaves them to the program. */
const ESC = '\u001b'
const CTRL_C = '\u0003'
const CTRL_Z = '\u001a'

/**
 * While nothing is asked, Esc does what Ctrl-C does. Gives what ends that. A program in the background leaves the keyboard alone: it
 * would be stopped for touching it.
 */
export function watchEscape(): () => void {
  const { stdin } = process
  let isOver = false
  const raw = (on: boolean): void => {
    stdin.setRawMode(on)
  }
  const onData = (bytes: Buffer): void => {
    const keys = bytes.toString('latin1')
    if (keys === ESC || keys.includes(CTRL_C)) process.kill(process.pid, 'SIGINT')
    else if (keys.includes(CTRL_Z)) {
      raw(false)
      process.kill(process.pid, 'SIGTSTP')
    }
  }
  const onContinue = (): void => raw(true)
  void isForeground().then((is) => {
    if (isOver || !is) return
    raw(true)
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
  let end = (): void => {}
  return () => {
    if (isOver) return
    isOver = true
    end()
  }
}

/** This process belongs to the group that the terminal listens to; false when that cannot be told. */
async function isForeground(): Promise<boolean> {
  if (!process.stdin.isTTY) return false
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
