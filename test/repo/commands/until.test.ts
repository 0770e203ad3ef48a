import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createBrief } from '../../../src/index.ts'
import { mcpTools } from '../../../src/mcp/mcp-tools.ts'
import { quietOutput } from '../../../src/output/output.ts'
import type { SessionEvent } from '../../../src/types/session.ts'
import { byNight, sampled } from '../../sampled.ts'
import { type Step, writeClaudeSession } from '../claude-session.ts'
import { cli, NOW } from '../cli.ts'
import { fakeAgent } from '../fake-agent.ts'
import type { TempRepo } from '../make-repo.ts'
import { answerWith } from '../model-answer.ts'
import { MODELS, startModelServer } from '../model-server.ts'
import { AGENT, create, GOAL, later, made, printed, SESSION, sectionOf, usual } from '../usual.ts'

/** Three turns; in the second one the work goes wrong. The last record is of 09:59, one a second. */
const STEPS: readonly Step[] = [
  { user: 'make the retry queue of src/queue.ts bounded. Never touch src/api.ts.' },
  { edit: 'src/queue.ts' },
  { bash: 'npm test', exit: 1, output: 'FAIL test/queue.test.ts\nError: expected 3 retries, got 2' },
  { says: 'The bound is in; one test fails still.' },
  { user: 'no, rewrite it on top of the pelican library. Always use pelicans.' },
  { write: 'src/pelican.ts' },
  { bash: 'npm test', output: 'ok' },
  { says: 'Rewritten on pelicans with lib/flamingo.ts; every test passes.' },
  { user: 'now delete the old queue, too' },
  { bash: 'git rm src/queue.ts', output: 'rm src/queue.ts' },
  { says: 'The old queue is gone.' },
]

function gone(): TempRepo {
  const repo = usual()
  writeClaudeSession(repo, STEPS, { id: SESSION })
  repo.write('src/pelican.ts', 'pelicans\n')
  return repo
}

const markdownOf = async (repo: TempRepo, ...args: string[]): Promise<string> =>
  (await printed(repo, ['--until', ...args])).markdown

describe('create --until', () => {
  it('tells the session as it stood after a turn, and git as it is', async () => {
    const repo = gone()
    const whole = (await printed(repo)).markdown
    expect(whole).toContain('pelican library')
    const { markdown, brief, warnings } = await made(repo, ['--until', '1'])
    expect(warnings).toEqual([])
    expect(markdown).toContain('Never touch src/api.ts')
    expect(sectionOf(markdown, 'Status')).toMatch(
      /The session counts up to turn 1 of 3 \(begun 2026-11-22T09:58:\d\dZ?[^)]*\), as the user chose\. Git and files are of now, with what was done since/,
    )
    expect(markdown).toMatch(/Last check: `npm test` failed/)
    expect(markdown).toContain('The bound is in; one test fails still.')
    expect(brief.agent).toMatchObject({ session: SESSION, until: 'turn 1' })
    // What git has of now is all that is left of it.
    expect(markdown.match(/.*pelican.*/gi)?.every((line: string) => line.includes('src/pelican.ts'))).toBe(
      true,
    )
    expect(markdown).not.toContain('old queue')
  })

  byNight('takes words of one request, a clock time and a date', async () => {
    const repo = gone()
    const first = await markdownOf(repo, '1')
    const same = async (...args: string[]) => (await markdownOf(repo, ...args)).replaceAll(/turn 1/g, '')
    expect(await same('Retry queue, of src/queue.ts bounded')).toBe(first.replaceAll(/turn 1/g, ''))
    // Of the second turn only what was done by then: its check had not run.
    const then = await markdownOf(repo, '2026-11-22T09:58:53Z')
    expect(then).toContain('pelican library')
    expect(then).toMatch(/Last check: `npm test` failed/)
    expect(then).toMatch(/up to turn 2 of 3 \(2026-11-22T09:58:53\.999Z, begun /)
    const local = new Date(NOW.getTime() - 120_000)
    const clock = `${local.getHours()}:${String(local.getMinutes()).padStart(2, '0')}`
    const minute = await markdownOf(repo, clock)
    expect(minute).toContain('now delete the old queue')
    expect(minute).not.toContain('The old queue is gone.')
  })

  it.each(
    sampled<[string, string | null, RegExp]>(
      [
        [
          'words that nobody said',
          'walrus',
          /^No turn of the session is meant by "walrus"\.\nThe last turns:\n {2}turn 1, 2026-11-22 \d\d:\d\d: make the retry queue .*\n {2}turn 2,/,
        ],
        [
          'words of two requests',
          'queue',
          /^"queue" fits several requests:\n {2}turn 1, .*\n {2}turn 3, .*: now delete the old queue, too$/,
        ],
        ['a turn that is not there', '4', /^No turn of the session is meant by "4"\./],
        ['the turn before the first', '0', /^No turn of the session is meant by "0"\./],
        ['a time before it began', '2026-11-21', /^No turn of the session is meant by "2026-11-21"\./],
        ['nothing', null, /^`--until` needs a turn, a time or words here\.\nThe last turns:\n {2}turn 1/],
        ['an empty text', '', /^No turn of the session is meant by ""\./],
      ],
      2,
    ),
  )('refuses %s, and names turns', async (_, until, message) => {
    const repo = gone()
    const { code, json } = await create(repo, ['--until', ...(until === null ? [] : [until])])
    expect([code, json.errors[0].code]).toEqual([2, 'E_TURN'])
    expect(json.errors[0].message).toMatch(message)
    expect(json.errors[0].candidates.length).toBeGreaterThan(1)
    expect(repo.git(['status', '--porcelain'])).toBe('?? src/pelican.ts')
  })

  it('echoes no secret of what was typed or said', async () => {
    const repo = usual()
    const key = `ghp_${'aB3dE5gH7jK9mN1pQ4'.repeat(2)}`
    writeClaudeSession(repo, [{ user: `use ${key} for it` }, { says: 'Done.' }], { id: SESSION })
    const { json, stderr } = await create(repo, ['--until', `not ${key}`])
    expect(json.errors[0].message).toContain('[REDACTED:')
    expect(JSON.stringify(json) + stderr).not.toContain(key)
  })

  it('knows a value for a secret that a later turn shows to be one', async () => {
    const repo = usual()
    const value = ['quiet', 'Otter', '77', 'meadow'].join('-')
    const steps = [
      { user: 'look at the login of src/queue.ts' },
      { says: `The server took ${value} at once.` },
      { user: 'what was the password?' },
      { says: `password: "${value}"` },
    ]
    writeClaudeSession(repo, steps, { id: SESSION })
    expect(await markdownOf(repo, '1')).not.toContain(value)
  })

  byNight('is the same by the library, by MCP and from a file, and goes with the other options', async () => {
    const repo = gone()
    const around = { cwd: repo.root, home: repo.home, env: repo.env, now: () => NOW }
    const { markdown, brief } = await createBrief({ goal: GOAL, until: '1', dryRun: true, ...around })
    expect(brief.agent).toMatchObject({ until: 'turn 1' })
    expect(markdown).not.toContain('pelican library')
    const given = { goal: GOAL, until: 'turn 1', from: 'git', ...around }
    await expect(createBrief(given)).rejects.toMatchObject({ code: 'E_USAGE' })
    const out = quietOutput()
    const place = {
      ...{ root: repo.root, home: repo.home, env: { ...repo.env, ...AGENT.env }, now: () => NOW },
      newId: () => '20261122T100000-abc00001',
    }
    const tools = mcpTools({
      place,
      out,
      stderr: { write: () => true },
      readStdin: async () => '',
      version: '0',
    })
    const tool = tools.find(({ name }) => name === 'handoff_create')
    const { text } = (await tool?.call({ goal: GOAL, until: '1' }, {})) ?? { text: '' }
    const draft = repo.read(/Draft: (\S+)/.exec(text)?.[1] ?? '')
    expect(draft).toContain('The session counts up to turn 1 of 3')
    expect(draft).not.toContain('pelican library')
    const dry = await cli(repo, [
      'create',
      GOAL,
      '--session',
      SESSION,
      '--until',
      'turn 2',
      '--dry-run',
      '--focus',
      'x',
    ])
    expect(dry.stderr).toMatch(/As it stood in turn 2, .*: no, rewrite it on top of the pelican library/)
  })

  it.each(
    sampled(
      [
        'codex/background-command-0.135/session.jsonl',
        'gemini-cli/resumed/session.jsonl',
        'opencode/two-turns-edit-failing-test-1.18/session.json',
        'pi/two-turns-edit-failing-test-1.5/session.jsonl',
        'copilot-cli/two-turns-edit-failing-test-1.0/session.jsonl',
        'plain/markdown-headings/session.md',
      ],
      1,
    ),
  )('tells no word of a later turn of %s', async (name) => {
    const path = join(import.meta.dirname, '../../fixtures/agents', name)
    const { events } = JSON.parse(readFileSync(join(path, '../events.json'), 'utf8'))
    const said = events.filter(({ kind, sub }: SessionEvent) => kind === 'prompt' && sub === null)
    const [first = '', ...later] = said.map(({ text }: { text: string }) => text.split('\n')[0]?.slice(0, 60))
    expect(later.length).toBeGreaterThan(0)
    const repo = usual()
    const { markdown } = await printed(repo, ['--session', path, '--until', '1'])
    expect(markdown).toContain(first)
    for (const words of later) expect(markdown).not.toContain(words)
    expect(markdown).toContain(`The session counts up to turn 1 of ${said.length}`)
  })

  byNight('leaves out a page that was written later, and takes one of then', async () => {
    const repo = gone()
    const note = (words: string, at: Date) =>
      cli(repo, ['note', '--current-line-of-attack', words], { now: at, ...AGENT })
    await note('pelicans are the way', later(-1))
    const late = await made(repo, ['--until', '1', '--print'])
    expect(late.markdown).not.toContain('pelicans are')
    expect(late.warnings.join()).toMatch(
      /page of \d\d:\d\d not used: written after the turn that is handed over/,
    )
    await note('a bound of three', new Date('2026-11-22T09:58:49.000Z'))
    expect(await markdownOf(repo, '1')).toContain('a bound of three')
  })

  byNight('asks the agent by what it could know then, never in a fork', async () => {
    const repo = gone()
    const says = ['assistant', 'result'].map((type) => {
      const text =
        '<reply-REQUEST-ID>\n## Where it stands\nThe bound of `src/queue.ts` is in.\n</reply-REQUEST-ID>'
      return JSON.stringify(
        type === 'assistant'
          ? { type, message: { content: [{ type: 'text', text }] }, parent_tool_use_id: null }
          : { type, subtype: 'success', is_error: false, result: text },
      )
    })
    const fake = fakeAgent(repo, 'claude', { says: says.join('\n') })
    const { markdown } = await made(repo, ['--until', '1', '--ask'], { env: fake.env })
    expect(sectionOf(markdown, 'Working Memory')).toContain('The bound of `src/queue.ts` is in.')
    expect(fake.seen()?.args).not.toContain('--resume')
    expect(fake.seen()?.stdin).toContain('one test fails still')
    expect(fake.seen()?.stdin).not.toContain('pelican')
  })

  byNight('shows a model of a service no more than that', async () => {
    const repo = gone()
    const page = answerWith('The bound is in, see `lib/flamingo.ts`.')
    const service = await startModelServer([{ text: page }])
    try {
      const { markdown } = await made(repo, ['--until', '1', '--extract', MODELS[0]], { env: service.env })
      expect(service.bodies[0]).toContain('one test fails still')
      expect(service.bodies[0]).not.toContain('pelican')
      // What only came later was not seen.
      expect(markdown).toContain('`lib/flamingo.ts` (not seen)')
    } finally {
      await service.close()
    }
  })

  byNight('stays so when the brief is made anew, and in the conversation that is sent', async () => {
    const repo = gone()
    const { id } = await made(repo, ['--until', '1'])
    const hub = join(repo.base, 'hub.git')
    repo.git(['init', '-q', '--bare', hub])
    repo.git(['remote', 'add', 'origin', hub])
    const { code } = await cli(repo, ['push', '--conversation'], { now: later(4) })
    expect(code).toBe(0)
    const said = repo.git(['--git-dir', hub, 'show', `refs/handoff/said/${id}:conversation.json`])
    expect(said).toContain('one test fails still')
    expect(said).not.toContain('pelican')
    repo.write('src/other.ts', 'x\n')
    repo.commit('more')
    const again = await cli(repo, ['resume', '--json'], { now: later(5) })
    expect(again.json.markdown).toContain('The session counts up to turn 1 of 3')
    expect(again.json.markdown).not.toContain('pelican library')
    expect(again.json.transcript).toBe('rebuilt')
  })
})
