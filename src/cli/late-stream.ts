import { fstatSync, writeSync } from 'node:fs'
import { isatty } from 'node:tty'
import type { Stream } from '../output/output.ts'

/**
 * A standard stream of the process that is opened when a terminal is at its end. A pipe or file is written to without
 * opening it, which takes 2 ms, as long as that goes well. `failed` is called when what is written is lost.
 */
export function lateStream(process: NodeJS.Process, name: 'stdout' | 'stderr', failed: () => void): Stream {
  const fd = name === 'stdout' ? 1 : 2
  let opened: NodeJS.WriteStream | undefined
  const open = (): NodeJS.WriteStream => {
    // A reader that went away (`| head -1`) must not end the work half-way: the rest is said to nobody.
    opened ??= process[name].on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EPIPE') return
      if (name === 'stdout') process.stderr.write(`handoff: standard output: ${error.message}\n`)
      failed()
    })
    return opened
  }
  return {
    write(text) {
      const rest = opened === undefined && process.platform !== 'win32' ? writeNow(fd, text) : text
      return rest.length === 0 || open().write(rest)
    },
    get isTTY() {
      // The stream of another device takes 2 ms to open, and /dev/null is where many a caller sends what is said.
      return isDevice(fd) && isatty(fd)
    },
    get columns() {
      return this.isTTY === true ? open().columns : undefined
    },
  }
}

/** Nothing but a device is a terminal. */
const isDevice = (fd: number): boolean => fstatSync(fd).isCharacterDevice()

/** Writes what a pipe or file takes at once, and returns the rest: a full pipe and every failure are the stream's to handle. */
function writeNow(fd: number, text: string): Buffer {
  let rest = Buffer.from(text)
  try {
    while (rest.length > 0 && !isDevice(fd)) rest = rest.subarray(writeSync(fd, rest))
  } catch {
    // The stream meets the same failure and says it.
  }
  return rest
}
