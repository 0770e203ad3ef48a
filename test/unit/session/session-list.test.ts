import { afterEach, describe, expect, it, vi } from 'vitest'
import { junie } from '../../../src/agents/junie.ts'
import { listSessions } from '../../../src/session/session-list.ts'
import type { Here } from '../../../src/session/session-place.ts'
import type { Place } from '../../../src/types/place.ts'
import type { SessionRef } from '../../../src/types/session.ts'

afterEach(() => void vi.restoreAllMocks())

describe('a list of sessions', () => {
  it('does not wait for the first words of one that takes long to read', async () => {
    vi.spyOn(junie, 'read').mockImplementation(async function* (_, { signal }) {
      await new Promise((_, fail) => signal?.addEventListener('abort', () => fail(signal.reason)))
      yield []
    })
    const ref: SessionRef = {
      ...{ agent: 'junie', id: 's1', path: '/home/dev/events.jsonl', cwd: '/home/dev/repo' },
      ...{ startedAt: null, updatedAt: '2026-11-22T10:00:00.000Z', bytes: 2 ** 30 },
    }
    const place = { home: '/home/dev', root: '/home/dev/repo', env: {}, now: () => new Date(0) } as Place
    const here = { elsewhere: async () => null } as Partial<Here> as Here
    expect(await listSessions([ref], here, place)).toMatchObject([{ id: 's1', firstWords: null }])
  })
})
