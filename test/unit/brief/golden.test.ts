import { expect, it } from 'vitest'
import { draftBrief } from '../../../src/brief/draft.ts'
import { fitBrief } from '../../../src/brief/fit.ts'
import { renderBrief } from '../../../src/brief/render.ts'
import { sampleInput } from './sample.ts'

const FIXTURE = '../../fixtures/brief/whole-brief/brief.md'

it('renders a whole brief as the fixture shows it, twice the same', async () => {
  const render = async () => {
    const input = sampleInput()
    return renderBrief(await fitBrief(draftBrief(input), input.config))
  }
  const text = await render()
  await expect(text).toMatchFileSnapshot(FIXTURE)
  expect(await render()).toBe(text)
})
