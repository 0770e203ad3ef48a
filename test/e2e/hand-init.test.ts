import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { makeRepo, type TempRepo } from '../repo/make-repo.ts'
import { sampled } from '../sampled.ts'
import { type Terminal, useTerminals } from './terminal.ts'
import { tmuxTest } from './tmux.ts'

const open = useTerminals()
const AGENTS = 'Which agents do you want to set up?'
const HOOKS = 'Which git hooks should check briefs'
const CI = 'What should check briefs and comment'
const GO_ON = 'Go on?'
const QUESTIONS = [AGENTS, HOOKS, CI, GO_ON]

/** A repository of GitHub in which Claude Code is used and no agent is on PATH. */
function world(): TempRepo {
  const repo = makeRepo()
  mkdirSync(join(repo.root, '.claude'))
  repo.git(['remote', 'add', 'origin', 'git@github.com:acme/shop.git'])
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
    tmuxTest(
      `Enter at every question takes what fits, and what is written was shown before, in ${columns} columns`,
      async () => {
        const repo = world()
        const terminal = open(repo, ['init'], { columns, rows: 60 })
        const agents = await answer(terminal, AGENTS, 'Enter')
        expect(agents).toMatch(/◼ Claude Code$/m)
        expect(agents).toMatch(/◻ Codex \(not found here\)$/m)
        const hooks = await answer(terminal, HOOKS, 'Enter')
        expect(words(hooks)).toContain("git's own hooks folder (in .git/hooks)")
        const ci = await answer(terminal, CI, 'Enter')
        expect(ci).toMatch(/● GitHub Actions \(used[\s│]+here\)$/m)
        await answer(terminal, GO_ON)
        const announced = [...terminal.lines().matchAll(/^ {2}(?:Write|Change)\s+(\S+)$/gm)].map(
          ([, path]) => path ?? '',
        )
        expect(status(repo)).toEqual([])
        expect(existsSync(join(repo.root, '.git/hooks/pre-commit'))).toBe(false)
        terminal.press('Enter')
        expect(await terminal.ends()).toMatchObject({ exit: 0, isSane: true })
        const written = status(repo).map((line) => line.slice(3))
        expect(written).toContain('.github/workflows/handoff.yml')
        expect(written.filter((path) => !path.startsWith('.handoff/'))).toEqual(
          announced.filter((path) => !path.startsWith('.git/') && !path.startsWith('.handoff/')).sort(),
        )
        expect(announced).toContain('.git/hooks/pre-commit')
        expect(existsSync(join(repo.root, '.git/hooks/pre-commit'))).toBe(true)
      },
    )

  const left = QUESTIONS.flatMap((question) => ['Escape', 'C-c', 'C-d'].map((key) => ({ question, key })))
  for (const { question, key } of sampled(left, 1))
    tmuxTest(`${key} at "${question}" writes nothing`, async () => {
      const repo = world()
      const terminal = open(repo, ['init'], { rows: 60 })
      for (const before of QUESTIONS.slice(0, QUESTIONS.indexOf(question)))
        await answer(terminal, before, 'Enter')
      await answer(terminal, question, key)
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
