import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { byNight, describeByNight } from '../../sampled.ts'
import { dataOf } from '../../unit/report/sample-brief.ts'
import { cli } from '../cli.ts'
import { makeRepo } from '../make-repo.ts'
import { later, made } from '../usual.ts'
import { commitBrief, idOf, logOf } from './brief-file.ts'

const FORMER = new URL('../../fixtures/brief/whole-brief/former.md', import.meta.url)

describe('a brief that follows two', () => {
  const joined = () => {
    const repo = makeRepo()
    commitBrief(repo, { n: 1 })
    commitBrief(repo, { n: 2, parent: idOf(1) })
    commitBrief(repo, { n: 3, parent: idOf(1) })
    commitBrief(repo, { n: 4, parents: [idOf(2), idOf(3)] })
    return repo
  }

  it('is the end of both, in log, graph, page, show and check', async () => {
    const repo = joined()
    const json = await logOf(repo)
    expect(json).toMatchObject({ current: idOf(4), heads: [idOf(4)], missing: [], cycles: [], warnings: [] })
    expect(json.briefs[0]).toMatchObject({ id: idOf(4), parents: [idOf(2), idOf(3)] })
    expect((await logOf(repo, '--chain')).briefs).toHaveLength(4)
    const graph = (await cli(repo, ['log', '--graph'], { env: { LC_ALL: 'C' } })).stdout.split('\n')
    expect(graph.filter((row) => /^[+|/ ]*[*o+] /.test(row)).map((row) => row.slice(0, 28).trim())).toEqual([
      `* ${idOf(4)}`,
      `+ follows ${idOf(3)}`.slice(0, 28),
      `o ${idOf(2)}`,
      `| o ${idOf(3)}`,
      `o ${idOf(1)}`,
    ])
    const { briefs } = dataOf((await cli(repo, ['log', '--html', '-'])).stdout)
    expect(briefs.map(({ parents }: { parents: string[] }) => parents.length)).toEqual([2, 1, 1, 0])
    expect(briefs.map(({ changes }: { changes: object[] }) => changes.length)).toEqual([2, 1, 1, 0])
    expect((await cli(repo, ['show', '--json'])).json.brief.parents).toEqual([idOf(2), idOf(3)])
    const { findings } = (await cli(repo, ['check', '--json'])).json
    expect(findings.filter(({ rule }: { rule: string }) => rule.startsWith('parent'))).toEqual([])
  })

  byNight('is the child of both in diff, which compares it with the first and names the other', async () => {
    const repo = joined()
    const { stdout } = await cli(repo, ['diff'])
    expect(stdout).toMatch(new RegExp(`^${idOf(2)} → ${idOf(4)}\nIt follows ${idOf(3)} as well.\n`))
  })
})

describeByNight('a file of before there were lists of parents', () => {
  const text = readFileSync(FORMER, 'utf8')
  const id = '20260714T091522-01c40e9b'
  const parent = '20260713T174502-2ab09c1d'
  const path = `.handoff/briefs/${id}-cap-the-retry-backoff-at-30-s-including-jitter.md`
  const planted = () => {
    const repo = makeRepo()
    repo.commit('an older brief', { [path]: text.replace(/^branch: .*$/m, 'branch: main') })
    return repo
  }

  byNight('is read by log, show and check, and followed by create', async () => {
    const repo = planted()
    const json = await logOf(repo)
    expect(json.briefs).toMatchObject([
      { id, parents: [parent], agent: 'Claude Code', agentId: 'claude-code' },
    ])
    expect(json.missing).toEqual([{ id, parent }])
    expect((await cli(repo, ['show', '--json'])).json.brief).toMatchObject({
      parents: [parent],
      agent: { id: 'claude-code', label: 'Claude Code', version: '2.1.9' },
      extraction: { mode: 'none' },
    })
    const line = text.split('\n').findIndex((row) => row.startsWith('parent:')) + 1
    const { findings } = (await cli(repo, ['check', '--json'])).json
    expect(findings).toEqual([expect.objectContaining({ rule: 'parent-exists', level: 'warning', line })])
    const next = await made(repo, ['--from', 'git'], { now: later(1) })
    expect(next.parents).toEqual([id])
    expect(repo.git(['log', '-1', '--format=%(trailers:key=Handoff-Parent,valueonly)']).trim()).toBe(id)
  })

  byNight('closes and is closed by a record of the new form', async () => {
    const repo = planted()
    const { json } = await cli(repo, ['done', 'the cap is in', '--json'])
    expect(json).toMatchObject({ ok: true, parents: [id] })
    expect((await logOf(repo)).briefs.map(({ state }: { state: string }) => state)).toEqual([
      'closed',
      'closed',
    ])
  })
})
