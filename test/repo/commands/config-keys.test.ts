import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { byNight, sampled } from '../../sampled.ts'
import { type Step, writeClaudeSession } from '../claude-session.ts'
import { type CliOptions, cli, NOW } from '../cli.ts'
import { fakeAgent } from '../fake-agent.ts'
import { makeRepo, type TempRepo } from '../make-repo.ts'
import { create, GOAL, itemsOf, later, printed, sectionOf } from '../usual.ts'

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

  byNight('minGoalLength', async () => {
    const ask = (goal: string) => cli(repo, ['create', goal, '--json', '--print'])
    expect((await ask('port queues')).json.errors).toMatchObject([{ code: 'E_GOAL', rule: 'too-short' }])
    await configured({ minGoalLength: 6 })
    expect((await ask('port queues')).code).toBe(0)
    await configured({ minGoalLength: 40 }).catch(() => '')
    expect((await ask('port the retry queue')).json.errors).toMatchObject([
      { code: 'E_GOAL', rule: 'too-short' },
    ])
  })

  it('includeMetadata', async () => {
    expect(itemsOf(usual, 'Status').at(-1)).toMatch(/^- Session: Claude Code .*model claude-sonnet/)
    expect(await configured({ includeMetadata: false })).not.toContain('Session: ')
  })

  byNight('includeSkill', async () => {
    expect(itemsOf(usual, 'Status').at(-1)).toMatch(/, prior skill test-first$/)
    expect(usual).toContain('\n  skills:\n')
    const markdown = await configured({ includeSkill: false })
    expect(markdown).not.toContain('prior skill')
    expect(markdown).not.toContain('\n  skills:')
  })

  it('includeFileReasons', async () => {
    expect(itemsOf(usual, 'Relevant Files')[0]).toMatch(
      /^- `src\/part-\d\d\.ts` — edited in the last turn(?:, .*)?$/,
    )
    const markdown = await configured({ includeFileReasons: false })
    expect(itemsOf(markdown, 'Relevant Files')[0]).toMatch(/^- `src\/part-\d\d\.ts`$/)
  })

  byNight('includeHandoffPreamble, which is then not a required section', async () => {
    const words = 'You are continuing work from a previous thread.'
    expect(usual).toContain(words)
    const markdown = await configured({ includeHandoffPreamble: false })
    expect(markdown).not.toContain(words)
    expect((await create(repo, ['--print', '--mode', 'strict'])).json.errors).toEqual([])
  })

  it('validateFiles: false keeps what nothing confirms, marked as not seen', async () => {
    expect(usual).not.toContain('src/imagined.ts` ')
    const markdown = await configured({ validateFiles: false, maxFiles: 40, ...WIDE })
    const line = itemsOf(markdown, 'Relevant Files').find((item) => item.includes('src/imagined.ts'))
    expect(line).toMatch(/; not seen here$/)
  })

  byNight('showProgressPhases: false shows one static text instead of the phases', async () => {
    const [bin, real] = [join(repo.base, 'slow'), repo.env.PATH ?? '']
    mkdirSync(bin)
    const slow = `case " $* " in *' status '*) sleep 1.5 >/dev/null 2>&1;; esac`
    writeFileSync(join(bin, 'git'), `#!/bin/sh\n${slow}\nPATH='${real}' exec git "$@"\n`, { mode: 0o755 })
    const watch = async () => {
      const begun = Date.now()
      const { stderr } = await cli(repo, ['create', GOAL, '--print'], {
        isTTY: true,
        env: { PATH: `${bin}:${real}` },
        now: () => new Date(NOW.getTime() + Date.now() - begun),
      })
      return stderr
    }
    const phases = await watch()
    expect(phases).toContain('Extracting relevant context...')
    expect(phases).toMatch(/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]/)
    expect(phases).toMatch(/✓ Context ready \(\d+\.\ds\)/)
    await configured({ showProgressPhases: false })
    const plain = await watch()
    expect(plain).toContain('Creating handoff...')
    expect(plain).not.toMatch(/Extracting|Analyzing|Assembling/)
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

  byNight(
    'the order: defaults < user < repository < Pi’s settings in sessions of Pi < HANDOFF_* < flags',
    async () => {
      const own = plenty()
      const count = async (extra: string[] = [], env: Record<string, string> = {}) =>
        itemsOf((await printed(own, extra, { env })).markdown, 'Relevant Commands').length
      mkdirSync(join(own.home, '.config/handoff'), { recursive: true })
      writeFileSync(join(own.home, '.config/handoff/config.yaml'), 'maxCommands: 5\nmaxFiles: 2\n')
      expect(await count()).toBe(5)
      own.write('.handoffrc', 'limits:\n  commands: 4\n')
      own.write('.pi/settings.json', '{"handoff": {"maxCommands": 3}}')
      expect(await count()).toBe(4)
      expect(await count([], { HANDOFF_MAX_COMMANDS: '1' })).toBe(1)
      expect(itemsOf((await printed(own)).markdown, 'Relevant Files')).toHaveLength(2)

      const session = join(own.base, 'pi.jsonl')
      const rows = [
        { type: 'session', version: 3, id: 'x', timestamp: later(-9).toISOString(), cwd: own.root },
        ...CHECKS.slice(0, 6).flatMap((command, i) => [
          {
            type: 'message',
            id: `u${i}`,
            parentId: i === 0 ? null : `t${i - 1}`,
            timestamp: later(-8).toISOString(),
            message: { role: 'user', content: [{ type: 'text', text: `Run check number ${i} now.` }] },
          },
          {
            type: 'message',
            id: `a${i}`,
            parentId: `u${i}`,
            timestamp: later(-8).toISOString(),
            message: {
              role: 'assistant',
              content: [
                { type: 'text', text: 'Running.' },
                { type: 'toolCall', id: `c${i}`, name: 'bash', arguments: { command } },
              ],
              stopReason: 'toolUse',
            },
          },
          {
            type: 'message',
            id: `t${i}`,
            parentId: `a${i}`,
            timestamp: later(-8).toISOString(),
            message: {
              role: 'toolResult',
              toolCallId: `c${i}`,
              toolName: 'bash',
              content: [{ type: 'text', text: 'ok' }],
              isError: false,
            },
          },
        ]),
      ]
      writeFileSync(session, rows.map((row) => `${JSON.stringify(row)}\n`).join(''))
      expect(await count(['--session', session])).toBe(3)
      expect(await count(['--session', session], { HANDOFF_MAX_COMMANDS: '1' })).toBe(1)
    },
  )

  it('an unknown key is warned about, a wrong value is an error that names file and key', async () => {
    await configured({ maxFile: 3 })
    expect((await printed(repo)).warnings.join('\n')).toMatch(/config\.json: unknown key `maxFile` ignored/)
    await configured({ maxFiles: 'many' }).catch(() => '')
    const failed = await create(repo, ['--print'])
    expect(failed).toMatchObject({ code: 2, json: { errors: [{ code: 'E_CONFIG' }] } })
    expect(failed.json.errors[0].message).toMatch(/config\.json: `maxFiles` must be/)
  })
})
