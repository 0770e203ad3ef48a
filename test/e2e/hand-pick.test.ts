import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { parseBrief } from '../../src/brief/parse.ts'
import { writeClaudeSession } from '../repo/claude-session.ts'
import { cli, NOW } from '../repo/cli.ts'
import { makeRepo, type TempRepo } from '../repo/make-repo.ts'
import { isNightly, sampled } from '../sampled.ts'
import { useTerminals } from './terminal.ts'
import { tmuxTest, tmuxTestByNight } from './tmux.ts'

const WHAT = 'What is handed over?'
const WHO = 'Who goes on?'
const GUIDANCE = 'Be specific'
const REQUEST = 'Document the limits of the retry queue.'

const open = useTerminals()

/** A repository with a session that left something open, another one, and two agents on PATH that write down what they are given. */
function world(now = Date.now()): { repo: TempRepo; env: Record<string, string>; log: string } {
  const repo = makeRepo()
  repo.commit('queue', { 'src/queue.ts': 'x\n', 'src/api.ts': 'y\n' })
  const work = [{ user: 'Fix the retry queue.' }, { edit: 'src/queue.ts' }, { says: 'It retries now.' }]
  writeClaudeSession(repo, [...work, { user: REQUEST }, { says: 'I begin with the limits.' }], {
    end: new Date(now - 60_000),
  })
  writeClaudeSession(repo, [{ user: 'write the changelog of the release' }, { says: 'Done.' }], {
    id: '99999999-2222-4333-8444-555555555555',
    end: new Date(now - 3_600_000),
  })
  const [bin, log] = [join(repo.base, 'agents'), join(repo.base, 'given')]
  mkdirSync(bin)
  for (const name of ['claude', 'codex'])
    writeFileSync(join(bin, name), `#!/bin/sh\nprintf '%s\\n' ${name} "$@" >'${log}'\n`, { mode: 0o755 })
  return { repo, env: { PATH: `${bin}:${repo.env.PATH}` }, log }
}

function expectNothing({ root, git }: TempRepo): void {
  expect(existsSync(join(root, '.handoff'))).toBe(false)
  expect(git(['log', '--format=%s', '-1'])).toBe('queue')
}

const goalOf = async (repo: TempRepo): Promise<string> =>
  parseBrief((await cli(repo, ['show', '--json'])).json.text).meta.goal

describe.concurrent('handoff alone at a terminal', () => {
  for (const columns of isNightly ? [40, 80, 200] : [80])
    tmuxTest(`leads with three keys from a limit to a running successor, in ${columns} columns`, async () => {
      const { repo, env, log } = world()
      const terminal = open(repo, [], { env, columns })
      const first = await terminal.sees(/What is handed over\?[\s\S]*Nothing, show the/)
      if (columns > 40) expect(first).toMatch(/Claude Code, .*\n.*Claude Code, .*\n.*Nothing, show the/)
      terminal.press('Enter')
      await terminal.sees(new RegExp(REQUEST.split(' ').slice(0, 3).join('\\s[│\\s]*')))
      terminal.press('Enter')
      expect(await terminal.sees(/Who goes on\?[\s\S]*└/)).toMatch(/● Codex[\s\S]*○ Claude Code/)
      terminal.press('Enter')
      expect(await terminal.ends()).toMatchObject({ exit: 0, isSane: true })
      expect(await goalOf(repo)).toBe(REQUEST)
      expect(readFileSync(log, 'utf8')).toMatch(/^codex\n[\s\S]*Document the limits/)
    })

  tmuxTestByNight(
    'starts an agent on the open brief, which comes first while no session is newer',
    async () => {
      const { repo, env, log } = world(NOW.getTime())
      await cli(repo, ['create', 'finish the retry queue and its limits', '--from', 'git'])
      const terminal = open(repo, [], { env })
      expect(await terminal.sees(/Nothing, show the/)).toMatch(/● Open brief: finish the retry queue/)
      terminal.press('Enter')
      await terminal.sees(/Who goes on\?[\s\S]*└/)
      terminal.press('Down', 'Enter')
      expect(await terminal.ends()).toMatchObject({ exit: 0, isSane: true })
      expect(readFileSync(log, 'utf8')).toMatch(/^\w+\n[\s\S]*finish the retry queue/)
    },
  )

  tmuxTestByNight('edits what the brief says, without its front matter, and commits it', async () => {
    const { repo, env } = world()
    const editor = join(repo.base, 'editor.sh')
    writeFileSync(
      editor,
      `cp "$1" '${repo.base}/draft'\nsed -i 's/^${REQUEST}$/measure the limits of the queue/' "$1"\n`,
    )
    const terminal = open(repo, [], { env: { ...env, GIT_EDITOR: `sh '${editor}'` } })
    await terminal.sees(/Nothing, show the/)
    terminal.press('Enter')
    await terminal.sees(REQUEST)
    terminal.press('Enter')
    await terminal.sees(/Who goes on\?[\s\S]*└/)
    terminal.press('Up', 'Enter')
    expect(await terminal.ends()).toMatchObject({ exit: 0, isSane: true })
    expect(readFileSync(join(repo.base, 'draft'), 'utf8')).toMatch(/^# Handoff Context\n/)
    expect(await goalOf(repo)).toBe('measure the limits of the queue')
  })

  tmuxTestByNight(
    'is a list of numbers where nothing can be drawn over, as for a screen reader',
    async () => {
      const { repo, env, log } = world()
      const terminal = open(repo, [], { env: { ...env, TERM: 'dumb', NO_COLOR: '1' } })
      await terminal.sees('Number, or Enter for 1')
      terminal.press('Enter')
      await terminal.sees(`So far: ${REQUEST}`)
      terminal.press('Enter')
      await terminal.sees(WHO)
      terminal.types('2')
      terminal.press('Enter')
      expect((await terminal.ends()).exit).toBe(0)
      expect(terminal.bytes()).not.toContain('\u001b[')
      expect(await goalOf(repo)).toBe(REQUEST)
      expect(readFileSync(log, 'utf8')).toMatch(/^claude\n/)
    },
  )

  const ends = [
    ['C-c', WHO, 130],
    ['Escape', WHAT, 0],
    ['C-c', WHAT, 130],
    ['Escape', GUIDANCE, 130],
    ['Escape', WHO, 130],
  ] as const
  for (const [key, at, exit] of sampled(ends, 1))
    tmuxTest(`leaves nothing behind after ${key} at "${at}"`, async () => {
      const { repo, env, log } = world()
      const terminal = open(repo, [], { env })
      for (const question of [WHAT, GUIDANCE, WHO]) {
        await terminal.sees(new RegExp(`${question.replace('?', '\\?')}[\\s\\S]*└`))
        if (question === at) break
        terminal.press('Enter')
      }
      terminal.press(key)
      const ended = await terminal.ends()
      expect(ended).toMatchObject({ exit, isSane: true })
      expect(ended.screen).toContain(exit === 0 ? 'All commands:' : 'Nothing was written')
      expectNothing(repo)
      expect(existsSync(log)).toBe(false)
    })
})
