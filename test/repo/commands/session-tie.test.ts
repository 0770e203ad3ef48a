import { describe, expect, it } from 'vitest'
import { USUAL, writeClaudeSession } from '../claude-session.ts'
import type { CliResult } from '../cli.ts'
import type { TempRepo } from '../make-repo.ts'
import { create, later, usual } from '../usual.ts'

const SECOND = 'bbbbbbbb-2222-4333-8444-555555555555'
const THIRD = 'cccccccc-2222-4333-8444-555555555555'

/** A session of some seconds that ends at this minute after `NOW`. */
const sessionAt = (repo: TempRepo, id: string, minute: number): string =>
  writeClaudeSession(repo, USUAL, { id, end: later(minute) })
const at = (repo: TempRepo, minute: number, args: string[] = []): Promise<CliResult> =>
  create(repo, args, { now: later(minute) })
const session = (id: string) => ({ code: 0, json: { ok: true, session: { id } } })

describe('sessions that ended within ten minutes of each other', () => {
  it.each(['current', 'separate'])(
    'one that was handed over before the next began is none of them, all along the chain (briefs on %s)',
    async (branch) => {
      const repo = usual()
      const args = ['--branch', branch]
      expect((await at(repo, 0, args)).code).toBe(0)
      sessionAt(repo, SECOND, 2)
      expect(await at(repo, 3, args)).toMatchObject(session(SECOND))
      sessionAt(repo, THIRD, 5)
      expect(await at(repo, 6, args)).toMatchObject(session(THIRD))
    },
  )

  it('one that went on after its brief, beside the next, is one of them', async () => {
    const repo = usual()
    const { json } = await at(repo, 0)
    sessionAt(repo, SECOND, 2)
    sessionAt(repo, json.session.id, 3)
    const failed = await at(repo, 4)
    expect(failed.json.errors[0].code).toBe('E_SESSION_TIE')
    expect(failed.json.errors[0].candidates).toHaveLength(2)
  })

  it('one that was at work when the other was handed over is one of them, whichever is newer', async () => {
    const repo = usual()
    sessionAt(repo, SECOND, 0)
    expect((await create(repo, ['--session', '1111'], { now: later(1) })).code).toBe(0)
    expect((await at(repo, 2)).json.errors[0].code).toBe('E_SESSION_TIE')
  })
})
