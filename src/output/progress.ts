import { cells, clipCells } from '../text/rows.ts'
import type { Stream } from './output.ts'

/** Nothing under one second, then the phase with a braille spinner, after ten seconds the time so far. */
const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'] as const
/** For the console of Linux, whose fonts have none of those. */
const ASCII_FRAMES = ['|', '/', '-', '\\'] as const
const QUIET_MS = 1000
const ESTIMATE_MS = 10_000
const FRAME_MS = 80

export const PHASES = {
  analyze: 'Analyzing conversation...',
  extract: 'Extracting relevant context...',
  ask: 'Asking the model...',
  assemble: 'Assembling handoff prompt...',
} as const

export interface Progress {
  /** `most`: how long it may take, in words; absent: a minute. */
  phase(label: string, most?: string): void
  /** Takes the line away while somebody else has the terminal, and stops the clock; gives what goes on. */
  pause(): () => void
  /** Ends the display; `✓ Context ready (2.1s)` only when something was shown. */
  done(): void
  /** Ends the display without a word. */
  stop(): void
}

export interface ProgressOptions {
  stream: Stream
  enabled: boolean
  phases: boolean
  now: () => number
  /** Lines instead of a spinner: nothing is drawn over. */
  plain?: boolean
  ascii?: boolean
}

/** A terminal that cannot move its cursor, or a person who hears it read aloud: nothing is drawn over, nothing blinks. */
export const isPlain = ({ TERM, ACCESSIBLE }: Readonly<Record<string, string | undefined>>): boolean =>
  TERM === 'dumb' || !['', '0', 'false'].includes(ACCESSIBLE ?? '')

/** A spinner only where somebody watches; without a terminal nothing is drawn at all. */
export function openProgress(options: ProgressOptions): Progress & { clear(): void } {
  const { stream, enabled, phases, now, plain = false, ascii = false } = options
  if (!enabled)
    return { phase: () => {}, pause: () => () => {}, clear: () => {}, done: () => {}, stop: () => {} }
  const frames = ascii ? ASCII_FRAMES : FRAMES
  let begun = now()
  let label: string = PHASES.analyze
  let most = MOST
  let frame = 0
  let wasShown = false
  /** How many cells stand on the line of the cursor. */
  let drawn = 0
  /** What a terminal without a spinner was told last. */
  let told = ''
  const clear = (): void => {
    // A terminal that was made narrower has broken the line.
    const above = Math.ceil(drawn / (stream.columns || 80)) - 1
    if (drawn > 0) stream.write(above > 0 ? `\r\u001b[${above}A\u001b[J` : '\r\u001b[2K')
    drawn = 0
  }
  const tick = (): void => {
    const elapsed = now() - begun
    if (elapsed < QUIET_MS) return
    wasShown = true
    const text = phases ? label : 'Creating handoff...'
    const isLong = elapsed >= ESTIMATE_MS
    const long = `up to ${most}; Ctrl-C cancels`
    if (plain) {
      const line = isLong ? `${text} (${long})` : text
      if (line !== told) stream.write(`${line}\n`)
      told = line
      return
    }
    clear()
    const width = (stream.columns || 80) - 1
    const seconds = Math.round(elapsed / 1000)
    const whole = `${text} (${seconds}s so far, ${long})`
    // What is wider than the terminal could not be taken away again.
    const shown = !isLong ? text : cells(whole) + 2 <= width ? whole : `${text} ${seconds}s`
    const line = clipCells(`${frames[frame++ % frames.length]} ${shown}`, width, '…')
    stream.write(line)
    drawn = cells(line)
  }
  const start = (): NodeJS.Timeout => setInterval(tick, FRAME_MS).unref()
  let timer: NodeJS.Timeout | null = start()
  const stop = (): void => {
    if (timer !== null) clearInterval(timer)
    timer = null
    clear()
  }
  return {
    phase(next, atMost = MOST) {
      label = next
      most = atMost
    },
    pause() {
      const isRunning = timer !== null
      const since = now()
      stop()
      return () => {
        begun += now() - since
        if (isRunning) timer = start()
      }
    },
    clear,
    done() {
      const isRunning = timer !== null
      stop()
      if (isRunning && wasShown)
        stream.write(`${ascii ? '' : '✓ '}Context ready (${((now() - begun) / 1000).toFixed(1)}s)\n`)
    },
    stop,
  }
}

/** What is said of a wait of more than ten seconds: 3 GB of a session take about a minute. */
const MOST = 'a minute'
