import { execFileSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { readMarker } from '../../../../src/brief/latest.ts'
import { cli } from '../../../repo/cli.ts'
import { emptyRepo, feature, handOff, told } from '../../../repo/life/line-of-work.ts'
import { cloneOf, prepared, type TempRepo } from '../../../repo/make-repo.ts'
import { later, succeeded } from '../../../repo/usual.ts'
import { sampled } from '../../../sampled.ts'

const LATEST = '.handoff/latest.md'
const idIn = (repo: TempRepo) => readMarker(repo.read(LATEST))?.id
const status = (repo: TempRepo) => repo.git(['status', '--porcelain'])

/** Does what the line below the marker tells a reader: true when the rest may be believed. */
function isBelieved(repo: TempRepo): boolean {
  const line =
    repo
      .read(LATEST)
      .split('\n')
      .find((one) => one.startsWith('This copy belongs to')) ?? ''
  const [branch, briefs] = [...line.matchAll(/`([^`]+)`/g)].map(([, command = '']) =>
    execFileSync('sh', ['-c', `${command} || :`], { cwd: repo.root, env: repo.env, encoding: 'utf8' }).trim(),
  )
  const isOwn = branch === (/belongs to branch (\S+),/.exec(line)?.[1] ?? '')
  return isOwn && briefs === (/prints anything but ([0-9a-f]+),/.exec(line)?.[1] ?? '')
}

const ORIGIN = { env: {} }

/** Origin with a closed chain on main and a branch `feature/birch` that has a brief, and a clone that stands on it and trusts origin. */
const cloned = prepared(async () => {
  const origin = emptyRepo()
  await handOff(origin, 0, ORIGIN)
  succeeded(await cli(origin, ['done', 'shipped', '--json'], { now: later(90) }))
  const { id } = await feature(origin, 1)
  const mine = cloneOf(origin)
  mine.git(['config', 'pull.ff', 'true'])
  await cli(mine, ['trust', '--origin'])
  await cli(mine, ['status'])
  expect(idIn(mine)).toBe(id)
  expect(isBelieved(mine)).toBe(true)
  // A plain status notes that the copy is clean; before, a reset writes the pointer anew.
  expect(status(mine)).toBe('')
  return { origin, mine, first: id }
})

/** Every way of git to another state of the branch, and what is open there: of the first brief, the second, or none. */
const WAYS: Readonly<
  Record<string, { open: 'first' | 'second' | 'none'; go: (mine: TempRepo, origin: TempRepo) => unknown }>
> = {
  'reset --hard that drops the brief': {
    open: 'none',
    go: (mine) => mine.git(['reset', '-q', '--hard', 'HEAD~1']),
  },
  'pull, fast-forward': { open: 'second', go: (mine) => mine.git(['pull', '-q']) },
  'pull, merge': {
    open: 'second',
    go: (mine) => {
      mine.commit('mine', { 'mine.txt': 'm\n' })
      mine.git(['pull', '-q', '--no-rebase', '--no-edit'])
    },
  },
  'pull --rebase': {
    open: 'second',
    go: (mine) => {
      mine.commit('mine', { 'mine.txt': 'm\n' })
      mine.git(['pull', '-q', '--rebase'])
    },
  },
  'pull --rebase without commits': { open: 'second', go: (mine) => mine.git(['pull', '-q', '--rebase']) },
  'reset --hard to what was fetched': {
    open: 'second',
    go: (mine) => {
      mine.git(['fetch', '-q'])
      mine.git(['reset', '-q', '--hard', '@{upstream}'])
    },
  },
  'switch to a branch without any': {
    open: 'none',
    go: (mine) => mine.git(['switch', '-q', '-c', 'main', 'origin/main']),
  },
  'rebase on main': {
    open: 'first',
    go: (mine) => {
      mine.git(['rebase', '-q', 'origin/main'])
      mine.git(['rebase', '-q', '--force-rebase', 'origin/main'])
    },
  },
}

describe('the copy after git went elsewhere', () => {
  const ways = Object.entries(WAYS)

  it.each(sampled(ways, 1))(
    'G5: without init: %s: it is right, or says that it is not',
    async (_, { open, go }) => {
      const { origin, mine, first } = await cloned()
      const second = (await handOff(origin, 2, ORIGIN)).id
      go(mine, origin)
      const current = { first, second, none: null }[open]
      expect(isBelieved(mine)).toBe(current === first)
      await cli(mine, ['status'])
      expect(idIn(mine)).toBe(current)
      expect(isBelieved(mine)).toBe(true)
      expect(status(mine)).toBe('')
    },
  )

  it.each(sampled(ways, 1))('G5: with init: %s', async (name, { open, go }) => {
    const { origin, mine, first } = await cloned()
    succeeded(await cli(mine, ['init', '--agent', 'claude-code', '--git-hooks', 'plain', '--yes', '--json']))
    mine.commit('set up')
    const second = (await handOff(origin, 2, ORIGIN)).id
    if (name === 'reset --hard that drops the brief') mine.git(['reset', '-q', '--hard', 'HEAD~1'])
    go(mine, origin)
    const current = { first, second, none: null }[open]
    // Git calls no hook at a reset: what stands there says that it is old, and the hook of an agent sets it right.
    if (name.startsWith('reset')) {
      expect(isBelieved(mine)).toBe(false)
      const text = await told(mine)
      if (current === null) expect(text).toBe('')
      else expect(text).toContain(LATEST)
    }
    expect(idIn(mine)).toBe(current)
    expect(isBelieved(mine)).toBe(true)
    expect(status(mine)).toBe('')
  })
})
