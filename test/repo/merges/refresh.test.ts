import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { pointerText } from '../../../src/brief/latest.ts'
import { refreshInHook } from '../../../src/briefs/latest-file.ts'
import { commands } from '../../../src/commands/table.ts'
import { openRepo } from '../../../src/git/open-repo.ts'
import { sampled } from '../../sampled.ts'
import { cli } from '../cli.ts'
import type { TempRepo } from '../make-repo.ts'
import { AGENT, later, made, usual, withBrief } from '../usual.ts'
import { CALLS } from './calls.ts'
import { invocationFor } from './hand-over.ts'

const LATEST = '.handoff/latest.md'

describe('the copy in the work tree follows', () => {
  let repo: TempRepo
  let ids: { main: string; side: string }
  beforeAll(async () => {
    repo = usual()
    const main = await made(repo, [], AGENT)
    repo.git(['switch', '-q', '-c', 'side'])
    repo.commit('side work', { 'src/queue.ts': 'side\n' })
    const side = await made(repo, ['--focus', 'side'], { ...AGENT, now: later(5) })
    ids = { main: main.id, side: side.id }
  })

  it('is tried with every command there is', () =>
    expect(Object.keys(CALLS).sort()).toEqual(commands.map(({ name }) => name).sort()))

  const calls = Object.entries(CALLS).flatMap(([name, call]) =>
    call === null ? [] : [[name, call] as const],
  )
  it.each(sampled(calls, 1))('%s', async (name, [argv, options = {}]) => {
    // As a checkout without hooks leaves it: the copy of another branch.
    repo.git(['switch', '-q', 'side'])
    await cli(repo, ['show'])
    expect(repo.read(LATEST)).toContain(`branch=side id=${ids.side}`)
    repo.git(['switch', '-q', 'main'])
    expect(repo.read(LATEST)).toContain(`id=${ids.side}`)
    await cli(repo, [name, ...argv], options)
    expect(repo.read(LATEST)).toContain('branch=main id=')
    expect(repo.read(LATEST)).not.toContain(`id=${ids.side}`)
    expect(repo.git(['diff', '--', LATEST])).toBe('')
    repo.git(['stash', 'push', '-q', '-u'])
  })
})

describe('the door for hooks of git', () => {
  const refresh = async (repo: TempRepo) =>
    refreshInHook(invocationFor(repo), await openRepo(repo.root, { env: repo.env }))

  it('prints nothing, tells nothing, and brings the copy up to date', async () => {
    const { repo, first } = await withBrief(AGENT)
    repo.git(['checkout', '-q', 'HEAD~1'])
    expect(existsSync(join(repo.root, LATEST))).toBe(false)
    expect(await refresh(repo)).toEqual([])
    repo.git(['switch', '-q', 'main'])
    expect(repo.read(LATEST)).toBe(pointerText())
    expect(await refresh(repo)).toEqual([])
    expect(repo.read(LATEST)).toContain(`id=${first.id}`)
    expect(repo.git(['status', '--porcelain'])).toBe('')
  })

  it('gives back what a person should know instead of printing it', async () => {
    const { repo } = await withBrief(AGENT)
    repo.write(LATEST, `${repo.read(LATEST)}Mine.\n`)
    expect(await refresh(repo)).toEqual([expect.stringContaining('was changed below its marker')])
    expect(await refresh(repo)).toEqual([])
  })

  it('does nothing while git commits from an index of its own', async () => {
    const { repo } = await withBrief(AGENT)
    repo.write(LATEST, pointerText())
    const env = { ...repo.env, GIT_INDEX_FILE: '.git/index' }
    await refreshInHook(invocationFor(repo), await openRepo(repo.root, { env }))
    expect(repo.read(LATEST)).toBe(pointerText())
  })
})
