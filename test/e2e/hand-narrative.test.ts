import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { USUAL, writeClaudeSession } from '../repo/claude-session.ts'
import { fakeAgent } from '../repo/fake-agent.ts'
import { makeRepo, type TempRepo } from '../repo/make-repo.ts'
import { useTerminals } from './terminal.ts'
import { tmuxTest, tmuxTestByNight } from './tmux.ts'

const GOAL = 'finish the retry queue and document its limits'
const QUESTION = /Ask Claude Code \(claude-sonnet-4-5\) to write the handoff page\?/
const ANSWER = JSON.stringify({
  type: 'assistant',
  message: { content: [{ type: 'text', text: '## Where it stands\nThe queue of `src/queue.ts` retries.' }] },
  parent_tool_use_id: null,
})

const open = useTerminals()

function world(): TempRepo {
  const repo = makeRepo()
  repo.commit('queue', { 'src/queue.ts': 'x\n' })
  writeClaudeSession(repo, USUAL, { end: new Date(Date.now() - 60_000) })
  return repo
}
const brief = (repo: TempRepo): string => repo.git(['show', 'HEAD', '--format=%s'])

describe.concurrent('a person at a terminal', () => {
  tmuxTest('is asked whether the agent may write the page, with its name and model', async () => {
    const repo = world()
    const fake = fakeAgent(repo, 'claude', { says: ANSWER })
    const terminal = open(repo, ['create', GOAL], { env: fake.env, columns: 120 })
    await terminal.sees(QUESTION)
    expect(fake.all()).toEqual([])
    terminal.press('Enter')
    expect(await terminal.ends()).toMatchObject({ exit: 0, isSane: true })
    expect(fake.all()).toHaveLength(1)
    expect(brief(repo)).toContain('+The queue of `src/queue.ts` retries.')
    // The page counts for the next handoff too.
    expect(await open(repo, ['create', GOAL], { env: fake.env }).ends()).toMatchObject({ exit: 0 })
    expect(fake.all()).toHaveLength(1)
  })

  tmuxTestByNight('says never once, which is kept beside what stands in the configuration', async () => {
    const repo = world()
    const fake = fakeAgent(repo, 'claude', { says: ANSWER })
    const terminal = open(repo, ['create', GOAL], { env: fake.env, columns: 120 })
    await terminal.sees(QUESTION)
    terminal.press('Down', 'Down', 'Down', 'Enter')
    expect(await terminal.ends()).toMatchObject({ exit: 0, isSane: true })
    expect(fake.all()).toEqual([])
    expect(brief(repo)).toContain('+[gap-fill not provided]')
    const file = join(repo.home, '.config/handoff/config.yaml')
    expect(readFileSync(file, 'utf8')).toBe('narrative: never\n')
    const again = await open(repo, ['create', `${GOAL} now`], { env: fake.env }).ends()
    expect([again.exit, again.screen.includes('handoff page?')]).toEqual([0, false])
  })

  tmuxTestByNight('has the quoted brief with Esc, and nothing with Ctrl-C', async () => {
    const repo = world()
    const fake = fakeAgent(repo, 'claude', { says: ANSWER })
    const first = open(repo, ['create', GOAL], { env: fake.env, columns: 120 })
    await first.sees(QUESTION)
    expect(first.screen()).toContain('(Esc: No)')
    first.press('C-c')
    expect(await first.ends()).toMatchObject({ exit: 130, isSane: true })
    expect(repo.git(['log', '--format=%s'])).not.toContain('handoff')
    const second = open(repo, ['create', GOAL], { env: fake.env, columns: 120 })
    await second.sees(QUESTION)
    second.press('Escape')
    expect(await second.ends()).toMatchObject({ exit: 0, isSane: true })
    expect(fake.all()).toEqual([])
    expect(brief(repo)).toContain('+[gap-fill not provided]')
  })
})
