import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { USUAL, writeClaudeSession } from '../repo/claude-session.ts'
import { cli } from '../repo/cli.ts'
import { fakeAgent } from '../repo/fake-agent.ts'
import { emptyRepo, handOff, wordOf } from '../repo/life/line-of-work.ts'
import { cloneOf, makeRepo, type TempRepo } from '../repo/make-repo.ts'
import { BRANCH, done, fromFork, PAGE, pushed } from '../repo/remote/team.ts'
import { later, made } from '../repo/usual.ts'
import { describeByNight, isNightly, sampled } from '../sampled.ts'
import { createFakes } from '../unit/secrets/fake.ts'
import { type Terminal, type TerminalOptions, useTerminals } from './terminal.ts'
import { tmuxTest, tmuxTestByNight } from './tmux.ts'

const GOAL = 'finish the retry queue and document its limits'
const OTHER = '99999999-2222-4333-8444-555555555555'
const GUIDANCE = 'Be specific: what should the next thread accomplish?'
const WHICH = 'Which session is handed over?'
const ESCAPE = '\u001b'

const open = useTerminals()

/** A repository with a session that ended a minute ago. */
function world(): TempRepo {
  const repo = makeRepo()
  repo.commit('queue', { 'src/queue.ts': 'x\n', 'src/api.ts': 'y\n' })
  writeClaudeSession(repo, USUAL, { end: new Date(Date.now() - 60_000) })
  return repo
}

/** The same with a second session that ended a little before, whose words would move a cursor. */
function tie(): TempRepo {
  const repo = world()
  const words = 'write the \u001b[31mchangelog\u202e of the release'
  writeClaudeSession(repo, [{ user: words }, { says: 'Done.' }], {
    id: OTHER,
    end: new Date(Date.now() - 240_000),
  })
  return repo
}

const create = (repo: TempRepo, argv: string[], options: TerminalOptions = {}): Terminal =>
  open(repo, ['create', ...argv], options)

/** As if nothing had been called. */
function expectNothing(repo: TempRepo): void {
  const left = existsSync(join(repo.root, '.handoff')) ? readdirSync(join(repo.root, '.handoff')) : []
  const locks = readdirSync(join(repo.root, '.git')).filter((name) => name.endsWith('.lock'))
  expect([left, locks, repo.git(['status', '--porcelain'])]).toEqual([[], [], ''])
  expect(repo.git(['log', '--format=%s', '-1'])).toBe('queue')
}

/** A git that takes so long for what `create` waits for. */
function slowGit(repo: TempRepo, seconds: number): { PATH: string } {
  const bin = join(repo.base, `slow-${seconds}`)
  const real = repo.env.PATH ?? ''
  mkdirSync(bin)
  const slow = `case " $* " in *' status '*) sleep ${seconds} >/dev/null 2>&1;; esac`
  writeFileSync(join(bin, 'git'), `#!/bin/sh\n${slow}\nPATH='${real}' exec git "$@"\n`, { mode: 0o755 })
  return { PATH: `${bin}:${real}` }
}

const brief = (repo: TempRepo): string => repo.git(['show', 'HEAD', '--format=%s'])

describeByNight.concurrent('an earlier turn', () => {
  tmuxTestByNight('is chosen from the list, where `--until` says no more; Esc makes nothing', async () => {
    const repo = world()
    const steps = [
      { user: 'Bound the retry queue.' },
      { says: 'It is bounded.' },
      { user: 'Now use pelicans.' },
      { says: 'Pelicans it is.' },
    ]
    writeClaudeSession(repo, steps, { end: new Date(Date.now() - 60_000) })
    const first = create(repo, [GOAL, '--until'])
    await first.sees(/turn 1, .*: Bound the retry queue\.[\s\S]*turn 2, .*: Now use pelicans\./)
    first.press('Escape')
    expect(await first.ends()).toMatchObject({ exit: 130, isSane: true })
    expectNothing(repo)
    const terminal = create(repo, [GOAL, '--until', 'the'])
    await terminal.sees('As it stood in turn 1,')
    expect(await terminal.ends()).toMatchObject({ exit: 0, isSane: true })
    const again = create(repo, [`${GOAL}, all of them`, '--until'])
    await again.sees('Hand over as it stood at the end of which turn?')
    again.press('Up')
    again.press('Enter')
    expect(await again.ends()).toMatchObject({ exit: 0, isSane: true })
    expect(brief(repo)).toContain('+    until: turn 1')
    expect(brief(repo)).not.toContain('pelicans')
  })
})

describe.concurrent('the goal', () => {
  tmuxTest(
    'is asked for when none was given, and again with what was wrong, an example and what was typed',
    async () => {
      const repo = world()
      const terminal = create(repo, [])
      const first = await terminal.sees(GUIDANCE)
      expect(first).toContain('Example: implement team-level handoff, update tests, document API.')
      expect(first).not.toContain('empty')
      terminal.types('continue')
      terminal.press('Enter')
      await terminal.sees('too-short: 8 characters, at least 12 are needed')
      terminal.types(' the work please')
      terminal.press('Enter')
      await terminal.sees('vague: name a file, a feature or a failure')
      await terminal.sees(/continue the work please\W*$/m)
      terminal.press('C-u')
      terminal.types(GOAL)
      terminal.press('Enter')
      expect(await terminal.ends()).toMatchObject({ exit: 0, isSane: true })
      expect(brief(repo)).toContain(`+goal: ${GOAL}`)
    },
  )

  tmuxTestByNight(
    'is proposed in the words of the last request that is no rule: Enter takes it',
    async () => {
      const repo = world()
      const rule = [{ user: 'Never change the public API.' }, { says: 'Noted.' }]
      writeClaudeSession(
        repo,
        [{ user: 'Document the limits of the retry queue.' }, { says: 'Which ones?' }, ...rule],
        { end: new Date(Date.now() - 60_000) },
      )
      const terminal = create(repo, [])
      await terminal.sees('Proposed: Document the limits of the retry queue.')
      terminal.press('Enter')
      expect(await terminal.ends()).toMatchObject({ exit: 0, isSane: true })
      expect(brief(repo)).toContain('+goal: Document the limits of the retry queue.')
    },
  )

  tmuxTestByNight('is asked for though the result goes into a file', async () => {
    const repo = world()
    const terminal = create(repo, [], {
      command: ['sh', '-c', `exec "$0" "$1" create >'${join(repo.base, 'out')}'`, ...program()],
    })
    await terminal.sees(GUIDANCE)
    terminal.types(GOAL)
    terminal.press('Enter')
    expect((await terminal.ends()).exit).toBe(0)
    expect(readFileSync(join(repo.base, 'out'), 'utf8')).toMatch(/^\.handoff\/briefs\/\S+\.md\n$/)
  })

  for (const [name, value] of sampled(
    [
      ['CI', 'true'],
      ['HANDOFF_NONINTERACTIVE', '1'],
      ['CLAUDECODE', '1'],
      ['CODEX_THREAD_ID', 'x'],
      ['GEMINI_CLI', '1'],
    ] as const,
    1,
  ))
    tmuxTestByNight(`is not asked for with ${name}`, async () => {
      const repo = world()
      const ended = await create(repo, ['continue'], { env: { [name]: value } }).ends()
      expect(ended.exit).toBe(2)
      expect(ended.screen).toContain('too-short')
      expectNothing(repo)
    })
})

describeByNight.concurrent('sessions that ended together', () => {
  tmuxTestByNight(
    'are listed by agent, age, size and words that move no cursor, and the one chosen is taken',
    async () => {
      const repo = tie()
      const terminal = create(repo, [GOAL])
      const screen = await terminal.sees(WHICH)
      expect(screen).toMatch(/● Claude Code, \d+ s ago, \d+ KB, 11111111: Fix the/)
      expect(screen).toMatch(/○ Claude Code, 4 min ago, \d+ B, 99999999: write the/)
      expect(screen.replace(/\s*│\s*/g, ' ')).toContain('\\u{1b}[31mchangelog\\u{202e} of the release')
      terminal.press('Down', 'Enter')
      const ended = await terminal.ends()
      expect(ended).toMatchObject({ exit: 0, isSane: true })
      expect(ended.screen).toContain(`Session: Claude Code ${OTHER}`)
      expect(brief(repo)).toContain(`+    session: ${OTHER}`)
    },
  )

  tmuxTestByNight(
    'C6: those of two agents of one day are asked about, with first words, branch and folder',
    async () => {
      const repo = world()
      const id = '01a20097-77f9-7192-ba10-4fdedadc5e9b'
      const folder = join(repo.home, '.codex', 'sessions', '2026', '11', '22')
      mkdirSync(folder, { recursive: true })
      const timestamp = new Date(Date.now() - 7_200_000).toISOString()
      const message = (type: string, text: string) => ({
        timestamp,
        type: 'event_msg',
        payload: { type, message: text },
      })
      const rows = [
        {
          timestamp,
          type: 'session_meta',
          payload: { id, timestamp, cwd: repo.root, git: { branch: 'main' } },
        },
        message('user_message', 'Write the changelog.'),
        message('agent_message', 'Written.'),
      ]
      const path = join(folder, `rollout-2026-11-22T10-00-00-${id}.jsonl`)
      writeFileSync(path, `${rows.map((row) => JSON.stringify(row)).join('\n')}\n`)
      const terminal = create(repo, [GOAL])
      const screen = (await terminal.sees(WHICH)).replace(/\s*│\s*/g, ' ')
      expect(screen).toMatch(/● Claude Code, \d+ s ago/)
      expect(screen).toMatch(/○ Codex, 2 h ago, \d+ B, 01a20097: Write the changelog\. \(branch main, /)
      terminal.press('Enter')
      const ended = await terminal.ends()
      expect(ended).toMatchObject({ exit: 0, isSane: true })
      expect(ended.screen).toContain('Session: Claude Code')
    },
  )

  tmuxTestByNight('show no half of a key where their words are cut', async () => {
    const repo = world()
    // Known by its length alone.
    const key = createFakes(20261122).make('v1.0-{0-9a-f:24}-{0-9a-f:146}')
    const words = `${'write the changelog '.repeat(2)}${key} of the release`
    const end = new Date(Date.now() - 240_000)
    writeClaudeSession(repo, [{ user: words }, { says: 'Done.' }], { id: OTHER, end })
    const terminal = create(repo, [GOAL])
    const screen = (await terminal.sees(WHICH)).replace(/[\s│]/g, '')
    expect(screen).toContain('changelog[REDACTED:cloudflare-origin-key]')
    expect(screen).not.toContain(key.slice(5, 17))
  })
})

describe.concurrent('a question that is left writes nothing, exits 130 and gives the terminal back', () => {
  const questions: [string, () => TempRepo, string[], string][] = [
    ['the goal', world, [], GUIDANCE],
    ['the session', tie, [GOAL], WHICH],
  ]
  const ways: [string, (terminal: Terminal) => void][] = [
    ['Esc', (terminal) => terminal.press('Escape')],
    ['Ctrl-C', (terminal) => terminal.press('C-c')],
    ['Ctrl-D', (terminal) => terminal.press('C-d')],
    ['SIGTERM', (terminal) => terminal.signal('SIGTERM')],
  ]
  const left = questions.flatMap((asked) =>
    ways.flatMap((way) => [{}, { TERM: 'dumb' }].map((env: Record<string, string>) => ({ asked, way, env }))),
  )
  for (const {
    asked: [name, make, argv, question],
    way: [way, leave],
    env,
  } of sampled(left, 1))
    tmuxTest(`${name}, ${way}${env.TERM === undefined ? '' : ', TERM=dumb'}`, async () => {
      const repo = make()
      const terminal = create(repo, argv, { env })
      await terminal.sees(question)
      // The line to type in comes after the question.
      await terminal.sees(env.TERM === undefined ? '└' : '(Esc, Enter: cancel)')
      leave(terminal)
      if (env.TERM !== undefined && way === 'Esc') terminal.press('Enter')
      expect(await terminal.ends()).toMatchObject({
        exit: 130,
        isSane: true,
        screen: expect.stringContaining('Handoff cancelled'),
      })
      expectNothing(repo)
    })
})

describeByNight.concurrent('terminals', () => {
  for (const env of sampled([{ TERM: 'dumb' }, { ACCESSIBLE: '1' }] as Record<string, string>[], 1))
    tmuxTestByNight(
      `${Object.entries(env).flat().join('=')}: lines with numbers, and not one escape`,
      async () => {
        const repo = tie()
        const terminal = create(repo, ['--no-color'], { env: { ...env, ...slowGit(repo, 2) } })
        const screen = await terminal.sees('Number, or Enter for 1')
        expect(screen).toMatch(/^ {2}1\. Claude Code, /m)
        terminal.types('3')
        terminal.press('Enter')
        await terminal.sees('Type a number from 1 to 2.')
        terminal.types('2')
        terminal.press('Enter')
        await terminal.sees('Your answer')
        terminal.types('continue')
        terminal.press('Enter')
        await terminal.sees('So far: continue')
        terminal.types(GOAL)
        terminal.press('Enter')
        const ended = await terminal.ends()
        expect(ended.exit).toBe(0)
        expect(ended.screen).toContain(`Session: Claude Code ${OTHER}`)
        expect(ended.screen).toMatch(/^Extracting relevant context\.\.\.$/m)
        expect(ended.screen).toMatch(/^✓ Context ready \(\d+\.\ds\)$/m)
        expect(terminal.bytes()).not.toContain(ESCAPE)
      },
    )
})

describe.concurrent('while it works', () => {
  for (const [way, leave] of sampled(
    [
      ['Ctrl-C', (terminal: Terminal) => terminal.press('C-c')],
      ['SIGTERM', (terminal: Terminal) => terminal.signal('SIGTERM')],
    ] as const,
    1,
  ))
    tmuxTest(`${way} cancels: nothing is written, and the terminal is as it was`, async () => {
      const repo = world()
      const terminal = create(repo, [GOAL], { env: slowGit(repo, 60) })
      await terminal.sees('Extracting relevant context...')
      leave(terminal)
      expect(await terminal.ends()).toMatchObject({
        exit: 130,
        isSane: true,
        screen: expect.stringContaining('Handoff cancelled'),
      })
      expectNothing(repo)
    })

  tmuxTestByNight(
    'Ctrl-Z stops it, fg goes on, and in the background it leaves the keyboard alone',
    async () => {
      const repo = world()
      const [node, handoff] = program()
      const terminal = create(repo, [], { command: ['bash', '--norc', '-i'], env: { PS1: '> ' } })
      const [slow, slower] = [2, 60].map((seconds) => slowGit(repo, seconds).PATH)
      await terminal.sees(/^>$/m)
      terminal.types(`PATH='${slower}' ${node} ${handoff} create '${GOAL}'`)
      terminal.press('Enter')
      await terminal.sees(/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] Extracting/)
      await new Promise((resolve) => setTimeout(resolve, 300))
      terminal.press('C-z')
      await terminal.sees('Stopped')
      terminal.types('echo typed $((40 + 2))')
      terminal.press('Enter')
      await terminal.sees('typed 42')
      terminal.types('fg')
      terminal.press('Enter')
      await new Promise((resolve) => setTimeout(resolve, 500))
      terminal.press('C-c')
      await terminal.sees('Handoff cancelled')
      terminal.types(`clear; PATH='${slow}' ${node} ${handoff} create '${GOAL}' &`)
      terminal.press('Enter')
      expect(await terminal.sees('Handed over')).toContain('Context ready')
      expect(terminal.screen()).not.toContain('Stopped')
      terminal.types('exit')
      terminal.press('Enter')
      await terminal.ends()
      expect(brief(repo)).toContain(GOAL)
    },
  )
})

describeByNight.concurrent('--edit', () => {
  /** An editor that runs this script with the file as `$1`; `$calls` counts its calls. */
  const editor = (repo: TempRepo, script: string): { env: Record<string, string> } => {
    const path = join(repo.base, 'editor.sh')
    writeFileSync(path, `echo >>"$0.calls"\ncalls=$(wc -l <"$0.calls" | tr -d ' ')\n${script}\n`)
    return { env: { GIT_EDITOR: `sh '${path}'` } }
  }
  tmuxTestByNight('refuses an edit that cannot be handed over: the draft is named and kept', async () => {
    const repo = world()
    const spoil = editor(repo, `printf '\\n## Mine\\n\\nsome words\\n' >>"$1"`)
    const ended = await create(repo, [GOAL, '--edit'], { ...spoil, columns: 200 }).ends()
    expect(ended).toMatchObject({ exit: 130, isSane: true })
    expect(ended.screen.replace(/\s+/g, ' ')).toContain(
      'no section of a brief holds the line "## Mine" and 1 more',
    )
    const draft = /[Dd]raft is kept in (\S+)\./.exec(ended.screen)?.[1] ?? ''
    expect(readFileSync(draft, 'utf8')).toContain('some words')
    expectNothing(repo)
  })

  tmuxTestByNight('leaves Ctrl-C to the editor, which goes on', async () => {
    const repo = world()
    const script = `trap 'echo heard >>"$0.heard"' INT\necho 'in the editor'\nuntil [ -e "$0.heard" ]; do sleep 0.05; done\necho 'still there'\nread -r line\nsed -i "s/^${GOAL}/$line/" "$1"`
    const terminal = create(repo, [GOAL, '--edit'], editor(repo, script))
    await terminal.sees('in the editor')
    terminal.press('C-c')
    await terminal.sees('still there')
    terminal.types('measure the retry queue and document it')
    terminal.press('Enter')
    expect(await terminal.ends()).toMatchObject({ exit: 0, isSane: true })
    expect(brief(repo)).toContain('+goal: measure the retry queue and document it')
  })
})

tmuxTest('--preview prints the brief and what was cut, and writes nothing', async () => {
  const repo = world()
  const { exit, screen } = await create(repo, [GOAL, '--preview'], { columns: 80, rows: 200 }).ends()
  expect(exit).toBe(0)
  expect(screen).toContain('Cut to fit:')
  expectNothing(repo)
})

const program = (): [string, string] => [
  process.execPath,
  new URL('../../bin/handoff.cjs', import.meta.url).pathname,
]

describeByNight.concurrent('trust of origin', () => {
  const TRUST = 'Trust briefs on branches of origin'

  /** A clone of a repository with a brief of somebody else, and a session in it. */
  async function clone(): Promise<TempRepo> {
    const theirs = emptyRepo()
    await handOff(theirs, 1)
    const mine = cloneOf(theirs)
    writeClaudeSession(mine, USUAL, { end: new Date(Date.now() - 60_000) })
    return mine
  }
  const hasTheirs = (repo: TempRepo): boolean => brief(repo).includes(`Never rename the ${wordOf(1)} table.`)

  tmuxTestByNight(
    'is offered, and once it is given takes over what the brief of somebody else hands down',
    async () => {
      const mine = await clone()
      const terminal = create(mine, [GOAL])
      expect(await terminal.sees(TRUST)).toContain('take over 2 rules and open items')
      terminal.press('Up', 'Enter')
      const ended = await terminal.ends()
      expect(ended).toMatchObject({ exit: 0, isSane: true })
      expect(ended.screen.replace(/\s+/g, ' ')).not.toContain('left out')
      expect(hasTheirs(mine)).toBe(true)
      expect((await cli(mine, ['trust', '--list', '--json'])).json.trusted).toContain('remote:origin')
    },
  )

  tmuxTestByNight('is offered once: a no leaves the items out and is not asked for again', async () => {
    const mine = await clone()
    const terminal = create(mine, [GOAL])
    await terminal.sees(TRUST)
    terminal.press('Enter')
    expect((await terminal.ends()).screen.replace(/\s+/g, ' ')).toContain('left out, as it is not trusted')
    expect(hasTheirs(mine)).toBe(false)
    expect((await cli(mine, ['trust', '--list', '--json'])).json).toMatchObject({ trusted: [], origin: null })
    mine.git(['reset', '-q', '--hard', 'HEAD~1'])
    const again = await create(mine, [GOAL]).ends()
    expect(again).toMatchObject({ exit: 0 })
    expect(again.screen).not.toContain(TRUST)
  })

  tmuxTestByNight('is offered by `open`, below the brief, before an agent starts on it', async () => {
    const { bob, id } = await pushed()
    const agent = fakeAgent(bob, 'codex')
    const on = Object.assign(bob, { env: { ...bob.env, ...agent.env } })
    const terminal = open(on, ['open', BRANCH, '--to', 'codex', '--headless'], { rows: 60 })
    expect(await terminal.sees('May agents read it?')).toContain('Yes, every brief on branches of origin')
    terminal.press('Down', 'Enter')
    expect(await terminal.ends()).toMatchObject({ exit: 0, isSane: true })
    expect(agent.seen()).toMatchObject({ cwd: bob.root })
    expect((await cli(bob, ['show', id, '--json'])).json.trusted).toBe(true)
    // That of a fork stands on no branch of origin.
    const other = (await fromFork(12)).bob
    const asked = open(other, ['open', `${PAGE}/pull/12`, '--to', 'codex', '--headless'], {
      env: fakeAgent(other, 'codex').env,
      rows: 60,
    })
    expect(await asked.sees('May agents read it?')).not.toContain('on branches of origin')
    asked.press('Enter')
    expect(await asked.ends()).toMatchObject({ exit: 2 })
    expect((await cli(other, ['trust', '--list', '--json'])).json).toMatchObject({
      trusted: [],
      origin: null,
    })
  })

  if (isNightly)
    tmuxTestByNight('is not offered by a run that writes nothing', async () => {
      const ended = await create(await clone(), [GOAL, '--dry-run']).ends()
      expect(ended).toMatchObject({ exit: 0 })
      expect(ended.screen).not.toContain(TRUST)
    })
})

// Of its own: the two clones can be had once at a time.
describeByNight('trust of origin, of two clones', () => {
  tmuxTestByNight(
    'is offered by the first `open`, also where nobody is to start, and only once',
    async () => {
      const { ann, bob, id } = await pushed()
      const first = open(bob, ['open', BRANCH], { rows: 60 })
      expect(await first.sees('May agents read it?')).toContain('Yes, every brief on branches of origin')
      first.press('Enter')
      expect(await first.ends()).toMatchObject({ exit: 0, isSane: true })
      expect((await cli(bob, ['show', id, '--json'])).json.trusted).toBe(false)
      ann.commit('more', { 'src/queue.ts': 'more\n' })
      await made(ann, ['--from', 'git'], { now: later(9) })
      await done(ann, ['push'])
      const again = await open(bob, ['open', BRANCH], { rows: 60 }).ends()
      expect(again).toMatchObject({ exit: 0 })
      expect(again.screen).not.toContain('May agents read it?')
    },
  )
})
