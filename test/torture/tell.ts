import type { Context } from './part.ts'

/** The row of a fault: the first of what is wrong, or what there is to tell when nothing is. */
export function tell(
  context: Context,
  fault: string,
  operation: string,
  count: number,
  wrong: readonly string[],
  told = '',
): void {
  context.case({ fault, operation, count, wrong })
  const detail = wrong.length === 0 ? told : `${wrong.length} wrong, first ${wrong.slice(0, 3).join('; ')}`
  context.row(fault, operation, count, wrong.length === 0, detail)
}

/** The row of a defect that was planted: it must be caught. `word`: what is counted. */
export function tellPlanted(
  { row }: Context,
  fault: string,
  operation: string,
  count: number,
  caught: number,
  word: string,
): void {
  const detail = caught > 0 ? `caught: ${caught} ${word}` : 'the harness is blind'
  row(fault, operation, count, caught > 0, detail)
}
