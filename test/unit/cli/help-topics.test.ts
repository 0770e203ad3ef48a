import { describe, expect, it } from 'vitest'
import { pages, topics, topicText } from '../../../src/commands/help-topics.ts'
import { markdownRows } from '../../../src/output/markdown-rows.ts'
import { paint } from '../../../src/text/rows.ts'

describe('help on topics', () => {
  it('says where a guide belongs that is missing', () => {
    const topic = { name: 'tern', about: 'how Tern is read', parts: [{ page: 'agents/tern.md' }] }
    expect(() => topicText(topic)).toThrow(
      expect.objectContaining({
        code: 'E_NO_PAGE',
        exit: 2,
        message: expect.stringMatching(/^There is no page docs\/agents\/tern\.md in \/.+\.$/),
        hint: expect.stringContaining('CONTRIBUTING.md, "Add an agent"'),
      }),
    )
  })

  it.each(topics.map((topic) => [topic.name, topic] as const))(
    '%s: words of docs/, and a layout',
    (_, topic) => {
      const text = topicText(topic)
      expect(text.length).toBeGreaterThan(150)
      const drawn = paint(markdownRows(text, { width: 80, color: false, isOurs: true }), false)
      expect(drawn).not.toMatch(/^\*\*|\]\(|^\| ---/m)
      expect(drawn.length).toBeGreaterThan(text.length / 2)
    },
  )

  it('has the pages that a person asks for', () => {
    expect(pages.map(({ name }) => name).sort()).toEqual([
      'agents',
      'config',
      'exits',
      'goal',
      'latest',
      'leaked',
      'secrets',
      'sessions',
      'trust',
    ])
  })

  it('takes a paragraph with all that belongs to it, and no more', () => {
    const goal = pages
      .filter(({ name }) => name === 'goal')
      .map(topicText)
      .join('')
    expect(goal).toMatch(/^\*\*The goal\.\*\* Your words stay byte for byte, at most 4,096 bytes/)
    expect(goal).toContain('$ handoff create "continue"')
    expect(goal).not.toContain('**Notes.**')
  })
})
