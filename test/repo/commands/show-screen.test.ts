import { beforeAll, describe, expect, it } from 'vitest'
import { cells } from '../../../src/text/rows.ts'
import { byNight } from '../../sampled.ts'
import { type CliOptions, cli } from '../cli.ts'
import type { TempRepo } from '../make-repo.ts'
import { GOAL, made, usual } from '../usual.ts'

const NO_COLOR: CliOptions = { isTTY: true, columns: 60, env: { NO_COLOR: '1' } }
const COLOR: CliOptions = { isTTY: true, columns: 60 }

describe('show on a terminal', () => {
  let repo: TempRepo
  let id: string
  let markdown: string
  beforeAll(async () => {
    repo = usual()
    ;({ id, markdown } = await made(repo))
  })

  it('is as wide as the terminal, and says what the brief is and all that it says', async () => {
    for (const columns of [40, 60, 100]) {
      const { stdout, code } = await cli(repo, ['show'], { ...NO_COLOR, columns })
      expect(code).toBe(0)
      const lines = stdout.trimEnd().split('\n')
      expect(Math.max(...lines.map(cells))).toBeLessThanOrEqual(columns)
      expect(lines[0]).toBe(id)
      const squeezed = stdout.replace(/\s+/g, '')
      for (const word of ['ClaudeCode', 'main', GOAL.replace(/\s+/g, ''), '##NextGoal(verbatim)'])
        expect(squeezed).toContain(word)
      const body = markdown.slice(markdown.indexOf('# Handoff Context'))
      expect(squeezed).toContain(body.replace(/\s+/g, ''))
    }
  })

  byNight('paints headings and code, unless told not to', async () => {
    const { stdout } = await cli(repo, ['show'], COLOR)
    expect(stdout).toContain('\u001b[1mStatus\u001b[22m')
    for (const [argv, env] of [
      [['show', '--no-color'], {}],
      [['show'], { NO_COLOR: '1' }],
      [['show'], { TERM: 'dumb' }],
    ] as const) {
      const plain = await cli(repo, [...argv], { ...COLOR, env })
      expect(plain.stdout).not.toContain('\u001b')
      expect(plain.stdout).toContain('## Status')
    }
  })

  byNight('gives the same bytes as ever in a pipe, to agents, and where bytes are asked for', async () => {
    for (const argv of [['--raw'], ['--prompt'], ['--inline'], ['--json']]) {
      const piped = await cli(repo, ['show', ...argv])
      expect((await cli(repo, ['show', ...argv], COLOR)).stdout).toBe(piped.stdout)
    }
    expect((await cli(repo, ['show'])).stdout).toBe(markdown)
    expect((await cli(repo, ['show'], { ...COLOR, env: { GITHUB_ACTIONS: 'true' } })).stdout).toBe(markdown)
  })

  it('keeps every key of the front matter in sight, also those that nobody knows', async () => {
    const path = `.handoff/briefs/${id}-x.md`
    const text = markdown.replace(/^ {2}reason: .*$/m, (line) => `${line}\n  odd:\n    inner: "hidden words"`)
    repo.write(path, text)
    const { stdout } = await cli(repo, ['show', path], { ...NO_COLOR, columns: 200 })
    expect(stdout).toContain('odd.inner hidden words')
    expect(stdout).toMatch(/reason manual · /)
    expect(stdout).toContain('Not trusted: ')
  })
})
