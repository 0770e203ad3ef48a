import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { byNight } from '../../sampled.ts'
import { type Step, USUAL, writeClaudeSession } from '../claude-session.ts'
import { cli } from '../cli.ts'
import { makeRepo, writeOwn } from '../make-repo.ts'
import { itemsOf, later, made, printed, usual } from '../usual.ts'

/** The row Claude Code 2.1 writes for a slash command. */
const slash = (name: string, args = ''): Step => ({
  raw: {
    type: 'user',
    message: {
      role: 'user',
      content: `<command-message>${name} is running</command-message>\n<command-name>/${name}</command-name>\n<command-args>${args}</command-args>`,
    },
  },
})
const prior = (markdown: string): string[] =>
  itemsOf(markdown, 'Status').flatMap((line) => /^- Session: .*, (prior skill [^,]+)/.exec(line)?.[1] ?? [])

describe('skills are read', () => {
  it('Claude Code: Skill calls and slash rows, in order; the last is marked; /handoff never counts', async () => {
    const repo = usual()
    writeClaudeSession(repo, [
      slash('brainstorm', 'the queue'),
      ...USUAL,
      { skill: 'test-first' },
      slash('review'),
      { says: 'Reviewed.' },
      slash('handoff', 'finish it'),
      { skill: 'handoff' },
    ])
    const { brief, markdown } = await printed(repo)
    expect(brief.skills).toEqual(['brainstorm', 'test-first', 'review'])
    expect(prior(markdown)).toEqual(['prior skill review'])
    expect(markdown).toMatch(/\n {2}skills:\n {4}- brainstorm\n {4}- test-first\n {4}- review\n/)
  })

  it.each([['pi', 'skill-attached-file-parallel-calls-escape-0.74', 'session.jsonl']])(
    '%s: as its own client wrote them',
    async (agent, fixture, file) => {
      const repo = makeRepo()
      const folder = join(import.meta.dirname, '../../fixtures/agents', agent, fixture)
      const { events } = JSON.parse(readFileSync(join(folder, 'events.json'), 'utf8')) as {
        events: { kind: string; name?: string }[]
      }
      const names = events.filter((event) => event.kind === 'skill').map((event) => event.name)
      expect(names.length).toBeGreaterThan(0)
      const path = join(repo.base, file)
      cpSync(join(folder, file), path)
      const { brief, session } = await printed(repo, ['--session', path])
      expect(session.agent).toBe(agent)
      expect(brief.skills).toEqual([...new Set(names)])
    },
  )

  byNight('are inherited along the chain, those of the persona too, new ones last', async () => {
    const repo = usual()
    writeOwn(repo, 'config.yaml', 'personas:\n  tester: {agent: codex, skills: [audit, review]}\n')
    writeClaudeSession(repo, [slash('brainstorm'), slash('review'), ...USUAL])
    const first = await made(repo, ['--persona', 'architect', '--skill', 'release-notes'])
    expect(first.brief).toMatchObject({
      persona: 'architect',
      skills: ['brainstorm', 'review', 'release-notes'],
    })
    writeClaudeSession(repo, [...USUAL, slash('brainstorm'), { says: 'Thought about it.' }], {
      id: 'aaaaaaaa-2222-4333-8444-555555555555',
      end: later(60),
    })
    const second = await made(repo, ['--session', 'aaaaaaaa'], { now: later(61) })
    expect(second.brief).toMatchObject({ parents: [first.id], persona: 'architect' })
    expect(second.brief.skills).toEqual(['review', 'release-notes', 'brainstorm'])
    expect(prior(second.markdown)).toEqual(['prior skill brainstorm'])
    const third = await made(repo, ['--session', 'aaaaaaaa', '--persona', 'tester', '--print'], {
      now: later(70),
    })
    expect(third.brief.persona).toBe('tester')
    expect(third.brief.skills).toEqual(expect.arrayContaining(['audit', 'review']))
  })

  it('Codex: $skill rows', async () => {
    const repo = makeRepo()
    const folder = join(repo.home, '.codex/sessions/2026/11/22')
    mkdirSync(folder, { recursive: true })
    const id = '019aab00-0000-7000-8000-000000000001'
    const row = (type: string, payload: object, at: number) =>
      JSON.stringify({ timestamp: later(at - 10).toISOString(), type, payload })
    const typed = (message: string, at: number) => row('event_msg', { type: 'user_message', message }, at)
    const written = (text: string, at: number) =>
      row('response_item', { type: 'message', role: 'user', content: [{ type: 'input_text', text }] }, at)
    writeFileSync(
      join(folder, `rollout-2026-11-22T09-50-00-${id}.jsonl`),
      `${[
        row(
          'session_meta',
          {
            id,
            timestamp: later(-10).toISOString(),
            cwd: repo.root,
            originator: 'codex_cli_rs',
            cli_version: '0.169.0',
            source: 'cli',
          },
          0,
        ),
        typed('Port the retry queue with $test-first, please.', 1),
        written(
          '<skill>\n<name>test-first</name>\n<path>/x/SKILL.md</path>\nWrite the test first.\n</skill>',
          1,
        ),
        row('event_msg', { type: 'agent_message', message: 'Ported.' }, 2),
        typed('$handoff finish it', 3),
        written('<skill>\n<name>handoff</name>\n<path>/x/SKILL.md</path>\nHand over.\n</skill>', 3),
      ].join('\n')}\n`,
    )
    const { brief, session, markdown } = await printed(repo)
    expect(session).toMatchObject({ agent: 'codex', id })
    expect(brief.skills).toEqual(['test-first'])
    expect(markdown).not.toContain('Write the test first.')
    expect((await cli(repo, ['sessions', '--json'])).json.sessions).toMatchObject([{ id, agent: 'codex' }])
  })
})
