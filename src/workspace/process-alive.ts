import { readFileSync } from 'node:fs'

/** Whether another process with this number goes on with a switch. A number that was given to another program since does not count, as far as the system tells. */
export function isGoingOn(pid: number | null): boolean {
  if (pid === null || pid === process.pid) return false
  try {
    process.kill(pid, 0)
  } catch {
    return false
  }
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').includes('switch')
  } catch {
    return true
  }
}
