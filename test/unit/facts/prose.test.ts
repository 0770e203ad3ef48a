import { describe, expect, it } from 'vitest'
import { sentencesOf } from '../../../src/text/blocks.ts'
import { expectLinear } from '../../growth.ts'

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

  it.each(['.', '?', '."', '. ', '`.'])(
    'are found in time that grows with how often %s stands there alone',
    async (mark) => {
      await expectLinear(6000, (n) => {
        const text = `Wait ${mark.repeat(n / mark.length)} then go`
        return sentencesOf([text])
      })
    },
  )
})
