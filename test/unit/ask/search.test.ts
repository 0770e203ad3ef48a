import { describe, expect, it } from 'vitest'
import { clipQuote } from '../../../src/ask/answer.ts'
import { createSearch } from '../../../src/ask/search.ts'
import type { SessionEvent } from '../../../src/types/session.ts'

const stamp = { at: '2026-11-22T09:00:00.000Z', sub: null, cwd: null }
const prompt = (text: string): SessionEvent => ({ ...stamp, kind: 'prompt', text })
const reply = (text: string): SessionEvent => ({ ...stamp, kind: 'reply', text })
const run = (id: string, command: string, text: string): SessionEvent[] => [
  { ...stamp, kind: 'call', id, tool: 'Bash', by: 'agent', action: { type: 'run', command } },
  { ...stamp, kind: 'result', id, ok: true, exitCode: 0, text },
]

function ask(question: string, ...sources: SessionEvent[][]) {
  const search = createSearch(question)
  for (const source of sources) {
    search.begin()
    for (const event of source) search.add(event)
  }
  return search.hits(5)
}

describe('search', () => {
  it('finds the rarest words first, with turn, speaker and the lines around them', () => {
    const [hit] = ask('why was the mutex given up?', [
      prompt('Make the retry queue faster.'),
      reply('The queue works.'),
      prompt('And the lock?'),
      reply('First thought.\nI tried a mutex: it deadlocks under load.\nSo it is gone.\nUnrelated end.'),
      reply('The queue is faster now.'),
    ])
    expect(hit).toMatchObject({
      passage: { source: 0, turn: 2, who: 'agent', at: stamp.at },
      quote: 'First thought.\nI tried a mutex: it deadlocks under load.\nSo it is gone.\nUnrelated end.',
    })
  })

  it('shows what was said on the same matter last', () => {
    const [hit, ...others] = ask('which port does the proxy use', [
      prompt('The proxy listens on port 8080.'),
      reply('Proxy port 8080 it is.'),
      prompt('Something else entirely.'),
      prompt('I changed my mind: the proxy port is 9090.'),
    ])
    expect(hit?.passage.turn).toBe(1)
    expect(hit?.later).toMatchObject({
      passage: { turn: 3 },
      quote: 'I changed my mind: the proxy port is 9090.',
    })
    expect(others.every(({ passage }) => passage.turn !== 3)).toBe(true)
  })

  it('finds commands with what they printed, and never those of handoff itself', () => {
    const hits = ask('flaky migration', [
      prompt('go'),
      ...run('1', 'npm run migrate', 'migration 7 is flaky: lock timeout'),
      ...run('2', 'git handoff create "migration flaky"', 'migration flaky'),
    ])
    expect(hits).toHaveLength(1)
    expect(hits[0]).toMatchObject({
      passage: { who: 'command' },
      quote: expect.stringContaining('$ npm run migrate'),
    })
  })

  it('puts what was said before what commands printed, however often they print it', () => {
    const hits = ask('why cobra', [
      prompt('Which library reads the flags?'),
      reply('I would take cobra, because each subcommand gets its help from it.'),
      ...run('1', 'go build ./cobra', 'cobra cobra\ncobra: downloading cobra'),
    ])
    expect(hits.map(({ passage }) => passage.who)).toEqual(['agent', 'command'])
  })

  it('finds an assent by what it agrees to, and tells both', () => {
    const [hit] = ask('why cobra', [
      prompt('Which library reads the flags?'),
      reply('1. Keep flags by hand.\n2. Take cobra: each subcommand gets its help.\n\nWhich one?'),
      prompt('option 2'),
      reply('Done.'),
    ])
    expect(hit).toMatchObject({ passage: { who: 'user', turn: 2 }, quote: 'option 2' })
    expect(hit?.to).toContain('Take cobra: each subcommand gets its help.')
  })

  it('pairs each answer with its question and options, and finds a question that nobody answered', () => {
    const question = (text: string, options: string[]): SessionEvent => ({
      ...stamp,
      kind: 'question',
      id: 'q',
      text,
      options,
    })
    const answer = (text: string): SessionEvent => ({ ...stamp, kind: 'answer', id: 'q', text })
    const events = [
      prompt('go'),
      question('Where do the fixtures live?', ['beside the tests', 'in one folder']),
      question('Which port?', ['8080', '9090']),
      answer('in one folder'),
    ]
    expect(ask('fixtures', events)[0]).toMatchObject({
      passage: { who: 'user' },
      quote: 'in one folder',
      to: 'Where do the fixtures live?\n- beside the tests\n- in one folder',
    })
    expect(ask('which port', events)[0]).toMatchObject({ passage: { who: 'agent' }, to: null })
  })

  it('knows other forms of a word', () => {
    expect(ask('why was it mounted?', [reply('We give up mounts.')])).toHaveLength(1)
  })

  it('keeps sources apart and takes a later source for later', () => {
    const [hit] = ask(
      'cache eviction',
      [prompt('cache eviction is LRU')],
      [prompt('cache eviction is LFU now')],
    )
    expect(hit).toMatchObject({ passage: { source: 0 }, later: { passage: { source: 1, turn: 1 } } })
  })

  it('cuts a long line around the word that was found', () => {
    const [hit] = ask('needle', [reply(`${'hay '.repeat(200)}needle ${'hay '.repeat(200)}`)])
    const cut = clipQuote(hit?.quote ?? '', 'needle')
    expect(cut).toMatch(/^….*needle.*…$/)
    expect(cut.length).toBeLessThan(420)
    // Whole until secrets are replaced: half of one is not known for one.
    expect(hit?.quote.length).toBeGreaterThan(1600)
  })

  it('finds nothing for words that nobody said, or for a question without any', () => {
    expect(ask('kubernetes', [prompt('the queue')])).toEqual([])
    expect(ask('what is it?', [prompt('the queue is what it is')])).toEqual([])
  })

  it('stays small over thirty thousand passages that fit, and gives the same answer twice', () => {
    const many = Array.from({ length: 30_000 }, (_, i) =>
      reply(`queue number ${i}${i === 20_000 ? ' with a leak' : ''}`),
    )
    const one = ask('queue leak', many)
    expect(one[0]?.quote).toBe('queue number 20000 with a leak')
    expect(ask('queue leak', many)).toEqual(one)
  })
})
