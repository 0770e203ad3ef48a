import { describe, expect, it } from 'vitest'
import { callerOf, unreadableMarks } from '../../../src/agents/caller.ts'
import { adapters } from '../../../src/agents/table.ts'

describe('callerOf', () => {
  it('names nobody when a person calls', () => {
    expect(callerOf({ PATH: '/bin', CLAUDECODE: '' })).toBeNull()
  })

  it('names Claude Code with its session', () => {
    expect(callerOf({ CLAUDECODE: '1', CLAUDE_CODE_SESSION_ID: 'abc' })).toEqual({
      agent: 'claude-code',
      sessionId: 'abc',
      path: null,
    })
  })

  it('names Claude Code before 2.1, which tells no session', () => {
    expect(callerOf({ CLAUDECODE: '1' })).toEqual({ agent: 'claude-code', sessionId: null, path: null })
  })

  it('names oh-my-pi although it sets the mark of Claude Code', () => {
    expect(callerOf({ CLAUDECODE: '1', OMPCODE: '1' })?.agent).toBe('oh-my-pi')
  })

  it.each([
    [{ CURSOR_AGENT: '1' }, 'cursor'],
    [{ AI_AGENT: 'cursor-cli' }, 'cursor'],
    [{ AUGMENT_AGENT: '1' }, 'Augment'],
    [{ AI_AGENT: 'antigravity' }, 'antigravity'],
    [{ AI_AGENT: 'devin@1' }, 'devin'],
    [{ AI_AGENT: 'claude-code_2-1-330_agent' }, 'claude-code'],
    [{ AI_AGENT: 'gemini' }, 'gemini-cli'],
    [{ AI_AGENT: 'AKIA7QGHK4LMNO2PQRST' }, 'an unknown agent'],
    [{ AGENT: 'amp' }, 'amp'],
    [{ AI_AGENT: 'pi', CODEX_THREAD_ID: 'x' }, 'codex'],
    [{ AGENT: 'build-7', AI_AGENT: '' }, undefined],
  ])('C6: names who calls by %j: %s', (env, agent) => {
    expect(callerOf(env)?.agent).toBe(agent)
  })

  it('answers for every adapter by a mark of its own', () => {
    for (const adapter of adapters.filter(({ marks }) => marks.length > 0)) {
      const callers = adapter.marks.map((mark) => callerOf({ [mark]: '1' })?.agent)
      expect(callers).toContain(adapter.id)
      for (const mark of adapter.marks) expect(unreadableMarks).not.toContain(mark)
    }
  })
})
