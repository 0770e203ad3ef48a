import { callerOf } from '../agents/caller.ts'
import type { Invocation } from '../command.ts'
import { setOwn } from '../config/own.ts'
import { isPlain, openProgress, type Progress } from '../output/progress.ts'
import type { Questions } from '../output/questions.ts'
import type { Config, Place } from '../types/config.ts'

/** Whether an agent started this process. */
export const isAgent = (env: Place['env']): boolean => callerOf(env) !== null

/** A person at a terminal, and no agent in between. */
export const mayAsk = ({ out, place }: Pick<Invocation, 'out' | 'place'>): boolean =>
  out.interactive && !isAgent(place.env)

/** Puts questions to the person; whatever is shown of progress gives way. Throws what the question throws: `cancelled`. */
export async function ask<T>(
  { place, out, progress }: Invocation,
  question: (questions: Questions) => Promise<T>,
): Promise<T> {
  const goOn = progress?.pause()
  try {
    const { openQuestions } = await import('../output/questions.ts')
    return await question(await openQuestions({ env: place.env, color: out.color, signal: place.signal }))
  } finally {
    goOn?.()
  }
}

/** Asks what the person may answer for good: that is saved under `key` in their own `file`, which is told as `shown`. Whether it is a yes. */
export async function askForGood(
  invocation: Invocation,
  { key, file, shown }: { key: string; file: string; shown: string },
  message: string,
  ifNo: string,
): Promise<boolean> {
  const answer = await ask(invocation, (questions) =>
    questions.one({
      message,
      choices: [
        { value: 'yes', label: 'Yes' },
        { value: 'no', label: 'No', hint: ifNo },
        { value: 'always', label: 'Always' },
        { value: 'never', label: 'Never' },
      ],
      initial: 'yes',
      onEscape: 'no',
    }),
  )
  if (answer === 'always' || answer === 'never') {
    await setOwn(file, key, answer)
    invocation.out.say(`Saved in ${shown}: ${key}: ${answer}`)
  }
  return answer === 'yes' || answer === 'always'
}

/** The display of a brief that is being made; lines that are said meanwhile take its place. */
export function watchProgress({ place, out, stderr }: Invocation, config: Config): Progress {
  const enabled = mayAsk({ place, out })
  const progress = openProgress({
    stream: stderr,
    enabled,
    phases: config.progress.phases,
    now: () => performance.now(),
    plain: isPlain(place.env),
    ascii: place.env.TERM === 'linux',
  })
  if (enabled) out.onLine(progress.clear)
  return progress
}

/** The invocation while progress is shown, which gives way to whoever types standard input. */
export const withProgress = (invocation: Invocation, progress: Progress): Invocation => ({
  ...invocation,
  progress,
  async readStdin() {
    const goOn = progress.pause()
    try {
      return await invocation.readStdin()
    } finally {
      goOn()
    }
  },
})

/** Ctrl-C does nothing here but what `heard` does, until what is given back is called. */
export function takeInterrupts(heard: () => void = () => {}): () => void {
  const held = process.rawListeners('SIGINT') as NodeJS.SignalsListener[]
  process.removeAllListeners('SIGINT').on('SIGINT', heard)
  return () => {
    process.off('SIGINT', heard)
    for (const listener of held) process.on('SIGINT', listener)
  }
}
