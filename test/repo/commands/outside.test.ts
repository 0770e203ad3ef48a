import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { USUAL, writeClaudeSession } from '../claude-session.ts'
import { cli } from '../cli.ts'
import { atFolder, makeEnv, makeFolder, type TempRepo } from '../make-repo.ts'
import { create, GOAL, itemsOf, printed, sectionOf } from '../usual.ts'

function nowhere(): TempRepo {
  const base = makeFolder()
  const root = join(base, 'plain')
  mkdirSync(join(root, 'src'), { recursive: true })
  writeFileSync(join(root, 'src/queue.ts'), 'x\n')
  const here = atFolder(base, root, makeEnv(join(base, 'home')))
  writeClaudeSession(here, USUAL)
  return here
}

describe('outside a repository', () => {
  it.each(['--commit', '--no-commit', '--preview', '--branch=separate'])(
    'create %s fails with the hint: git init, or --print',
    async (flag) => {
      const here = nowhere()
      const failed = await create(here, [flag])
      expect(failed).toMatchObject({ code: 2, json: { errors: [{ code: 'E_NO_REPOSITORY' }] } })
      expect(failed.json.errors[0].hint).toMatch(/`git init`.*--print`/)
      expect(readdirSync(here.root)).toEqual(['src'])
    },
  )

  it.each(['--print', '--dry-run'])('%s works, leaves out git facts and says so', async (flag) => {
    const here = nowhere()
    const run = await cli(here, ['create', GOAL, flag])
    expect(run.code).toBe(0)
    expect(run.stderr).toContain('not a git repository: git facts are left out')
    expect(itemsOf(run.stdout, 'Status')[0]).toBe('- No git repository here: git facts are left out.')
    expect(run.stdout).toMatch(/\nbranch: null\n(?:.*\n)+?head: null\n/)
    expect(sectionOf(run.stdout, 'Relevant Files')).toContain('`src/queue.ts`')
    expect(sectionOf(run.stdout, 'Constraints & Preferences')).toContain('Do NOT touch src/api.ts')
    expect(run.stdout).not.toContain('Work tree')
    expect(readdirSync(here.root)).toEqual(['src'])
  })

  it('a conversation on standard input leaves no file', async () => {
    const here = nowhere()
    const json = await printed(here, ['--session', '-'], {
      stdin: '{"role":"user","content":"Port the queue."}\n{"role":"assistant","content":"Ported."}\n',
    })
    expect(json).toMatchObject({ branch: null, commit: null, session: { agent: 'plain' } })
    expect(readdirSync(here.root)).toEqual(['src'])
  })

  it.each([
    ['note', '--blocker', 'x'],
    ['show'],
    ['log'],
    ['done', 'shipped'],
    ['trust'],
    ['sessions'],
    ['init', '--yes'],
    ['status'],
  ])('%s says that there is no repository, and what helps; --print would not', async (...argv) => {
    const { code, json } = await cli(nowhere(), [...argv, '--json'])
    expect([code, json.errors[0].code]).toEqual([2, 'E_NO_REPOSITORY'])
    expect(json.errors[0].hint).toMatch(/`--cwd <folder>`; `git init`/)
    expect(json.errors[0].hint).not.toContain('--print')
  })
})
