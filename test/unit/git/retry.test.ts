import { describe, expect, it } from 'vitest'
import { Busy, isPassing } from '../../../src/git/retry.ts'

describe('isPassing', () => {
  it('takes a lock that somebody holds, and a branch that somebody moved, for a reason to try again', () => {
    const words = [
      "fatal: Unable to create '/home/dev/repo/.git/index.lock': File exists.",
      "fatal: cannot lock ref 'refs/heads/main': Unable to create '/home/dev/repo/.git/refs/heads/main.lock': File exists.",
      "fatal: cannot lock ref 'refs/heads/main': is at 1111111 but expected 2222222",
      "fatal: cannot lock ref 'refs/heads/main': reference already exists",
      'error: could not lock config file .git/config: File exists',
    ]
    for (const one of words) expect({ one, passes: isPassing(new Error(one)) }).toEqual({ one, passes: true })
    expect(isPassing(new Busy('the branch was switched meanwhile'))).toBe(true)
  })
  it('takes a full or read-only disk, a hook that says no and a branch in the way for the end', () => {
    const words = [
      'No space left on device: index.lock',
      "fatal: Unable to create '/home/dev/repo/.git/index.lock': Read-only file system",
      'cannot lock ref: ref updates aborted by hook',
      "cannot lock ref 'refs/heads/a/b': 'refs/heads/a' exists; cannot create 'refs/heads/a/b'",
    ]
    for (const one of words)
      expect({ one, passes: isPassing(new Error(one)) }).toEqual({ one, passes: false })
  })
})
