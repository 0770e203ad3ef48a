import type { Stream } from './output.ts'

/** SPEC §5: nothing under one second, then the phase with a braille spinner, after ten seconds the time so far. */
const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'] as const
const QUIET_MS = 1000
const ESTIMATE_MS = 10_000
const FRAME_MS = 80

export const PHASES = {
  analyze: 'Analyzing conversation...',
  extract: 'Extracting relevant context...',
  assemble: 'Assembling handoff prompt...',
} as const

export interface Progress {
  phase(label: string): void
  /** Ends the display; `✓ Context ready (2.1s)` only when something was shown. */
  done(): void
  /** Ends the display without a word. */
  stop(): void
}

/** A spinner only where somebody watches; without a terminal nothing is drawn at all. */
export function openProgress(options: {
  stream: Stream
  enabled: boolean
  phases: boolean
  now: () => number
}): Progress {
  const { stream, enabled, phases, now } = options
  if (!enabled) return { phase: () => {}, done: () => {}, stop: () => {} }
  const begun = now()
  let label: string = PHASES.analyze
  let shown = false
  let frame = 0
  const clear = () => {
    if (shown) stream.write('\r\u001b[2K')
  }
  const timer = setInterval(() => {
    const elapsed = now() - begun
    if (elapsed < QUIET_MS) return
    clear()
    shown = true
    const tail =
      elapsed >= ESTIMATE_MS
        ? ` (${Math.round(elapsed / 1000)}s so far, large sessions take up to a minute)`
        : ''
    stream.write(`${FRAMES[frame++ % FRAMES.length]} ${phases ? label : 'Creating handoff...'}${tail}`)
  }, FRAME_MS)
  timer.unref()
  const stop = () => {
    clearInterval(timer)
    clear()
  }
  return {
    phase(next) {
      label = next
    },
    done() {
      stop()
      if (shown) stream.write(`✓ Context ready (${((now() - begun) / 1000).toFixed(1)}s)\n`)
    },
    stop,
  }
}
