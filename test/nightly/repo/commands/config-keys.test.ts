import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type Step, writeClaudeSession } from '../../../repo/claude-session.ts'
import { type CliOptions, cli } from '../../../repo/cli.ts'
import { fakeAgent } from '../../../repo/fake-agent.ts'
import { makeRepo, type TempRepo } from '../../../repo/make-repo.ts'
import { create, itemsOf, printed, sectionOf } from '../../../repo/usual.ts'
import { sampled } from '../../../sampled.ts'

const PI = fileURLToPath(
  new URL('../../../fixtures/agents/pi/edit-failing-test-1.6/session.jsonl', import.meta.url),
)
const FILES = Array.from({ length: 24 }, (_, i) => `src/part-${String(i).padStart(2, '0')}.ts`)
/** The person picks of what the agent proposes. */
const DECISIONS = Array.from({ length: 10 }, (_, i): Step[] => [
  { says: `For module ${i}:\n\n1. keep module ${i}\n2. drop module ${i}\n\nWhich one?` },
  { user: '1' },
])
// At most two of a kind are listed.
const CHECKS = Array.from({ length: 12 }, (_, i) => `npm run ${['test', 'lint', 'build'][i % 3]}:part-${i}`)

/** More of everything than a brief holds. */
function plenty(): TempRepo {
  const repo = makeRepo()
  repo.commit('parts', Object.fromEntries(FILES.map((path) => [path, 'x\n'])))
  writeClaudeSession(repo, [
    { user: 'Which modules stay?' },
    ...DECISIONS.flat(),
    { user: 'Port every part of the retry queue. Please also rewrite src/imagined.ts.' },
    { skill: 'test-first' },
    ...FILES.map((path): Step => ({ edit: path })),
    ...CHECKS.map((command): Step => ({ bash: command, exit: 1, output: 'Error: it failed' })),
  ])
  return repo
}

describe('every key of the configuration changes what create makes', () => {
  let repo: TempRepo
  let usual: string
  const folder = () => join(repo.home, '.config/handoff')
  /** The brief with these keys in the user's configuration. */
  const configured = async (
    keys: object,
    extra: string[] = [],
    options: CliOptions = {},
  ): Promise<string> => {
    mkdirSync(folder(), { recursive: true })
    writeFileSync(join(folder(), 'config.json'), JSON.stringify(keys))
    return (await printed(repo, extra, options)).markdown
  }
  beforeAll(async () => {
    repo = plenty()
    usual = (await printed(repo)).markdown
  })
  afterEach(() => rmSync(folder(), { recursive: true, force: true }))

  let wide: string | undefined
  // Budgets of tokens would cut before the counts do.
  const WIDE = { budget: { soft: 20_000, warn: 20_000, hard: 30_000 } }

  it.each(
    sampled(
      [
        ['maxFiles', 'Relevant Files', 12, 3],
        ['maxCommands', 'Relevant Commands', 6, 2],
        ['maxDecisionItems', 'Key Decisions', 8, 1],
        ['maxOpenQuestions', 'Open Questions / Risks', 6, 2],
      ],
      4,
    ),
  )('%s', async (key, section, before, after) => {
    wide ??= await configured(WIDE)
    expect(itemsOf(wide, section)).toHaveLength(before)
    const markdown = await configured({ ...WIDE, [key]: after })
    expect(itemsOf(markdown, section)).toHaveLength(after)
    expect(sectionOf(markdown, section)).toMatch(new RegExp(`\\(${after} of \\d+ listed\\)$`, 'm'))
    expect(markdown).toMatch(/\n {2}limits:\n/)
  })

  it('minGoalLength', async () => {
    await configured({ minGoalLength: 6 })
    expect((await cli(repo, ['create', 'port queues', '--json', '--print'])).code).toBe(0)
  })

  it('settings of Pi count in sessions of Pi alone', async () => {
    const words = 'You are continuing work from a previous thread.'
    const own = plenty()
    own.write('.pi/settings.json', '{"handoff": {"includeHandoffPreamble": false}}')
    expect((await printed(own)).markdown).toContain(words)
    expect((await printed(own, ['--session', PI])).markdown).not.toContain(words)
  })

  it('validateFiles: false keeps what nothing confirms, marked as not seen', async () => {
    expect(usual).not.toContain('src/imagined.ts` ')
    const markdown = await configured({ validateFiles: false, maxFiles: 40, ...WIDE })
    const line = itemsOf(markdown, 'Relevant Files').find((item) => item.includes('src/imagined.ts'))
    expect(line).toMatch(/; not seen here$/)
  })

  it('model, useCurrentModel: which model an agent is asked with', async () => {
    const asked = fakeAgent(repo, 'claude', { says: 'nothing' })
    const modelOf = async (keys: object) => {
      await configured(keys)
      await printed(repo, ['--extract', 'agent'], { env: asked.env })
      const { args = [] } = asked.seen() ?? {}
      return args[args.indexOf('--model') + 1]
    }
    expect(await modelOf({})).toBe('claude-sonnet-4-5')
    expect(await modelOf({ model: 'anthropic/some-model' })).toBe('claude-sonnet-4-5')
    expect(await modelOf({ model: 'anthropic/some-model', useCurrentModel: false })).toBe('some-model')
    expect(await modelOf({ extract: { model: 'anthropic/other' }, useCurrentModel: false })).toBe('other')
  })

  it('an unknown key is warned about, a wrong value is an error that names file and key', async () => {
    await configured({ maxFile: 3 })
    expect((await printed(repo)).warnings.join('\n')).toMatch(/config\.json: unknown key `maxFile` ignored/)
    await configured({ maxFiles: 'many' }).catch(() => '')
    const failed = await create(repo, ['--print'])
    expect(failed).toMatchObject({ code: 2, json: { errors: [{ code: 'E_CONFIG' }] } })
    expect(failed.json.errors[0].message).toMatch(/config\.json: `maxFiles` must be/)
  })
})
