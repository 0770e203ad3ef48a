import { describe, expect, it } from 'vitest'
import { pointerText } from '../../../src/brief/latest.ts'
import { USUAL, writeClaudeSession } from '../claude-session.ts'
import { cli } from '../cli.ts'
import { makeRepo, type TempRepo } from '../make-repo.ts'
import { later, succeeded } from '../usual.ts'

const LATEST = '.handoff/latest.md'
const FULL = { '.handoff/config.yaml': 'latest: full\n' }
let briefs = 0

/** A handoff under `latest: full` on the branch that is checked out. */
async function create(repo: TempRepo) {
  briefs += 1
  const goal = `write part ${briefs} of the retry queue and its limits`
  return succeeded(await cli(repo, ['create', goal, '--from', 'git', '--json'], { now: later(briefs) }))
}

function configured(): TempRepo {
  const repo = makeRepo()
  repo.commit('configure', FULL)
  return repo
}

const branch = (repo: TempRepo, name: string, from = 'main') => repo.git(['switch', '-q', '-c', name, from])

/** What the others did before branch `two` hands over; the branch that it is then merged with, and whether that conflicts. */
const CASES: Readonly<Record<string, { run: (repo: TempRepo) => Promise<string>; names: string | null }>> = {
  'another branch carries a brief': {
    run: async (repo) => {
      branch(repo, 'one')
      await create(repo)
      branch(repo, 'two')
      return 'one'
    },
    names: 'one',
  },
  'a branch of a remote carries one, and no local branch does': {
    run: async (repo) => {
      branch(repo, 'one')
      await create(repo)
      repo.git(['update-ref', 'refs/remotes/origin/one', 'one'])
      branch(repo, 'two')
      repo.git(['branch', '-q', '-D', 'one'])
      return 'refs/remotes/origin/one'
    },
    names: 'origin/one',
  },
  'somebody else handed over on the same branch and pushed': {
    run: async (repo) => {
      branch(repo, 'two')
      await create(repo)
      repo.git(['update-ref', 'refs/remotes/origin/two', 'two'])
      repo.git(['reset', '-q', '--hard', 'main'])
      return 'refs/remotes/origin/two'
    },
    names: 'origin/two',
  },
  'main holds a brief, and another branch took the file away': {
    run: async (repo) => {
      await create(repo)
      branch(repo, 'one')
      repo.git(['rm', '-q', LATEST])
      repo.commit('take it away')
      branch(repo, 'two')
      return 'one'
    },
    names: 'one',
  },
  'main holds a brief, and another branch went back to the pointer': {
    run: async (repo) => {
      await create(repo)
      branch(repo, 'one')
      repo.commit('pointer', { [LATEST]: pointerText() })
      branch(repo, 'two')
      return 'one'
    },
    names: 'one',
  },
  'a branch without a common commit carries one': {
    run: async (repo) => {
      repo.git(['switch', '-q', '--orphan', 'one'])
      repo.commit('configure', FULL)
      await create(repo)
      branch(repo, 'two')
      return 'one'
    },
    names: 'one',
  },
  'another branch carries the brief of main and did not touch it': {
    run: async (repo) => {
      await create(repo)
      branch(repo, 'one')
      repo.commit('other work', { 'one.txt': 'one\n' })
      branch(repo, 'two')
      return 'one'
    },
    names: null,
  },
  'another branch carries the pointer of main': {
    run: async (repo) => {
      repo.commit('pointer', { [LATEST]: pointerText() })
      branch(repo, 'one')
      repo.commit('other work', { 'one.txt': 'one\n' })
      branch(repo, 'two')
      return 'one'
    },
    names: null,
  },
  'the other branch was merged before': {
    run: async (repo) => {
      branch(repo, 'one')
      await create(repo)
      branch(repo, 'two')
      repo.git(['merge', '-q', '--no-ff', '--no-edit', 'one'])
      return 'one'
    },
    names: null,
  },
  'the briefs of another branch are kept apart from it': {
    run: async (repo) => {
      branch(repo, 'one')
      writeClaudeSession(repo, USUAL)
      const args = ['create', 'write the limits of the queue down', '--branch', 'separate', '--json']
      succeeded(await cli(repo, args))
      repo.commit('other work', { 'one.txt': 'one\n' })
      branch(repo, 'two')
      return 'one'
    },
    names: null,
  },
}

describe('latest: full says of a conflict before it comes, and of nothing else', () => {
  it.each(Object.entries(CASES))('%s', async (_, { run, names }) => {
    const repo = configured()
    const other = await run(repo)
    const warned = (json: { warnings: string[] }) =>
      json.warnings.filter((text) => text.startsWith('latest: full'))
    const expected =
      names === null
        ? []
        : [`latest: full: ${names} changed ${LATEST} as well; whichever is merged second will conflict there`]
    const made = await create(repo)
    expect(repo.git(['show', `HEAD:${LATEST}`])).toBe(made.markdown.trimEnd())
    expect(repo.git(['status', '--porcelain'])).toBe('')
    expect(warned(made)).toEqual(expected)
    expect(warned((await cli(repo, ['check', '--json'])).json)).toEqual(expected)
    const merged = repo.tryGit(['merge', '--no-edit', '--allow-unrelated-histories', other])
    const conflicts = repo.git(['diff', '--name-only', '--diff-filter=U'])
    if (names === null) expect(merged.status).toBe(0)
    else expect(conflicts).toContain(LATEST)
  })

  it('says it before it says that it is done', async () => {
    const repo = configured()
    branch(repo, 'one')
    await create(repo)
    branch(repo, 'two')
    const goal = 'finish the queue and its limits now'
    const { stderr } = await cli(repo, ['create', goal, '--from', 'git'])
    expect(stderr.indexOf('latest: full')).toBeGreaterThan(-1)
    expect(stderr.indexOf('latest: full')).toBeLessThan(stderr.indexOf('Handed over'))
  })
})

describe('latest: full in every command', () => {
  it('create, show, check, done, the hook of an agent and the refresh', async () => {
    const repo = configured()
    const made = await create(repo)
    const status = () => repo.git(['status', '--porcelain'])
    expect(repo.read(LATEST)).toBe(made.markdown)
    const shown = await cli(repo, ['show', '--json'])
    expect(shown.json).toMatchObject({ id: made.id, trusted: true, warnings: [] })
    expect((await cli(repo, ['show', '--prompt'])).stdout).toContain(LATEST)
    expect((await cli(repo, ['check', '--json'])).json).toMatchObject({ ok: true, findings: [] })
    const stdin = JSON.stringify({ session_id: 'other', source: 'startup', cwd: repo.root })
    const hook = await cli(repo, ['hook', 'session-start', '--agent', 'claude-code'], { stdin })
    expect(hook.stdout).toContain(LATEST)
    expect(repo.read(LATEST)).toBe(made.markdown)
    const done = await cli(repo, ['done', 'shipped', '--json'], { now: later(60) })
    expect(repo.read(LATEST)).toBe(done.json.markdown)
    expect(`${repo.git(['show', `HEAD:${LATEST}`])}\n`).toBe(done.json.markdown)
    expect(status()).toBe('')
    expect((await cli(repo, ['check', '--json'])).json).toMatchObject({ ok: true })
  })

  it('back to the pointer: the next handoff commits it, and the copy follows', async () => {
    const repo = configured()
    await create(repo)
    repo.commit('no longer full', { '.handoff/config.yaml': 'latest: pointer\n' })
    const made = await create(repo)
    expect(`${repo.git(['show', `HEAD:${LATEST}`])}\n`).toBe(pointerText())
    expect(repo.read(LATEST)).toContain(`id=${made.id}`)
    expect(repo.git(['status', '--porcelain'])).toBe('')
  })

  it('from the pointer to full: the copy gives way to the brief', async () => {
    const repo = makeRepo()
    await create(repo)
    expect(repo.read(LATEST)).toContain('handoff:begin')
    repo.commit('full', FULL)
    const made = await create(repo)
    expect(repo.read(LATEST)).toBe(made.markdown)
    expect(repo.git(['status', '--porcelain'])).toBe('')
  })
})
