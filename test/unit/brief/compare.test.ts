import { describe, expect, it } from 'vitest'
import { compareBriefs, isUnchanged } from '../../../src/brief/compare.ts'
import { changeLines } from '../../../src/brief/compare-lines.ts'
import { draftBrief } from '../../../src/brief/draft.ts'
import { type ParsedBrief, parseBrief } from '../../../src/brief/parse.ts'
import { renderBrief } from '../../../src/brief/render.ts'
import type { Brief } from '../../../src/types.ts'
import { sampleInput } from './sample.ts'

const brief = (change: (brief: Brief) => void = () => undefined): ParsedBrief => {
  const made = draftBrief(sampleInput())
  change(made)
  return parseBrief(renderBrief(made))
}

describe('comparing two briefs', () => {
  it('finds nothing between a brief and itself', () => {
    const change = compareBriefs(brief(), brief())
    expect(isUnchanged(change)).toBe(true)
    expect(changeLines(change)).toEqual([])
  })

  it('tells a dropped constraint first and loudest', () => {
    const change = compareBriefs(
      brief(),
      brief((now) => {
        now.constraints = now.constraints.slice(1)
        now.decisions.push({ ...(now.decisions[0] as Brief['decisions'][0]), what: 'Log every retry' })
      }),
    )
    expect(changeLines(change)[0]).toBe(
      'CONSTRAINT DROPPED: "keep the public API of src/queue/index.ts exactly as it is"',
    )
  })
})
