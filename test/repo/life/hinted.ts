import { type CliOptions, cli } from '../cli.ts'
import type { TempRepo } from '../make-repo.ts'

/** The commands in a hint, in backticks; of a command with a place for a word none. */
export const commandsIn = (hint: string): string[] =>
  [...hint.matchAll(/`((?:npx git-handoff|git|gh|rm|mv|cd) [^`]+)`/g)].map(([, command = '']) => command)

/** Runs a hinted command as a person types it. */
export async function follow(
  repo: TempRepo,
  command: string,
  options: CliOptions = {},
): Promise<{ code: number; said: string }> {
  const words = wordsOf(command)
  if (words.shift() === 'git') {
    const { status, stdout, stderr } = repo.tryGit(words)
    return { code: status, said: stdout + stderr }
  }
  if (words.shift() !== 'git-handoff') throw new Error(`not a command of ours: ${command}`)
  const { code, stdout, stderr } = await cli(repo, words, options)
  return { code, said: stdout + stderr }
}

/** The words of a line of shell, by its quotes. */
const wordsOf = (line: string): string[] =>
  [...line.matchAll(/(?:'[^']*'|"[^"]*"|\\.|[^\s'"])+/g)].map(([word]) =>
    word.replace(/'([^']*)'|"([^"]*)"|\\(.)/g, (_, single, double, escaped) => single ?? double ?? escaped),
  )
