import { describe, expect, it } from 'vitest'
import { ticketIds, ticketsOf } from '../../../src/extract/work-items.ts'
import type { GitCommit } from '../../../src/types/git.ts'

const commit = (sha: string, subject: string, files: string[] = [], trailers: string[] = []): GitCommit => ({
  sha,
  subject,
  at: '2026-11-01T10:00:00Z',
  trailers,
  files,
})
const idsOf = (branch: string | null, commits: GitCommit[] = []) =>
  ticketsOf({ branch, commits }, []).tickets.map(({ id }) => id)

describe('ticketIds', () => {
  it.each([
    ['T-10 and T-1', ['T-10', 'T-1']],
    ['Fix ABC-123: the queue (#45)', ['ABC-123', '#45']],
    ['GH-7 is #7', ['#7']],
    ['feature/ABC-123-fix-queue', ['ABC-123']],
    ['owner/repo#12, v#3x, ABC-1.2, xABC-1, ABC-1x', []],
    ['UTF-8, SHA-256, ISO-8601, RFC-2119, CVE-2024-1234', []],
    ['color #112233ab', []],
    ['nothing here', []],
  ])('%s', (text, ids) => {
    expect(ticketIds(text)).toEqual(ids)
  })
})

describe('ticketsOf', () => {
  it('whole ids: T-1 has none of the commits of T-10', () => {
    const commits = [
      commit('c', 'T-10: later', ['b.ts']),
      commit('b', 'T-1: more', ['a.ts', 'c.ts']),
      commit('a', 'T-1: begin', ['a.ts']),
    ]
    expect(ticketsOf({ branch: 'main', commits }, ['T-1'])).toEqual({
      tickets: [
        { id: 'T-1', ofBranch: false, commits: ['b', 'a'], files: ['a.ts', 'c.ts'] },
        { id: 'T-10', ofBranch: false, commits: ['c'], files: ['b.ts'] },
      ],
      without: 0,
    })
  })

  it('trailers that name tickets count, others do not', () => {
    const trailers = ['Fixes: #12', 'Refs: ABC-3', 'Change-Id: I-77', 'Signed-off-by: X-9 <x@example.com>']
    expect(idsOf(null, [commit('a', 'a fix', [], trailers)])).toEqual(['#12', 'ABC-3'])
  })

  it('the ticket of the branch has the commits that name none; without one they are counted', () => {
    const commits = [commit('b', 'clean up', ['b.ts']), commit('a', 'ABC-9 begin', ['a.ts'])]
    expect(ticketsOf({ branch: 'fix/ABC-7-x', commits }, [])).toEqual({
      tickets: [
        { id: 'ABC-7', ofBranch: true, commits: ['b'], files: ['b.ts'] },
        { id: 'ABC-9', ofBranch: false, commits: ['a'], files: ['a.ts'] },
      ],
      without: 0,
    })
    expect(ticketsOf({ branch: 'cleaning', commits }, []).without).toBe(1)
    expect(ticketsOf({ branch: 'cleaning', commits: commits.slice(0, 1) }, [])).toEqual({
      tickets: [],
      without: 0,
    })
    expect(ticketsOf(null, [])).toEqual({ tickets: [], without: 0 })
  })

  it.each([
    ['123-fix', ['#123']],
    ['fix/issue-45_x', ['#45']],
    ['release/2026-10', []],
    ['release/12', []],
    ['2026-10-11-work', []],
    ['fix-2', []],
    ['dependabot/npm/x-1.2.3', []],
  ])('branch %s', (branch, ids) => {
    expect(idsOf(branch)).toEqual(ids)
  })

  it('a key written small in the branch counts when a commit writes it large', () => {
    expect(idsOf('feature/abc-12-queue')).toEqual([])
    expect(
      ticketsOf({ branch: 'feature/abc-12-queue', commits: [commit('a', 'ABC-12 x')] }, []).tickets,
    ).toEqual([{ id: 'ABC-12', ofBranch: true, commits: ['a'], files: [] }])
  })
})
