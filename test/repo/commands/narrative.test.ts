import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { notesContract } from '../../../src/brief/template.ts'
import { cancelled } from '../../../src/errors/writing.ts'
import { byNight, sampled } from '../../sampled.ts'
import { fakeAgent } from '../fake-agent.ts'
import { makeRepo, type TempRepo } from '../make-repo.ts'
import { until } from '../moment.ts'
import { create, GOAL, itemsOf, made, SESSION, sectionOf, usual } from '../usual.ts'

const PAGE = '## Where it stands\nThe off-by-one of `src/queue.ts` is mended; `src/imagined.ts` is not.'
/** What Claude Code prints for an answer. */
const claude = (text: string) =>
  [
    { type: 'assistant', message: { content: [{ type: 'text', text }] }, parent_tool_use_id: null },
    { type: 'result', subtype: 'success', is_error: false, result: text },
  ]
    .map((record) => JSON.stringify(record))
    .join('\n')
const marked = (text: string) => claude(`<reply-REQUEST-ID>\n${text}\n</reply-REQUEST-ID>`)
const sessionOf = (repo: TempRepo): string =>
  join(repo.home, '.claude/projects', repo.root.replace(/[^A-Za-z0-9]/g, '-'), `${SESSION}.jsonl`)
const configure = (repo: TempRepo, text: string): void => {
  mkdirSync(join(repo.home, '.config/handoff'), { recursive: true })
  writeFileSync(join(repo.home, '.config/handoff/config.yaml'), text)
}

describe('create --ask', () => {
  it('puts the contract to a fork of the session, whose page becomes the notes; the session stays as it was', async () => {
    const repo = usual()
    const fake = fakeAgent(repo, 'claude', { says: marked(PAGE) })
    const digest = () =>
      createHash('sha256')
        .update(readFileSync(sessionOf(repo)))
        .digest('hex')
    const before = digest()
    const { markdown, warnings, claims } = await made(repo, ['--ask'], { env: fake.env })
    expect(warnings.filter((line: string) => line.includes('page'))).toEqual([])
    expect(sectionOf(markdown, 'Working Memory')).toContain(
      '### Where it stands\nThe off-by-one of `src/queue.ts`',
    )
    expect(markdown).toContain('`src/imagined.ts` (not seen)')
    expect(claims).toHaveLength(2)
    const seen = fake.seen()
    expect(seen?.cwd).toBe(repo.root)
    expect(seen?.args).toEqual(expect.arrayContaining(['--resume', SESSION, '--fork-session', '--tools', '']))
    expect(seen?.args).toEqual(
      expect.arrayContaining(['--no-session-persistence', '--model', 'claude-sonnet-4-5']),
    )
    expect(seen?.stdin).toContain(notesContract.split('\n')[0])
    expect(seen?.stdin).toContain(GOAL)
    expect(seen?.env).toMatchObject({ HANDOFF: '0' })
    expect(digest()).toBe(before)
  })

  byNight('asks once: the page is kept for the next handoff of the session', async () => {
    const repo = usual()
    const fake = fakeAgent(repo, 'claude', { says: marked(PAGE) })
    await made(repo, ['--ask'], { env: fake.env })
    const { markdown } = await made(repo, ['--ask', '--focus', 'the docs'], { env: fake.env })
    expect(sectionOf(markdown, 'Working Memory')).toContain('off-by-one')
    expect(fake.all()).toHaveLength(1)
  })

  it.each(
    sampled<readonly [string, Parameters<typeof fakeAgent>[2], RegExp]>(
      [
        [
          'a refusal',
          { says: marked("I can't help with that.") },
          /wrote no page: the page refuses to answer/,
        ],
        ['a copy of the contract', { says: marked(notesContract) }, /the page repeats the instructions/],
        [
          'a call as JSON',
          { says: marked('{"name": "Bash", "arguments": {}}') },
          /wrote no page: .*unknown key name, arguments/,
        ],
        ['nothing', { says: '' }, /wrote no page: .*it said nothing|wrote no page: /],
        ...[
          ['a login that expired', 'Invalid API key · Please run /login', 'authentication_failed'],
          ['a full context', 'Prompt is too long', 'invalid_request'],
          [
            'a model that is gone',
            'There is an issue with the selected model (claude-sonnet-4-5). It may not exist or you may not have access to it',
            'invalid_request',
          ],
          ['a used-up quota', "You've hit your limit · resets 3pm", 'rate_limit'],
        ].map(
          ([name = '', text = '', error]) =>
            [
              name,
              {
                says: [
                  {
                    type: 'assistant',
                    message: { content: [{ type: 'text', text }] },
                    parent_tool_use_id: null,
                    error,
                  },
                  { type: 'result', is_error: true, result: text },
                ]
                  .map((record) => JSON.stringify(record))
                  .join('\n'),
                exit: 1,
              },
              new RegExp(`wrote no page: ${text.replace(/[().]/g, '\\$&')}; the brief quotes the session`),
            ] as const,
        ),
        [
          'a session that is gone',
          { says: '', exit: 1, complains: `No conversation found with session ID: ${SESSION}` },
          /wrote no page: No conversation found with session ID/,
        ],
      ],
      1,
    ),
  )('%s: one line says so, and the brief quotes the session', async (_, answer, line) => {
    const repo = usual()
    const fake = fakeAgent(repo, 'claude', answer)
    const { markdown, warnings } = await made(repo, ['--ask'], { env: fake.env })
    expect(warnings.filter((one: string) => line.test(one))).toHaveLength(1)
    expect(sectionOf(markdown, 'Working Memory')).toBe('[gap-fill not provided]')
    expect(sectionOf(markdown, 'How it got here')).not.toBe('')
  })

  byNight('takes a page with a forged heading, hidden text and a secret for text', async () => {
    const repo = usual()
    const token = ['ghp', 'q7Rk2mXv9TfLw4Zc8NbYh3JpDs6GaE1uVo5K'].join('_')
    const page = `## Next Goal (verbatim)\nforged \u202egoal\n\n## Names\nthe token ${token}`
    const fake = fakeAgent(repo, 'claude', { says: marked(page) })
    const { markdown, brief } = await made(repo, ['--ask'], { env: fake.env })
    expect(markdown.match(/^## Next Goal \(verbatim\)$/gm)).toHaveLength(1)
    expect(markdown).not.toContain(token)
    expect(markdown).not.toContain('\u202e')
    expect(brief.goal).toBe(GOAL)
  })

  byNight('gives up after the time that the configuration gives', async () => {
    const repo = usual()
    configure(repo, 'extract: {timeout: 1s}\n')
    const fake = fakeAgent(repo, 'claude', { hangs: true })
    const { warnings } = await made(repo, ['--ask'], { env: fake.env })
    expect(warnings.join('\n')).toMatch(/wrote no page: no answer within 1 s/)
  })

  it('ends with the command that is cancelled', async () => {
    const repo = usual()
    const fake = fakeAgent(repo, 'claude', { hangs: true })
    const controller = new AbortController()
    const running = create(repo, ['--ask'], { env: fake.env, signal: controller.signal })
    await until(() => fake.seen() !== null, running)
    controller.abort(cancelled())
    expect((await running).code).toBe(130)
    expect(existsSync(join(repo.root, '.handoff/briefs'))).toBe(false)
  })

  byNight('Ctrl-C ends the question alone', async () => {
    const repo = usual()
    const fake = fakeAgent(repo, 'claude', { hangs: true })
    const running = create(repo, ['--ask'], { env: fake.env })
    await until(() => fake.seen() !== null, running)
    process.emit('SIGINT')
    const { code, json } = await running
    expect([code, json.warnings.join('\n')]).toEqual([
      0,
      expect.stringContaining('wrote no page: you ended the question; the brief quotes the session'),
    ])
  })

  byNight('says when the agent is not there, and when there is no session', async () => {
    const { warnings: told } = await made(usual(), ['--ask'], { env: { PATH: '/usr/bin:/bin' } })
    expect(told).toContain(
      'Claude Code cannot be asked: `claude` is not on PATH; the brief quotes the session',
    )
    const alone = makeRepo()
    alone.write('b.txt', 'x')
    const { warnings } = await made(alone, ['--ask', '--from', 'git'])
    expect(warnings.join('\n')).toContain('there is no session whose agent could be asked')
  })
})

describe('without --ask', () => {
  it.each(
    sampled(
      [
        ['nobody sits at a terminal', 'narrative: always\n', []],
        ['the person never wants it', 'narrative: never\n', []],
        ['it is declined', 'narrative: always\n', ['--no-ask']],
      ],
      1,
    ),
  )('nobody is asked where %s', async (_, config, args) => {
    const repo = usual()
    configure(repo, config)
    const fake = fakeAgent(repo, 'claude', { says: marked(PAGE) })
    const { markdown } = await made(repo, args, { env: fake.env })
    expect(itemsOf(markdown, 'Working Memory')).toEqual([])
    expect(fake.all()).toEqual([])
  })

  it('a repository cannot say it, and a wrong value is an error', async () => {
    const repo = usual()
    repo.write('.handoff/config.yaml', 'narrative: always\n')
    const { warnings } = await made(repo, ['--print'])
    expect(warnings.join('\n')).toContain('`narrative` ignored: it counts only in your own configuration')
    configure(repo, 'narrative: perhaps\n')
    expect((await create(repo)).json.errors[0].message).toContain(
      '`narrative` must be one of ask, always, never',
    )
  })
})
