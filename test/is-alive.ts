import { readFileSync } from 'node:fs'

/** Whether a process with this number is there; one that has ended and that nobody has asked about since is not. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
  } catch {
    return false
  }
  try {
    return !/^\d+ \(.*\) Z/s.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return true // Not Linux, or gone in between, which the next look tells.
  }
}
