import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { claudeCode } from '../../../src/agents/claude-code/index.ts'
import { findSessions } from '../../../src/agents/find.ts'

let home = ''
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'handoff-claude-'))
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

const slugOf = (cwd: string) => cwd.replace(/[^a-zA-Z0-9]/g, '-')
const idOf = (number: number) => `aaaaaaaa-0000-4000-8000-${String(number).padStart(12, '0')}`

/** Writes a session of two rows; `at` is the time of the last one. */
function session(
  number: number,
  cwd: string,
  at: string,
  folder = slugOf(cwd),
  projects = '.claude/projects',
) {
  const dir = join(home, projects, folder)
  mkdirSync(dir, { recursive: true })
  const row = (type: string, timestamp: string, content: unknown) =>
    JSON.stringify({
      parentUuid: null,
      isSidechain: false,
      cwd,
      sessionId: idOf(number),
      version: '2.1.330',
      gitBranch: 'feature/x',
      type,
      message: { role: type, content },
      uuid: `${type}-${number}`,
      timestamp,
    })
  const path = join(dir, `${idOf(number)}.jsonl`)
  const lines = [
    JSON.stringify({ type: 'mode', mode: 'normal', sessionId: idOf(number) }),
    row('user', '2026-01-01T00:00:00.000Z', 'hello'),
    row('assistant', at, [{ type: 'text', text: 'hi' }]),
    JSON.stringify({ type: 'ai-title', aiTitle: `Title ${number}`, sessionId: idOf(number) }),
  ]
  writeFileSync(path, `${lines.join('\n')}\n`)
  return path
}

const find = (roots: string[], env = {}) => claudeCode.find({ home, env }, roots)

describe('sessions of Claude Code', () => {
  it('are found for worktrees and subdirectories, newest first, and for nothing else', async () => {
    session(1, '/home/dev/repo', '2026-02-01T00:00:00.000Z')
    session(2, '/home/dev/repo/packages/a.b', '2026-02-03T00:00:00.000Z')
    session(3, '/home/dev/wt', '2026-02-02T00:00:00.000Z')
    session(4, '/home/dev/repo-two', '2026-02-04T00:00:00.000Z')
    // A folder of this name may belong to /home/dev-repo as well: the records decide.
    session(5, '/home/dev-repo', '2026-02-05T00:00:00.000Z', '-home-dev-repo')
    session(6, '/home/dev', '2026-02-06T00:00:00.000Z')
    const found = await find(['/home/dev/repo', '/home/dev/wt'])
    expect(found.map(({ id }) => id)).toEqual([idOf(2), idOf(3), idOf(1)])
    expect(found[0]).toMatchObject({
      agent: 'claude-code',
      cwd: '/home/dev/repo/packages/a.b',
      startedAt: '2026-01-01T00:00:00.000Z',
      updatedAt: '2026-02-03T00:00:00.000Z',
      branch: 'feature/x',
      title: 'Title 2',
    })
  })

  it('of a path over 200 characters are found under its cut name', async () => {
    const root = `/home/dev/${'long-name/'.repeat(25)}repo`
    session(1, root, '2026-02-01T00:00:00.000Z', `${slugOf(root).slice(0, 200)}-1x2y3z`)
    expect(await find([root])).toHaveLength(1)
  })

  it('are looked for in CLAUDE_CONFIG_DIR', async () => {
    session(1, '/home/dev/repo', '2026-02-01T00:00:00.000Z', undefined, 'elsewhere/projects')
    expect(await find(['/home/dev/repo'])).toEqual([])
    expect(await find(['/home/dev/repo'], { CLAUDE_CONFIG_DIR: join(home, 'elsewhere') })).toHaveLength(1)
  })

  it('without a conversation are left out', async () => {
    const path = session(1, '/home/dev/repo', '2026-02-01T00:00:00.000Z')
    writeFileSync(path, '{"type":"mode","mode":"normal"}\n{"type":"summary","summary":"x","leafUuid":"y"}\n')
    expect(await find(['/home/dev/repo'])).toEqual([])
  })

  it('tell the time of the last event, whatever the file says', async () => {
    const path = session(1, '/home/dev/repo', '2026-02-01T00:00:00.000Z')
    utimesSync(path, new Date('2026-03-01'), new Date('2026-03-01'))
    expect((await find(['/home/dev/repo']))[0]?.updatedAt).toBe('2026-02-01T00:00:00.000Z')
  })

  it('are none where the client never ran', async () => {
    expect(await find(['/home/dev/repo'])).toEqual([])
  })

  it('keep their order among hundreds', async () => {
    for (let number = 0; number < 300; number++)
      session(number, '/home/dev/repo', `2026-02-01T00:00:00.${String(number).padStart(3, '0')}Z`)
    const found = await find(['/home/dev/repo'])
    expect(found.map(({ id }) => id)).toEqual(Array.from({ length: 300 }, (_, index) => idOf(299 - index)))
  })
})

describe('a file of a session that cannot be read', () => {
  const told = async () => {
    const errors: string[] = []
    const found = await findSessions({ home, env: {} }, ['/home/dev/repo'], undefined, {
      onMissed: ({ code, message }) => errors.push(`${code} ${message}`),
    })
    return { ids: found.map(({ id }) => id), errors }
  }
  /** Nobody can read this as a file; it was changed at that time. */
  const unreadable = (number: number, at: string): string => {
    const path = session(number, '/home/dev/repo', at)
    rmSync(path)
    mkdirSync(path)
    utimesSync(path, new Date(at), new Date(at))
    return path
  }

  it('is told when it was written later than all others: it may be the one that is meant', async () => {
    session(1, '/home/dev/repo', '2026-02-01T00:00:00.000Z')
    const path = unreadable(2, '2026-02-02T00:00:00.000Z')
    const { ids, errors } = await told()
    expect(ids).toEqual([idOf(1)])
    expect(errors).toEqual([expect.stringMatching(/^E_SESSION_UNREADABLE .* \(.*EISDIR/)])
    expect(errors[0]).toContain(path)
  })

  it('is told when there is no other', async () => {
    unreadable(1, '2026-02-02T00:00:00.000Z')
    expect(await told()).toMatchObject({ ids: [], errors: [expect.stringContaining('EISDIR')] })
  })

  it('is passed over when it is older: then it is not the one that is meant', async () => {
    session(1, '/home/dev/repo', '2026-02-03T00:00:00.000Z')
    unreadable(2, '2026-02-02T00:00:00.000Z')
    expect(await told()).toEqual({ ids: [idOf(1)], errors: [] })
  })
})
