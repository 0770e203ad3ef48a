import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { USUAL, writeClaudeSession } from '../../../repo/claude-session.ts'
import { type CliResult, cli } from '../../../repo/cli.ts'
import { makeRepo, type TempRepo } from '../../../repo/make-repo.ts'
import { create, later, usual } from '../../../repo/usual.ts'
import { byNight, sampled } from '../../../sampled.ts'
import { createFakes } from '../../../unit/secrets/fake.ts'

const SECOND = 'bbbbbbbb-2222-4333-8444-555555555555'
const THIRD = 'cccccccc-2222-4333-8444-555555555555'

/** A session of some seconds that ends at this minute after `NOW`. */
const sessionAt = (repo: TempRepo, id: string, minute: number): string =>
  writeClaudeSession(repo, USUAL, { id, end: later(minute) })
const at = (repo: TempRepo, minute: number, args: string[] = []): Promise<CliResult> =>
  create(repo, args, { now: later(minute) })
const session = (id: string) => ({ code: 0, json: { ok: true, session: { id } } })

describe('C7: a tie', () => {
  const codex = (repo: TempRepo, minute: number): void => {
    const id = '01a20097-77f9-7192-ba10-4fdedadc5e9b'
    const folder = join(repo.home, '.codex', 'sessions', '2026', '11', '22')
    mkdirSync(folder, { recursive: true })
    const timestamp = later(minute).toISOString()
    const meta = { id, timestamp, cwd: repo.root, git: { branch: 'main' } }
    const rows = [
      { timestamp, type: 'session_meta', payload: meta },
      { timestamp, type: 'event_msg', payload: { type: 'user_message', message: 'Write the changelog.' } },
      { timestamp, type: 'event_msg', payload: { type: 'agent_message', message: 'Written.' } },
    ]
    const path = join(folder, `rollout-2026-11-22T10-00-00-${id}.jsonl`)
    writeFileSync(path, `${rows.map((row) => JSON.stringify(row)).join('\n')}\n`)
  }

  it('C7: of two sessions of one agent does not advise `--from`, which would not settle it', async () => {
    const repo = usual()
    sessionAt(repo, SECOND, 1)
    for (const args of [[], ['--from', 'claude-code']]) {
      const [error] = (await at(repo, 2, args)).json.errors
      expect(error).toMatchObject({ code: 'E_SESSION_TIE', hint: 'Choose one with `--session <id>`.' })
    }
  })

  it('C7: of two agents advises `--from`, and that settles it', async () => {
    const repo = usual()
    codex(repo, 1)
    const [error] = (await at(repo, 2)).json.errors
    expect(error).toMatchObject({ code: 'E_SESSION_TIE', hint: expect.stringContaining('--from <agent>') })
    expect(await at(repo, 2, ['--from', 'codex', '--no-ask'])).toMatchObject({
      code: 0,
      json: { session: { agent: 'codex' } },
    })
  })

  byNight('C7: of which `sessions` reads none whole that is very large', async () => {
    const repo = makeRepo()
    const folder = join(repo.home, '.local/share/amp/threads')
    mkdirSync(folder, { recursive: true })
    const thread = (text: string) =>
      JSON.stringify({
        ...{ id: 'T-1', env: { initial: { trees: [{ uri: `file://${repo.root}` }] } } },
        messages: [{ role: 'user', content: [{ type: 'text', text }] }],
      })
    for (const [repeats, told] of [
      [2 ** 17, 'Fix the queue. Fix'],
      [2 ** 21, 'too large to look into'],
    ] as const) {
      writeFileSync(join(folder, 'T-1.json'), thread('Fix the queue. '.repeat(repeats)))
      expect((await cli(repo, ['sessions'])).stdout).toContain(told)
    }
  })

  it('C7: and `sessions` show first words, branch and folder, without secrets', async () => {
    const repo = usual()
    const key = createFakes(7).make('ghp_{0-9A-Za-z:36}')
    writeClaudeSession(
      repo,
      [{ user: `Try ${key} for the ${'long '.repeat(30)}release` }, { says: 'Done.' }],
      {
        id: SECOND,
        end: later(1),
        cwd: join(repo.root, 'src'),
      },
    )
    const [{ message, candidates }] = (await at(repo, 2)).json.errors
    const { stdout } = await cli(repo, ['sessions'], { now: later(2) })
    for (const text of [message, stdout]) {
      expect(text).toMatch(
        /1111\S+ {2}Claude Code {2}3 min ago {2}\d KB {2}branch main, \S+repo {2}Fix the retry queue\./,
      )
      expect(text).toMatch(
        /bbbb\S+ {2}Claude Code .* {2}branch main, \S+repo\/src {2}Try \[REDACTED:\S+\] for the long .*…/,
      )
      expect(text).not.toContain(key.slice(4, 20))
    }
    expect(candidates[1]).toMatchObject({
      firstWords: expect.stringContaining('Fix the retry queue.'),
      branch: 'main',
    })
  })
})

describe('C6: a caller that has no session here, or whose sessions cannot be read', () => {
  it.each(
    sampled(
      [
        [{ AUGMENT_AGENT: '1' }, 'Augment calls'],
        [{ AI_AGENT: 'devin' }, 'devin calls'],
        [{ CURSOR_AGENT: '1' }, 'No agent session was found for Cursor'],
        [{ AI_AGENT: 'antigravity' }, 'No agent session was found for Antigravity'],
      ],
      1,
    ),
  )('C6: is named, and no other agent’s session is taken: %j', async (env, told) => {
    const repo = usual()
    const failed = await create(repo, [], { env })
    expect(failed).toMatchObject({ code: 2, json: { errors: [{ code: 'E_NO_SESSION' }] } })
    expect(failed.json.errors[0].message).toContain(told)
    expect(await create(repo, ['--from', 'git', '--no-notes'], { env })).toMatchObject({ code: 0 })
  })

  it('C6: and an agent that is named goes by its name', async () => {
    const failed = await create(usual(), ['--from', 'kiro'])
    expect(failed.json.errors[0].message).toContain('No agent session was found for Kiro in this worktree')
  })

  byNight('C6: may name the session of another agent', async () => {
    const env = { CURSOR_AGENT: '1' }
    const named = await create(usual(), ['--session', '1111', '--no-notes'], { env })
    expect(named).toMatchObject({ code: 0, json: { session: { agent: 'claude-code' } } })
    const from = await create(usual(), ['--from', 'claude-code', '--no-notes'], { env })
    expect(from).toMatchObject({ code: 0, json: { session: { agent: 'claude-code' } } })
  })
})

describe('sessions that ended within ten minutes of each other', () => {
  it.each(sampled(['current', 'separate'], 1))(
    'one that was handed over before the next began is none of them, all along the chain (briefs on %s)',
    async (branch) => {
      const repo = usual()
      const args = ['--branch', branch]
      expect((await at(repo, 0, args)).code).toBe(0)
      sessionAt(repo, SECOND, 2)
      expect(await at(repo, 3, args)).toMatchObject(session(SECOND))
      sessionAt(repo, THIRD, 5)
      expect(await at(repo, 6, args)).toMatchObject(session(THIRD))
    },
  )

  it('one that went on after its brief, beside the next, is one of them', async () => {
    const repo = usual()
    const { json } = await at(repo, 0)
    sessionAt(repo, SECOND, 2)
    sessionAt(repo, json.session.id, 3)
    const failed = await at(repo, 4)
    expect(failed.json.errors[0].code).toBe('E_SESSION_TIE')
    expect(failed.json.errors[0].candidates).toHaveLength(2)
  })

  byNight(
    'one that was at work when the other was handed over is one of them, whichever is newer',
    async () => {
      const repo = usual()
      sessionAt(repo, SECOND, 0)
      expect((await create(repo, ['--session', '1111'], { now: later(1) })).code).toBe(0)
      expect((await at(repo, 2)).json.errors[0].code).toBe('E_SESSION_TIE')
    },
  )
})
