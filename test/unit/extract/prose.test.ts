import { describe, expect, it } from 'vitest'
import { sentencesOf, shorten } from '../../../src/extract/prose.ts'

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

  it.each(['.', '?', '."', '. ', '`.'])('are found at once where %s stands 60,000 times', (mark) => {
    const begun = process.cpuUsage().user
    const text = `Wait ${mark.repeat(60_000 / mark.length)} then go`
    sentencesOf([text])
    shorten(text, 700)
    expect(process.cpuUsage().user - begun).toBeLessThan(1_000_000)
  })
})
