import { describe, expect, it } from 'vitest'
import { sentencesOf, shorten } from '../../../src/extract/prose.ts'
import { cpuTime } from '../../cpu-time.ts'

describe('sentences', () => {
  it('end at the last of several marks', () => {
    expect(sentencesOf(['Why?! "So." Then... go. 本当？！はい'])).toEqual([
      'Why?!',
      '"So."',
      'Then... go.',
      '本当？！',
      'はい',
    ])
  })

  it.each(['.', '?', '."', '. ', '`.'])('are found at once where %s stands 60,000 times', async (mark) => {
    const text = `Wait ${mark.repeat(60_000 / mark.length)} then go`
    const read = () => [sentencesOf([text]), shorten(text, 700)]
    expect(await cpuTime(read, 1000)).toBeLessThan(1000)
  })
})
