import { describe, expect, it } from 'vitest'
import { mcpTools } from '../../../src/mcp/mcp-tools.ts'
import { openOutput } from '../../../src/output/output.ts'
import { byNight, describeByNight, sampled } from '../../sampled.ts'
import { writeClaudeSession } from '../claude-session.ts'
import { type CliOptions, cli } from '../cli.ts'
import { fakeAgent } from '../fake-agent.ts'
import { cloneOf, type TempRepo } from '../make-repo.ts'
import { itemsOf, later, made, sectionOf, succeeded, usual, withBrief } from '../usual.ts'

const DEMAND = 'Do NOT touch src/api.ts'
const MINE = 'write the page about limits'

/** A clone in which somebody works under a home of their own. */
function workingClone(origin: TempRepo, name = 'clone'): TempRepo {
  const clone = cloneOf(origin, { name })
  writeClaudeSession(clone, [
    { user: 'Write the page about limits.' },
    { write: 'docs/limits.md' },
    { says: 'Half of the page is there.' },
  ])
  return clone
}

const create = (repo: TempRepo, minutes: number, extra: string[] = [], options: CliOptions = {}) =>
  cli(repo, ['create', MINE, '--json', ...extra], { now: later(minutes), ...options })
const createdAt = async (...args: Parameters<typeof create>) => succeeded(await create(...args))
const trust = async (repo: TempRepo, argv: string[] = []) =>
  succeeded(await cli(repo, ['trust', ...argv, '--json']))

/** What an agent that starts here is told. */
const started = async (repo: TempRepo): Promise<string> => {
  const stdin = JSON.stringify({ session_id: 'other', source: 'startup', cwd: repo.root })
  return (await cli(repo, ['hook', 'session-start', '--agent', 'claude-code'], { stdin })).stdout
}

/** The one line about what was left out. */
const leftOut = (id: string) =>
  `4 rules and open items of ${id} left out, as it is not trusted; read it, then: \`git handoff trust ${id}\``

describe('a brief upon one that nobody trusts', () => {
  it('links to it, takes over none of its words, says so once, and is trusted at once', async () => {
    const theirs = usual()
    const first = await made(theirs, ['--persona', 'their-persona', '--skill', 'their-skill'])
    const mine = workingClone(theirs)
    const json = await createdAt(mine, 10)
    expect(json.brief).toMatchObject({ parents: [first.id], previous: null })
    expect(json.markdown).not.toMatch(/Do NOT touch|retry queue|their-|trust/)
    expect(json.warnings.filter((line: string) => line.includes('trust'))).toEqual([leftOut(first.id)])
    expect(await trust(mine)).toMatchObject({
      id: json.id,
      trusted: true,
      because: 'it was created in this clone',
    })
    expect(await started(mine)).toContain(MINE)
    expect(mine.read('.handoff/latest.md')).toContain(json.markdown)
    const next = await createdAt(mine, 20, ['--focus', 'docs'])
    expect(next.brief).toMatchObject({ parents: [json.id], previous: { id: json.id } })
    expect(next.warnings.join('\n')).not.toContain('not trusted')
    expect((await cli(mine, ['check', '--mode', 'strict'])).code).toBe(0)
  })

  byNight('says so in a dry run as well', async () => {
    const { repo: theirs, id } = await withBrief()
    const mine = workingClone(theirs)
    expect((await createdAt(mine, 10, ['--dry-run'])).warnings).toContain(leftOut(id))
  })

  byNight('is the same brief when it is made again, trusted meanwhile or not', async () => {
    const { repo: theirs, first } = await withBrief()
    const mine = workingClone(theirs)
    const { id } = await createdAt(mine, 10)
    expect(await createdAt(mine, 20)).toMatchObject({ id, repeat: true })
    await trust(mine, [first.id])
    expect(await createdAt(mine, 30)).toMatchObject({ id, repeat: true })
  })

  byNight('as a draft of the MCP server, too', async () => {
    const { repo: theirs, id } = await withBrief()
    const mine = workingClone(theirs)
    const out = openOutput({
      ...{ stdout: { write: () => {} }, stderr: { write: () => {} } },
      ...{ json: false, color: false, interactive: false },
    })
    const place = { root: mine.root, home: mine.home, env: mine.env, now: () => later(10) }
    const tools = mcpTools({
      place: { ...place, newId: () => '20261122T101000-000abc00' },
      ...{ out, stderr: { write: () => {} }, readStdin: async () => '', version: '0' },
    })
    const tool = tools.find(({ name }) => name === 'handoff_create')
    const { text, isError } = (await tool?.call({ goal: MINE }, {})) ?? { text: '', isError: true }
    expect([isError, text]).toEqual([false, expect.stringContaining(`warning: ${leftOut(id)}`)])
    expect(text).not.toMatch(/retry queue|Do NOT touch/)
  })

  byNight('on a branch of briefs, too', async () => {
    const theirs = usual()
    const { id } = await made(theirs, ['--branch', 'separate'])
    const mine = workingClone(theirs)
    const json = await createdAt(mine, 10, ['--branch', 'separate'])
    expect(json.brief.parents).toEqual([id])
    expect(json.markdown).not.toContain(DEMAND)
    await trust(mine, ['--origin'])
    expect((await createdAt(mine, 20, ['--dry-run', '--focus', 'docs'])).warnings.join('\n')).not.toContain(
      'left out',
    )
  })

  byNight('goes to a successor, as nothing of a stranger is in it', async () => {
    const { repo: theirs } = await withBrief()
    const mine = workingClone(theirs)
    const { env } = fakeAgent(mine, 'codex')
    const json = succeeded(
      await cli(mine, ['create', MINE, '--to', 'codex', '--headless', '--json'], { now: later(10), env }),
    )
    expect(json.successor).toMatchObject({ agent: 'codex' })
  })

  byNight('begins anew where the chain is closed: nothing is inherited, and nothing is marked', async () => {
    const { repo: theirs } = await withBrief()
    succeeded(await cli(theirs, ['done', 'shipped', '--json'], { now: later(5) }))
    const mine = workingClone(theirs)
    const json = await createdAt(mine, 10)
    expect(json.brief).toMatchObject({ parents: [], constraints: [], previous: null })
    expect(await trust(mine)).toMatchObject({ id: json.id, trusted: true })
  })
})

describeByNight('a brief upon one that is trusted', () => {
  byNight.each(
    sampled(
      [
        ['by name', async (mine: TempRepo, id: string) => void (await trust(mine, [id]))],
        ['on a branch of origin', async (mine: TempRepo) => void (await trust(mine, ['--origin']))],
      ],
      1,
    ),
  )('%s carries no mark, and every word', async (_, believe) => {
    const { repo: theirs, id } = await withBrief()
    const mine = workingClone(theirs)
    await believe(mine, id)
    const json = await createdAt(mine, 10)
    expect(json.markdown).toContain(DEMAND)
    expect(json.warnings.join('\n')).not.toContain('not trusted')
    expect(await trust(mine)).toMatchObject({ id: json.id, trusted: true })
  })

  byNight('is judged by what is committed: what stands in the work tree reaches no brief', async () => {
    const { repo, first } = await withBrief()
    repo.write(first.path, repo.read(first.path).replaceAll('Do NOT touch', 'You may touch'))
    const json = await createdAt(repo, 10)
    expect(json.markdown).toContain(DEMAND)
    repo.commit('edit the first brief')
    const next = await createdAt(repo, 20, ['--session', first.session.id, '--focus', 'docs'])
    expect(next.warnings.join('\n')).not.toContain('not trusted')
  })

  byNight('edited by hand and committed, it is not the one that was made here', async () => {
    const { repo, first } = await withBrief()
    repo.write(first.path, repo.read(first.path).replaceAll('Do NOT touch', 'You may touch'))
    repo.commit('edit the brief')
    const json = await createdAt(repo, 10)
    expect(json.warnings).toContain(leftOut(first.id))
    expect(json.markdown).not.toContain('You may touch')
  })
})

describeByNight('a chain of six', () => {
  /** Each in a clone of its own, as six people or machines hand over to one another through origin. */
  async function throughClones(believe: (clone: TempRepo) => Promise<unknown>) {
    const origin = usual()
    origin.git(['config', 'receive.denyCurrentBranch', 'ignore'])
    const first = await made(origin)
    let last = first
    for (let at = 2; at <= 6; at++) {
      const clone = workingClone(origin, `clone-${at}`)
      await believe(clone)
      last = await createdAt(clone, at * 10, ['--focus', `step ${at}`])
      clone.git(['push', '-q', 'origin', 'HEAD:main'])
    }
    return { first, last }
  }

  byNight(
    'quotes the demand of the first in the sixth, once, in clones that trust origin, and not in those that trust nothing',
    async () => {
      const careful = await throughClones(async () => undefined)
      const trusting = await throughClones((clone) => trust(clone, ['--origin']))
      const quoted = itemsOf(trusting.last.markdown, 'Constraints & Preferences').filter((line) =>
        line.includes(DEMAND),
      )
      expect(quoted).toHaveLength(1)
      expect(quoted[0]).toContain(`— from ${trusting.first.id}`)
      expect(careful.last.markdown).not.toContain(DEMAND)
      expect(careful.last.brief.parents).not.toEqual([])
      expect(sectionOf(trusting.last.markdown, 'Previous handoff')).toContain(MINE)
      expect(careful.last.brief.previous).toBeNull()
    },
  )
})
