import { describe, expect, it } from 'vitest'
import { NO_HOOKS } from '../../../src/briefs/save-brief.ts'
import { cells } from '../../../src/text/rows.ts'
import { byNight } from '../../sampled.ts'
import { type CliOptions, cli } from '../cli.ts'
import { hashFiles } from '../hash-files.ts'
import { cloneOf, makeRepo, type TempRepo } from '../make-repo.ts'
import { AGENT, GOAL, later, withBrief } from '../usual.ts'

/** What `handoff` alone says, and the commands that it names. */
async function moment(repo: TempRepo, options: CliOptions = {}) {
  const { code, stdout, stderr } = await cli(repo, [], options)
  expect([code, stderr]).toEqual([0, ''])
  expect(stdout).toMatch(/\n\nAll commands: `git handoff help`\n$/)
  const lines = stdout.split('\n')
  return {
    stdout,
    said: lines.slice(0, lines.indexOf('')),
    commands: lines.flatMap((line) => /^ {2}git handoff (\S+(?: \S+)*) {2}/.exec(line)?.[1] ?? []),
  }
}

describe('handoff alone', () => {
  it('in a new repository says that nothing is open, and writes nothing', async () => {
    const repo = makeRepo()
    const before = hashFiles(repo.base)
    const { said, commands } = await moment(repo)
    expect(said).toEqual(['No brief is open here.'])
    expect(commands).toEqual(['create "<goal>"', 'init', 'demo'])
    expect(hashFiles(repo.base)).toEqual(before)
  })

  it('with an open brief tells its goal, its age and what has changed', async () => {
    const { repo, first } = await withBrief(AGENT)
    const fresh = await moment(repo, { now: later(5) })
    expect(fresh.said).toEqual([
      `Open brief: ${first.id}  ${GOAL}`,
      '  By Claude Code, 5 min ago',
      '  Nothing was committed since.',
      NO_HOOKS,
    ])
    expect(fresh.commands).toEqual(['show', 'resume --to <agent>', 'done "<outcome>"'])
    await cli(repo, ['init', '--agent', 'claude-code', '--git-hooks', 'none', '--yes'])
    expect((await moment(repo)).said).not.toContain(NO_HOOKS)
    repo.commit('more', { 'src/queue.ts': 'changed\n' })
    const { json } = await cli(repo, ['--json'], { now: later(5) })
    expect(json).toMatchObject({
      ok: true,
      brief: { id: first.id, path: first.path, goal: GOAL, trusted: true },
      next: [{ command: 'git handoff show', about: 'read it' }, {}, {}],
      warnings: [],
    })
    expect(json.brief.drift).toContain('1 commit')
  })

  byNight('each command that it names is one, with these options', async () => {
    const { repo } = await withBrief(AGENT)
    const named = [...(await moment(repo)).commands, ...(await moment(makeRepo())).commands]
    for (const words of named) {
      const [verb = '', ...rest] = words.split(' ')
      const { stdout } = await cli(repo, [verb, '--help'])
      for (const word of rest.filter((one) => one.startsWith('--'))) expect(stdout).toContain(`  ${word} `)
    }
    expect(named).toHaveLength(6)
  })

  byNight('of an untrusted brief tells the id and the reason, and none of its words', async () => {
    const { repo, id } = await withBrief(AGENT)
    const clone = cloneOf(repo)
    const { stdout, said, commands } = await moment(clone, { now: later(60) })
    expect(said[0]).toContain(`Open brief: ${id}`)
    expect(said.join()).toContain('Not trusted, so no agent sees it: it was not made in this clone.')
    expect(said.at(-1)).toBe(NO_HOOKS)
    expect(commands).toEqual(['show', `trust ${id}`, 'done "<outcome>"'])
    const { json } = await cli(clone, ['--json'])
    expect(stdout + JSON.stringify(json)).not.toContain(GOAL)
    await cli(clone, ['trust', id])
    expect((await moment(clone)).said[0]).toContain(GOAL)
  })

  it('fits a terminal', async () => {
    const { repo } = await withBrief(AGENT)
    // With somebody to ask it is a list to choose from.
    const env = { HANDOFF_NONINTERACTIVE: '1' }
    const { stdout } = await cli(repo, ['--cwd', repo.root], { isTTY: true, columns: 60, env })
    expect(stdout.replace(/\s+/g, ' ')).toContain(GOAL)
    for (const line of stdout.split('\n')) expect(cells(line)).toBeLessThanOrEqual(60)
    expect(stdout.split('\n').length).toBeLessThan(15)
  })
})
