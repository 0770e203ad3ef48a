import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { cancelled } from '../../../../src/errors/writing.ts'
import { cli } from '../../../repo/cli.ts'
import { fakeAgent } from '../../../repo/fake-agent.ts'
import type { TempRepo } from '../../../repo/make-repo.ts'
import { moves, until } from '../../../repo/moment.ts'
import { AGENT, GOAL, headOf, later, succeeded, usual } from '../../../repo/usual.ts'

/** Runs a command and cancels it as soon as something has happened. */
async function cancelWhen(
  hasHappened: () => boolean,
  repo: TempRepo,
  argv: string[],
  env: Record<string, string> = {},
) {
  const controller = new AbortController()
  const running = cli(repo, argv, { env, now: later(9), signal: controller.signal })
  await until(hasHappened, running)
  controller.abort(cancelled())
  return running
}

const make = async (repo: TempRepo, at: number, ...extra: string[]): Promise<void> =>
  void succeeded(
    await cli(repo, ['create', `${GOAL}, part ${at}`, '--json', '--no-notes', ...extra], {
      now: later(at),
      ...AGENT,
    }),
  )

async function withBriefs(count: number): Promise<TempRepo> {
  const repo = usual()
  for (let at = 0; at < count; at++) {
    await make(repo, at)
    repo.commit('work', { [`src/${at}.ts`]: 'export {}\n' })
  }
  return repo
}

describe('a command that is cancelled after it has changed something finishes and says what it did', () => {
  it('done', async () => {
    const repo = await withBriefs(1)
    const { code, stderr } = await cancelWhen(moves(repo), repo, ['done', 'shipped'])
    expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringContaining('Closed: shipped (') })
    expect(repo.git(['log', '-1', '--format=%s'])).toContain('handoff')
    expect(repo.git(['status', '--porcelain'])).toBe('')
  })

  it('done --prune', async () => {
    const repo = await withBriefs(2)
    const { code, stderr } = await cancelWhen(moves(repo), repo, ['done', 'shipped', '--prune'])
    expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringContaining('Removed 2 briefs') })
    expect(repo.git(['ls-files', '.handoff/briefs']).split('\n')).toHaveLength(1)
    expect(repo.git(['status', '--porcelain'])).toBe('')
  })

  it('prune, also when both the branch and that of its briefs lose some', async () => {
    const repo = await withBriefs(2)
    for (const at of [3, 4]) await make(repo, at, '--branch', 'separate')
    const head = headOf(repo)
    const { code, stderr } = await cancelWhen(moves(repo), repo, ['prune', '--keep', '1', '--open'])
    expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringContaining('Removed 2 briefs') })
    expect(headOf(repo)).not.toBe(head)
    expect(repo.git(['status', '--porcelain'])).toBe('')
  })

  it('init', async () => {
    const repo = usual()
    const isHere = () => existsSync(join(repo.root, '.mcp.json'))
    const { code, stderr } = await cancelWhen(isHere, repo, ['init', '--agent', 'claude-code', '--yes'])
    expect({ code, stderr }).toMatchObject({ code: 0 })
    const again = await cli(repo, ['init', '--agent', 'claude-code', '--dry-run', '--json'])
    expect(again.json).toMatchObject({ ok: true, changed: [] })
    expect(repo.git(['config', 'filter.handoff.clean'])).not.toBe('')
  })

  it('init --remove', async () => {
    const repo = usual()
    await cli(repo, ['init', '--agent', 'claude-code', '--yes'])
    const isGone = () => !existsSync(join(repo.root, '.mcp.json'))
    const { code, stdout } = await cancelWhen(isGone, repo, ['init', '--remove', '--yes'])
    expect({ code, stdout }).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Removed the hook runner'),
    })
    expect(repo.git(['status', '--porcelain'])).toBe('')
  })

  it('trust, and its end', async () => {
    const repo = await withBriefs(1)
    // As in a clone that knows nobody.
    rmSync(join(repo.root, '.git/handoff/created'))
    const ledger = join(repo.root, '.git/handoff/trusted')
    const [brief = ''] = readdirSync(join(repo.root, '.handoff/briefs'))
    const id = brief.slice(0, 24)
    const isKnown = () => existsSync(ledger) && readFileSync(ledger, 'utf8') !== ''
    const given = await cancelWhen(isKnown, repo, ['trust', id])
    expect(given).toMatchObject({ code: 0, stdout: expect.stringContaining(`${id} is trusted`) })
    expect(repo.read('.handoff/latest.md')).toContain(GOAL)
    const taken = await cancelWhen(() => !isKnown(), repo, ['trust', '--revoke', id])
    expect(taken).toMatchObject({ code: 0, stdout: expect.stringContaining(`${id} is not trusted`) })
    expect(repo.read('.handoff/latest.md')).not.toContain(GOAL)
  })

  it('note', async () => {
    const repo = await withBriefs(1)
    const notes = join(repo.root, '.git/handoff/notes')
    const isKept = () => existsSync(notes) && readdirSync(notes).some((name) => name.endsWith('.json'))
    const { code, stderr } = await cancelWhen(isKept, repo, ['note', '--question', 'is it idempotent?'])
    expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringContaining('Noted.') })
  })

  it.each([
    ['create', ['create', `${GOAL}, part 2`, '--to', 'codex', '--headless', '--no-notes']],
    ['resume', ['resume', '--to', 'codex', '--headless']],
  ])('%s --to, which starts nobody then', async (_, argv) => {
    for (const json of [[], ['--json']]) {
      const repo = await withBriefs(1)
      const agent = fakeAgent(repo, 'codex')
      const head = headOf(repo)
      const isMade = moves(repo)
      const run = await cancelWhen(isMade, repo, [...argv, ...json], agent.env)
      const id = repo.git(['log', '-1', '--format=%(trailers:key=Handoff-Id,valueonly)']).trim()
      expect(headOf(repo)).not.toBe(head)
      const why = `Nobody was started. The brief ${id} is in place; start it yourself: \``
      const said = run.json === undefined ? run.stderr : run.json.errors[0].hint
      expect({ code: run.code, said }).toMatchObject({ code: 130, said: expect.stringContaining(why) })
      if (run.json !== undefined)
        expect(run.json).toMatchObject({ ok: false, id, errors: [{ code: 'E_CANCELLED' }] })
      expect(agent.seen()).toBeNull()
      expect(repo.git(['status', '--porcelain'])).toBe('')
    }
  })
})
