import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { openProgress, PHASES, type ProgressOptions } from '../../../src/output/progress.ts'

describe('progress', () => {
  beforeEach(() => vi.useFakeTimers())
  afterEach(() => vi.useRealTimers())

  function open(options: Partial<ProgressOptions> & { columns?: number } = {}) {
    const { columns, ...rest } = options
    const written: string[] = []
    const progress = openProgress({
      stream: { write: (text) => written.push(text), columns },
      enabled: true,
      phases: true,
      now: () => Date.now(),
      ...rest,
    })
    return { progress, text: () => written.join(''), last: () => written.at(-1) ?? '' }
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

  it.each([20, 40, 60, 80, 200])('is never wider than a terminal of %i columns', (columns) => {
    const { progress, last } = open({ columns })
    for (const label of Object.values(PHASES)) {
      progress.phase(label)
      for (const ms of [1100, 10_000, 3_600_000]) {
        vi.setSystemTime(Date.now() + ms)
        vi.advanceTimersByTime(100)
        expect(last().length).toBeLessThan(columns)
      }
    }
    expect(last()).toMatch(
      columns >= 80 ? /so far, up to a minute; Ctrl-C cancels\)$/ : columns === 40 ? / \d+s$/ : /./,
    )
    progress.stop()
  })

  it('gives way while somebody else has the terminal, whose time does not count', () => {
    const { progress, text, last } = open()
    vi.advanceTimersByTime(1500)
    const goOn = progress.pause()
    expect(last()).toBe('\r\u001b[2K')
    const before = text()
    vi.advanceTimersByTime(60_000)
    expect(text()).toBe(before)
    goOn()
    vi.advanceTimersByTime(500)
    expect(last()).toMatch(/Analyzing conversation\.\.\.$/)
    progress.done()
    expect(last()).toBe('✓ Context ready (2.0s)\n')
  })

  it('takes away every row that a narrower terminal has made of its line', () => {
    const written: string[] = []
    const stream = { write: (text: string) => written.push(text), columns: 80 }
    const { progress } = open({ stream })
    vi.advanceTimersByTime(1100)
    expect(written.at(-1)).toHaveLength('⠋ Analyzing conversation...'.length)
    stream.columns = 10
    progress.stop()
    expect(written.at(-1)).toBe('\r\u001b[2A\u001b[J')
  })

  it('writes nothing more once it is over', () => {
    const { progress, text } = open()
    vi.advanceTimersByTime(1500)
    progress.done()
    const before = text()
    progress.stop()
    progress.done()
    vi.advanceTimersByTime(5000)
    expect(text()).toBe(before)
  })
})
