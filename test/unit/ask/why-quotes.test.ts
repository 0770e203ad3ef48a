import { describe, expect, it } from 'vitest'
import { type Matter, quotesOn } from '../../../src/ask/why-quotes.ts'

const HEADINGS = {
  decisions: 'Key Decisions',
  constraints: 'Constraints & Preferences',
  trail: 'How it got here',
  closing: 'Where it stands',
} as const

type Sections = Partial<Record<keyof typeof HEADINGS, readonly string[]>>

const SHA = '1a2b3c4d5e6f'.padEnd(40, '0')
const usual: Matter = {
  paths: ['src/queue.ts'],
  tracked: ['src/queue.ts', 'src/poller.ts', 'README.md', 'docs/README.md'],
  line: 'export const maxEntries = 100',
  file: 'export const maxEntries = 100\n',
  subject: 'Bound the retry queue',
  isGuess: false,
}

const NEWS = 'The poller gets killed above that, since its worker sleeps beyond midnight.'

/** What is quoted of a brief with these sections, and how close that is. */
function quoted(sections: Sections, matter: Partial<Matter> = {}) {
  const brief = {
    ...{ id: 'one', as: SHA },
    parsed: {
      sections: Object.entries(sections).map(([id, lines]) => ({
        ...{ id, heading: HEADINGS[id as keyof typeof HEADINGS] },
        lines: lines.map((text) => ({ text, fenced: false })),
      })),
    },
  }
  return quotesOn([brief], { ...usual, ...matter })
}

/** How close one decision of these words is to the line. */
const closeness = (words: string, matter: Partial<Matter> = {}) =>
  quoted({ decisions: [`- ${words}`] }, matter)[0]?.about ?? null

describe('what counts as words on a line', () => {
  it('is a name that the line has', () => {
    expect(closeness('We keep maxEntries small, the poller is slow.')).toBe('name')
    expect(closeness('The margin is `-mx-6`.', { line: '<p class="a -mx-6">', file: '' })).toBe('name')
    expect(closeness('The margin is `-mx-6`.', { line: '<p class="-mx-60">', file: '' })).toBeNull()
    expect(closeness('It is `export` that decides.')).toBeNull()
    expect(closeness('It is `git-sync` that decides.', { line: 'git-sync', file: '' })).toBeNull()
  })

  it('is for certain where they tell of its commit, too', () => {
    expect(closeness('The retry queue is bounded by maxEntries.')).toBe('line')
    const trail = ['- "Bound the retry queue."', '  - maxEntries is 100.']
    expect(quoted({ trail })).toMatchObject([{ about: 'line', request: '"Bound the retry queue."' }])
  })

  it('is the name of a product only as code, or beside the file', () => {
    const line = { line: '// TypeScript needs that', file: '// TypeScript needs that\n' }
    expect(closeness('TypeScript is slow here.', line)).toBeNull()
    expect(closeness('`TypeScript` is slow here.', line)).toBe('name')
    expect(closeness('TypeScript is slow in src/queue.ts.', line)).toBe('name')
  })

  it('is no name that stands all over the file', () => {
    const file = 'maxEntries\n'.repeat(3)
    expect(closeness('We keep maxEntries small.', { file })).toBe('name')
    expect(closeness('We keep maxEntries small.', { file: `${file}maxEntries\n` })).toBeNull()
  })

  it('is none of words on another file', () => {
    expect(closeness('src/poller.ts has its own maxEntries.')).toBeNull()
    expect(closeness('src/poller.ts and src/queue.ts share maxEntries.')).toBe('name')
    expect(closeness('src/gone.ts had its own maxEntries.')).toBe('name')
  })
})

describe('what counts as words on a commit', () => {
  it('has the words of its subject, its id, or answers such a request', () => {
    expect(closeness('The retry queue is bounded now.')).toBe('commit')
    const told = `That is in 1a2b3c4. ${NEWS}`
    expect(closeness(told)).toBe('commit')
    expect(closeness('That is 1a2b3c4 Bound the retry queue.')).toBeNull()
    expect(closeness('`0a0b0c0` Bound the retry queue')).toBeNull()
    expect(closeness(`The retry queue is bounded. ${NEWS}`)).toBe('commit')
    expect(closeness(`The retry queue is bounded (0a0b0c0). ${NEWS}`)).toBeNull()
    const trail = ['- "Bound the retry queue."', '  - src/queue.ts takes 100 of them.']
    expect(quoted({ trail }).map(({ about }) => about)).toEqual(['commit'])
  })

  it('is the id alone where it takes another one back', () => {
    const subject = 'Revert "Bound the retry queue"'
    expect(closeness('The retry queue is bounded now, in src/queue.ts.', { subject })).toBeNull()
    const told = `That is in 1a2b3c4. ${NEWS}`
    expect(closeness(told, { subject })).toBe('commit')
  })

  it('is nothing where the brief is only a guess', () => {
    expect(closeness('The retry queue in src/queue.ts is bounded by maxEntries.', { isGuess: true })).toBe(
      'file',
    )
    expect(closeness('The retry queue is bounded by maxEntries.', { isGuess: true })).toBeNull()
  })
})

describe('what counts as words on a file', () => {
  it('is its whole name, as far as it is given', () => {
    for (const words of ['queue.ts is new.', 'See `./src/queue.ts:4`.', 'See /home/dev/repo/src/queue.ts.'])
      expect(closeness(words), words).toBe('file')
    for (const words of ['lib/queue.ts is new.', 'queue.tsx is new.', 'See my-queue.ts.'])
      expect(closeness(words), words).toBeNull()
  })

  it('is what no other file is called', () => {
    const root = { paths: ['README.md'] }
    expect(closeness('README.md is new.', root)).toBe('file')
    expect(closeness('docs/README.md is new.', root)).toBeNull()
    expect(closeness('README.md is new.', { paths: ['docs/README.md'] })).toBeNull()
    expect(closeness('~/other/README.md is new.', root)).toBeNull()
  })

  it('is no demand', () => {
    expect(quoted({ constraints: ['- Leave src/queue.ts alone.'] })).toEqual([])
  })
})

describe('which turns count for a commit', () => {
  const trail = [
    '- "Look at the rest."',
    '  - Committed: `9999999` Add the poller',
    '- "Now maxEntries."',
    `  - maxEntries is 100. ${NEWS} Committed as \`1a2b3c4\`.`,
    '- "Why not maxEntries = 50?"',
    '  - maxEntries of 50 would be too few.',
  ]
  const texts = (sections: Sections, matter: Partial<Matter> = {}) =>
    quoted(sections, matter).map(({ text }) => text)

  it('are those since the commit before, up to its own', () => {
    const told = [`maxEntries is 100. ${NEWS} Committed as \`1a2b3c4\`.`]
    expect(texts({ trail })).toEqual(told)
    expect(texts({ trail: [...trail, '- "And now?"'], closing: ['> maxEntries stays.'] })).toEqual(told)
  })

  it('end with the last message where that tells of it', () => {
    const rest = [
      ...trail.map((line) => line.replace('1a2b3c4', '7777777')),
      '- (3 more turns left out; `git handoff ask` searches the session)',
    ]
    const closing = [`> maxEntries is 50 now. ${NEWS} Committed as \`1a2b3c4\`.`]
    expect(quoted({ trail: rest, closing })).toMatchObject([
      { section: 'Where it stands', request: '"Why not maxEntries = 50?"' },
      { text: 'maxEntries of 50 would be too few.' },
    ])
  })

  it('tell of the commit where they are its own', () => {
    expect(quoted({ trail })[0]?.about).toBe('line')
    const others = trail.map((line) => line.replace('1a2b3c4', '7777777'))
    expect(quoted({ trail: others })[0]?.about).toBe('name')
    const apart = ['- "Now maxEntries."', '  - maxEntries is 100.', `  - ${NEWS} Committed as \`1a2b3c4\`.`]
    expect(quoted({ trail: apart })[0]?.about).toBe('line')
    const list = apart.map((line) => line.replace('`1a', '`7777777`, then `1a'))
    expect(quoted({ trail: list })[0]?.about).toBe('name')
    const file = trail.map((line) => line.replace(/maxEntries/g, 'src/queue.ts'))
    expect(quoted({ trail: file })[0]?.about).toBe('commit')
  })

  it('pair no last message with a request that came after it', () => {
    const closing = [
      '> maxEntries is 100.',
      '',
      '- The last request came after this message and has no answer yet.',
    ]
    const last = quoted({ trail: ['- "And now?"'], closing })
    expect(last).toMatchObject([{ text: 'maxEntries is 100.', request: null }])
  })
})

describe('what became of a question', () => {
  const asks = ['- "Bound the retry queue."', '  - maxEntries can be 50 or 100. Which of them?']
  const answer = (trail: readonly string[], matter: Partial<Matter> = {}) =>
    quoted({ trail }, matter).find(({ text }) => text.startsWith('maxEntries can'))?.answer

  it('is what the person said next', () => {
    const said = '"100, since the poller gets killed above that."'
    expect(answer([...asks, `- ${said}`, '  - It is 100 now.'])).toBe(said)
    expect(answer(asks)).toBeNull()
    expect(answer([...asks, '  - Committed: `7777777` Add the poller', `- ${said}`])).toBeNull()
  })

  it('is an assent with what it assents to, where the offer is not told twice', () => {
    const yes = '"yes" (to: "Shall I take 100?")'
    const offers = [
      '- "Bound the retry queue."',
      '  - maxEntries can be 100.',
      '  - The poller gets killed above that.',
    ]
    expect(answer([...offers, `- ${yes}`])).toBe(yes)
    expect(answer([...offers, '- "Ok, do it."'])).toBe('"Ok, do it."')
    expect(answer([...offers, '- "Good. Now the docs."'])).toBeNull()
    expect(answer([...offers, '  - Committed: `7777777` Add the poller', `- ${yes}`])).toBeNull()
  })

  it('is not told twice', () => {
    const yes = '"yes" (to: "maxEntries can be 50 or 100. Which of them?")'
    expect(quoted({ trail: [...asks, `- ${yes}`] }).map(({ text }) => text)).toEqual([asks[1]?.slice(4)])
  })

  it('is not taken from a turn that may be another one', () => {
    const leftOut = '- (3 more turns left out; `git handoff ask` searches the session)'
    expect(answer([...asks, '- "100."', leftOut])).toBeNull()
    const yes = '"100." (to: "Which of them?")'
    expect(answer([...asks, `- ${yes}`, leftOut])).toBe(yes)
  })

  it('came before the commit', () => {
    const done = `  - That is 1a2b3c4. ${NEWS}`
    expect(answer([...asks, '- "100."', done])).toBe('"100."')
    expect(answer([asks[0] ?? '', done, asks[1] ?? '', '- "100."'])).toBeNull()
  })

  it('stands behind the last message where nobody has gone on', () => {
    const closing = [
      '> maxEntries can be 50 or 100. Which of them?',
      '',
      '- The last request came after this message and has no answer yet.',
    ]
    const trail = ['- "Bound the retry queue."', '- "100."']
    expect(quoted({ trail, closing })).toMatchObject([{ section: 'Where it stands', answer: '"100."' }])
  })
})
