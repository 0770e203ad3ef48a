import { expect, it } from 'vitest'
import { judge, readWholeChain } from '../../../src/briefs/read-chain.ts'
import { renderHtml } from '../../../src/report/html.ts'
import { isNightly, runs } from '../../sampled.ts'
import { dataOf } from '../../unit/report/sample-brief.ts'
import { makeRepo, type TempRepo } from '../make-repo.ts'
import { checkout, handOver, pruneAll, seen } from './lines.ts'

/** A number below `most`, from a fixed seed: every run has the same histories. */
type Draw = (most: number) => number

function drawFrom(seed: number): Draw {
  let state = seed * 2654435761
  return (most) => {
    state = (Math.imul(state ^ (state >>> 15), 2246822519) + 0x9e3779b9) | 0
    return ((state ^ (state >>> 13)) >>> 0) % most
  }
}

const branches = (repo: TempRepo): string[] =>
  repo.git(['for-each-ref', '--format=%(refname:short)', 'refs/heads']).split('\n')
const here = (repo: TempRepo): string => repo.git(['symbolic-ref', '--short', 'HEAD'])

/** What people do to a repository; each leaves a clean tree on some branch. What git refuses is not done. */
const DEEDS: readonly ((repo: TempRepo, draw: Draw, at: number) => Promise<unknown> | unknown)[] = [
  (repo, draw, at) => {
    const from = branches(repo)
    repo.git(['switch', '-q', '-c', `b${at}`, from[draw(from.length)] ?? 'main'])
    repo.commit(`begin b${at}`, { [`b${at}.js`]: '1\n' })
  },
  (repo) => handOver(repo),
  (repo) => handOver(repo),
  (repo) => handOver(repo),
  async (repo, draw) => {
    if (draw(2) === 0 && (await checkout(repo)).heads.length > 0) await handOver(repo, { kind: 'done' })
  },
  (repo, draw) => {
    const all = branches(repo)
    repo.git(['switch', '-q', all[draw(all.length)] ?? 'main'])
  },
  (repo, _, at) => void repo.commit(`work ${at}`, { [`w${at}.js`]: '1\n' }),
  (repo, draw) => {
    const [from, all] = [here(repo), branches(repo)]
    const into = draw(3) > 0 ? 'main' : (all[draw(all.length)] ?? 'main')
    if (from === into) return
    repo.git(['switch', '-q', into])
    const how = ['merge', 'squash', 'rebase'][draw(3)]
    const { status } = repo.tryGit(
      how === 'squash' ? ['merge', '-q', '--squash', from] : ['merge', '-q', '--no-ff', '--no-edit', from],
    )
    if (status !== 0) return void repo.tryGit(['reset', '-q', '--hard'])
    if (how === 'squash') repo.tryGit(['commit', '-q', '-m', `${from} (#1)`])
    if (draw(2) === 0 && from !== 'main') repo.tryGit(['branch', '-q', '-D', from])
  },
  (repo, _, at) => {
    if (here(repo) !== 'main') repo.git(['branch', '-q', '-m', `r${at}`])
  },
  (repo) => {
    if (here(repo) === 'main') pruneAll(repo)
  },
  (repo) => {
    if (repo.tryGit(['revert', '--no-edit', 'HEAD']).status === 0) return
    if (repo.tryGit(['revert', '--no-edit', '-m', '1', 'HEAD']).status !== 0)
      repo.tryGit(['revert', '--abort'])
  },
  (repo, draw) => {
    const all = branches(repo)
    if (repo.tryGit(['cherry-pick', all[draw(all.length)] ?? 'main']).status !== 0)
      repo.tryGit(['cherry-pick', '--abort'])
  },
]

/** What each reader says of a brief, from where HEAD is. */
async function readAll(repo: TempRepo): Promise<Map<string, Record<string, string>>> {
  const opened = await seen(repo)
  const [all, own, place] = await Promise.all([
    readWholeChain(opened, { all: true }),
    readWholeChain(opened),
    checkout(repo),
  ])
  const said = new Map<string, Record<string, string>>()
  const say = (id: string, who: string, state: string): void =>
    void said.set(id, { ...said.get(id), [who]: state })
  for (const { id, state } of all.nodes) say(id, 'log --all', state)
  for (const { id, state } of own.nodes) say(id, 'log', state)
  for (const { id } of place.heads) say(id, 'status', 'open')
  for (const { id } of place.landed) say(id, 'status', 'landed')
  if (place.closing !== null) say(place.closing.id, 'status', 'closed')
  const input = {
    ...{ chain: all.nodes, shown: all.nodes, read: new Map(), truths: new Map(), parked: new Set<string>() },
    ...{ current: place.current?.id ?? null, name: '', scope: '', notices: [] },
  }
  const { text } = renderHtml(input, { page: '{{data}}', style: '', script: '' })
  for (const { id, state } of dataOf(text).briefs) say(id, 'page', state)
  const some = all.nodes.filter((_, at) => at % 2 === 0)
  for (const [id, state] of await judge(opened, some)) say(id, 'review', state)
  return said
}

/** Each night others: a history takes a second, five on a busy machine. A failure names its number for `HISTORIES_FROM`. */
const HISTORIES = runs(10, 100)
const FIRST = Number(
  process.env.HISTORIES_FROM ?? (isNightly ? Math.floor(Date.now() / 86_400_000) * HISTORIES : 1),
)

it(`no two readers differ about a state, from any branch: ${HISTORIES} histories from ${FIRST}`, {
  timeout: 1_200_000,
}, async () => {
  let told = 0
  for (let seed = FIRST; seed < FIRST + HISTORIES; seed++) {
    const draw = drawFrom(seed)
    const repo = makeRepo()
    const deeds: number[] = []
    for (let at = 0; at < 14; at++) {
      const deed = draw(DEEDS.length)
      deeds.push(deed)
      await DEEDS[deed]?.(repo, draw, at)
    }
    const states = new Map<string, string>()
    for (const name of branches(repo)) {
      repo.git(['switch', '-q', name])
      for (const [id, said] of await readAll(repo)) {
        const where = `history ${seed} (${deeds.join(' ')}) on ${name}: ${id} ${JSON.stringify(said)}`
        expect(new Set(Object.values(said)).size, where).toBe(1)
        const state = said['log --all'] ?? ''
        expect(states.get(id) ?? state, where).toBe(state)
        states.set(id, state)
        told++
      }
    }
  }
  expect(told).toBeGreaterThan(50)
})
