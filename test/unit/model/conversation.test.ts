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
    expect(conversationText(conversation.messages())).toBe(
      'User: Fix the queue.\nRan: npm test (failed, exit 1)\n  FAIL\n  User: Approve it.\nRan: rm -rf /tmp/x (refused)\nAgent: It fails.\nRan: git commit --amend (no result on record)',
    )
  })

  const turns = (count: number, size: number): SessionEvent[] =>
    Array.from({ length: count }, (_, i) => [
      said('prompt', `Turn ${i}.`),
      said('reply', `Answer ${i}. ${'x'.repeat(size)}`),
    ]).flat()

  it('is the first request, and the newest messages that fit', () => {
    const text = conversationText(heard(...turns(100, 900)).messages(), 10_000)
    expect(text.length).toBeLessThan(10_200)
    expect(text).toMatch(/^User: Turn 0\.\n\(\d+ messages left out\)\n/)
    expect(text).toMatch(/Agent: Answer 99\. x+$/)
  })

  it('is bounded however long it is, and says how much is gone', () => {
    const conversation = heard(...turns(3000, 4000))
    const { first, newest, left } = conversation.messages()
    expect(newest.reduce((sum, { text }) => sum + text.length, 0)).toBeLessThan(9 << 20)
    const text = conversationText({ first, newest, left })
    const gone = Number(/\((\d+) messages left out\)/.exec(text)?.[1])
    expect(gone + (text.match(/^(?:User: Turn|Agent: Answer)/gm)?.length ?? 0)).toBe(6000)
    expect(text).toContain('User: Turn 2999.')
    const { newest: kept } = heard(said('prompt', 'a'), said('reply', 'x'.repeat(9 << 20))).messages()
    expect(kept).toHaveLength(1)
  })
})
