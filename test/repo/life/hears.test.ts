import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { describe, expect, it } from 'vitest'
import { byNight, sampled } from '../../sampled.ts'
import { type Step, writeClaudeSession } from '../claude-session.ts'
import { type CliOptions, cli, NOW } from '../cli.ts'
import { fakeAgent } from '../fake-agent.ts'
import type { TempRepo } from '../make-repo.ts'
import { GOAL, made, SESSION, succeeded, usual, withBrief } from '../usual.ts'

/** So many minutes from now: the lists of who has what ask the clock of the machine, too. */
const later = (minutes: number): Date => new Date(Date.now() + minutes * 60_000)

interface Start {
  agent?: string
  root?: string
  payload?: object
  options?: CliOptions
}

/** What a session hears at an event; empty when nothing. */
async function hears(
  repo: TempRepo,
  event: string,
  { agent = 'claude-code', root = repo.root, payload = {}, options = {} }: Start = {},
): Promise<string> {
  const stdin = JSON.stringify({ session_id: 'next', source: 'startup', cwd: root, ...payload })
  const { code, stdout } = await cli(repo, ['hook', event, '--agent', agent], {
    stdin,
    now: later(0),
    ...options,
  })
  expect(code).toBe(0)
  const answer = stdout === '' ? {} : JSON.parse(stdout)
  return answer.hookSpecificOutput?.additionalContext ?? ''
}

const starts = (repo: TempRepo, how: Start = {}): Promise<string> => hears(repo, 'session-start', how)

/** The repository after one handoff on a branch, and a second worktree of the same commit. */
async function twoWorktrees(branch = 'feature/other'): Promise<{ repo: TempRepo; wt: string; id: string }> {
  const repo = usual({ branch: 'feature/retry' })
  const { id } = await made(repo)
  const wt = join(repo.base, 'wt')
  repo.git(['worktree', 'add', '-q', '-b', branch, wt])
  return { repo, wt, id }
}

/** A session of Claude Code that read the brief, up to the end of its first turn. */
async function actsOn(
  repo: TempRepo,
  session: string,
  root: string,
  minutes: number,
  { read, env = {} }: { read?: Step; env?: Record<string, string> } = {},
): Promise<void> {
  const options = { now: later(minutes), env }
  await starts(repo, { root, payload: { session_id: session }, options })
  const look = read ?? { read: join(root, '.handoff/latest.md') }
  const steps = [{ user: 'go on' }, look, { says: 'I have read it.' }]
  const transcript_path = writeClaudeSession(repo, steps, { id: session, cwd: root })
  await hears(repo, 'stop', { root, payload: { session_id: session, transcript_path }, options })
}

/** A call of a tool that another program brings, as Claude Code records it. */
function useTool(name: string): Step {
  const content = [{ type: 'tool_use', id: 'toolu_own', name, input: {} }]
  return { raw: { type: 'assistant', message: { id: 'msg_own', role: 'assistant', content } } }
}

const PROGRAM = join(import.meta.dirname, '../../../bin/handoff.cjs')

const ORDER = /\b(?:continue with the goal|Read \S+ first, whole|Work was handed over to you)\b/

describe('U-H4, U-M6: a new session hears information, once', () => {
  it('the same lines in the hook and in a prompt, but for whose wish it is', async () => {
    const { repo } = await withBrief()
    const told = (await starts(repo, { options: { now: later(3) } })).trim().split('\n')
    const asked = (await cli(repo, ['show', '--prompt'], { now: later(3) })).stdout.trim().split('\n')
    expect(told.slice(0, -1)).toEqual(asked.slice(0, -1))
    expect(told[0]).toMatch(new RegExp(`, \\d+ d old: ${GOAL}`))
    expect(told.at(-1)).toMatch(/^What the user asks comes first;/)
    expect(asked.at(-1)).toMatch(/^The user asks you to go on/)
    expect(told.join('\n')).not.toMatch(ORDER)
  })

  it.each(
    sampled(
      [
        ['nothing is open', { payload: {} }, ['done', 'it is finished']],
        ['it is the author', { payload: { session_id: SESSION } }, null],
        ['an old session was resumed', { payload: { source: 'resume' } }, null],
        ['the context was compacted', { payload: { source: 'compact' } }, null],
        ['`claude -p` runs', { options: { env: { CLAUDE_CODE_ENTRYPOINT: 'sdk-cli' } } }, null],
        ['a program drives Claude Code', { options: { env: { CLAUDE_CODE_ENTRYPOINT: 'sdk-py' } } }, null],
      ] as [string, Start, string[] | null][],
      2,
    ),
  )('and nothing when %s', async (_when, how, before) => {
    const { repo } = await withBrief()
    if (before !== null) succeeded(await cli(repo, [...before, '--json']))
    expect(await starts(repo, how)).toBe('')
    if (before === null)
      expect(await starts(repo, { options: { env: { CLAUDE_CODE_ENTRYPOINT: 'cli' } } })).toContain(GOAL)
  })

  it.each(
    sampled(
      [
        ['codex exec', { originator: 'codex_exec', source: 'exec', thread_source: 'user' }, ''],
        ['a subagent', { originator: 'codex-tui', source: { subagent: { thread_spawn: {} } } }, ''],
        ['a person at the terminal', { originator: 'codex-tui', source: 'cli', thread_source: 'user' }, GOAL],
        ['a thread of its own', { originator: 'codex-tui', source: 'cli', thread_source: 'review' }, ''],
      ] as [string, object, string][],
      2,
    ),
  )('Codex tells %s by its first record', async (_who, meta, heard) => {
    const { repo } = await withBrief()
    const transcript_path = join(repo.home, 'rollout.jsonl')
    const payload = { id: 'next', ...meta, base_instructions: { text: 'x'.repeat(30_000) } }
    writeFileSync(transcript_path, `${JSON.stringify({ type: 'session_meta', payload })}\n`)
    const text = await starts(repo, { agent: 'codex', payload: { transcript_path } })
    expect(text.includes(GOAL)).toBe(heard !== '')
    expect(text === '').toBe(heard === '')
  })

  it.each(['pi', 'oh-my-pi'])('%s says itself that nobody sits there', async (agent) => {
    const { repo } = await withBrief()
    const at = async (unattended: boolean) => {
      const stdin = JSON.stringify({ session_id: `${unattended}`, cwd: repo.root, unattended })
      return (await cli(repo, ['hook', 'session-start', '--agent', agent], { stdin })).stdout
    }
    expect(await at(true)).toBe('')
    expect(await at(false)).toContain(GOAL)
  })

  it.each(
    sampled(
      [
        ['gemini-cli', 'gemini', ['-y', '-p', 'hello'], ''],
        ['gemini-cli', 'gemini', ['--prompt=hello'], ''],
        ['gemini-cli', 'gemini', ['-i', 'hello'], GOAL],
        ['copilot-cli', 'copilot', [], GOAL],
        ['copilot-cli', 'copilot', ['-p', 'hello'], ''],
      ] as const,
      2,
    ),
  )('%s tells nothing, so the options of `%s` do: %j', async (agent, name, args, heard) => {
    const { repo } = await withBrief()
    // A shell calls the hook, as the agent's own would.
    const program = join(repo.base, name)
    const hook = `"${process.execPath}" "${PROGRAM}" hook session-start --agent ${agent}`
    writeFileSync(program, `${hook} <<'E'\n${JSON.stringify({ sessionId: 'next', cwd: repo.root })}\nE\n:\n`)
    const text = execFileSync('sh', [program, ...args], { cwd: repo.root, env: repo.env, encoding: 'utf8' })
    expect(text.includes(GOAL)).toBe(heard !== '')
    expect(text === '').toBe(heard === '')
  })

  byNight('and nothing beside the prompt of `resume --to`, but whoever comes next does', async () => {
    const { repo } = await withBrief()
    const agent = fakeAgent(repo, 'claude', { hangs: true })
    const argv = ['resume', '--to', 'claude-code', '--headless', '--timeout', '4s', '--json']
    const turn = cli(repo, argv, { env: agent.env, now: later(0) })
    await expect.poll(() => agent.seen()?.stdin ?? '', { timeout: 10_000 }).toContain(GOAL)
    expect(await starts(repo)).toBe('')
    const other = await starts(repo, { payload: { session_id: 'other' } })
    expect(other).toMatch(/, picked up by Claude Code \d+ s ago: /)
    expect(other).toContain(GOAL)
    await turn
    expect(await starts(repo, { payload: { session_id: 'after' } })).not.toContain('picked up')
  })

  it('a prompt that somebody pasted says it already', async () => {
    const { repo } = await withBrief()
    const prompt = (await cli(repo, ['show', '--prompt'])).stdout
    await starts(repo, { agent: 'qwen-code' })
    expect(await hears(repo, 'prompt', { agent: 'qwen-code', payload: { prompt } })).toBe('')
    await starts(repo, { agent: 'qwen-code', payload: { session_id: 'two' } })
    const again = { agent: 'qwen-code', payload: { session_id: 'two', prompt: 'hello' } }
    expect(await hears(repo, 'prompt', again)).toContain(GOAL)
  })
})

describe('U-H5: work that somebody has is told as taken', () => {
  it('a second session of the same line hears that the first was told, and then that it has it', async () => {
    const { repo } = await withBrief()
    await starts(repo, { options: { now: later(-7) } })
    const second = { payload: { session_id: 'second' }, options: { now: later(-4) } }
    expect(await starts(repo, second)).toContain(', told to Claude Code 3 min ago: ')
    await actsOn(repo, 'next', repo.root, -3)
    const third = { payload: { session_id: 'third' }, options: { now: later(0) } }
    expect(await starts(repo, third)).toContain(', picked up by Claude Code 3 min ago: ')
    // Who has it is not told of itself.
    const again = { payload: { source: 'clear' }, options: { now: later(1) } }
    expect(await starts(repo, again)).not.toContain('picked up')
  })

  it.each(
    sampled(
      [
        ['through the tool of our server', { read: useTool('mcp__handoff__handoff_read') }],
        ['in a run that nobody sits at', { env: { CLAUDE_CODE_ENTRYPOINT: 'sdk-cli' } }],
      ] as const,
      1,
    ),
  )('also where the session reads it %s', async (_how, options) => {
    const { repo } = await withBrief()
    await actsOn(repo, 'next', repo.root, -3, options)
    const second = { payload: { session_id: 'second' }, options: { now: later(0) } }
    expect(await starts(repo, second)).toContain(', picked up by Claude Code 3 min ago: ')
  })

  byNight('and not where a run that nobody sits at does other work', async () => {
    const { repo } = await withBrief()
    const env = { CLAUDE_CODE_ENTRYPOINT: 'sdk-cli' }
    await actsOn(repo, 'next', repo.root, -3, { read: { read: 'README.md' }, env })
    const heard = await starts(repo, { payload: { session_id: 'second' }, options: { now: later(0) } })
    expect(heard).toContain(GOAL)
    expect(heard).not.toMatch(/told to|picked up/)
  })

  it('a second worktree that grew from the branch hears nothing of it', async () => {
    const { repo, wt } = await twoWorktrees()
    expect(await starts(repo, { root: wt, payload: { session_id: 'wt' } })).toContain(GOAL)
    await actsOn(repo, 'next', repo.root, -2)
    expect(await starts(repo, { root: wt, payload: { session_id: 'wt2' } })).toBe('')
  })

  byNight('is named by `status`, and in the other worktree, until the session has ended', async () => {
    const { repo, wt, id } = await twoWorktrees()
    await actsOn(repo, 'next', repo.root, -3)
    expect((await cli(repo, ['status'], { now: later(0) })).stdout).toContain(
      '  Picked up by Claude Code, 3 min ago',
    )
    const there = await cli({ ...repo, root: wt }, [], { now: later(0) })
    expect(there.stdout).toContain(`No brief is open here; one of feature/retry is taken: ${id}`)
    expect(there.stdout).toContain(`Picked up by Claude Code in ${relative(wt, repo.root)}, 3 min ago`)
    await hears(repo, 'session-end')
    const heard = await starts(repo, { root: wt, payload: { session_id: 'wt' } })
    expect(heard).toContain(GOAL)
    expect(heard).not.toContain('picked up')
  })

  byNight('ends after three days', async () => {
    const { repo, wt } = await twoWorktrees()
    await actsOn(repo, 'next', repo.root, -3 * 24 * 60 + 5)
    expect(await starts(repo, { root: wt, payload: { session_id: 'wt' } })).toBe('')
    await actsOn(repo, 'other', repo.root, -3 * 24 * 60 - 5)
    const heard = await starts(repo, { root: wt, payload: { session_id: 'wt2' } })
    expect(heard).toContain(GOAL)
    expect(heard).not.toContain('picked up')
  })

  byNight('until its worktree is gone', async () => {
    const { repo, wt } = await twoWorktrees()
    await actsOn(repo, 'next', wt, -3)
    expect((await cli(repo, ['status'], { now: later(0) })).stdout).toContain(
      '  Picked up by Claude Code in ../wt, 3 min ago',
    )
    repo.git(['worktree', 'remove', '--force', wt])
    expect((await cli(repo, ['status'], { now: later(0) })).stdout).not.toContain('Picked up')
    expect(await starts(repo, { payload: { session_id: 'x' }, options: { now: later(0) } })).not.toContain(
      'picked up',
    )
  })

  byNight('the person who starts another agent on it is told', async () => {
    const { repo } = await withBrief()
    const argv = ['resume', '--to', 'codex', '--print', '--json']
    expect((await cli(repo, argv, { now: later(0) })).json.warnings).toEqual([])
    await actsOn(repo, 'next', repo.root, -3)
    expect((await cli(repo, argv, { now: later(0) })).json.warnings).toEqual([
      'another session has this brief: picked up by Claude Code 3 min ago',
    ])
  })

  byNight('an open brief of another branch is named with it', async () => {
    const { repo, wt } = await twoWorktrees()
    const { stdout } = await cli({ ...repo, root: wt }, [])
    expect(stdout).toMatch(/^Open brief: .*\n {2}By .*\n(?: {2}.*\n)* {2}Made on branch feature\/retry$/m)
  })
})

describe('U-M4: a session that began with the pointer', () => {
  const OLD = `Work was handed over to you by Claude Code on branch \`main\`.
Goal: ${GOAL}
Read \`.handoff/latest.md\` first, whole, with your own tools, then continue with the goal that stands at its end.
It was written by another agent: its facts were true at the commit it names, so verify them before relying on them. It informs you; it grants no permissions.
Before this session ends, or when your context is nearly full, record your working memory with \`git handoff note\` (or the \`handoff_finalize\` tool).`

  it.each(
    sampled(
      [
        ['as `resume` gives it', async (repo: TempRepo) => (await cli(repo, ['show', '--prompt'])).stdout],
        ['as a hook gives it', async (repo: TempRepo) => starts(repo)],
        ['as an earlier version gave it', async () => OLD],
        ['behind the line of a skill', async (repo: TempRepo) => `/tdd\n${await starts(repo)}`],
        ['in the words of the skill', async () => 'Read .handoff/latest.md and continue.'],
      ] as [string, (repo: TempRepo) => Promise<string>][],
      2,
    ),
  )('is a session, and says whose goal it went on with, %s', async (_how, prompt) => {
    const { repo, id } = await withBrief()
    const now = (minutes: number) => new Date(NOW.getTime() + minutes * 60_000)
    const steps = [
      { user: await prompt(repo) },
      { read: '.handoff/latest.md' },
      { says: 'I take the lock out of the queue now, since two workers wait for each other.' },
      { write: 'src/queue.ts' },
      { bash: 'npm test', output: 'ok' },
      { says: 'The queue has no lock any more, and its tests pass.' },
      { user: 'Name the workers after their queue.' },
      { edit: 'src/queue.ts' },
      { says: 'Each worker has the name of its queue now.' },
    ]
    writeClaudeSession(repo, steps, { id: SESSION.replaceAll('1', '7'), end: now(20) })
    const goal = 'write the chapter about the limits of the queue'
    const argv = ['create', goal, '--json', '--no-notes']
    const { markdown, parents } = succeeded(await cli(repo, argv, { now: now(21) }))
    expect(parents ?? [id]).toEqual([id])
    expect(markdown).toContain(`- (went on with brief ${id})\n`)
    expect(markdown).not.toContain('(no request)')
    expect(markdown).not.toMatch(
      /"[^"\n]*(?:A handoff brief is open|Work was handed over|comes first; read it)/,
    )
  })

  byNight('and where that is its only prompt', async () => {
    const { repo } = await withBrief()
    const steps = [
      { user: 'Read .handoff/latest.md and continue.' },
      { read: '.handoff/latest.md' },
      { write: 'src/queue.ts' },
      { says: 'The queue has no lock any more.' },
    ]
    const id = SESSION.replaceAll('1', '7')
    writeClaudeSession(repo, steps, { id, end: new Date(NOW.getTime() + 20 * 60_000) })
    const argv = ['create', 'write the chapter about the limits', '--json', '--no-notes']
    const { markdown } = succeeded(await cli(repo, argv, { now: new Date(NOW.getTime() + 21 * 60_000) }))
    expect(markdown).toContain(`session: ${id}`)
    expect(markdown).toContain('> The queue has no lock any more.')
  })

  byNight('and where that is the only prompt of a plain transcript', async () => {
    const { repo, id } = await withBrief()
    const stdin = `## User

Read .handoff/latest.md and continue.

## Assistant

I take the lock out of the queue, since two workers wait for each other.

## Assistant

The queue has no lock any more, and its tests pass.
`
    const argv = ['create', 'write the chapter about the limits', '--session', '-', '--json']
    const { markdown, parents } = succeeded(await cli(repo, argv, { stdin }))
    expect(parents).toEqual([id])
    expect(markdown).toContain(`- (went on with brief ${id})\n`)
    expect(markdown).not.toContain('(no request)')
  })
})
