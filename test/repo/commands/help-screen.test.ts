import { Command } from 'commander'
import { describe, expect, it } from 'vitest'
import { define, usual } from '../../../src/commands/create.ts'
import { commands } from '../../../src/commands/table.ts'
import { cells } from '../../../src/text/rows.ts'
import { cli } from '../cli.ts'
import { makeRepo } from '../make-repo.ts'

const repo = makeRepo()

describe('help', () => {
  it.each(commands.map(({ name }) => name))(
    'of %s is one object with --json, the same text',
    async (name) => {
      const { stdout } = await cli(repo, [name, '--help', '--json'])
      const { ok, help } = JSON.parse(stdout)
      expect(ok).toBe(true)
      expect(help).toContain(name === 'create' ? 'All options: handoff help create' : 'Everywhere:')
      // They stand in the description, with what they mean.
      expect(help).not.toContain('(choices:')
      expect((await cli(repo, [name, '--help'])).stdout).toBe(help)
    },
  )

  it.each(commands.map(({ name }) => name))(
    'of %s breaks no word at the edge of a terminal',
    async (name) => {
      const { stdout } = await cli(repo, [name, '--help'], { isTTY: true, columns: 80 })
      // What is set in is an example, to be copied in one piece.
      const prose = stdout.split('\n').filter((line) => !line.startsWith(' '))
      for (const line of prose) expect(cells(line)).toBeLessThanOrEqual(80)
      const words = (text: string) => text.split(/\s+/).join(' ')
      expect(words(stdout)).toBe(words((await cli(repo, [name, '--help'])).stdout))
    },
  )

  it('of create fits a screen of 80 by 24, and `help create` lists every option', async () => {
    const { stdout } = await cli(repo, ['create', '--help'], { isTTY: true, columns: 80 })
    expect(stdout.trimEnd().split('\n').length).toBeLessThan(24)
    const command = new Command()
    define(command)
    const whole = (await cli(repo, ['help', 'create'])).stdout
    for (const { long } of command.options) expect(whole).toContain(`  ${long}`)
    for (const option of usual) expect(command.options.map(({ long }) => long)).toContain(option)
  })

  it('of all commands fits 80 columns', async () => {
    const { stdout } = await cli(repo, ['help', '--all'])
    for (const line of stdout.split('\n')) expect(cells(line)).toBeLessThanOrEqual(80)
    for (const { summary } of commands) expect(stdout.replace(/\n +/g, ' ')).toContain(summary)
  })

  it('groups the commands by moment, and only names the plumbing', async () => {
    const { stdout } = await cli(repo, ['help'])
    const listed = (heading: string) =>
      stdout
        .split(`\n${heading}:\n`)[1]
        ?.split('\n\n')[0]
        ?.split('\n')
        .flatMap((line) => /^ {2}([a-z]+) /.exec(line)?.[1] ?? [])
    const of = (moment: string) => commands.filter(({ when }) => when === moment).map(({ name }) => name)
    expect(listed('Hand over')).toEqual(of('hand over'))
    expect(listed('Pick up')).toEqual(of('pick up'))
    expect(listed('Review')).toEqual(of('review'))
    expect(listed('Set up and maintain')).toEqual(of('set up'))
    expect(of('plumbing')).toEqual(['completion', 'hook', 'mcp'])
    expect(stdout.replace(/\n(?=\w)/g, ' ')).toContain(
      'handoff help --all lists the plumbing as well: completion, hook, mcp.',
    )
    expect(stdout).not.toMatch(/^ {2}(?:completion|hook|mcp) /m)
    expect((await cli(repo, ['--help', '--all'])).stdout).toMatch(/^ {2}hook /m)
  })
})
