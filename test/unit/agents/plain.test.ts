import { describe, expect, it } from 'vitest'
import { createMarkdownReader, hasUserTurn, plain } from '../../../src/agents/plain.ts'
import { expectLinear } from '../../growth.ts'

const turnsOf = (text: string) => {
  const reader = createMarkdownReader()
  return [...text.split('\n').map((line) => reader.line(line)), reader.end()].filter((turn) => turn !== null)
}

describe('plain transcripts', () => {
  it('are not any document with headings', () => {
    expect(hasUserTurn('# Guide\n\n## User stories\n\n## Model\n\ntext')).toBe(false)
    expect(hasUserTurn('```\n## User\n```')).toBe(false)
    expect(hasUserTurn('## User\n\nhi')).toBe(true)
    expect(hasUserTurn('## Assistant\n\nhello\n\n**User:** no turn in this style')).toBe(false)
  })

  it('leave the files of other agents alone', async () => {
    const claude = '{"type":"user","message":{"role":"user","content":"hi"}}'
    const codex = '{"type":"session_meta","payload":{"id":"x"}}'
    for (const head of [claude, codex, '{"info":{"id":"ses_1"}}', '{', 'words'])
      expect(await plain.identify('/nowhere', head)).toBeNull()
  })

  it('keep blank lines and indentation inside a turn', () => {
    expect(turnsOf('## User\n\na\n\n    b\n\n## Assistant\nc')).toEqual([
      { role: 'user', text: 'a\n\n    b' },
      { role: 'assistant', text: 'c' },
    ])
  })

  it('lose a rule behind a turn, and take time that grows with their blank lines alone', async () => {
    await expectLinear(5000, (n) => {
      const blank = '\n'.repeat(n)
      expect(turnsOf(`## User\na${blank}b${blank}---${blank}\n## Assistant\nc`)).toEqual([
        { role: 'user', text: `a${blank}b` },
        { role: 'assistant', text: 'c' },
      ])
    })
  })

  it('end a fence only with as many marks as it began with', () => {
    expect(turnsOf('## User\n````\n```\n## Assistant\n````\n## Assistant\nx')).toHaveLength(2)
  })
})
