import { codeSpan } from './safe-text.ts'

/** Characters of a commit id in a text; the front matter has all of them. */
const SHORT = 12

export const shortSha = (sha: string): string => sha.slice(0, SHORT)

/** `1 file`, `2 files`. */
export const plural = (count: number, one: string, many = `${one}s`): string =>
  `${count} ${count === 1 ? one : many}`

/** The first `most` names as code, and how many more there are; `tell` writes what is more than a name. */
export function someOf(names: readonly string[], most: number): string
export function someOf<T>(names: readonly T[], most: number, tell: (name: T) => string): string
export function someOf(names: readonly string[], most: number, tell = codeSpan): string {
  const more = names.length > most ? ` and ${names.length - most} more` : ''
  return `${names
    .slice(0, most)
    .map((name) => tell(name))
    .join(', ')}${more}`
}

/** `42 s`, `5 min`, `3 h`, `2 d`, rounded down. */
export function ageText(ms: number): string {
  const [unit, size] = (
    [
      ['d', 86_400_000],
      ['h', 3_600_000],
      ['min', 60_000],
    ] as const
  ).find(([, length]) => ms >= length) ?? ['s', 1000]
  return `${Math.floor(ms / size)} ${unit}`
}

/** `812 B`, `53 KB`, `4.2 MB`. */
export function bytesText(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`
  if (bytes < 1024 * 1024) return `${Math.round(bytes / 1024)} KB`
  return `${(bytes / 1024 / 1024).toFixed(1)} MB`
}

const NOT_DONE = 'goal, not said to be done: '
/** How a goal that nobody said to be done is told as a step. */
export const openGoal = (goal: string): string => NOT_DONE + goal
export const openGoalIn = (step: string): string | null =>
  step.startsWith(NOT_DONE) ? step.slice(NOT_DONE.length) : null
