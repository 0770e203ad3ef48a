import { describe, expect, it } from 'vitest'
import {
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
  'docs/guide.md',
  'test/parser.test.ts',
  'src/a.test.ts',
])
const order = (steps: Step[], options: Options = {}) =>
  paths(extract(steps, { git, goal: 'go on', ...options }))
const file = (name: string) => `src/${name}.ts`
const idle = (count: number) => Array.from({ length: count }, () => run('true'))

describe('what puts a file before another', () => {
  it('a fresh edit before an old one', () => {
    expect(
      order([edit(file('b')), ...idle(60), edit(file('a')), edit(file('b')), ...idle(60), edit(file('a'))]),
    ).toEqual([file('a'), file('b')])
  })

  it('many touches before one that is newer', () => {
    const steps = [edit(file('b')), read(file('b')), edit(file('b')), read(file('b')), edit(file('a'))]
    expect(order(steps)).toEqual([file('b'), file('a')])
  })

  it('work over several turns before as much work in one', () => {
    const often = [
      prompt('one'),
      edit(file('b')),
      prompt('two'),
      edit(file('b')),
      prompt('three'),
      edit(file('b')),
    ]
    expect(order([...often, edit(file('a')), edit(file('a')), edit(file('a'))])[0]).toBe(file('b'))
  })

  it('a call without a result counts as of when it was made', () => {
    const steps = [run('cat src/b.ts', null), ...idle(20), run('cat src/a.ts')]
    expect(order(steps)).toEqual([file('a'), file('b')])
    // In two turns, not in the last one alone.
    const turns = [run('cat src/b.ts', null), prompt('one'), run('cat src/b.ts', null), ...idle(20)]
    expect(order([...turns, run('cat src/c.ts'), run('cat src/a.ts')])[0]).toBe(file('b'))
    // Older than what the file's record holds already: it adds what is left of its heat.
    const mixed = [run('cat src/b.ts', null), run('cat src/b.ts'), run('cat src/a.ts')]
    expect(order(mixed)[0]).toBe(file('b'))
  })

  it('words of the goal in its path', () => {
    expect(order([edit('src/parser.ts'), edit(file('a'))])).toEqual([file('a'), 'src/parser.ts'])
    expect(order([edit('src/parser.ts'), edit(file('a'))], { goal: 'make the parser faster' })[0]).toBe(
      'src/parser.ts',
    )
  })

  it('its name inside a word of the goal, when the name says something', () => {
    const git = gitState(['src/some/deep/transcript.ts', 'src/utils.ts', file('a')])
    const steps = [edit('src/some/deep/transcript.ts'), edit('src/utils.ts'), edit(file('a'))]
    expect(order(steps, { git, goal: 'why does computetranscriptpath come first' })[0]).toBe(
      'src/some/deep/transcript.ts',
    )
    expect(order(steps, { git, goal: 'why do stringutils come first' })[0]).toBe(file('a'))
  })

  it('its name in the last summary of the context', () => {
    const steps = [edit(file('b')), edit(file('a'))]
    const summary = (text: string) => ({ kind: 'compaction' as const, summary: text })
    expect(order([...steps, summary('Next: src/b.ts.')])[0]).toBe(file('b'))
    expect(order([...steps, summary('Next: src/b.ts.'), summary('All is well.')])[0]).toBe(file('a'))
  })

  it('words of its path in the end of the last reply, not in its beginning', () => {
    const steps = [edit('src/parser.ts'), edit(file('a'))]
    expect(order([...steps, reply('The parser is next.')])[0]).toBe('src/parser.ts')
    expect(order([...steps, reply(`The parser was hard. ${'So it goes on. '.repeat(80)}`)])[0]).toBe(
      file('a'),
    )
  })

  it('its name in the last reply', () => {
    expect(order([edit(file('b')), edit(file('a')), reply('Next comes src/b.ts.')])[0]).toBe(file('b'))
  })

  it('most reads, when nothing was edited yet', () => {
    const looks = [
      read(file('b')),
      read(file('b')),
      read(file('b')),
      read(file('b')),
      ...idle(9),
      read(file('a')),
      read(file('a')),
    ]
    expect(order(looks)[0]).toBe(file('b'))
    expect(order([...looks, edit(file('c')), edit(file('a'))])[0]).toBe(file('a'))
  })

  it('that the session created it', () => {
    const steps = [edit(file('b'), 'create'), edit(file('a'))]
    expect(order(steps)).toEqual([file('b'), file('a')])
  })

  it('code before its test', () => {
    expect(order([edit(file('a')), edit('src/a.test.ts')])).toEqual([file('a'), 'src/a.test.ts'])
  })

  it('a document, when the goal asks for documents', () => {
    const steps = [edit('docs/guide.md'), edit(file('a'))]
    expect(order(steps)[0]).toBe(file('a'))
    expect(order(steps, { goal: 'update the readme too' })[0]).toBe('docs/guide.md')
  })

  it('a name in an open plan step, and what such a step means by its words; a finished one says nothing', () => {
    const steps = [edit('src/parser.ts'), edit(file('a'))]
    const step = (text: string, status: 'pending' | 'in_progress' | 'done') => plan({ text, status })
    expect(order([...steps, step('Mend src/parser.ts', 'pending')])[0]).toBe('src/parser.ts')
    expect(order([...steps, step('Mend the parser', 'in_progress')])[0]).toBe('src/parser.ts')
    expect(order([...steps, step('Mend the parser', 'done')])[0]).toBe(file('a'))
    // The step is about the file it names.
    expect(order([...steps, step('Describe the parser in docs/guide.md', 'pending')])[0]).toBe(file('a'))
  })

  it('changes together, in earlier commits, with what is worked on', () => {
    const steps = [edit(file('c')), edit(file('b')), ...idle(4), edit(file('a'))]
    const history = [
      [file('a'), file('c')],
      [file('c'), file('a'), file('d')],
      [file('a'), file('c')],
      [file('b'), file('e')],
    ]
    expect(order(steps)).toEqual([file('a'), file('b'), file('c')])
    expect(order(steps, { git: { ...git, history } })).toEqual([file('a'), file('c'), file('b')])
    expect(order(steps, { git: { ...git, history: history.toReversed() } })).toEqual(
      order(steps, { git: { ...git, history } }),
    )
  })

  it('a name in the goal before all else', () => {
    const steps = [edit(file('a')), edit(file('a')), edit(file('b')), reply('src/a.ts is done.')]
    expect(order(steps, { goal: 'look at src/g.ts' })[0]).toBe(file('g'))
  })
})

describe('what earlier commits tie to a file that the goal names', () => {
  const times = (count: number, ...files: string[]) => Array.from({ length: count }, () => files)
  const listed = (history: string[][], goal = 'look at src/a.ts') =>
    extract([edit(file('b'))], { git: { ...git, history }, goal }).files.map(
      ({ path, reason, evidence }) => ({
        path,
        reason,
        evidence,
      }),
    )

  it('is listed though nobody touched it, with its reason', () => {
    const [named, touched, tied] = listed([...times(4, file('a'), file('c')), [file('a'), file('d')]])
    expect([named?.path, touched?.path]).toEqual([file('a'), file('b')])
    expect(tied).toEqual({
      path: file('c'),
      reason: 'changed together with src/a.ts in 4 of 5 commits',
      evidence: ['together'],
    })
  })

  it('counts only when it happened three times, most of the time, and the file is still there', () => {
    const alone = [file('a'), file('b')]
    const names = (history: string[][], goal?: string) => listed(history, goal).map(({ path }) => path)
    expect(names(times(2, file('a'), file('c')))).toEqual(alone)
    expect(names([...times(3, file('a'), file('c')), ...times(3, file('a'))])).toEqual(alone)
    expect(names(times(5, file('a'), 'src/gone.ts'))).toEqual(alone)
    expect(names(times(5, file('a'), file('c')), 'go on')).toEqual([file('b')])
  })

  it('is two files at most, the closest', () => {
    const history = [...times(3, ...['a', 'c', 'd', 'e'].map(file)), [file('a'), file('e')], [file('a')]]
    expect(listed(history).map(({ path }) => path)).toEqual([file('a'), file('b'), file('e'), file('c')])
  })
})

describe('how many are listed', () => {
  const looks = [read(file('c')), read(file('d')), read(file('e')), ...idle(30)]

  it('leaves out what is uncertain when few files are certain, and says so', () => {
    const evidence = extract([...looks, edit(file('a')), edit(file('b'))], { git, goal: 'go on' })
    expect(paths(evidence)).toEqual([file('b'), file('a')])
    expect(evidence.limitations).toContain('3 files that matter less are left out.')
  })

  it('keeps the tail of a long list', () => {
    const edits = ['a', 'b', 'f', 'g'].map((name) => edit(file(name)))
    expect(order([...looks, ...edits, edit('src/parser.ts')])).toHaveLength(8)
  })

  it('never leaves out what the goal names, git reports or a failing check names', () => {
    const dirty = {
      ...git,
      changes: [{ path: file('c'), staged: false, unstaged: true, state: 'modified' as const }],
    }
    const steps = [...looks, edit(file('a')), run('npm test', 1, 'FAIL src/e.ts')]
    const listed = paths(extract(steps, { git: dirty, goal: 'look at src/d.ts' }))
    expect(listed).toEqual(expect.arrayContaining([file('a'), file('c'), file('d'), file('e')]))
  })

  it('keeps the best file, and all of them when the session touched none', () => {
    expect(order([read(file('a')), ...idle(400)])).toEqual([file('a')])
    expect(order([prompt('See src/b.ts and src/a.ts')])).toEqual([file('a'), file('b')])
  })
})

describe('reasons', () => {
  const reason = (steps: Step[], path: string, goal = 'go on') =>
    fileOf(extract(steps, { git, goal }), path)?.reason

  it('say what the goal and the last reply have to do with it', () => {
    expect(reason([edit('src/parser.ts')], 'src/parser.ts', 'make the parser faster')).toBe(
      'edited once; fits the goal by name: parser',
    )
    expect(reason([edit(file('a')), reply('src/a.ts is left.')], file('a'))).toBe(
      'edited once; named in the last reply',
    )
    expect(reason([], file('a'), 'look at src/a.ts')).toBe('named in the goal')
  })

  it('tie a test to the file that the goal names', () => {
    const steps = [edit('test/parser.test.ts')]
    expect(reason(steps, 'test/parser.test.ts', 'fix src/parser.ts')).toBe(
      'test of src/parser.ts, which the goal names; edited once',
    )
    expect(reason(steps, 'test/parser.test.ts', 'fix src/a.ts')).toBe('edited once')
    const document = gitState(['docs/parser.md', 'test/parser.test.ts'])
    expect(
      fileOf(extract(steps, { git: document, goal: 'see docs/parser.md' }), 'test/parser.test.ts')?.reason,
    ).not.toContain('test of')
  })

  it('tell that a check fails', () => {
    const failing = run('npm test', 1, 'FAIL src/a.ts\nError: boom')
    expect(reason([edit(file('a')), edit(file('a')), failing], file('a'))).toBe(
      'edited 2 times; named in the last failing check',
    )
    expect(reason([failing], file('a'))).toBe('named in the last failing check')
  })

  it('tell no longer that it fails once other files were edited', () => {
    const failing = run('npm test', 1, 'FAIL src/a.ts\nError: boom')
    expect(reason([failing, edit(file('b'))], file('a'))).toBeUndefined()
    expect(reason([read(file('a')), failing, edit(file('b'))], file('a'))).toBe('read once')
    // What was edited itself is likely still being mended.
    expect(reason([failing, edit(file('a'))], file('a'))).toBe('edited once; named in the last failing check')
    const dirty = {
      ...git,
      changes: [{ path: file('a'), staged: false, unstaged: true, state: 'modified' as const }],
    }
    const listed = extract([failing, edit(file('b'))], { git: dirty, goal: 'go on' })
    expect(fileOf(listed, file('a'))?.reason).toBe('uncommitted; named in the last failing check')
  })

  it('tell that the last summary names it, when nothing else is told', () => {
    const summary = (text: string) => ({ kind: 'compaction' as const, summary: text })
    const steps = [read(file('a')), summary('Next: src/a.ts and src/b.ts.')]
    expect(reason(steps, file('a'))).toBe('named in the last summary; read once')
    expect(reason([edit(file('a')), summary('Next: src/a.ts.')], file('a'))).toBe('edited once')
    expect(reason([read(file('a')), summary('Next: src/a.ts.'), summary('Done.')], file('a'))).toBe(
      'read once',
    )
  })

  it('say which open plan step is about it, whole sentences of it', () => {
    const open = (text: string) => plan({ text, status: 'pending' as const })
    expect(reason([edit(file('a')), open('Test  src/a.ts')], file('a'))).toBe(
      'edited once; in an open plan step: Test src/a.ts',
    )
    expect(reason([open(`Test src/a.ts. ${'Then go on. '.repeat(9)}`)], file('a'))).toBe(
      'in an open plan step: Test src/a.ts. Then go on. Then go on. Then go on. […]',
    )
    expect(reason([edit('src/parser.ts'), open('Speed up the parser')], 'src/parser.ts')).toBe(
      'edited once; in an open plan step: Speed up the parser',
    )
  })

  it('say what a file that was only read changes together with', () => {
    const history = [1, 2, 3].map(() => [file('a'), file('b')])
    const evidence = extract([edit(file('a')), read(file('b'))], { git: { ...git, history }, goal: 'go on' })
    expect(fileOf(evidence, file('b'))?.reason).toBe(
      'changed together with src/a.ts in 3 of 3 commits; read once',
    )
  })

  it('count how often the agent named what nobody touched', () => {
    const steps = [reply('It is in src/a.ts.'), reply('Yes, src/a.ts.'), reply('Done.')]
    expect(reason(steps, file('a'))).toBe('named by the agent 2 times')
  })
})
