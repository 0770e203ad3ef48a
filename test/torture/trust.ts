import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { mcpTools } from '../../src/mcp/mcp-tools.ts'
import { openOutput } from '../../src/output/output.ts'
import { cli } from '../repo/cli.ts'
import type { TempRepo } from '../repo/make-repo.ts'
import type { ByForm, Part } from './part.ts'
import { makeTeam, NOT_HERE, SCENARIOS, SIGNATURES, signed, type Team } from './trust-cases.ts'

/** Words of the briefs of this part; where they reach an agent unasked, a brief was believed. */
const GOAL_WORD = 'retry queue'

/** Which part of the cases beside the twelve is left out. */
const LEFT_OUT: ByForm<number> = { ci: 0.9, short: 0.5, long: 0 }
/** Why `show` has no brief to tell of, by its error. */
const NONE: Record<string, string> = {
  E_NO_BRIEF: 'there is no brief',
  E_BRIEF_UNREADABLE: 'it cannot be read',
}
const AGENTS = ['claude-code', 'codex', 'gemini-cli'] as const

/** Who may put words before an agent: every scenario with real clones and remotes, and every signature with real keys. */
export const part: Part = {
  name: 'trust',
  async run({ scratch, row, case: tell, form, random }) {
    const cases = [
      ...SCENARIOS.map(({ name, trusted, because, run }) => ({
        name,
        trusted,
        because,
        run,
        of: 'scenario',
      })),
      ...SIGNATURES.map(({ name, trusted, sign }) => ({
        name,
        trusted,
        because: trusted ? 'its commit is well signed' : NOT_HERE,
        run: (team: Team) => signed(team, sign),
        of: 'signature',
      })),
    ]
    for (const [at, { name, trusted, because, run, of }] of cases.entries()) {
      if (!/^\d/.test(name) && random() < LEFT_OUT[form]) continue
      const team = makeTeam(scratch('trust'))
      const clone = await run(team)
      // In CI the agents take turns.
      const told = await verdictOf(clone, form === 'ci' ? AGENTS.slice(at % 3, (at % 3) + 1) : AGENTS)
      tell({ of, name, ...told })
      const wrong = [
        ...(told.trusted === trusted ? [] : [`trusted: ${told.trusted}`]),
        ...(told.because === because ? [] : [`because: ${told.because}`]),
        ...(told.unasked === trusted ? [] : [`put before an agent unasked: ${told.unasked}`]),
      ]
      row(
        `${of}: ${name}`,
        'show, session-start, latest.md, MCP',
        4,
        wrong,
        trusted ? 'trusted' : 'not trusted',
      )
    }
  },
}

async function verdictOf(
  clone: TempRepo,
  agents: readonly string[],
): Promise<{ trusted: boolean; because: string; unasked: boolean; where: string[] }> {
  const { json } = await cli(clone, ['show', '--json'])
  const payload = { session_id: 'other', source: 'startup', cwd: clone.root }
  const said: [string, string][] = []
  for (const agent of agents) {
    const { stdout } = await cli(clone, ['hook', 'session-start', '--agent', agent], {
      stdin: JSON.stringify(payload),
    })
    said.push([agent, stdout])
  }
  const silent = { write: () => {} }
  const out = openOutput({ stdout: silent, stderr: silent, json: false, color: false, interactive: false })
  const place = { root: clone.root, home: clone.home, env: clone.env, now: () => new Date(), newId: () => '' }
  const tools = mcpTools({ place, out, stderr: silent, readStdin: async () => '', version: '0' })
  for (const args of [{}, { log: 'branch' }]) {
    const tool = tools.find(({ name }) => name === 'handoff_read')
    if (tool === undefined) throw new Error('no tool that reads')
    const { text } = await tool.call(args, {})
    said.push([`handoff_read ${JSON.stringify(args)}`, text])
  }
  const latest = join(clone.root, '.handoff/latest.md')
  said.push(['latest.md', existsSync(latest) ? readFileSync(latest, 'utf8') : ''])
  const where = said.filter(([, text]) => text.includes(GOAL_WORD)).map(([name]) => name)
  const told =
    json.errors === undefined
      ? json
      : { trusted: false, because: NONE[json.errors[0].code] ?? json.errors[0].code }
  return { trusted: told.trusted, because: told.because, unasked: where.length > 0, where }
}
