import { cancelled } from '../errors.ts'

/** Asks for the goal again with the guidance; on the terminal, through standard error. Throws `cancelled`. */
export async function askGoal(problem: string, hint: string): Promise<string> {
  const { isCancel, text } = await import('@clack/prompts')
  const answer = await text({ message: problem, placeholder: hint, output: process.stderr })
  if (isCancel(answer)) throw cancelled()
  return answer
}
