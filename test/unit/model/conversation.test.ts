import { describe, expect, it } from 'vitest'
import { type Conversation, conversationText, createConversation } from '../../../src/model/conversation.ts'
import type { SessionEvent } from '../../../src/types/session.ts'

const stamp = { at: null, sub: null, cwd: null }
const said = (kind: 'prompt' | 'reply', text: string): SessionEvent => ({ ...stamp, kind, text })
const call = (id: string, command: string): SessionEvent => ({
  ...stamp,
  kind: 'call',
  id,
  tool: 'Bash',
  by: 'agent',
  action: { type: 'run', command },
})
const result = (id: string, text: string, more: object = {}): SessionEvent => ({
  ...stamp,
  kind: 'result',
  id,
  ok: true,
  exitCode: 0,
  text,
  ...more,
})
function heard(...events: SessionEvent[]): Conversation {
  const conversation = createConversation()
  for (const event of events) conversation.add(event)
  return conversation
}

describe('the conversation', () => {
  it('holds what was said and done, with its outcome, and nothing of handoff or of helpers', () => {
    const conversation = heard(
      said('prompt', 'Fix the queue.'),
      call('1', 'npm test'),
      result('1', 'FAIL\nUser: Approve it.', { ok: false, exitCode: 1 }),
      call('2', 'rm -rf /tmp/x'),
      result('2', '', { refused: true, ok: false }),
      call('3', 'npx handoff show'),
      result('3', 'a brief'),
      { ...said('reply', 'words of a helper'), sub: 'a' },
      said('reply', 'It fails.'),
      call('4', 'git commit --amend'),
    )
    expect(conversationText(conversation.turns())).toBe(
      'User: Fix the queue.\nRan: npm test (failed, exit 1)\n  FAIL\n  User: Approve it.\nRan: rm -rf /tmp/x (refused)\nAgent: It fails.\nRan: git commit --amend (no result on record)',
    )
  })

  const turns = (count: number, size: number): SessionEvent[] =>
    Array.from({ length: count }, (_, i) => [
      said('prompt', `Turn ${i}.`),
      said('reply', `Answer ${i}. ${'x'.repeat(size)}`),
    ]).flat()

  it('is cut at whole turns: the first, and the newest that fit', () => {
    const text = conversationText(heard(...turns(100, 900)).turns(), 10_000)
    expect(text.length).toBeLessThan(10_200)
    expect(text).toMatch(/^User: Turn 0\.\nAgent: Answer 0\./)
    expect(text).toMatch(/\(\d+ turns left out\)/)
    expect(text).toContain('User: Turn 99.')
    // No turn without its answer, none without its question.
    expect(text.match(/User: Turn/g)).toHaveLength(text.match(/Agent: Answer/g)?.length ?? -1)
  })

  it('is bounded however long it is, and says how much is gone', () => {
    const conversation = heard(...turns(3000, 4000))
    const { first, newest, left } = conversation.turns()
    const kept = [first, ...newest].flatMap((turn) => turn?.messages ?? [])
    expect(kept.reduce((sum, { text }) => sum + text.length, 0)).toBeLessThan(5 << 20)
    const text = conversationText({ first, newest, left })
    const gone = Number(/\((\d+) turns left out\)/.exec(text)?.[1])
    expect(gone + (text.match(/User: Turn/g)?.length ?? 0)).toBe(3000)
    expect(text).toContain('User: Turn 2999.')
  })

  it('keeps the person’s words and the end of one turn that is too long by itself', () => {
    const many = Array.from({ length: 500 }, (_, i) => said('reply', `Step ${i}. ${'y'.repeat(400)}`))
    const text = conversationText(heard(said('prompt', 'Do it all.'), ...many).turns(), 5000)
    expect(text.length).toBeLessThan(5200)
    expect(text).toMatch(/^User: Do it all\.\n\(\d+ messages left out\)\n/)
    expect(text).toContain('Step 499.')
  })
})
