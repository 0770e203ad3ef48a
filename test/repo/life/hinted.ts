import { spawnSync } from 'node:child_process'
import { type CliOptions, cli } from '../cli.ts'
import type { TempRepo } from '../make-repo.ts'

/** The commands in a hint, in backticks; of a command with a place for a word none. */
export const commandsIn = (hint: string): string[] =>
  [...hint.matchAll(/`((?:git|gh|rm|mv|cd) [^`]+)`/g)].map(([, command = '']) => command)

/** Runs a hinted command as a person types it, from the top of the repository. */
export async function follow(
  repo: TempRepo,
  command: string,
  options: CliOptions = {},
): Promise<{ code: number; said: string }> {
  const words = wordsOf(command)
  if (words[0] === 'git' && words[1] === 'handoff') {
    const { code, stdout, stderr } = await cli(repo, words.slice(2), options)
    return { code, said: stdout + stderr }
  }
  const { status, stdout, stderr } = spawnSync('sh', ['-c', command], {
    cwd: repo.root,
    env: repo.env,
    encoding: 'utf8',
  })
  return { code: status ?? -1, said: stdout + stderr }
}

/** The words of a line of shell, by its quotes. */
const wordsOf = (line: string): string[] =>
  [...line.matchAll(/(?:'[^']*'|"[^"]*"|\\.|[^\s'"])+/g)].map(([word]) =>
    word.replace(/'([^']*)'|"([^"]*)"|\\(.)/g, (_, single, double, escaped) => single ?? double ?? escaped),
  )
