import { describe, expect, it } from 'vitest'
import { failedTurn } from '../../../src/start/start-successor.ts'

const ended = (output: string): string => failedTurn('Codex', { output, exit: 1 }, 'codex').message

describe('the last words of an agent that failed', () => {
  it('are told whole as long as they are few', () => {
    expect(ended(' no login \n')).toBe('Codex ended with status 1:\nno login')
  })

  it('begin at a word where they are cut, since half of a secret is not known for one', () => {
    const words = `${'word '.repeat(10)}${'k'.repeat(100)} ${'end '.repeat(490)}`.trim()
    const told = ended(words)
    expect(told).not.toContain('k')
    expect(told.endsWith('end end end')).toBe(true)
    expect(told.length).toBeGreaterThan(1900)
  })
})
