import type { Ended } from './collect.ts'
import { noControls } from './fuzz-brief.ts'
import { FAKE_KEY } from './fuzz-texts.ts'

const BUG = /E_UNEXPECTED|This is a bug|\n {4}at |Unhandled|node:internal/

/** Nothing that a program prints may move a terminal, hold a key or tell of a bug; an error is a line of words and a code that is known. */
export function heldTo(
  what: string,
  { code, stdout, stderr }: Pick<Ended, 'code' | 'stdout' | 'stderr'>,
  codes: readonly number[],
): string {
  const said = `${stdout}${stderr}`
  if (BUG.test(said)) throw new Error(`${what}: ${said.slice(0, 1500)}`)
  if (code === null || !codes.includes(code))
    throw new Error(`${what} ended with ${code}: ${said.slice(0, 400)}`)
  if (code !== 0 && said === '') throw new Error(`${what} ended with ${code} and says nothing`)
  noControls(said, `what ${what} prints`)
  if (said.includes(FAKE_KEY)) throw new Error(`${what} prints a key: ${said.slice(0, 400)}`)
  return `exit ${code}`
}
