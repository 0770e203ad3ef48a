import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { readCheckout } from '../../../src/briefs/current.ts'
import { judge, readWholeChain } from '../../../src/briefs/read-chain.ts'
import { mcpTools } from '../../../src/mcp/mcp-tools.ts'
import { openOutput } from '../../../src/output/output.ts'
import { renderHtml } from '../../../src/report/html.ts'
import { isNightly, runs } from '../../sampled.ts'
import { dataOf } from '../../unit/report/sample-brief.ts'
import { cli, NOW } from '../cli.ts'
import { branchOfHead, makeRepo, prepared, type TempRepo } from '../make-repo.ts'
import { succeeded } from '../usual.ts'
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
const here = (repo: TempRepo): string => branchOfHead(repo) ?? ''

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
    readCheckout(opened),
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
  for (const [id, state] of (await judge(opened, some)).states) say(id, 'review', state)
  return said
}

const POINTER = '.handoff/latest.md'

/** A repository with the pointer file of a first handoff, and no brief. */
const withPointer = prepared(async () => {
  const repo = makeRepo()
  const argv = ['create', 'write the first module with its tests', '--from', 'git', '--json']
  const { path } = succeeded(await cli(repo, argv))
  repo.git(['rm', '-q', path])
  repo.git(['commit', '-q', '--amend', '-m', 'set up'])
  return repo
})

/** What commands, a hook, the pointer file and the server say at the branch that is checked out; the open brief, or null. */
async function expectOneAnswer(repo: TempRepo, states: ReadonlyMap<string, string>, where: string) {
  const hook = await cli(repo, ['hook', 'session-start', '--agent', 'claude-code'], {
    stdin: JSON.stringify({ session_id: 'new', source: 'startup', cwd: repo.root }),
  })
  const silent = { write: () => {} }
  const out = openOutput({ stdout: silent, stderr: silent, json: false, color: false, interactive: false })
  const place = { root: repo.root, home: repo.home, env: repo.env, now: () => NOW, newId: () => '' }
  const tools = mcpTools({ place, out, stderr: silent, readStdin: async () => '', version: '0' })
  const ask = async (args: object): Promise<string> =>
    (await tools.find(({ name }) => name === 'handoff_read')?.call(args, {}))?.text ?? ''
  const list = await ask({ log: 'all' })
  const listed = list.matchAll(/^(\d{8}T\d{6}-\d{8}) .* (\w+): do work/gm)
  expect(new Map([...listed].map(([, id = '', state = '']) => [id, state])), where).toEqual(states)
  const { current } = await checkout(repo)
  const status = succeeded(await cli(repo, ['status', '--json'])).brief
  expect(status?.open === true ? status.id : null, where).toBe(current?.id ?? null)
  // Not where the commit that brought it was reverted.
  const latest = existsSync(join(repo.root, POINTER)) ? [repo.read(POINTER)] : []
  const read = await ask({})
  for (const text of [hook.stdout, ...latest, read])
    if (current === null) expect(text, where).not.toMatch(/do work \d/)
    else expect(text, where).toContain(current.parsed.meta.goal)
}

/** Each night others: a history takes a second, five on a busy machine. A failure names its number for `HISTORIES_FROM`. */
const HISTORIES = runs(2, 100)
const FIRST = Number(
  process.env.HISTORIES_FROM ?? (isNightly ? Math.floor(Date.now() / 86_400_000) * HISTORIES : 1),
)

it(`TL-1, G-L3: no two readers differ about a state, from any branch: ${HISTORIES} histories from ${FIRST}`, {
  timeout: 1_200_000,
}, async () => {
  let told = 0
  for (let seed = FIRST; seed < FIRST + HISTORIES; seed++) {
    const draw = drawFrom(seed)
    const repo = await withPointer()
    const deeds: number[] = []
    for (let at = 0; at < 14; at++) {
      const deed = draw(DEEDS.length)
      deeds.push(deed)
      await DEEDS[deed]?.(repo, draw, at)
    }
    const states = new Map<string, string>()
    const all = branches(repo)
    const asked = all[draw(all.length)]
    for (const name of all) {
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
    repo.git(['switch', '-q', asked ?? 'main'])
    await expectOneAnswer(repo, states, `history ${seed} (${deeds.join(' ')}) on ${asked}`)
  }
  expect(told).toBeGreaterThan(4 * HISTORIES)
})
