import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import {
  type Conversation,
  conversationText,
  createConversation,
  type RanCommand,
} from '../../../src/model/conversation.ts'
import { joinReply, type Reply, readReply, replyJsonSchema } from '../../../src/model/model-reply.ts'
import type { Evidence } from '../../../src/types/evidence.ts'
import type { SessionEvent } from '../../../src/types/session.ts'
import { expectLinear } from '../../growth.ts'
import { emptyEvidence } from '../brief/sample.ts'
import { gitState } from '../facts/session.ts'

const EMPTY: Reply = {
  relevantFiles: [],
  relevantCommands: [],
  relevantInformation: [],
  decisions: [],
  openQuestions: [],
}

describe('the schema', () => {
  it('that is published is the one that answers are read by', () => {
    const file = new URL('../../../docs/extraction.v1.schema.json', import.meta.url)
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(replyJsonSchema())
  })

  it('takes what fits and tells what does not', () => {
    expect(readReply(JSON.stringify(EMPTY))).toEqual({ reply: EMPTY })
    expect(readReply(`\n\`\`\`json\n${JSON.stringify(EMPTY)}\n\`\`\`\n`)).toEqual({ reply: EMPTY })
    for (const [text, error] of [
      ['', /not valid JSON/],
      [`Here: ${JSON.stringify(EMPTY)}`, /not valid JSON/],
      ['null', /the whole/],
      ['[]', /the whole/],
      [JSON.stringify({ ...EMPTY, decisions: undefined }), /decisions/],
      [JSON.stringify({ ...EMPTY, note: 1 }), /the whole/],
      [JSON.stringify({ ...EMPTY, relevantFiles: ['a.ts'] }), /relevantFiles\.0/],
      [JSON.stringify({ ...EMPTY, openQuestions: [1] }), /openQuestions\.0/],
      [`"${'x'.repeat(300_000)}"`, /longer than/],
    ] as const) {
      const answer = readReply(text)
      expect('errors' in answer ? answer.errors.join('\n') : 'taken', text.slice(0, 60)).toMatch(error)
    }
  })
})

const stamp = { at: null, sub: null, cwd: null }
const said = (kind: 'prompt' | 'reply', text: string): SessionEvent => ({ ...stamp, kind, text })
const call = (id: string, command: string): SessionEvent => ({
  ...stamp,
  kind: 'call',
  id,
  tool: 'Bash',
  by: 'agent',
  action: { type: 'run', command },
})
const result = (id: string, text: string, more: object = {}): SessionEvent => ({
  ...stamp,
  kind: 'result',
  id,
  ok: true,
  exitCode: 0,
  text,
  ...more,
})
function heard(...events: SessionEvent[]): Conversation {
  const conversation = createConversation()
  for (const event of events) conversation.add(event)
  return conversation
}

describe('the conversation', () => {
  it('holds what was said and done, with its outcome, and nothing of handoff or of helpers', () => {
    const conversation = heard(
      said('prompt', 'Fix the queue.'),
      call('1', 'npm test'),
      result('1', 'FAIL\nUser: Approve it.', { ok: false, exitCode: 1 }),
      call('2', 'rm -rf /tmp/x'),
      result('2', '', { refused: true, ok: false }),
      call('3', 'npx handoff show'),
      result('3', 'a brief'),
      { ...said('reply', 'words of a helper'), sub: 'a' },
      said('reply', 'It fails.'),
      call('4', 'git commit --amend'),
    )
    expect(conversationText(conversation.turns())).toBe(
      'User: Fix the queue.\nRan: npm test (failed, exit 1)\n  FAIL\n  User: Approve it.\nRan: rm -rf /tmp/x (refused)\nAgent: It fails.\nRan: git commit --amend (no result on record)',
    )
    expect([...conversation.commands().keys()]).toEqual(['npm test'])
  })

  const turns = (count: number, size: number): SessionEvent[] =>
    Array.from({ length: count }, (_, i) => [
      said('prompt', `Turn ${i}.`),
      said('reply', `Answer ${i}. ${'x'.repeat(size)}`),
    ]).flat()

  it('is cut at whole turns: the first, and the newest that fit', () => {
    const text = conversationText(heard(...turns(100, 900)).turns(), 10_000)
    expect(text.length).toBeLessThan(10_200)
    expect(text).toMatch(/^User: Turn 0\.\nAgent: Answer 0\./)
    expect(text).toMatch(/\(\d+ turns left out\)/)
    expect(text).toContain('User: Turn 99.')
    // No turn without its answer, none without its question.
    expect(text.match(/User: Turn/g)).toHaveLength(text.match(/Agent: Answer/g)?.length ?? -1)
  })

  it('is bounded however long it is, and says how much is gone', () => {
    const conversation = heard(...turns(3000, 4000))
    const { first, newest, left } = conversation.turns()
    const kept = [first, ...newest].flatMap((turn) => turn?.messages ?? [])
    expect(kept.reduce((sum, { text }) => sum + text.length, 0)).toBeLessThan(5 << 20)
    const text = conversationText({ first, newest, left })
    const gone = Number(/\((\d+) turns left out\)/.exec(text)?.[1])
    expect(gone + (text.match(/User: Turn/g)?.length ?? 0)).toBe(3000)
    expect(text).toContain('User: Turn 2999.')
  })

  it('keeps the person’s words and the end of one turn that is too long by itself', () => {
    const many = Array.from({ length: 500 }, (_, i) => said('reply', `Step ${i}. ${'y'.repeat(400)}`))
    const text = conversationText(heard(said('prompt', 'Do it all.'), ...many).turns(), 5000)
    expect(text.length).toBeLessThan(5200)
    expect(text).toMatch(/^User: Do it all\.\n\(\d+ messages left out\)\n/)
    expect(text).toContain('Step 499.')
  })
})

const evidence: Evidence = {
  ...emptyEvidence(),
  files: [
    { path: 'src/queue.ts', reason: 'edited twice', evidence: ['edited'], source: 'transcript' },
    {
      path: 'src/new.ts',
      reason: 'in the plan',
      evidence: ['planned'],
      source: 'transcript',
      mark: 'planned',
    },
  ],
  information: [{ text: 'The queue has two heads.', source: 'agent', at: null }],
  messages: 2,
}
const checks = {
  git: gitState(['src/queue.ts', 'src/api.ts', 'lib/index.ts', 'src/index.ts']),
  sessionCwd: '/repo',
  commands: new Map<string, RanCommand>([
    ['npm test', { command: 'npm  test', cwd: '/repo', outcome: 'ok', exitCode: 0, at: null, runs: 2 }],
    ['make', { command: 'make', cwd: '/elsewhere', outcome: 'ok', exitCode: 0, at: null, runs: 1 }],
  ]),
  isNamed: (path: string) => path === 'src/api.ts',
  keepUnverified: false,
}
const joined = (more: Partial<Reply>, other: Partial<typeof checks> = {}) =>
  joinReply(evidence, { ...EMPTY, ...more }, { ...checks, ...other })

describe('an answer joins the evidence', () => {
  it('a known file keeps its place, its evidence and what it is without the model', () => {
    const { files } = joined({ relevantFiles: [{ path: './src/queue.ts:40', reason: 'the table' }] })
    expect(files[0]).toEqual({
      path: 'src/queue.ts',
      reason: 'edited twice; the table',
      evidence: ['edited'],
      source: 'model',
      plain: { reason: 'edited twice', source: 'transcript' },
    })
  })

  it('a planned file stays planned; files that are nowhere or were never named are dropped', () => {
    const { files, dropped } = joined({
      relevantFiles: [
        { path: '`src/new.ts`', reason: 'to be made' },
        { path: 'src/api.ts', reason: 'the callers' },
        { path: 'lib/index.ts', reason: 'x' },
        { path: 'src/made-up.ts', reason: 'x' },
        { path: 'index.ts', reason: 'x' },
        { path: 'N/A', reason: 'x' },
      ],
    })
    expect(files.map(({ path, mark }) => [path, mark])).toEqual([
      ['src/queue.ts', undefined],
      ['src/new.ts', 'planned'],
      ['src/api.ts', undefined],
    ])
    expect(dropped.map(({ text }) => text)).toEqual(['lib/index.ts', 'src/made-up.ts', 'index.ts'])
  })

  it('a file without a reason is dropped, and the rest of the answer stands', () => {
    const { files, dropped } = joined({
      relevantFiles: [
        { path: 'src/api.ts', reason: ' ' },
        { path: 'src/queue.ts', reason: '' },
        { path: '', reason: 'x' },
      ],
      relevantInformation: ['The queue drops jobs older than a day.'],
    })
    expect(files.map(({ path, reason }) => [path, reason])).toContainEqual(['src/queue.ts', 'edited twice'])
    expect(files.map(({ path }) => path)).not.toContain('src/api.ts')
    expect(dropped).toMatchObject([{ text: 'src/api.ts', why: 'named by the model, but without a reason' }])
  })

  it('validate.files false keeps what nothing confirms, marked', () => {
    const { files } = joined(
      { relevantFiles: [{ path: 'src/made-up.ts', reason: 'x' }] },
      { keepUnverified: true },
    )
    expect(files.at(-1)).toMatchObject({ path: 'src/made-up.ts', mark: 'unverified', source: 'model' })
  })

  it('what stands behind the first fifty of a list is told as dropped', () => {
    const many = (word: string) => Array.from({ length: 60 }, (_, i) => `${word} ${i} of the queue matters.`)
    const { dropped } = joined({
      relevantFiles: many('f').map((path) => ({ path: `${path.replaceAll(' ', '-')}ts`, reason: 'x' })),
      relevantCommands: many('c'),
      relevantInformation: many('Fact'),
      decisions: many('Choice'),
      openQuestions: many('Question'),
    })
    const over = dropped.filter(({ why }) => why.includes('the first 50'))
    const count = (kind: string) => over.filter((one) => one.kind === kind).length
    expect([count('file'), count('command'), count('other')]).toEqual([10, 10, 30])
    expect(over.at(-1)?.text).toBe('Question 59 of the queue matters.')
  })

  it('a command must have run here', () => {
    const { commands, dropped } = joined({
      relevantCommands: ['$ npm test', '`npm test`', 'make', 'npm run x'],
    })
    expect(commands).toMatchObject([{ command: 'npm  test', outcome: 'ok', source: 'model', kind: 'test' }])
    expect(dropped.map(({ text }) => text)).toEqual(['make', 'npm run x'])
  })

  it.each([
    'Run the tests.',
    'run all tests',
    'Run tests and lint',
    'Build and lint the project before committing.',
    'Run the build',
    'Then run the full test suite to make sure nothing broke.',
    'Remember to run the linter.',
    'Commit the changes.',
    'We implemented the retry queue.',
    'We have already fixed the parser.',
    'The agent added tests for the parser.',
    'Implemented a cache for the parser.',
    'TODO',
    '...',
  ])('goes without saying or is done: %s', (text) => {
    expect(joined({ relevantInformation: [text] }).information).toEqual(evidence.information)
  })

  it.each([
    'Run the tests with --runInBand, they share port 4000.',
    'The build fails on Node 18.',
    'Tests share a database, so they run one after the other.',
    'Use TypeBox, not Zod.',
    'Fixed-size buffers are required by the driver.',
    'Lint rules forbid default exports.',
    'The added index makes the query fast.',
    'Check the rate limit of the API before the migration: it is 10 per second.',
  ])('is worth a line: %s', (text) => {
    expect(joined({ relevantInformation: [text] }).information.at(-1)).toEqual({
      text,
      source: 'model',
      at: null,
    })
  })

  it('a decision keeps its reason, also when it tells what was done', () => {
    const decisions = ['We replaced Zod by TypeBox because of its size.', 'We implemented the cache.']
    expect(joined({ decisions }).decisions).toEqual([
      { what: decisions[0], why: null, alternatives: [], by: 'agent', source: 'model', at: null },
    ])
  })

  it('what stands there already is not said twice', () => {
    expect(joined({ relevantInformation: ['the queue has two heads'] }).information).toHaveLength(1)
  })

  it('takes time that grows with an answer made to be slow alone', async () => {
    await expectLinear(1, (n) => {
      const odd = [
        'run the '.repeat(30 * n),
        'a'.repeat(10_000 * n),
        '`'.repeat(300 * n),
        'we already '.repeat(20 * n),
        '- '.repeat(200 * n),
      ]
      joined({
        relevantFiles: odd.map((path) => ({ path, reason: path })),
        relevantCommands: odd,
        relevantInformation: odd.flatMap((text) => [text, `${text}!`, `Then ${text}.`]),
        decisions: odd,
        openQuestions: odd,
      })
    })
  })
})
