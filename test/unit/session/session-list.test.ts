import { afterEach, describe, expect, it, vi } from 'vitest'
import { junie } from '../../../src/agents/junie.ts'
import { listSessions, shortIds } from '../../../src/session/session-list.ts'
import type { Here } from '../../../src/session/session-place.ts'
import type { Place } from '../../../src/types/config.ts'
import type { SessionEvent, SessionRef } from '../../../src/types/session.ts'

afterEach(() => void vi.restoreAllMocks())

function listed(bytes: number) {
  const ref: SessionRef = {
    ...{ agent: 'junie', id: 's1', path: '/home/dev/events.jsonl', cwd: '/home/dev/repo' },
    ...{ startedAt: null, updatedAt: '2026-11-22T10:00:00.000Z', bytes },
  }
  const place = { home: '/home/dev', root: '/home/dev/repo', env: {}, now: () => new Date(0) } as Place
  const here = { elsewhere: async () => null } as Partial<Here> as Here
  return listSessions([ref], here, place)
}

describe('a list of sessions', () => {
  it('does not wait for the first words of one that takes long to read', async () => {
    vi.spyOn(junie, 'read').mockImplementation(async function* (_, { signal }) {
      await new Promise((_, fail) => signal?.addEventListener('abort', () => fail(signal.reason)))
      yield []
    })
    expect(await listed(2 ** 30)).toMatchObject([{ id: 's1', firstWords: null }])
  })

  it('has what the person asked first, not the words that hand a brief over', async () => {
    const said = (text: string): SessionEvent => ({ kind: 'prompt', text, at: null, sub: null, cwd: null })
    const pointer =
      'A handoff brief is open on branch main, by Codex, 2 h old: port the queue\nWhat the user asks comes first; read it to go on.'
    vi.spyOn(junie, 'read').mockImplementation(async function* () {
      yield [said(pointer), said('/handoff port the queue'), said('Document the limits.')]
    })
    expect(await listed(99)).toMatchObject([{ firstWords: 'Document the limits.' }])
  })
})

it('shows as much of the ids as tells them apart, and 8 characters at least', () => {
  const ids = ['01a22699-1111-7000', '01a22699-1122-7000', '01a22699-3333-7000']
  expect(ids.map(shortIds(ids))).toEqual(['01a22699-111', '01a22699-112', '01a22699-333'])
  expect(['0123456789', 'abcdefghij'].map(shortIds(['0123456789', 'abcdefghij']))).toEqual([
    '01234567',
    'abcdefgh',
  ])
  // Two installations may hold the same session.
  expect(shortIds(['same-session', 'same-session'])('same-session')).toBe('same-ses')
})
