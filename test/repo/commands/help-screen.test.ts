import { describe, expect, it } from 'vitest'
import { commands } from '../../../src/commands/table.ts'
import { cells } from '../../../src/text/cells.ts'
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
      expect(help).toContain('Everywhere:')
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

  it('of all commands fits 80 columns', async () => {
    const { stdout } = await cli(repo, ['--help'])
    for (const line of stdout.split('\n')) expect(cells(line)).toBeLessThanOrEqual(80)
    for (const { summary } of commands) expect(stdout.replace(/\n +/g, ' ')).toContain(summary)
  })
})
