import { describe, expect, it } from 'vitest'
import { isShell, printable } from '../../../src/start/tmux.ts'

describe('what is pasted into a pane', () => {
  it('holds no control, bidi or zero-width character, so no key and no end of the paste', () => {
    expect(printable('a\u001b[201~b\u0003c\u007fd\u009be\u202ef\u200bg')).toBe('a[201~bcdefg')
  })

  it('keeps line breaks and tabs, in one spelling', () => {
    expect(printable('a\r\nb\rc\td')).toBe('a\nb\nc\td')
  })
})

describe('a shell in front', () => {
  it.each(['bash', '-bash', 'zsh', 'sh', 'fish', 'dash', 'ksh', 'nu', 'pwsh'])('%s', (name) => {
    expect(isShell(name)).toBe(true)
  })

  it.each(['claude', 'codex', 'node', 'bun', 'ssh', 'pi'])('is not %s', (name) => {
    expect(isShell(name)).toBe(false)
  })
})
