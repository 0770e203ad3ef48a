import { describe, expect, it } from 'vitest'
import { createTurnFinder } from '../../../src/ask/session-turn.ts'
import type { SessionEvent } from '../../../src/types/session.ts'

const SHA = '1a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d'
const AT = '2026-11-22T10:00:00.000Z'
const stamp = (at: string) => ({ at, sub: null, cwd: '/repo' })
let ids = 0
const prompt = (text: string, at = AT): SessionEvent => ({ kind: 'prompt', text, ...stamp(at) })
const says = (text: string): SessionEvent => ({ kind: 'reply', text, ...stamp(AT) })
const run = (command: string, text: string, ok = true): SessionEvent[] => {
  const id = `run-${ids++}`
  return [
    { kind: 'call', id, tool: 'Bash', by: 'agent', action: { type: 'run', command }, ...stamp(AT) },
    { kind: 'result', id, ok, exitCode: ok ? 0 : 1, text, ...stamp(AT) },
  ]
}
const edit = (path: string, at = AT, ok = true): SessionEvent[] => {
  const id = `edit-${ids++}`
  const action = { type: 'edit' as const, files: [{ path, change: 'update' as const }] }
  return [
    { kind: 'call', id, tool: 'Edit', by: 'agent', action, ...stamp(at) },
    { kind: 'result', id, ok, exitCode: null, text: '', ...stamp(at) },
  ]
}
const find = (events: SessionEvent[], shas = [SHA]) => {
  const finder = createTurnFinder(shas, AT, ['src/queue.ts'])
  for (const event of events) finder.add(event)
  return finder.end()
}

describe('the turn of a session that a line comes from', () => {
  it('is the one that made the commit, though later ones changed the file', () => {
    const events = [
      prompt('bound it'),
      ...edit('/repo/src/queue.ts'),
      ...run('git commit -am x', '[main 1a2b3c4] Bound it\n 1 file changed'),
      says('Bound at 100.'),
      prompt('and the docs'),
      ...edit('/repo/src/queue.ts'),
    ]
    expect(find(events)).toEqual({ turn: 1, request: 'bound it', reply: 'Bound at 100.', about: 'commit' })
    // By the id that it had before a rebase, too.
    expect(find(events, ['f'.repeat(40), SHA])?.about).toBe('commit')
  })

  it('is else the last one before it that changed the file', () => {
    const events = [
      prompt('bound it'),
      ...edit('/repo/src/queue.ts'),
      says('Bound.'),
      prompt('refused'),
      ...edit('/repo/src/queue.ts', AT, false),
      prompt('later', '2026-11-22T11:00:00.000Z'),
      ...edit('/repo/src/queue.ts', '2026-11-22T11:00:00.000Z'),
      prompt('another file'),
      ...edit('/repo/lib/other-queue.ts'),
    ]
    expect(find(events)).toMatchObject({ turn: 1, request: 'bound it', about: 'file' })
  })

  it('is none where a commit is only shown, or failed', () => {
    const events = [
      prompt('look'),
      ...run('git log --oneline', '1a2b3c4 Bound it'),
      ...run('git commit -am x', '[main 1a2b3c4] Bound it', false),
      ...run('cat notes.txt', '[main 1a2b3c4] Bound it'),
    ]
    expect(find(events)).toBeNull()
  })
})
