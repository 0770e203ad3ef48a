import { describe, expect, it } from 'vitest'
import { Busy, isPassing } from '../../../src/git/retry.ts'

describe('isPassing', () => {
  it('takes what another process did meanwhile for a reason to try again', () => {
    const words = [
      "fatal: Unable to create '/home/dev/repo/.git/index.lock': File exists.",
      "cannot lock ref 'refs/heads/main': is at 1111111 but expected 2222222",
      "cannot update ref 'refs/heads/main': trying to write ref with nonexistent object 3333333",
      // A `git gc --prune=now` took the new tree before the commit named it.
      'fatal: 5cde3e80e1cf8ec8de2bd707fd5dcff9a16c975b is not a valid object',
      // It took the empty folder for the new object away.
      'error: unable to write file .git/objects/34/317e5901de784ee73589cb8f0c615cc0181303: No such file or directory',
    ]
    for (const one of words) expect({ one, passes: isPassing(new Error(one)) }).toEqual({ one, passes: true })
    expect(isPassing(new Busy('the index was changed by somebody else'))).toBe(true)
  })
  it('takes a full disk and a hook that says no for the end', () => {
    const words = ['No space left on device: index.lock', 'cannot lock ref: ref updates aborted by hook']
    for (const one of words)
      expect({ one, passes: isPassing(new Error(one)) }).toEqual({ one, passes: false })
  })
})
