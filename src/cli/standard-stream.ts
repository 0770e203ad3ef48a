import type { Stream } from '../output/output.ts'

/**
 * A standard stream of the process. A reader that goes away (`| head -1`) must not end the work half-way: the rest is said to nobody.
 * `failed` is called when what is written is lost.
 */
export function standardStream(
  process: NodeJS.Process,
  name: 'stdout' | 'stderr',
  failed: () => void,
): Stream {
  return process[name].on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') return
    if (name === 'stdout') process.stderr.write(`handoff: standard output: ${error.message}\n`)
    failed()
  })
}
