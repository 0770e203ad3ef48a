import { describe, expect, it } from 'vitest'
import { assentedTo, readAssent, refusedIn } from '../../../src/facts/assent.ts'

const CHOICE = `Two ways:

1. **Rewrite the parser**: slow, but it ends the copies.
   It takes a week.
2. **Patch the lexer**: quick.

I would take the first. Shall I begin?`

const LETTERS = 'A. Guess the size.\n\nMore on A.\n\nB. Measure the size.\n\nC. Ask.\n\nWhich?'

describe('what a short message agrees to', () => {
  it.each([
    ['yes', 'I would take the first. Shall I begin?'],
    ['ok, go ahead', 'I would take the first. Shall I begin?'],
    ['option 2', '2. **Patch the lexer**: quick.'],
    ['yeah, do 1', '1. **Rewrite the parser**: slow, but it ends the copies.\nIt takes a week.'],
    ["let's patch it", '2. **Patch the lexer**: quick.'],
    ['2', '2. **Patch the lexer**: quick.'],
  ])('%s', (message, told) => expect(assentedTo(message, CHOICE)).toContain(told))

  it('takes no list of the person for a choice', () => {
    expect(assentedTo('1. Look it up again, by name. 2. That sounds good.', CHOICE)).toBeNull()
  })

  it.each([
    '2. Strengthen the commit tests with ValidateCheckpoint calls',
    "can you explain me a and b of option 2? I'm not sure I understand",
  ])('takes another item of the number, or a question about one, for no choice: %s', (message) => {
    expect(assentedTo(message, CHOICE)).toBeNull()
  })

  it('takes an option that only the question at the end tells', () => {
    const question = 'Do you want option 1 (edit it here), or option 3 (leave it)?'
    const reply = `Option 2 cannot work. ${question} I lean to option 1.`
    expect(readAssent('option 1.', reply)).toMatchObject({ picked: [question], question })
    expect(readAssent('option 2.', reply)).toBeNull()
  })

  it('takes an item that is repeated with its words', () => {
    expect(readAssent('2. Patch the lexer, and keep it quick', CHOICE)?.picked[0]).toContain(
      'Patch the lexer',
    )
  })

  it('takes letters, and several options at once', () => {
    expect(assentedTo("let's do B", LETTERS)).toContain('B. Measure the size.')
    const both = assentedTo('yes to 1+2', `${CHOICE}\n${'x'.repeat(900)}`)
    expect(both).toContain('Rewrite the parser')
    expect(both).toContain('Patch the lexer')
  })

  it('takes the list that stands last where two have such an item', () => {
    expect(assentedTo('do 1', `1. Old step.\n\nThen:\n\n1. New step.\n\n${'x'.repeat(900)}`)).toMatch(
      /^1\. New step/,
    )
  })

  it('picks a row of a table by its number', () => {
    const table = '| # | Title |\n| --- | --- |\n| 8 | Enroll |\n| 9 | Migrate |\n\nReply with a number.'
    expect(assentedTo('9', table)).toContain('| 9 | Migrate |')
  })

  it('picks an option at the beginning of a longer message', () => {
    const more = ' And while you are at it, look at the names of the tests, which say less than they could.'
    expect(assentedTo(`I like option 2.${more.repeat(2)}`, CHOICE)).toContain(
      '2. **Patch the lexer**: quick.',
    )
  })

  it('picks by number, letter or all its words: a count and some shared words pick nothing', () => {
    expect(readAssent('2', CHOICE)?.picked).toEqual(['2. **Patch the lexer**: quick.'])
    expect(readAssent('yes, fix both of the 2 lexers', CHOICE)?.picked).toEqual([])
    expect(readAssent('yes please fix all 2 issues', CHOICE)?.picked).toEqual([])
    expect(readAssent("let's patch it", CHOICE)?.picked).toEqual(['2. **Patch the lexer**: quick.'])
    expect(readAssent("let's patch it, spawn a worker then", CHOICE)?.picked).toEqual([])
  })

  it('answers the last question of the message, and no item that has its words by chance', () => {
    const report =
      'Fixed:\n\n1. **Cap the wait**\n2. **Read the parent commit first**\n\nShall I commit these changes?'
    expect(readAssent('yes, commit', report)).toMatchObject({
      picked: [],
      question: 'Shall I commit these changes?',
    })
    expect(readAssent('yes', `- one\n- two\nShall I go on?\n\n${'It is long. '.repeat(90)}`)?.question).toBe(
      'Shall I go on?',
    )
  })

  it.each([
    'can you commit?',
    'ok, make a theme for me',
    'add 2 tests for the lexer',
    'no, keep the parser as it is',
    `yes, ${'and another thing '.repeat(20)}`,
  ])('is none: %s', (message) => expect(assentedTo(message, CHOICE)).toBeNull())

  it('agrees to nothing where nothing was said', () => expect(assentedTo('yes', ' ')).toBeNull())
})

describe('the question that is answered', () => {
  it.each([
    ['I would take the first. Shall I?', 'I would take the first. Shall I?'],
    ['Two are left. Want me to fix these now?', 'Two are left. Want me to fix these now?'],
    ['I would take the first. Shall I patch the lexer?', 'Shall I patch the lexer?'],
    ['Worth it?', 'Worth it?'],
  ])('of "%s"', (reply, question) => expect(readAssent('yes', reply)?.question).toBe(question))
})

describe('which question a short message says no to', () => {
  it.each(['No, patch the lexer.', 'ok, no', 'not yet', "don't"])('%s', (message) =>
    expect(refusedIn(message, CHOICE)).toBe('Shall I begin?'),
  )

  it.each(['yes', 'Nothing else stands there, so look at the docs.', `No. ${'x'.repeat(160)}`])(
    'none: %s',
    (message) => expect(refusedIn(message, CHOICE)).toBeNull(),
  )

  it('is none where the reply ends with no question', () =>
    expect(refusedIn('No, at 100.', 'Why 50? The poller dies above that.')).toBeNull())
})
