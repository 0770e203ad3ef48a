import { getEventListeners } from 'node:events'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { HandoffError, isHandoffError } from '../../../src/errors/handoff-error.ts'
import { createBrief } from '../../../src/index.ts'
import { chain, checkBrief, readBrief } from '../../../src/lib/library.ts'
import { byNight, describeByNight } from '../../sampled.ts'
import { writeClaudeSession } from '../claude-session.ts'
import { cli, NOW } from '../cli.ts'
import { makeRepo, type TempRepo } from '../make-repo.ts'
import { GOAL, headOf, printed, SESSION, usual, withBrief } from '../usual.ts'

const at = (repo: TempRepo) => ({ cwd: repo.root, env: repo.env, home: repo.home, now: () => NOW })
/** An object as it looks after a way through JSON. */
const plain = (value: object): unknown => JSON.parse(JSON.stringify(value))

/** What a call rejects with. */
const failure = (call: Promise<unknown>): Promise<HandoffError> =>
  call.then(
    () => expect.fail('it did not fail'),
    (error) => error,
  )

describe('the objects of --json', () => {
  it('createBrief makes and commits what create does', async () => {
    const repo = usual()
    const dry = await createBrief({ ...at(repo), goal: GOAL, dryRun: true })
    const told = await printed(repo)
    const { id } = told
    // The estimate of tokens hangs on the letters of the id, by one or two.
    const uncounted = (value: object) =>
      JSON.parse(JSON.stringify(value).replace(/(tokens"?: ?)\d+/g, '$1 0'))
    expect(uncounted(dry)).toEqual(uncounted(JSON.parse(JSON.stringify(told).replaceAll(id, dry.id))))
    expect(Math.abs(dry.brief.tokens - told.brief.tokens)).toBeLessThanOrEqual(2)
    const real = await createBrief({ ...at(repo), goal: GOAL, focus: 'the limits', skills: ['tdd', 'docs'] })
    expect(real).toMatchObject({ ok: true, repeat: false, commit: headOf(repo), session: { id: SESSION } })
    expect(repo.read(real.path)).toBe(real.markdown)
    expect(real.brief).toMatchObject({ goal: GOAL, focus: 'the limits', skills: ['tdd', 'docs'] })
  })

  byNight('readBrief, checkBrief and chain tell what show, check and log do', async () => {
    const { repo, id, path } = await withBrief()
    const told = async (...argv: string[]) => (await cli(repo, [...argv, '--json'])).json
    expect(plain(await readBrief(at(repo)))).toEqual(await told('show'))
    expect(plain(await readBrief({ ...at(repo), id, form: 'inline' }))).toEqual(
      await told('show', id, '--inline'),
    )
    expect(plain(await readBrief({ ...at(repo), section: 'goal' }))).toEqual(
      await told('show', '--section', 'goal'),
    )
    expect(plain(await checkBrief({ ...at(repo), paths: [path] }))).toEqual(await told('check', path))
    expect(plain(await checkBrief({ ...at(repo), range: 'HEAD~1..HEAD' }))).toEqual(
      await told('check', '--range', 'HEAD~1..HEAD'),
    )
    expect(plain(await chain({ ...at(repo), all: true, limit: 1, agent: 'claude-code' }))).toEqual(
      await told('log', '--all', '--limit', '1', '--agent', 'claude-code'),
    )
  })

  it('findings are data', async () => {
    const { repo, path } = await withBrief()
    repo.write(path, repo.read(path).replace(/^## Status$/m, '## Something else'))
    const { ok, findings } = await checkBrief(at(repo))
    expect(ok).toBe(false)
    expect(findings[0]).toMatchObject({ path, level: 'error' })
    expect(await checkBrief({ ...at(repo), failOn: 'never' })).toMatchObject({ ok: true, findings })
  })
})

describe('options', () => {
  byNight('takes a conversation and working memory as values', async () => {
    const repo = makeRepo()
    const transcript = '## User\n\nKeep the queue in memory.\n\n## Assistant\n\nI will.\n'
    const { brief, session } = await createBrief({ ...at(repo), goal: GOAL, transcript, dryRun: true })
    expect(session).toMatchObject({ agent: 'plain' })
    expect(JSON.stringify(brief.constraints)).toContain('Keep the queue in memory.')
    const notes = { currentLineOfAttack: 'bisecting the drops', openQuestions: ['who owns the queue?'] }
    const noted = await createBrief({ ...at(repo), goal: GOAL, from: 'git', notes })
    expect(noted.brief.notes?.page).toBe(
      '- Current line of attack: bisecting the drops\n- Open question: who owns the queue?',
    )
  })

  it('refuses what would do nothing, or cannot be told apart', async () => {
    const repo = usual()
    const odd = [
      createBrief({ ...at(repo), goal: GOAL, sginal: new AbortController().signal } as never),
      createBrief({ ...at(repo), goal: GOAL, notes: {}, transcript: 'x' }),
      createBrief({ ...at(repo), goal: GOAL, notes: {}, notesFile: 'x' }),
      createBrief({ ...at(repo), goal: GOAL, transcript: 'x', session: 'y' }),
      createBrief({ ...at(repo), goal: GOAL, events: [], transcript: 'x' }),
      createBrief({ ...at(repo), goal: GOAL, events: [], from: 'git' }),
      createBrief({ ...at(repo), goal: GOAL, events: 'x' } as never),
      readBrief({ ...at(repo), form: 'html' } as never),
    ]
    for (const call of odd) expect(await failure(call)).toMatchObject({ code: 'E_USAGE' })
    expect(repo.git(['status', '--porcelain'])).toBe('')
  })

  byNight('takes texts that look like options for texts', async () => {
    const repo = usual()
    const focus = '--no-commit --cwd=/'
    const { brief, commit } = await createBrief({
      ...at(repo),
      goal: '--json is wanted by the caller',
      focus,
    })
    expect(brief).toMatchObject({ goal: '--json is wanted by the caller', focus })
    expect(commit).toBe(headOf(repo))
    expect(await failure(readBrief({ ...at(repo), id: '--raw' }))).toMatchObject({ exit: 2 })
  })
})

describe('errors', () => {
  it('have the code, message, hint and data of the command', async () => {
    const repo = usual()
    const error = await failure(createBrief({ ...at(repo), goal: 'fix' }))
    const { json } = await cli(repo, ['create', 'fix', '--json'])
    const { code, message, hint, data } = error
    expect({ code, message, hint, ...data }).toEqual(json.errors[0])
    expect(error).toBeInstanceOf(HandoffError)
    expect(isHandoffError(error)).toBe(true)
    // @ts-expect-error: JavaScript has no types.
    expect(await failure(createBrief(at(repo)))).toMatchObject({ code: 'E_GOAL' })
    const nowhere = { ...at(repo), cwd: join(repo.base, 'nowhere') }
    expect(await failure(chain(nowhere))).toBeInstanceOf(HandoffError)
  })

  byNight('a session of one message is nothing to hand off, with the code of the command', async () => {
    const repo = makeRepo()
    writeClaudeSession(repo, [{ user: 'Please finish the retry queue.' }])
    const error = await failure(createBrief({ ...at(repo), goal: GOAL }))
    expect(error).toMatchObject({ code: 'E_TOO_SHORT', message: 'Nothing to hand off (no messages yet)' })
    expect((await cli(repo, ['create', GOAL, '--json'])).json.errors[0].code).toBe(error.code)
    expect(existsSync(join(repo.root, '.handoff'))).toBe(false)
  })
})

describeByNight('the process of the caller', () => {
  byNight('is left as it is: nothing is written, read from the environment, or listened to', async () => {
    const repo = usual()
    const [out, err] = [vi.spyOn(process.stdout, 'write'), vi.spyOn(process.stderr, 'write')]
    const before = [process.exitCode, process.cwd(), ...process.eventNames()]
    const said: string[] = []
    const controller = new AbortController()
    const { signal } = controller
    try {
      const around = { ...at(repo), signal, onMessage: (line: string) => said.push(line) }
      const { path } = await createBrief({ ...around, goal: GOAL })
      await Promise.all([readBrief(around), checkBrief({ ...around, paths: [path] }), chain(around)])
      await failure(readBrief({ ...around, id: 'nobody' }))
      expect([out.mock.calls, err.mock.calls]).toEqual([[], []])
      expect([process.exitCode, process.cwd(), ...process.eventNames()]).toEqual(before)
      expect(getEventListeners(signal, 'abort')).toEqual([])
      expect(said.join('\n')).toContain('First handoff here')
    } finally {
      out.mockRestore()
      err.mockRestore()
    }
  })

  byNight('may make several briefs at a time, each where it was asked for', async () => {
    const repos = [usual(), usual({ name: 'other' }), usual({ name: 'third' })]
    const briefs = await Promise.all(repos.map((repo) => createBrief({ ...at(repo), goal: GOAL })))
    for (const [i, repo] of repos.entries()) {
      expect(briefs[i]?.commit).toBe(headOf(repo))
      expect(readdirSync(join(repo.root, '.handoff/briefs'))).toHaveLength(1)
    }
  })
})
