import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { openProgress, PHASES } from '../../../src/output/progress.ts'

describe('progress', () => {
  beforeEach(() => vi.useFakeTimers())
  afterEach(() => vi.useRealTimers())

  function open(options: { enabled?: boolean; phases?: boolean } = {}) {
    const written: string[] = []
    const progress = openProgress({
      stream: { write: (text) => written.push(text) },
      enabled: options.enabled ?? true,
      phases: options.phases ?? true,
      now: () => Date.now(),
    })
    return { progress, text: () => written.join('') }
  }

  it('shows nothing under one second, nor a word at the end', () => {
    const { progress, text } = open()
    vi.advanceTimersByTime(950)
    progress.done()
    expect(text()).toBe('')
  })

  it('then a braille spinner with the phase, and how long it took', () => {
    const { progress, text } = open()
    vi.advanceTimersByTime(1100)
    expect(text()).toMatch(/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] Analyzing conversation\.\.\./)
    progress.phase(PHASES.extract)
    vi.advanceTimersByTime(1000)
    expect(text()).toContain('Extracting relevant context...')
    progress.done()
    expect(text()).toMatch(/✓ Context ready \(2\.1s\)\n$/)
  })

  it('says after ten seconds how long it has been', () => {
    const { progress, text } = open()
    vi.advanceTimersByTime(9900)
    expect(text()).not.toContain('so far')
    vi.advanceTimersByTime(200)
    expect(text()).toContain('10s so far')
    progress.stop()
  })

  it('has one static text when phases are off', () => {
    const { progress, text } = open({ phases: false })
    vi.advanceTimersByTime(1500)
    expect(text()).toContain('Creating handoff...')
    expect(text()).not.toContain('Analyzing')
    progress.stop()
  })

  it('draws nothing without a terminal', () => {
    const { progress, text } = open({ enabled: false })
    vi.advanceTimersByTime(5000)
    progress.done()
    expect(text()).toBe('')
  })
})
