import { describe, expect, it } from 'vitest'
import { isHandoffError } from '../../src/errors/handoff-error.ts'
import { failures } from '../all-failures.ts'

/** Every way to fail, made with arguments of some shape that it takes. */
const made = Object.entries(failures).flatMap(([name, make]) => {
  // `usage` says what it is told.
  if (typeof make !== 'function' || name === 'usage' || /^[A-Z]/.test(name)) return []
  for (const args of [
    ['x', 'x', 'x', 'x', 'x'],
    [['x'], 'x', 'x'],
    ['x', ['x'], 'x', 'x'],
    ['x', 'x', 'x', ['x'], null],
  ]) {
    try {
      const error: unknown = (make as (...all: unknown[]) => unknown)(...args)
      if (isHandoffError(error)) return [[name, error] as const]
    } catch {
      // Not these arguments.
    }
  }
  return []
})

/** A command, an option, a file or variable to change, or a sentence that begins with what to do. */
const TELLS =
  /`[^`]+`|\bhandoff \w|--\w|\b(?:Run|Give|Change|Install|Upgrade|Check|Choose|Call|Put|Fix|Move|Take|Remove|Name|Use|Set|Add|Ask|Wait|Finish|Make|Start|Keep|Rename|Read|Work|Do it again|Look|List|Go on by hand|For example|Like this)\b/

describe('every failure', () => {
  it('is made', () => {
    expect(made.length).toBeGreaterThan(60)
  })

  it.each(made)('%s says what to do', (name, { code, message, hint }) => {
    expect(code).toMatch(/^E_[A-Z_]+$/)
    expect(message.trim()).not.toBe('')
    expect(hint).not.toBe(message)
    // Whoever cancels knows what to do; two are told by the one that calls.
    if (/cancelled|Cancelled|^usage$|editorFailed/.test(name)) return
    expect(hint).toMatch(TELLS)
  })
})
