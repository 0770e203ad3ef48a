import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { parseBrief } from '../../src/brief/parse.ts'
import { USUAL, writeClaudeSession } from '../repo/claude-session.ts'
import { cli } from '../repo/cli.ts'
import { makeRepo, type TempRepo } from '../repo/make-repo.ts'
import { describeByNight, sampled } from '../sampled.ts'
import { type Terminal, type TerminalOptions, useTerminals } from './terminal.ts'
import { tmuxTest, tmuxTestByNight } from './tmux.ts'

const WHICH = 'Which session is handed over?'
const READING = 'Reading standard input; Ctrl-D ends it.'
const GOAL = 'finish the retry queue and document its limits'
const LINES = [
  'port the queue to the new scheduler:',
  '- keep the public API',
  '',
  '\tand the indent',
  '- do NOT touch the config',
]

const open = useTerminals()

function bare(): TempRepo {
  const repo = makeRepo()
  repo.commit('queue', { 'src/queue.ts': 'x\n', 'src/api.ts': 'y\n' })
  return repo
}

function world(): TempRepo {
  const repo = bare()
  writeClaudeSession(repo, USUAL, { end: new Date(Date.now() - 60_000) })
  return repo
}

/** The same with a second session that ended a little before. */
function tie(): TempRepo {
  const repo = world()
  writeClaudeSession(repo, [{ user: 'write the changelog of the next release' }, { says: 'Done.' }], {
    id: '99999999-2222-4333-8444-555555555555',
    end: new Date(Date.now() - 240_000),
  })
  return repo
}

const create = (repo: TempRepo, argv: string[], options: TerminalOptions = {}): Terminal =>
  open(repo, ['create', ...argv], options)

const goalOf = async (repo: TempRepo): Promise<string> =>
  parseBrief((await cli(repo, ['show', '--json'])).json.text).meta.goal

tmuxTest('a goal of several lines is taken as it was pasted', async () => {
  const repo = world()
  const terminal = create(repo, [])
  await terminal.sees('└')
  terminal.pastes(LINES.join('\n'), 'plain')
  expect(await terminal.ends()).toMatchObject({ exit: 0, isSane: true })
  expect(await goalOf(repo)).toBe(LINES.join('\n'))
})

describe.concurrent('standard input that is a terminal', () => {
  for (const [what, argv, text, kept] of sampled(
    [
      ['notes', [GOAL, '--notes', '-'], '{"currentLineOfAttack": "measure the queue"}', 'measure the queue'],
      [
        'a session',
        [GOAL, '--session', '-'],
        `{"role":"user","content":"Fix the parser."}\n{"role":"assistant","content":"I read it."}`,
        GOAL,
      ],
    ] as const,
    1,
  ))
    tmuxTestByNight(`is read to its end: ${what}`, async () => {
      const repo = bare()
      if (what === 'notes') writeClaudeSession(repo, USUAL, { end: new Date(Date.now() - 60_000) })
      const terminal = create(repo, [...argv])
      await terminal.sees(READING)
      await new Promise((resolve) => setTimeout(resolve, 1800))
      terminal.types(text.replace('\n', '\r'))
      terminal.press('Enter', 'C-d')
      expect(await terminal.ends()).toMatchObject({ exit: 0, isSane: true })
      expect(repo.git(['show', 'HEAD', '--format=%s'])).toContain(kept)
    })

  for (const [way, leave] of sampled(
    [
      ['Ctrl-C', (terminal: Terminal) => terminal.press('C-c')],
      ['SIGTERM', (terminal: Terminal) => terminal.signal('SIGTERM')],
    ] as const,
    1,
  ))
    tmuxTest(`is left with ${way}: cancelled`, async () => {
      const repo = world()
      const terminal = create(repo, [GOAL, '--notes', '-'])
      await terminal.sees(READING)
      await new Promise((resolve) => setTimeout(resolve, 300))
      leave(terminal)
      const cancelled = expect.stringContaining('Handoff cancelled')
      expect(await terminal.ends()).toMatchObject({ exit: 130, isSane: true, screen: cancelled })
      expect(existsSync(join(repo.root, '.handoff'))).toBe(false)
    })
})

describeByNight.concurrent('a terminal of another size', () => {
  for (const sizes of sampled([[60, 80], [40], [40, 100], [120]], 1))
    tmuxTestByNight(`has a list that can be answered after ${sizes.join(' and ')} columns`, async () => {
      const terminal = create(tie(), [GOAL])
      await terminal.sees('└')
      for (const columns of sizes) await terminal.resize(columns)
      terminal.press('Down')
      await terminal.sees(/○[\s\S]*●/)
      terminal.press('Enter')
      expect(await terminal.ends()).toMatchObject({ exit: 0, isSane: true })
    })
})

describe.concurrent('a goal that is to be typed', () => {
  tmuxTest('is not asked for where there is no session, so that nothing typed is lost', async () => {
    const ended = await create(bare(), []).ends()
    expect(ended.exit).toBe(2)
    expect(ended.screen).toContain('No agent session was found')
    expect(ended.screen).not.toContain('Be specific')
  })
})

describeByNight('questions', () => {
  tmuxTestByNight('stopped with Ctrl-Z wait in the background and go on with fg', async () => {
    const repo = tie()
    const program = new URL('../../bin/handoff.cjs', import.meta.url).pathname
    const terminal = create(repo, [], { command: ['bash', '--norc', '-i'], env: { PS1: '> ' } })
    await terminal.sees(/^>$/m)
    terminal.types(`${process.execPath} ${program} create`)
    terminal.press('Enter')
    await terminal.sees(WHICH)
    await new Promise((resolve) => setTimeout(resolve, 200))
    terminal.press('Enter')
    await terminal.sees(/Be specific[\s\S]*└/)
    terminal.types('port the')
    terminal.press('C-z')
    await terminal.sees('Stopped')
    terminal.types('bg')
    terminal.press('Enter')
    await new Promise((resolve) => setTimeout(resolve, 500))
    // The shell tells what has stopped before its next prompt.
    terminal.press('Enter')
    await terminal.sees(/Stopped[\s\S]*Stopped/)
    terminal.types('fg')
    terminal.press('Enter')
    // It is drawn again with the next key.
    await new Promise((resolve) => setTimeout(resolve, 1000))
    terminal.types(' queue to the scheduler')
    await terminal.sees(/Stopped[\s\S]*Stopped[\s\S]*port the queue to the scheduler/)
    terminal.press('Enter')
    // The shell has the keyboard again.
    await terminal.sees(/Handed over[\s\S]*^>$/m)
    expect(await goalOf(repo)).toBe('port the queue to the scheduler')
    terminal.types('exit')
    terminal.press('Enter')
    await terminal.ends()
  })
})
