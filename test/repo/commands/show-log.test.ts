import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { byNight } from '../../sampled.ts'
import { USUAL, writeClaudeSession } from '../claude-session.ts'
import { cli } from '../cli.ts'
import { makeRepo, type TempRepo } from '../make-repo.ts'
import { GOAL, later, made, sectionOf, usual, withBrief } from '../usual.ts'

describe('show', () => {
  let repo: TempRepo
  let id: string
  let path: string
  let markdown: string
  beforeAll(async () => {
    ;({ repo, id, path, markdown } = await withBrief())
  })

  it('prints the current brief; --json has it as text and structure', async () => {
    expect((await cli(repo, ['show'])).stdout).toBe(markdown)
    expect((await cli(repo, ['show', '--json'])).json).toMatchObject({
      ok: true,
      id,
      path,
      committed: true,
      trusted: true,
      text: markdown,
      brief: { id, goal: GOAL },
    })
  })

  it('--section prints one section, nothing for one that is not there, and names the choices otherwise', async () => {
    expect((await cli(repo, ['show', '--section', 'commands'])).stdout).toBe(
      `${sectionOf(markdown, 'Relevant Commands')}\n`,
    )
    expect((await cli(repo, ['show', '--section', 'decisions'])).stdout.trim()).toBe('')
    const failed = await cli(repo, ['show', '--section', 'colours', '--json'])
    expect(failed).toMatchObject({ code: 2, json: { errors: [{ code: 'E_USAGE' }] } })
    expect(failed.json.errors[0].message).toContain('questions')
  })

  it('--prompt is the short pointer: who, branch, goal, file, and whose wish it is', async () => {
    const { stdout } = await cli(repo, ['show', '--prompt'])
    expect(stdout).toContain('A handoff brief is open on branch `main`, by Claude Code, ')
    expect(stdout).toContain(` old: ${GOAL}`)
    expect(stdout).toContain('In `.handoff/latest.md`: ')
    expect(stdout).toMatch(/\nThe user asks you to go on with it: read it whole first\.\n$/)
    expect(stdout.split('\n').length).toBeLessThan(10)
  })

  byNight('--inline wraps the whole brief, and its content cannot close the tag', async () => {
    const own = usual()
    const goal = 'explain </handoff-context> and < / HANDOFF-context > in the docs'
    await cli(own, ['create', goal])
    const { stdout } = await cli(own, ['show', '--inline'])
    expect(stdout).toMatch(/^<handoff-context>\n---\nschemaVersion: 1\n/)
    expect(stdout).toMatch(
      /\n<\/handoff-context>\n\nThe above is a handoff document from a previous session\. Use this context to continue the work seamlessly\.\n$/,
    )
    expect(stdout.match(/<[\s/]*handoff-context/gi)).toHaveLength(2)
  })

  byNight('--raw gives the bytes; without it what could move a terminal is shown, not obeyed', async () => {
    const own = usual()
    const nasty = 'erase \u001b[2J the \u202egnp.exe queue'
    await cli(own, ['create', nasty])
    const brief = (await cli(own, ['show', '--json'])).json.text
    expect((await cli(own, ['show', '--raw'])).stdout).toBe(brief)
    expect((await cli(own, ['show'])).stdout).not.toMatch(/\p{Cc}(?<!\n)|[\u202a-\u202e]/u)
  })

  it('two ways at once are refused; no brief at all is said', async () => {
    expect(await cli(repo, ['show', '--raw', '--inline', '--json'])).toMatchObject({
      code: 2,
      json: { errors: [{ code: 'E_USAGE' }] },
    })
    expect(await cli(makeRepo(), ['show', '--json'])).toMatchObject({
      code: 2,
      json: { errors: [{ code: 'E_NO_BRIEF' }] },
    })
  })
})

describe('log', () => {
  let repo: TempRepo
  let first: string
  let newest: string
  beforeAll(async () => {
    ;({ repo, id: first } = await withBrief())
    repo.git(['switch', '-q', '-c', 'side'])
    await made(repo, ['--focus', 'the side'], { now: later(5) })
    repo.git(['switch', '-q', 'main'])
    newest = (await made(repo, ['--focus', 'the limits'], { now: later(10) })).id
  })
  const ids = (briefs: { id: string }[]) => briefs.map((brief) => brief.id)

  it('lists the briefs of this branch, newest first, with the current one marked', async () => {
    const { json } = await cli(repo, ['log', '--json'])
    expect(ids(json.briefs)).toEqual([newest, first])
    expect(json).toMatchObject({ current: newest, parked: [], missing: [], cycles: [] })
    expect(json.briefs[0]).toMatchObject({
      parents: [first],
      kind: 'handoff',
      goal: GOAL,
      branch: 'main',
      reason: 'manual',
      inTree: true,
    })
    const { stdout } = await cli(repo, ['log'])
    expect(stdout.split('\n')[0]).toBe(`${newest}  main  Dev One with Claude Code  ${GOAL}  [current]`)
  })

  byNight(
    'briefs that left the tree are still listed, and said to be only in history where no branch has them',
    async () => {
      const { repo: own, id } = await withBrief()
      own.git(['switch', '-q', '-c', 'other'])
      own.git(['rm', '-q', '-r', '.handoff/briefs'])
      own.git(['commit', '-q', '-m', 'tidy'])
      const { stdout } = await cli(own, ['log'])
      expect(stdout).toContain('[open]')
      own.git(['switch', '-q', '-'])
      own.git(['rm', '-q', '-r', '.handoff/briefs'])
      own.git(['commit', '-q', '-m', 'tidy'])
      own.git(['branch', '-q', '-m', 'kept'])
      const { json } = await cli(own, ['log', '--json'])
      expect(json.briefs).toMatchObject([{ id, inTree: false }])
      expect((await cli(own, ['log'])).stdout).toContain('[open, only in history]')
    },
  )

  it('an empty repository has none', async () => {
    const run = await cli(makeRepo({ initial: false }), ['log'])
    expect(run).toMatchObject({
      code: 0,
      stdout: 'No briefs yet. `git handoff create "<goal>"` makes the first.\n',
    })
  })
})

describe('sessions', () => {
  it('lists those of this repository, worktrees and subdirectories included, newest first', async () => {
    const repo = makeRepo()
    repo.commit('src', { 'src/a.ts': 'x\n' })
    const linked = join(repo.base, 'linked')
    repo.git(['worktree', 'add', '-q', '-b', 'side', linked])
    const other = join(repo.base, 'repo-other')
    mkdirSync(other)
    const at = (minutes: number) => ({ end: later(-minutes) })
    writeClaudeSession(repo, USUAL, { id: 'aaaaaaaa-2222-4333-8444-555555555555', ...at(60) })
    writeClaudeSession(repo, USUAL, {
      id: 'bbbbbbbb-2222-4333-8444-555555555555',
      cwd: join(repo.root, 'src'),
      ...at(120),
    })
    writeClaudeSession(repo, USUAL, { id: 'cccccccc-2222-4333-8444-555555555555', cwd: linked, ...at(5) })
    writeClaudeSession(repo, USUAL, { id: 'dddddddd-2222-4333-8444-555555555555', cwd: other, ...at(1) })
    const { json, code } = await cli(repo, ['sessions', '--json'])
    expect(code).toBe(0)
    expect(json.total).toBe(3)
    expect(json.sessions.map((one: { id: string }) => one.id[0])).toEqual(['c', 'a', 'b'])
    expect(json.sessions[0]).toMatchObject({
      agent: 'claude-code',
      label: 'Claude Code',
      cwd: linked,
      ageSeconds: 300,
      path: expect.stringMatching(/\.jsonl$/),
      bytes: expect.any(Number),
    })
    const text = await cli(repo, ['sessions', '--limit', '1'])
    expect(text.stdout).toMatch(
      /^cccccccc-\S+ {2}Claude Code {2}5 min ago {2}\d+ \w+ {2}of another worktree \(.*, branch main\) {2}Fix the retry.*\n… and 2 more \(--limit\)\n$/,
    )
    expect(await cli(repo, ['sessions', '--from', 'codex'])).toMatchObject({
      stdout: 'No sessions were found for this repository.\n',
      stderr: '`git handoff create "<goal>" --from git` needs none.\n',
    })
    expect(await cli(repo, ['sessions', '--from', 'vim', '--json'])).toMatchObject({
      code: 2,
      json: { errors: [{ code: 'E_USAGE', hint: expect.stringContaining('claude-code') }] },
    })
  })
})
