import { execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { USUAL, writeClaudeSession } from '../repo/claude-session.ts'
import { fakeAgent } from '../repo/fake-agent.ts'
import { makeRepo, type TempRepo, writeOwn } from '../repo/make-repo.ts'
import { byNight, describeByNight, isNightly } from '../sampled.ts'
import { root } from './build.ts'
import { paneAgent, withAgents } from './pane-agent.ts'
import { handoff, recordsIn, SESSION, type Stage, stage, until } from './stage.ts'
import { tmuxTest, tmuxTestByNight } from './tmux.ts'

const GOAL = 'finish the retry queue and document its limits'
const POINTER = 'A handoff brief is open'

/** What the agent writes down, as that of `pane-agent.ts` does. */
const PAGE = `## What I was working on
- The retry queue.
## Key decisions made and why
- a semaphore - why: the mutex deadlocked - instead of: a mutex
## Blockers encountered
- the CI has no network
## Next steps and what remains
- document the limits
`

const cycle = (on: Stage, ...argv: string[]) =>
  on.handoff('switch', GOAL, '--to', 'codex', '--pane', on.pane, '--json', ...argv)

const promptsOf = (agent: Stage['successor']): string[] =>
  agent.deeds().flatMap(({ start, prompt }) => (start === undefined ? [prompt ?? ''] : []))

/** The session that was asked still works: it takes another prompt. */
async function expectAlive({ server, pane, outgoing }: Stage): Promise<void> {
  server.tmux('send-keys', '-t', pane, '-l', 'go on with the queue')
  server.tmux('send-keys', '-t', pane, 'Enter')
  await until('the old session goes on', () =>
    promptsOf(outgoing).at(-1) === 'go on with the queue' ? true : null,
  )
}

/** What a switch that went well leaves: one brief with what only the agent knew, one successor, each of its prompts once. */
async function expectDone(on: Stage, prompts: string[]): Promise<void> {
  const got = await until('the prompts', () =>
    promptsOf(on.successor).length >= prompts.length ? promptsOf(on.successor) : null,
  )
  expect(got).toHaveLength(prompts.length)
  for (const [at, text] of prompts.entries()) expect(got[at]).toContain(text)
  expect(on.successor.deeds().filter(({ start }) => start !== undefined)).toHaveLength(1)
  expect(on.briefs()).toHaveLength(1)
  const brief = on.repo.git(['show', `HEAD:${on.repo.git(['ls-files', '.handoff/briefs'])}`])
  for (const text of [
    GOAL,
    'a semaphore',
    'the CI has no network',
    'document the limits',
    'The retry queue.',
  ])
    expect(brief).toContain(text)
  expect(on.repo.git(['status', '--porcelain'])).toBe('')
  expect(existsSync(join(on.repo.root, '.handoff/requests'))).toBe(false)
}

// They wait most of their time, each in a place of its own.
/** By day the others show most of what these do, in less time. */
const tmuxByNight = (...test: Parameters<typeof tmuxTest>): void => {
  if (isNightly) tmuxTest(...test)
}

describe.concurrent('switch', () => {
  tmuxTest(
    'asks, waits, commits and starts the successor with the pointer, in a window of its own',
    async () => {
      const on = await stage()
      const { code, json, stderr } = await cycle(on)
      expect(code, stderr + JSON.stringify(json)).toBe(0)
      expect(json).toMatchObject({
        ok: true,
        asked: { agent: 'claude-code', sessionId: SESSION, via: 'tmux' },
      })
      expect(json.successor).toMatchObject({ agent: 'codex', sessionId: 'successor-1', exit: null })
      expect(json.successor.pane).toMatch(/^%\d+$/)
      await expectDone(on, [POINTER])
      expect(promptsOf(on.outgoing)).toHaveLength(1)
      await expectAlive(on)
      const status = await on.handoff('status', '--json')
      expect(status.json.requests).toEqual([])
      expect(status.json.pickUps.at(-1)).toMatchObject({ agent: 'codex', sessionId: 'successor-1' })
    },
  )

  tmuxTestByNight('sends persona, skill and pointer in one prompt, as `resume` does', async () => {
    const on = await stage()
    writeOwn(on.repo, 'config.yaml', 'personas: {reviewer: {agent: codex, start: "You are the reviewer."}}\n')
    const { code, json, stderr } = await on.handoff(
      ...[
        'switch',
        GOAL,
        '--to',
        'codex',
        '--pane',
        on.pane,
        '--json',
        '--persona',
        'reviewer',
        '--skill',
        'tdd',
      ],
    )
    expect(code, stderr + JSON.stringify(json)).toBe(0)
    await expectDone(on, [POINTER])
    expect(promptsOf(on.successor)[0]).toMatch(/^You are the reviewer\.\n\$tdd\n/)
  })

  tmuxByNight('warns of a successor whose hooks keep silent', async () => {
    const on = await stage({}, { silent: true })
    const { code, json } = await cycle(on)
    expect(code).toBe(0)
    expect(json.warnings.join()).toContain('its hooks reported nothing')
    expect(json.successor).toMatchObject({ agent: 'codex', sessionId: null })
    expect(on.briefs()).toHaveLength(1)
    await expectAlive(on)
  })

  tmuxTestByNight('starts the successor though the old session has the last window', async () => {
    const on = await stage()
    on.server.tmux('kill-window', '-t', 'main:0')
    const { code, json, stderr } = await cycle(on)
    expect(code, stderr + JSON.stringify(json)).toBe(0)
    await expectDone(on, [POINTER])
    await expectAlive(on)
  })

  tmuxTestByNight('waits for the end of a turn that is under way before it pastes anything', async () => {
    const on = await stage({ ready: 'at work' })
    await hook(on, 'prompt')
    const running = cycle(on)
    await new Promise((resolve) => setTimeout(resolve, 2500))
    const request = await on.handoff('request', '--pane', on.pane, '--json')
    expect(request.json.errors[0].code).toBe('E_AGENT_BUSY')
    expect(on.pending()).toEqual([])
    expect(promptsOf(on.outgoing)).toEqual([])
    await hook(on, 'stop')
    expect((await running).code).toBe(0)
    await expectDone(on, [POINTER])
  })

  tmuxTestByNight(
    'run twice it is one switch: the second waits for the same answer and changes nothing',
    async () => {
      const on = await stage()
      const both = await Promise.all([
        cycle(on),
        until('the request', () => on.pending()[0] ?? null).then(() => cycle(on)),
      ])
      expect(both.map(({ code }) => code).sort()).toEqual([0, 1])
      const second = both.find(({ code }) => code === 1)
      expect(second?.json.errors[0].code).toBe('E_REQUEST_ENDED')
      await expectDone(on, [POINTER])
      expect(promptsOf(on.outgoing)).toHaveLength(1)
    },
  )
})

describeByNight('without tmux', () => {
  /** A session that its hooks tell of; it is asked by the hook and answers. */
  async function byHook(exit: number) {
    const repo = makeRepo()
    repo.commit('queue', { 'src/queue.ts': 'x\n', 'src/api.ts': 'y\n', 'test/queue.test.ts': 'z\n' })
    writeClaudeSession(repo, USUAL, { id: SESSION, end: new Date(Date.now() - 60_000) })
    const codex = fakeAgent(repo, 'codex', { says: 'I go on.', exit })
    await hook({ repo }, 'prompt')
    const env = { ...repo.env, ...codex.env }
    const running = handoff(repo, env, [
      'switch',
      GOAL,
      '--to',
      'codex',
      '--skill',
      'tdd',
      '--headless',
      '--json',
    ])
    const folder = join(repo.root, '.git/handoff/pending')
    const pending = await until('the request', () => recordsIn(folder)[0] ?? null)
    expect(pending).toMatchObject({ via: 'hook', state: 'asked' })
    const said = JSON.parse(await hook({ repo }, 'stop'))
    expect(said).toMatchObject({ decision: 'block' })
    expect(said.reason).toContain(pending.path)
    mkdirSync(dirname(pending.path), { recursive: true })
    const end = `END OF HANDOFF ${pending.requestId}`
    writeFileSync(pending.path, `## Next steps and what remains\n- document the limits\n${end}\n`)
    expect(await hook({ repo }, 'stop')).toBe('')
    return { repo, codex, ran: await running }
  }

  byNight('asks by the hook of the old session and lets the successor work one turn', async () => {
    const { repo, codex, ran } = await byHook(0)
    expect(ran.code, ran.stderr + JSON.stringify(ran.json)).toBe(0)
    expect(ran.json).toMatchObject({
      ok: true,
      asked: { via: 'hook' },
      successor: { agent: 'codex', exit: 0 },
    })
    const [line, ...rest] = codex.seen()?.stdin.split('\n') ?? []
    expect(line).toBe('$tdd')
    expect(rest.join('\n')).toContain(POINTER)
    expect(repo.git(['show', `HEAD:${repo.git(['ls-files', '.handoff/briefs'])}`])).toContain(
      'document the limits',
    )
  })

  byNight('says that the successor ended badly; the brief is in place', async () => {
    const { repo, ran } = await byHook(3)
    expect(ran.code).toBe(1)
    expect(ran.json.errors[0]).toMatchObject({ code: 'E_AGENT_FAILED' })
    expect(repo.git(['log', '--format=%s', '-1'])).toMatch(/^chore\(handoff\)/)
  })
})

describeByNight.concurrent('a switch that fails leaves the old session at work and starts nobody', () => {
  const documents = [
    ['half', 'E_BAD_DOCUMENT'],
    ['secret', 'E_SECRET_INPUT'],
  ] as const
  for (const [document, code] of documents)
    tmuxTestByNight(`document: ${document}`, async () => {
      const on = await stage({ document })
      const { code: exit, json } = await cycle(on)
      expect(exit).toBe(1)
      expect(json.errors[0].code).toBe(code)
      expect(on.pending()).toEqual([])
      expect(on.briefs()).toEqual([])
      expect(on.successor.deeds()).toEqual([])
      await expectAlive(on)
    })

  tmuxTestByNight('no end of the turn within the time limit', async () => {
    const on = await stage()
    await hook(on, 'prompt')
    const { json } = await cycle(on, '--timeout', '2s', '--via', 'hook')
    expect(json.errors[0].code).toBe('E_REQUEST_TIMEOUT')
    expect(on.successor.deeds()).toEqual([])
  })

  tmuxTestByNight('its pane is closed while it is waited for', async () => {
    const on = await stage({ document: 'none' })
    const running = cycle(on)
    await until('its prompt', () => promptsOf(on.outgoing)[0] ?? null)
    on.server.tmux('kill-pane', '-t', on.pane)
    expect((await running).json.errors[0].code).toBe('E_PANE_GONE')
    expect(on.pending()).toEqual([])
    expect(on.successor.deeds()).toEqual([])
  })

  tmuxTestByNight('the successor ends at once', async () => {
    const on = await stage()
    writeFileSync(on.successor.path, '#!/nowhere/node\n')
    const { code, json } = await cycle(on)
    expect(code).toBe(1)
    expect(json.errors[0]).toMatchObject({ code: 'E_AGENT_NOT_STARTED' })
    expect(json.errors[0].hint).toContain('codex')
    expect(on.briefs()).toHaveLength(1)
    await expectAlive(on)
  })
})

describe('every precondition has its own code, and nobody is asked', () => {
  const codeOf = async (on: Stage, ...argv: string[]) => {
    const { json } = await on.handoff('switch', ...argv, '--json')
    return json.errors?.[0].code ?? 'none'
  }

  tmuxTestByNight('session, agent, pane, goal, destination, program', async () => {
    const on = await stage()
    const shell = on.server.open(on.repo.root, 'bash', '--norc')
    await until(
      'a shell',
      () => on.server.panes().find(({ id, command }) => id === shell && command === 'bash') ?? null,
    )
    const pane = ['--pane', on.pane]
    expect(await codeOf(on, GOAL)).toBe('E_USAGE')
    expect(await codeOf(on, 'more', '--to', 'codex', ...pane)).toBe('E_GOAL')
    expect(await codeOf(on, GOAL, '--to', 'codex', '--session', 'no-such', ...pane)).toBe('E_NO_SESSION')
    expect(await codeOf(on, GOAL, '--to', 'codex', '--pane', '%999')).toBe('E_PANE_GONE')
    expect(await codeOf(on, GOAL, '--to', 'codex', '--pane', shell)).toBe('E_NO_PANE')
    expect(await codeOf(on, GOAL, '--to', 'nobody', ...pane)).toBe('E_NO_DESTINATION')
    expect(await codeOf(on, GOAL, '--to', 'pi', ...pane)).toBe('E_AGENT_MISSING')
    const elsewhere = { ...withAgents(on.repo), TMUX: '/nowhere/s,0,0' }
    const dead = await handoff(on.repo, elsewhere, ['switch', GOAL, '--to', 'codex', ...pane, '--json'])
    expect(dead.json.errors[0].code).toBe('E_TMUX')
    const bare = { ...elsewhere, PATH: `${join(on.repo.base, 'agents')}:${withoutTmux(on.repo)}` }
    const none = await handoff(on.repo, bare, ['switch', GOAL, '--to', 'codex', ...pane, '--json'])
    expect(none.json.errors[0]).toMatchObject({ code: 'E_TMUX' })
    expect(none.json.errors[0].message).toContain('not on PATH')
    const terminal = await handoff(on.repo, withAgents(on.repo), ['switch', GOAL, '--to', 'codex', '--json'])
    expect(terminal.json.errors[0].code).toBe('E_NO_TERMINAL')
    await hook(on, 'session-end')
    expect(await codeOf(on, GOAL, '--to', 'codex', '--session', SESSION, ...pane)).toBe('E_SESSION_ENDED')
    expect(on.pending()).toEqual([])
    expect(on.outgoing.deeds().filter(({ prompt }) => prompt !== undefined)).toEqual([])
  })

  test('a session whose hooks never told of it', async () => {
    const repo = makeRepo()
    writeClaudeSession(repo, USUAL, { id: SESSION, end: new Date(Date.now() - 60_000) })
    paneAgent(repo, 'codex', { id: 'codex', session: 's' })
    const { json } = await handoff(repo, withAgents(repo), [
      'switch',
      GOAL,
      '--to',
      'codex',
      '--headless',
      '--json',
    ])
    expect(json.errors[0].code).toBe('E_NO_SESSION')
    expect(existsSync(join(repo.root, '.git/handoff/pending'))).toBe(false)
  })
})

tmuxTestByNight(
  'a switch that is killed while it waits goes on with the same command; nobody is asked twice',
  async () => {
    const on = await stage({ document: 'none' })
    const first = spawn(
      process.execPath,
      [join(root, 'bin/handoff.cjs'), 'switch', GOAL, '--to', 'codex', '--pane', on.pane],
      { cwd: on.repo.root, env: on.env, stdio: 'ignore' },
    )
    const [asked] = await until('the request', () =>
      on.pending()[0]?.state === 'delivered' ? on.pending() : null,
    )
    first.kill('SIGKILL')
    const path = asked?.path ?? ''
    const other = await on.handoff('switch', 'write the manual of the retry queue', '--to', 'codex', '--json')
    expect(other.json.errors[0]).toMatchObject({ code: 'E_USAGE' })
    expect(other.json.errors[0].message).toContain('for another goal')
    const next = cycle(on)
    await hook(on, 'prompt')
    writeFileSync(path, `${PAGE}END OF HANDOFF ${asked?.requestId}\n`)
    await hook(on, 'stop')
    const { code, json, stderr } = await next
    expect(code, stderr + JSON.stringify(json)).toBe(0)
    await expectDone(on, [POINTER])
    expect(promptsOf(on.outgoing)).toHaveLength(1)
  },
)

/** An event of the old session's own hooks; gives what they are answered. */
function hook({ repo }: Pick<Stage, 'repo'>, event: string): Promise<string> {
  const argv = [join(root, 'bin/handoff.cjs'), 'hook', event, '--agent', 'claude-code']
  const child = spawn(process.execPath, argv, {
    cwd: repo.root,
    env: repo.env,
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  let stdout = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text
  })
  child.stdin.end(JSON.stringify({ session_id: SESSION, cwd: repo.root, prompt: 'go on' }))
  return new Promise((done) => child.on('close', () => done(stdout)))
}

/** A folder for PATH with git and without tmux. */
function withoutTmux({ base }: TempRepo): string {
  const folder = join(base, 'git-alone')
  mkdirSync(folder)
  symlinkSync(execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim(), join(folder, 'git'))
  return folder
}
