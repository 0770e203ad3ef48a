import { spawnSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { notesContract } from '../../../src/brief/template.ts'
import { byNight, sampled } from '../../sampled.ts'
import { type CliOptions, cli } from '../cli.ts'
import { makeRepo, type TempRepo } from '../make-repo.ts'
import { made, SESSION, sectionOf, succeeded, usual, withBrief } from '../usual.ts'

/** Time goes on while somebody waits. */
const LIVE: CliOptions = { now: () => new Date() }

const hook = (repo: TempRepo, event: string, session_id = SESSION, agent = 'claude-code') =>
  cli(repo, ['hook', event, '--agent', agent], {
    ...LIVE,
    stdin: JSON.stringify({ cwd: repo.root, session_id }),
  })

const request = (repo: TempRepo, ...argv: string[]) => cli(repo, ['request', '--json', ...argv], LIVE)
const wait = (repo: TempRepo, ...argv: string[]) => cli(repo, ['await', '--json', ...argv], LIVE)

async function asked(repo: TempRepo, ...argv: string[]) {
  await hook(repo, 'session-start')
  return succeeded(await request(repo, ...argv))
}

const ANSWER = `## What I was working on
- The retry queue.
## Key decisions made and why
- a semaphore - why: the mutex deadlocked - instead of: a mutex
## Blockers encountered
- blocker: the CI has no network
## Next steps and what remains
- document the limits
`

/** Writes the document as the instruction says: aside, then renamed. */
function answer(
  json: { path: string; requestId: string },
  text = ANSWER,
  end = `END OF HANDOFF ${json.requestId}`,
) {
  mkdirSync(dirname(json.path), { recursive: true })
  writeFileSync(`${json.path}.part`, `${text}\n${end}\n`)
  renameSync(`${json.path}.part`, json.path)
}

describe('request and await', () => {
  byNight('where no session is says so, and offers nothing that cannot answer', async () => {
    const repo = makeRepo()
    for (const [argv, who] of [
      [[], 'No hooks reported'],
      [['--from', 'codex'], 'No hooks of Codex reported'],
    ] as const) {
      const { code, json } = await request(repo, ...argv)
      expect([code, json.errors[0].code]).toEqual([2, 'E_NO_SESSION'])
      expect(json.errors[0].message).toContain(who)
    }
  })

  byNight('asks for the page under the exact path, and returns at once', async () => {
    const repo = usual()
    const json = await asked(repo, '--via', 'print')
    expect(json).toMatchObject({ state: 'delivered', agent: 'claude-code', sessionId: SESSION, via: 'print' })
    expect(json.path).toBe(join(repo.root, '.handoff', 'requests', `${json.requestId}.md`))
    for (const part of [json.path, notesContract, `END OF HANDOFF ${json.requestId}`])
      expect(json.instruction).toContain(part)
  })

  it('U-H6: tells the goal and the moment of the conversation; the page is for that goal', async () => {
    const repo = usual()
    const goal = 'finish the retry queue and document its limits'
    const json = await asked(repo, '--via', 'print', '--goal', goal)
    expect(json.instruction).toContain(`The goal of the next session is:\n${goal}\n`)
    expect(json.instruction).toContain(
      `You are asked at ${json.askedAt.slice(0, 16)}Z on branch \`main\` at \`${repo.git(['rev-parse', '--short=12', 'HEAD'])}\``,
    )
    answer(json)
    await hook(repo, 'stop')
    succeeded(await wait(repo))
    expect(succeeded(await cli(repo, ['note', '--list', '--json'])).notes).toMatchObject([{ goal }])
    const secret = ['ghp', 'q7Rk2mXv9TfLw4Zc8NbYh3JpDs6GaE1uVo5K'].join('_')
    expect((await request(repo, '--goal', `rotate ${secret} of the queue`)).json.errors[0].code).toBe(
      'E_SECRET_INPUT',
    )
  })

  it('takes the document as notes of that session once the turn has ended, and leaves nothing behind', async () => {
    const repo = usual()
    const before = repo.git(['status', '--porcelain'])
    const json = await asked(repo, '--via', 'print')
    await hook(repo, 'prompt')
    const waiting = wait(repo, '--timeout', '20s')
    answer(json)
    await hook(repo, 'stop')
    const { code, json: done } = await waiting
    expect(code).toBe(0)
    expect(done).toMatchObject({ state: 'noted', requestId: json.requestId })
    expect(existsSync(dirname(json.path))).toBe(false)
    expect(repo.git(['status', '--porcelain'])).toBe(before)
    const brief = await made(repo, [], { env: { CLAUDECODE: '1', CLAUDE_CODE_SESSION_ID: SESSION }, ...LIVE })
    expect(sectionOf(brief.markdown, 'Working Memory')).toContain(ANSWER.trim().replaceAll('## ', '### '))
    expect((await wait(repo)).json.errors[0].code).toBe('E_NO_REQUEST')
  })

  byNight(
    'keeps the document out of git while the request is open: nobody has looked through it yet',
    async () => {
      const repo = usual()
      repo.commit('all of it')
      const json = await asked(repo, '--via', 'print')
      expect(repo.git(['status', '--porcelain'])).toBe('')
      answer(json)
      expect(repo.git(['status', '--porcelain'])).toBe('')
      repo.git(['add', '-A'])
      expect(repo.git(['diff', '--cached', '--name-only'])).toBe('')
      await hook(repo, 'stop')
      succeeded(await wait(repo))
      expect(existsSync(dirname(json.path))).toBe(false)
    },
  )

  byNight('is asked by the hook at the end of a turn, once', async () => {
    const repo = usual()
    const json = await asked(repo, '--via', 'hook')
    expect(json.state).toBe('asked')
    expect((await hook(repo, 'stop', 'another-session')).stdout).toBe('')
    const { stdout } = await hook(repo, 'stop')
    expect(JSON.parse(stdout)).toEqual({ decision: 'block', reason: json.instruction })
    answer(json)
    expect((await hook(repo, 'stop')).stdout).toBe('')
    expect(succeeded(await wait(repo)).state).toBe('noted')
  })

  byNight('takes a half-written document for none, and goes on waiting', async () => {
    const repo = usual()
    const json = await asked(repo, '--via', 'print')
    answer(json, '## What I was working on\n- half', '')
    await hook(repo, 'stop')
    const waiting = wait(repo, '--timeout', '20s')
    await new Promise((resolve) => setTimeout(resolve, 500))
    answer(json)
    expect((await waiting).json).toMatchObject({ state: 'noted' })
  })

  byNight(
    'takes a new prompt for the end of the waiting turn: the instruction stood behind another one',
    async () => {
      const repo = usual()
      const json = await asked(repo, '--via', 'print')
      await hook(repo, 'stop')
      await hook(repo, 'prompt')
      const [name] = readdirSync(join(repo.root, '.git', 'handoff', 'pending'))
      const kept = JSON.parse(
        readFileSync(join(repo.root, '.git', 'handoff', 'pending', name as string), 'utf8'),
      )
      expect(kept).toMatchObject({ requestId: json.requestId, stoppedAt: null, state: 'delivered' })
    },
  )

  const ENDS = [
    ['no document', async () => {}, 'E_NO_DOCUMENT'],
    ['an empty document', async (json: Asked) => answer(json, ''), 'E_BAD_DOCUMENT'],
    ['a half-written document', async (json: Asked) => answer(json, ANSWER, ''), 'E_BAD_DOCUMENT'],
    [
      'a document that says nothing (C12)',
      async (json: Asked) => answer(json, '## What I was working on\n- I did some stuff.'),
      'E_BAD_DOCUMENT',
    ],
    [
      'a document with a secret',
      async (json: Asked) =>
        answer(json, `## Next steps\n- use ${['ghp', 'q7Zk2mW9xLrT4vB8nYc1Jd6Hs3Fp5Ga0UeXi'].join('_')}`),
      'E_SECRET_INPUT',
    ],
  ] as const
  for (const [what, end, code] of sampled(ENDS, 3))
    it(`fails with ${code} when the turn ends with ${what}, and the session goes on`, async () => {
      const repo = usual()
      const json = await asked(repo, '--via', 'print')
      await end(json)
      await hook(repo, 'stop')
      // The stop was long ago.
      const later = { now: () => new Date(Date.now() + 60_000) }
      const failed = await cli(repo, ['await', '--json'], later)
      expect(failed.code).toBeGreaterThan(0)
      expect(failed.json.errors[0].code).toBe(code)
      expect((await wait(repo)).json.errors[0].code).toBe('E_NO_REQUEST')
      expect(existsSync(join(repo.root, '.git', 'handoff', 'notes'))).toBe(false)
    })

  byNight('leaves no secret on the disk, handed in or written by the agent', async () => {
    const repo = usual()
    const key = ['ghp', 'q7Zk2mW9xLrT4vB8nYc1Jd6Hs3Fp5Ga0UeXi'].join('_')
    await hook(repo, 'session-start')
    const refused = await request(repo, '--via', 'print', '--reason', `since ${key} ran out`)
    expect(refused.json.errors[0].code).toBe('E_SECRET_INPUT')
    const json = succeeded(await request(repo, '--via', 'print'))
    answer(json, `## Next steps\n- use ${key}`)
    await hook(repo, 'stop')
    const failed = await wait(repo)
    expect(failed.json.errors[0].message).toContain('the document was deleted')
    expect(existsSync(json.path)).toBe(false)
    const places = ['.git/handoff', '.handoff'].map((name) => join(repo.root, name)).filter(existsSync)
    expect(spawnSync('grep', ['-rl', key, ...places]).stdout.toString()).toBe('')
  })

  byNight('says what was missing when time is up', async () => {
    const repo = usual()
    const json = await asked(repo, '--via', 'print')
    answer(json)
    const { json: late } = await wait(repo, '--timeout', '300ms')
    expect(late.errors[0]).toMatchObject({ code: 'E_REQUEST_TIMEOUT' })
    expect(late.errors[0].message).toContain('did not say that its turn ended')
  })

  byNight('asks a session once: a second request is the first one', async () => {
    const repo = usual()
    const one = await asked(repo, '--via', 'print')
    const two = succeeded(await request(repo, '--via', 'print'))
    expect(two.requestId).toBe(one.requestId)
    expect(two.warnings[0]).toContain('asked already')
    succeeded(await request(repo, '--cancel', one.requestId))
    expect(succeeded(await request(repo, '--via', 'print')).requestId).not.toBe(one.requestId)
  })

  it('asks once when two run together', async () => {
    const repo = usual()
    await hook(repo, 'session-start')
    const all = await Promise.all([1, 2, 3].map(() => request(repo, '--via', 'print')))
    expect(new Set(all.map((one) => succeeded(one).requestId)).size).toBe(1)
    expect(all.flatMap((one) => one.json.warnings)).toHaveLength(2)
  })

  byNight('asks nobody to write through a link', async () => {
    const repo = usual()
    await hook(repo, 'session-start')
    mkdirSync(join(repo.root, '.handoff'))
    symlinkSync(repo.base, join(repo.root, '.handoff', 'requests'))
    expect((await request(repo, '--via', 'print')).json.errors[0].code).toBe('E_UNSAFE_PATH')
    expect(existsSync(join(repo.root, '.git', 'handoff', 'pending'))).toBe(false)
  })

  byNight('waits for the document of a session in another worktree', async () => {
    const repo = usual()
    const tree = join(repo.base, 'tree')
    const json = await asked(repo, '--via', 'print')
    repo.git(['worktree', 'add', '-q', tree])
    answer(json)
    await hook(repo, 'stop')
    const done = await cli(repo, ['await', '--json', '--timeout', '3s', json.requestId], {
      ...LIVE,
      cwd: tree,
    })
    expect(succeeded(done).state).toBe('noted')
  })

  it('tells each precondition by its own code, and asks nobody', async () => {
    const repo = usual()
    const codes = async (...argv: string[]) => (await request(repo, ...argv)).json.errors?.[0].code
    // A session on disk whose hooks tell nothing could not say that its turn ended.
    expect(await codes('--via', 'print')).toBe('E_NO_SESSION')
    await hook(repo, 'session-start')
    expect(await codes('--session', 'no-such-session')).toBe('E_NO_SESSION')
    expect(await codes('--from', 'nobody')).toBe('E_USAGE')
    expect(await codes('--pane', '%99999')).toMatch(/E_TMUX|E_PANE_GONE/)
    expect(await codes('--via', 'tmux')).toMatch(/E_TMUX|E_NO_PANE/)
    expect((await wait(repo)).json.errors[0].code).toBe('E_NO_REQUEST')
    expect(existsSync(join(repo.root, '.git', 'handoff', 'pending'))).toBe(false)
  })

  byNight('does not get in the way of create, and stands in no brief', async () => {
    const repo = usual()
    const json = await asked(repo, '--via', 'print')
    answer(json)
    const { brief, markdown } = await made(repo)
    expect(markdown).not.toContain(json.requestId)
    expect(brief.relevantFiles.map(({ path }: { path: string }) => path)).not.toContain(json.path)
  })
})

describe('status', () => {
  const status = async (repo: TempRepo, ...argv: string[]) => cli(repo, ['status', '--json', ...argv], LIVE)

  byNight('tells brief, drift, requests, sessions and pick-ups in one object', async () => {
    const { repo, id } = await withBrief()
    const json = await asked(repo, '--via', 'print')
    await hook(repo, 'session-start', 'successor', 'codex')
    const told = succeeded(await status(repo))
    expect(told.brief).toMatchObject({ id, open: true, drift: 'Nothing was committed since.' })
    expect(told.requests).toMatchObject([{ requestId: json.requestId, state: 'delivered' }])
    expect(told.sessions.map(({ sessionId }: { sessionId: string }) => sessionId).sort()).toEqual([
      SESSION,
      'successor',
    ])
    // It was told of the brief and has done nothing with it.
    expect([told.brief.pickUp, told.pickUps]).toEqual([null, []])
    expect((await cli(repo, ['status'], LIVE)).stdout).toMatch(
      /^Open brief: .*\n {2}By Claude Code, .* ago\n {2}Nothing.*\nRequest /,
    )
  })

  byNight('lists nudges until the person closes one, create uses the session, or it ends', async () => {
    const repo = usual()
    const nudge = (session_id: string) =>
      cli(repo, ['hook', 'stop', '--agent', 'pi'], {
        ...LIVE,
        stdin: JSON.stringify({ cwd: repo.root, session_id, tokens: 95, window: 100 }),
      })
    for (const session of ['a', 'b', SESSION]) expect((await nudge(session)).stdout).toContain('95 % full')
    expect(succeeded(await status(repo)).nudges).toMatchObject([
      { kind: 'handoff-prompt', schemaVersion: 1, sessionId: 'a', agent: 'pi', thresholdPct: 90, pct: 95 },
      { sessionId: 'b' },
      { sessionId: SESSION },
    ])
    expect(succeeded(await status(repo, '--dismiss', '1')).nudges).toHaveLength(2)
    await hook(repo, 'session-end', 'b', 'pi')
    expect(succeeded(await status(repo)).nudges).toHaveLength(1)
    await made(repo, [], LIVE)
    expect(succeeded(await status(repo)).nudges).toEqual([])
    expect((await nudge('a')).stdout).not.toContain('95 %')
    expect((await status(repo, '--dismiss', '7')).json.errors[0].code).toBe('E_USAGE')
  })

  it('passes over records of another kind or version', async () => {
    const repo = usual()
    for (const folder of ['nudges', 'pending', 'sessions']) {
      const path = join(repo.root, '.git', 'handoff', folder)
      mkdirSync(path, { recursive: true })
      writeFileSync(join(path, 'x.json'), '{"kind":"handoff-prompt","schemaVersion":2}')
      writeFileSync(join(path, 'y.json'), 'torn {')
    }
    expect(succeeded(await status(repo))).toMatchObject({ nudges: [], requests: [], sessions: [] })
  })
})

interface Asked {
  path: string
  requestId: string
}
