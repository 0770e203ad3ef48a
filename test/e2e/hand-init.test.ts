import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { makeRepo, type TempRepo } from '../repo/make-repo.ts'
import { sampled } from '../sampled.ts'
import { type Terminal, useTerminals } from './terminal.ts'
import { tmuxTest } from './tmux.ts'

const open = useTerminals()
const GO_ON = 'Go on?'

/** A repository in which Claude Code is used and no agent is on PATH. */
function world(): TempRepo {
  const repo = makeRepo()
  mkdirSync(join(repo.root, '.claude'))
  return Object.assign(repo, { env: { ...repo.env, PATH: '/usr/bin:/bin' } })
}

const status = (repo: TempRepo): string[] =>
  repo.git(['status', '--porcelain', '-uall']).split('\n').filter(Boolean)

/** Words of a screen without the marks of the questions and the ends of its lines. */
const words = (screen: string): string => screen.replace(/[│◆◇└●○◼◻]/g, ' ').replace(/\s+/g, ' ')

async function answer(terminal: Terminal, question: string, ...keys: string[]): Promise<string> {
  for (;;) {
    const screen = await terminal.sees('└')
    if (words(screen).includes(question)) {
      if (keys.length > 0) terminal.press(...keys)
      return screen
    }
    await new Promise((resolve) => setTimeout(resolve, 40))
  }
}

describe.concurrent('init at a terminal', () => {
  for (const columns of sampled([80, 40], 1))
    tmuxTest(`what is written was shown before, in ${columns} columns`, async () => {
      const repo = world()
      const terminal = open(repo, ['init'], { columns, rows: 60 })
      await answer(terminal, GO_ON)
      const announced = [...terminal.lines().matchAll(/^ {2}(?:Write|Change)\s+(\S+)$/gm)].map(
        ([, path]) => path ?? '',
      )
      expect(status(repo)).toEqual([])
      expect(existsSync(join(repo.root, '.git/hooks/pre-commit'))).toBe(false)
      terminal.press('Enter')
      expect(await terminal.ends()).toMatchObject({ exit: 0, isSane: true })
      const written = status(repo).map((line) => line.slice(3))
      expect(written).toContain('.claude/settings.json')
      expect(written.filter((path) => !path.startsWith('.handoff/'))).toEqual(
        announced.filter((path) => !path.startsWith('.git/') && !path.startsWith('.handoff/')).sort(),
      )
      expect(announced).toContain('.git/hooks/pre-commit')
      expect(existsSync(join(repo.root, '.git/hooks/pre-commit'))).toBe(true)
    })

  for (const key of sampled(['Escape', 'C-c', 'C-d'], 1))
    tmuxTest(`${key} writes nothing`, async () => {
      const repo = world()
      const terminal = open(repo, ['init'], { rows: 60 })
      await answer(terminal, GO_ON, key)
      expect(await terminal.ends()).toMatchObject({
        exit: 130,
        isSane: true,
        screen: expect.stringContaining('Handoff cancelled'),
      })
      expect(status(repo)).toEqual([])
      expect(existsSync(join(repo.root, '.git/handoff'))).toBe(false)
      expect(repo.tryGit(['config', '--get', 'filter.handoff.clean']).status).toBe(1)
    })
})
