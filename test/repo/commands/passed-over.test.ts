import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { byNight } from '../../sampled.ts'
import { USUAL, writeClaudeSession } from '../claude-session.ts'
import { cli } from '../cli.ts'
import { makeRepo } from '../make-repo.ts'
import { create } from '../usual.ts'

it('names the sessions that were passed over, and why', async () => {
  const repo = makeRepo()
  const other = join(repo.home, 'code/other')
  writeClaudeSession(repo, USUAL, { cwd: other })
  const folder = join(repo.home, '.codex/sessions/2026/11/22')
  mkdirSync(folder, { recursive: true })
  const torn = join(folder, 'rollout-2026-11-22T09-00-00-01a20097-77f9-7192-ba10-4fdedadc5e9b.jsonl')
  writeFileSync(torn, '')

  const failed = await create(repo)
  expect(failed.json.errors[0]).toMatchObject({ code: 'E_NO_SESSION' })
  expect(failed.json.errors[0].message).toContain('Passed over:\n')
  expect(failed.json.errors[0].message).toContain(
    'Claude Code: 1 session of other folders, 60 s ago (~/code/other)',
  )

  expect((await cli(repo, ['sessions'])).stdout).not.toContain('other')
  const told = await cli(repo, ['sessions', '--verbose'])
  expect(told.stdout).toContain('Passed over:\n')
  expect(told.stdout).toContain('  Claude Code: 1 session of other folders, 60 s ago (~/code/other)')
  expect(told.stdout).toMatch(/ {2}Codex: 1 file that could not be read, .* \(.*rollout-2026-11-22.*\)/)
  const { json } = await cli(repo, ['sessions', '--verbose', '--json'])
  expect(json).toMatchObject({
    total: 0,
    passedOver: expect.arrayContaining([
      {
        agent: 'claude-code',
        why: 'other folder',
        count: 1,
        updatedAt: '2026-11-22T09:59:00.000Z',
        of: other,
      },
    ]),
  })
})

it('tells of nothing where every session is of here', async () => {
  const repo = makeRepo()
  writeClaudeSession(repo, USUAL)
  expect((await cli(repo, ['sessions', '-v'])).stdout).toContain('Passed over: nothing.')
})

byNight('warns of a transcript that the branch may have brought', async () => {
  const repo = makeRepo()
  const transcript = readFileSync(
    join(import.meta.dirname, '../../fixtures/agents/specstory/explained-commit-2.1/session.md'),
  )
  for (const [path, isTold] of [
    [join(repo.root, '.specstory/history/a.md'), true],
    [join(repo.base, 'a.md'), false],
  ] as const) {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, transcript)
    // It is taken by its name alone.
    expect((await create(repo)).json.errors[0].code).toBe('E_NO_SESSION')
    const { code, json } = await create(repo, ['--session', path, '--print'])
    expect({ code, json }).toMatchObject({ code: 0, json: { session: { agent: 'specstory' } } })
    expect(json.warnings.some((text: string) => text.includes('check what it quotes'))).toBe(isTold)
  }
})
