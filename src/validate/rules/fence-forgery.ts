import type { Problem, Rule } from '../rule.ts'

/** Every fence is closed, and nothing pretends to be the end of a wrapper or the marker of latest.md. */
export const fenceForgery: Rule = {
  id: 'fence-forgery',
  level: 'always',
  check({ lines, parsed }) {
    const open = parsed.sections
      .flatMap((section) => section.blocks)
      .filter((block) => !block.closed)
      .map(({ line }): Problem => ({ line, message: 'a fence is not closed' }))
    const marker = lines.flatMap((text, index): Problem[] =>
      /^<!-- handoff:begin/.test(text)
        ? [{ line: index + 1, message: 'has the marker line of latest.md; the clean filter would cut here' }]
        : [],
    )
    const after = parsed.sections
      .filter(({ id }) => id === 'goal')
      .flatMap((section) => {
        const rest = section.lines.filter(({ fenced, text }) => !fenced && text.trim() !== '')
        return rest.map(
          ({ line }): Problem => ({
            line,
            message: 'text beside the goal; the goal section holds the goal alone',
          }),
        )
      })
    return [...open, ...marker, ...after]
  },
}
