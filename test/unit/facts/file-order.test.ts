import { describe, expect, it } from 'vitest'
import {
  bySub,
  edit,
  extract,
  fileOf,
  gitState,
  type Options,
  paths,
  plan,
  prompt,
  read,
  reply,
  run,
  type Step,
} from './session.ts'

const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g']
const git = gitState([
  ...names.map((name) => `src/${name}.ts`),
  'src/parser.ts',
  'src/deep/transcript.ts',
  'test/parser.test.ts',
])
const order = (steps: Step[], options: Options = {}) =>
  paths(extract(steps, { git, goal: 'go on', ...options }))
const file = (name: string) => `src/${name}.ts`
const summary = (text: string) => ({ kind: 'compaction' as const, summary: text })
const reads = names.slice(2).map((name) => read(file(name)))

describe('what puts a file before another', () => {
  it('more touches', () => {
    const looks = [...['b', 'b', 'b', 'c', 'a'].map((name) => read(file(name)))]
    expect(order(looks)).toEqual(['a', 'b', 'c'].map(file))
    expect(order(looks.slice(2))).toEqual(['a', 'c', 'b'].map(file))
  })

  it('a later touch, where the number is the same', () => {
    const looks = [read(file('a')), read(file('b')), read(file('c'))]
    expect(order(looks)).toEqual([file('c'), file('b'), file('a')])
    expect(order(looks.toReversed())).toEqual([file('a'), file('b'), file('c')])
  })

  it('edits in several turns before as many in one', () => {
    const often = [prompt('one'), edit(file('b')), prompt('two'), edit(file('b'))]
    const once = [edit(file('c')), edit(file('c')), edit(file('a')), edit(file('a')), ...reads]
    expect(order([...often, prompt('three'), ...once, read(file('b'))])[0]).toBe(file('b'))
  })

  it('an edit before a look', () => {
    expect(order([edit(file('b')), read(file('a'))])).toEqual([file('b'), file('a')])
  })

  it('a call without a result counts as of when it was made', () => {
    expect(order([run('cat src/b.ts', null), run('cat src/a.ts')])).toEqual([file('a'), file('b')])
    expect(order([run('cat src/b.ts src/c.ts', null), run('cat src/a.ts')])).toEqual(
      ['a', 'c', 'b'].map(file),
    )
  })

  it('its name in the last turn, the last message first, or in the last summary', () => {
    const steps = [prompt('one'), ...names.map((name) => read(file(name)))]
    const said = (...texts: string[]) => order([...steps, ...texts.map(reply)])
    expect(said('Done.')[0]).toBe(file('g'))
    expect(said('Next comes src/f.ts.')[0]).toBe(file('f'))
    expect(said('First src/f.ts.', 'Now [src/e.ts](/home/dev/repo/src/e.ts).').slice(0, 2)).toEqual(
      ['f', 'e'].map(file),
    )
    expect(order([...steps, reply('Next comes src/f.ts.'), prompt('two')])[0]).toBe(file('g'))
    expect(order([...steps, summary('Next: src/f.ts.')])[0]).toBe(file('f'))
    expect(order([...steps, summary('Next: src/f.ts.'), summary('All is well.')])[0]).toBe(file('g'))
  })

  it('words of its name in the end of the last reply, not in its beginning', () => {
    const steps = [read('src/parser.ts'), read('src/parser.ts'), read(file('a'))]
    const rank = (text: string) => order([...steps, ...reads, reply(text)]).indexOf('src/parser.ts')
    const before = rank('All is well.')
    expect(rank('The parser is next.')).toBeLessThan(before)
    expect(rank(`The parser was hard. ${'So it goes on. '.repeat(80)}`)).toBe(before)
  })

  it('what a subagent only looked at counts for nothing, what it edited counts', () => {
    expect(order([...bySub(read(file('b')), edit(file('c'))), read(file('a'))])).toEqual(['c', 'a'].map(file))
  })

  it('behind the first five nothing that was only looked at, however often', () => {
    const looks = [...'bcdefg'].flatMap((name) => [read(file(name)), read(file(name))])
    expect(order(looks)).toHaveLength(5)
    const edited = [...'hijklm'].map(file)
    expect(order([...edited.map((path) => edit(path)), ...looks]).toSorted()).toEqual(edited)
  })

  it('a name in the goal, before all else when it was worked on, else behind the first five', () => {
    const steps = [read(file('b')), ...reads, edit(file('a')), edit(file('a')), reply('src/a.ts is done.')]
    expect(order(steps, { goal: 'look at src/b.ts' })[0]).toBe(file('b'))
    expect(order(steps, { goal: 'look at src/parser.ts' })[5]).toBe('src/parser.ts')
    expect(order([edit(file('a'))], { goal: 'look at src/parser.ts' })).toEqual([file('a'), 'src/parser.ts'])
  })

  it('what is gone stands last', () => {
    const steps = [edit('src/old.ts'), edit('src/old.ts', 'delete'), read(file('a'))]
    expect(order(steps)).toEqual([file('a'), 'src/old.ts'])
  })
})

describe('words that tell no file from another', () => {
  const many = ['one', 'two', 'three', 'four', 'five']
  const parsers = gitState([...many.map((name) => `src/${name}-parser.json`), file('a.test')])
  const looks = [...many.map((name) => read(`src/${name}-parser.json`)), read(file('a.test'))]
  const ranked = (said: string) => order([...looks, reply(said)], { git: parsers })
  const before = ranked('Done.')

  it.each([
    ['a word of most names', 'make every parser faster'],
    ['folders and endings', 'tidy the src folder and its json'],
    ['what marks a test', 'test it all'],
    ['words of an address', 'see https://example.com/docs/five/four-one?two#three for it'],
    ['a fenced block', 'mend it:\n```\nfive four one\n```'],
    ['a pasted log', 'mend it:\n2026-01-02 10:00:00 five four one\nERROR: two three'],
  ])('%s', (_, said) => {
    expect(ranked(said)).toEqual(before)
  })

  it('a word of one name does', () => {
    expect(ranked('What is left: speed up five')[0]).toBe('src/five-parser.json')
  })
})

describe('which files are listed', () => {
  it('those that somebody opened; a name alone only when nobody opened any', () => {
    const talk = [prompt('See src/b.ts'), reply('It is like src/c.ts.')]
    expect(order(talk)).toEqual([file('c'), file('b')])
    expect(order([...talk, read(file('a'))])).toEqual([file('a')])
  })

  it('those that git reports, the goal, an open plan step or a failing check names', () => {
    const dirty = {
      ...git,
      changes: [{ path: file('c'), staged: false, unstaged: true, state: 'modified' as const }],
    }
    const open = plan({ text: 'Mend src/f.ts', status: 'pending' })
    const steps = [edit(file('a')), open, run('npm test', 1, 'FAIL src/e.ts')]
    expect(paths(extract(steps, { git: dirty, goal: 'look at src/d.ts' })).sort()).toEqual(
      ['a', 'c', 'd', 'e', 'f'].map(file),
    )
  })

  it('those that a command names, where git does not know the files of the session', () => {
    const empty = gitState(['.keep'])
    const steps = [
      read(file('a')),
      run('go test src/b.ts && gh pr view --json .user.login'),
      run('cat src/c.ts'),
    ]
    expect(order(steps, { git: empty }).sort()).toEqual(['a', 'b', 'c'].map(file))
    expect(order(steps, { git: gitState([file('a'), file('d')]) })).toEqual([file('a')])
  })
})

describe('reasons', () => {
  const reason = (steps: Step[], path: string, goal = 'go on') =>
    fileOf(extract(steps, { git, goal }), path)?.reason
  const failing = run('npm test', 1, 'FAIL src/a.ts\nError: boom')

  it.each<[string, Step[], string, string?]>([
    ['read 2 times', [read(file('a')), read(file('a'))], file('a')],
    ['edited once', [edit(file('a'))], file('a')],
    ['edited in the last turn', [prompt('one'), prompt('two'), edit(file('a'))], file('a')],
    ['edited 2 times', [prompt('one'), edit(file('a')), edit(file('a')), prompt('two')], file('a')],
    ['created in the session', [edit(file('a'), 'create')], file('a')],
    ['created in the session, edited once', [edit(file('a'), 'create'), edit(file('a'))], file('a')],
    ['named in the goal', [], file('a'), 'look at src/a.ts'],
    ['named in the goal; edited once', [edit(file('a'))], file('a'), 'look at src/a.ts'],
    ['read once', [read('src/parser.ts')], 'src/parser.ts', 'a faster parser'],
    ['named in the last turn; read once', [read(file('a')), reply('src/a.ts is left.')], file('a')],
    ['edited 2 times; the failing check names it', [edit(file('a')), edit(file('a')), failing], file('a')],
    ['the failing check names it', [failing], file('a')],
    [
      'edited once; in an open plan step',
      [edit(file('a')), plan({ text: 'Test src/a.ts', status: 'pending' })],
      file('a'),
    ],
    ['named in the last summary; read once', [read(file('a')), summary('Next: src/a.ts.')], file('a')],
    ['edited once', [edit(file('a')), summary('Next: src/a.ts.')], file('a')],
    ['named by the user', [prompt('See src/a.ts'), prompt('Hello')], file('a')],
  ])('%s', (expected, steps, path, goal) => {
    expect(reason(steps, path, goal)).toBe(expected)
  })

  it('tell no longer that a check fails once other files were edited', () => {
    expect(reason([failing, edit(file('b'))], file('a'))).toBeUndefined()
    expect(reason([read(file('a')), failing, edit(file('b'))], file('a'))).toBe('read once')
    expect(reason([failing, edit(file('a'))], file('a'))).toBe('edited once')
  })
})
