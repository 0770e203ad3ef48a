import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { briefPath } from '../../../src/brief/id.ts'
import { renderBrief } from '../../../src/brief/render.ts'
import { byNight, sampled } from '../../sampled.ts'
import { dataOf, notes, said, sampleBrief } from '../../unit/report/sample-brief.ts'
import { cli } from '../cli.ts'
import { cloneOf, makeEnv, makeRepo, prepared } from '../make-repo.ts'
import { AGENT } from '../usual.ts'

/** Words of a stranger, in everything that a brief may say. */
const MARK = 'ZYXMARK'
const [FIRST, SECOND] = ['20261121T100000-01c40e9b', '20261121T110000-01c40e9b'] as const

function strangersBrief(id: string, head: string, parents: string[]): string {
  return renderBrief(
    sampleBrief(
      {
        ...{ id, head, parents, goal: `port the queue limits, ${MARK} ${id}`, branch: 'work' },
        ...{ focus: MARK, reason: MARK, persona: MARK, dirty: true },
        agent: { id: 'codex', label: `Codex ${MARK}`, model: MARK, session: MARK },
      },
      {
        constraints: [said(`never touch src/queue.ts, ${MARK} ${id}`, 'user')],
        decisions: [
          {
            ...{ what: `queue limits: ${MARK}`, why: MARK, alternatives: [MARK], by: 'user' },
            ...{ source: 'transcript', at: null },
          },
        ],
        questions: [{ ...said(`${MARK} queue limits ${id}?`, 'agent'), kind: 'question' }],
        files: [{ path: `${MARK}.ts`, reason: MARK, evidence: ['edited'], source: 'transcript' }],
        commands: [
          {
            ...{ command: `npm test ${MARK}`, outcome: id === FIRST ? 'failed' : 'ok', exitCode: 0 },
            ...{ cwd: null, kind: 'test', runs: 1, source: 'transcript', at: null },
          },
        ],
        progress: { done: [], inProgress: [], pending: [said(`${MARK} in src/queue.ts`, 'transcript')] },
        notes: notes({ openQuestions: [`${MARK} queue limits`] }),
        closing: [`> ${MARK} queue limits`],
        trail: [`- "${MARK} queue limits"`],
      },
    ),
  )
}

/** A clone of a branch on which somebody else handed over twice. */
const strangers = prepared(async () => {
  const theirs = makeRepo()
  theirs.git(['switch', '-q', '-c', 'work'])
  const write = (id: string, parents: string[]): void => {
    const head = theirs.git(['rev-parse', 'HEAD'])
    const path = briefPath(id, `port the queue limits, ${MARK} ${id}`)
    theirs.commit('hand over', { [path]: strangersBrief(id, head, parents) })
  }
  write(FIRST, [])
  theirs.commit('limit the queue', { 'src/queue.ts': 'limit\n' })
  write(SECOND, [FIRST])
  theirs.commit('more', { 'src/queue.ts': 'limit\nmore\n' })
  const repo = cloneOf(theirs, { env: makeEnv(join(theirs.base, 'my-home')), args: ['--branch', 'work'] })
  return { repo }
})

describe('what an agent hears of a brief that nobody trusted', () => {
  // `quiet`: a person is not told its words either.
  const calls: readonly { argv: string[]; quiet?: true }[] = [
    { argv: ['show'] },
    { argv: ['status'], quiet: true },
    { argv: ['log'] },
    { argv: ['log', '--json'] },
    { argv: ['log', '--graph'] },
    { argv: ['log', '--html', '-'] },
    { argv: ['diff'] },
    { argv: ['verify'] },
    { argv: ['verify', '--json'] },
    { argv: ['receipt', FIRST] },
    { argv: ['receipt', '--json'] },
    { argv: ['review', 'origin/main..HEAD'] },
    { argv: ['review', 'origin/main..HEAD', '--json'] },
    { argv: ['ask', 'what about the queue limits?'], quiet: true },
    { argv: ['why', 'src/queue.ts:1'], quiet: true },
  ]
  it('no word of it, whatever reads it', async () => {
    const { repo } = await strangers()
    const told = sampled(calls, 4)
    for (const { argv, quiet } of told) {
      // The page holds its data deflated.
      const wordsOf = (text: string) => (argv.includes('--html') ? text + JSON.stringify(dataOf(text)) : text)
      const agent = await cli(repo, argv, AGENT)
      const heard = wordsOf(agent.stdout) + agent.stderr
      expect(heard, argv.join(' ')).not.toContain(MARK)
      expect(heard, `${argv.join(' ')}: it hears of it`).toMatch(/not trusted/)
      if (quiet !== true) expect(wordsOf((await cli(repo, argv)).stdout), argv.join(' ')).toContain(MARK)
    }
    // Once a person trusted both, an agent reads what the person reads.
    for (const id of [FIRST, SECOND]) expect(await cli(repo, ['trust', id])).toMatchObject({ code: 0 })
    for (const { argv } of told)
      expect((await cli(repo, argv, AGENT)).stdout, argv.join(' ')).toBe((await cli(repo, argv)).stdout)
  })

  it.each(
    sampled(
      [
        { argv: ['check', '--range', 'origin/main..HEAD'] },
        { argv: ['check'] },
        { argv: ['check', '--json'] },
      ],
      1,
    ),
  )('$argv: that a rule is broken, and not by which words', async ({ argv }) => {
    const { repo } = await strangers()
    const path = briefPath(SECOND, `port the queue limits, ${MARK} ${SECOND}`)
    const text = repo.read(path).replace('## Relevant Files', `## ${MARK}, read this\n\n## Relevant Files`)
    repo.commit('more', { [path]: text })
    expect((await cli(repo, argv)).stdout).toMatch(new RegExp(`unknown section \\\\?"${MARK}`))
    const { code, stdout } = await cli(repo, argv, AGENT)
    expect(code).toBe(1)
    expect(stdout).not.toContain(MARK)
    expect(stdout).toContain('not trusted')
    expect(stdout).toContain('sections')
    await cli(repo, ['trust', SECOND])
    expect((await cli(repo, argv, AGENT)).stdout).toContain(MARK)
    // What no commit has was written here, perhaps by this very agent.
    const own = path.replace('01c40e9b', '01c40e9c')
    writeFileSync(join(repo.root, own), text)
    expect((await cli(repo, ['check', own], AGENT)).stdout).toContain(MARK)
  })

  byNight('in a review it reads those that are trusted, and their parents only if they are too', async () => {
    const { repo } = await strangers()
    expect(await cli(repo, ['trust', SECOND])).toMatchObject({ code: 0 })
    const { json } = await cli(repo, ['review', 'origin/main..HEAD', '--json'], AGENT)
    expect(json.markdown).toContain(`${MARK} ${SECOND}`)
    expect(json.markdown).not.toContain(`${MARK} ${FIRST}`)
    expect(json.markdown).toContain(`\`${FIRST}\` is not trusted, so no agent is shown it.`)
    expect(json).toMatchObject({ untrusted: [FIRST], total: 1 })
  })
})
