import { beforeEach, describe, expect, it } from 'vitest'
import { cells } from '../../../src/text/rows.ts'
import { byNight } from '../../sampled.ts'
import { type CliOptions, cli } from '../cli.ts'
import { makeRepo, type TempRepo } from '../make-repo.ts'
import { later, made, usual } from '../usual.ts'

const told = async (repo: TempRepo, options: CliOptions = {}) => {
  const { code, stdout } = await cli(repo, ['status'], options)
  expect(code).toBe(0)
  return stdout.trimEnd().split('\n')
}

describe('status on one screen', () => {
  it('says in an empty repository what is missing and how to get it', async () => {
    const repo = makeRepo()
    expect(await told(repo)).toEqual([
      'No brief is open here. Make one: `git handoff create "<goal>"`',
      'Session: none found here (`git handoff create "<goal>" --from git` needs none)',
      'Notes: none (an agent leaves them with `git handoff note`)',
      'Hooks: none in this clone (`git handoff init`)',
    ])
    expect((await cli(repo, ['status', '--json'])).json).toMatchObject({
      brief: null,
      session: null,
      notes: null,
      hooks: { agents: [], git: false, off: false },
    })
  })

  byNight('names the newest brief where it cannot be read, as show does', async () => {
    const repo = usual()
    const { path } = await made(repo)
    repo.commit('damage it', { [path]: 'x\n' })
    const { json } = await cli(repo, ['status', '--json'])
    expect(json.brief).toBeNull()
    expect(json.warnings).toEqual([expect.stringMatching(`^${path} cannot be read as a brief`)])
    expect((await cli(repo, ['show', '--json'])).json.errors[0].code).toBe('E_BRIEF_UNREADABLE')
  })

  describe('with a brief and a session', () => {
    let repo: TempRepo
    beforeEach(async () => {
      repo = usual()
      await made(repo)
    })

    it('tells the open brief, its drift, the session that is found and how full it is', async () => {
      const lines = await told(repo, { now: later(10) })
      expect(lines[0]).toMatch(/^Open brief: \d{8}T\d{6}-[0-9a-f]{8} {2}/)
      expect(lines.find((line) => line.startsWith('Session '))).toMatch(
        /^Session [0-9a-f-]{36}: Claude Code, 11 min ago, \d+ % full$/,
      )
      expect(lines.length).toBeLessThanOrEqual(24)
      const { json } = await cli(repo, ['status', '--json'], { now: later(10) })
      expect(json.session).toMatchObject({
        agent: 'claude-code',
        ageSeconds: 660,
        fullness: { window: 200_000 },
      })
    })

    byNight('tells the hooks of this clone', async () => {
      expect((await cli(repo, ['init', '--agent', 'claude-code,codex', '--yes'])).code).toBe(0)
      expect(await told(repo)).toContain('Hooks: Claude Code, Codex, git')
      expect((await cli(repo, ['init', '--agent', 'codex', '--remove', '--yes'])).code).toBe(0)
      expect(await told(repo)).toContain('Hooks: Claude Code, git')
      expect((await cli(repo, ['init', '--remove', '--yes'])).code).toBe(0)
      expect(await told(repo)).toContain('Hooks: none in this clone (`git handoff init`)')
    })

    byNight('stays on one screen when much is told, and within the width of a terminal', async () => {
      const payload = (session_id: string) => JSON.stringify({ session_id, cwd: repo.root })
      for (let i = 0; i < 9; i++)
        await cli(repo, ['hook', 'prompt', '--agent', 'claude-code'], { stdin: payload(`session-${i}`) })
      const { json } = await cli(repo, ['status', '--json'])
      expect(json.sessions).toHaveLength(9)
      expect((await told(repo)).join('\n')).toContain('and 6 more; handoff status --json has all')
      for (const columns of [40, 80]) {
        const lines = await told(repo, { isTTY: true, columns, env: { NO_COLOR: '1' } })
        expect(Math.max(...lines.map(cells))).toBeLessThanOrEqual(columns)
        expect(lines.length).toBeLessThanOrEqual(24)
      }
      const colored = await told(repo, { isTTY: true, columns: 80 })
      expect(colored[0]?.startsWith('\u001b[1mOpen brief\u001b[22m: ')).toBe(true)
    })
  })
})
