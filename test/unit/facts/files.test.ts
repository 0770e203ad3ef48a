import { describe, expect, it } from 'vitest'
import type { GitState } from '../../../src/types/git.ts'
import {
  bySub,
  config,
  edit,
  extract,
  fileOf,
  gitState,
  inDirectory,
  paths,
  plan,
  prompt,
  read,
  refusedEdit,
  reply,
  run,
  type Step,
  search,
} from './session.ts'

const git = gitState([
  'src/a.ts',
  'src/b.ts',
  'src/deep/only.ts',
  'test/a.test.ts',
  'docs/x.md',
  'pkg/x.md',
  'my file.md',
  'bin/run',
])

describe('a folder of tracked files is no file', () => {
  it.each([
    ['read by a tool', read('src/deep')],
    ['read with a slash', read('/home/dev/repo/src/deep/')],
    ['named by the user', prompt('Please look at `src/deep` now')],
  ])('%s', (_what, step) => {
    const evidence = extract([step], { git })
    expect(paths(evidence)).toEqual([])
    expect(evidence.dropped.map(({ kind, why }) => [kind, why])).toEqual([['file', 'a folder']])
  })
  it('searched or named by the agent: nothing is said', () => {
    const evidence = extract([search('src/deep'), reply('It is in src/deep, as expected.')], { git })
    expect([paths(evidence), evidence.dropped]).toEqual([[], []])
  })
})

describe('paths become canonical', () => {
  it.each([
    ['@src/a.ts'],
    ['./src/a.ts'],
    ['src/a.ts:12'],
    ['src/a.ts:12:3'],
    ['"src/a.ts"'],
    ['`src/a.ts`'],
    ['/home/dev/repo/src/a.ts'],
    ['src/../src/a.ts'],
    ['src\\a.ts'],
    ['src/a.ts#L10-L12'],
    ['file:///home/dev/repo/src/a.ts'],
  ])('%s is src/a.ts', (raw) => {
    expect(paths(extract([read(raw)], { git }))).toEqual(['src/a.ts'])
    expect(paths(extract([prompt(`Please look at ${raw} now`)], { git }))).toEqual(['src/a.ts'])
  })

  it('counts every spelling as one file', () => {
    const evidence = extract(
      [edit('/home/dev/repo/src/a.ts'), edit('src/a.ts'), edit('./src/a.ts'), read('src/a.ts:3')],
      { git },
    )
    expect(evidence.files).toHaveLength(1)
    expect(evidence.files[0]).toMatchObject({
      path: 'src/a.ts',
      reason: 'edited 3 times',
      evidence: ['edited', 'read'],
    })
  })

  it('takes relative paths from the directory in force', () => {
    expect(
      paths(
        extract([inDirectory('/home/dev/repo/src', edit('deep/only.ts'), read('../docs/x.md'))], { git }),
      ),
    ).toEqual(['src/deep/only.ts', 'docs/x.md'])
    expect(paths(extract([run('cd src && cat deep/only.ts')], { git }))).toEqual(['src/deep/only.ts'])
  })

  it('maps paths of a session recorded elsewhere, also from a subdirectory of that checkout', () => {
    const steps = [
      inDirectory(
        '/Users/ann/code/proj/src',
        edit('/Users/ann/code/proj/src/a.ts'),
        read('/Users/ann/code/proj/docs/x.md'),
      ),
    ]
    expect(paths(extract(steps, { git, sessionCwd: '/Users/ann/code/proj/src' }))).toEqual([
      'src/a.ts',
      'docs/x.md',
    ])
  })

  it('maps paths of linked worktrees, known to git or made in the session', () => {
    const linked = gitState(['src/a.ts'], { worktrees: ['/home/dev/repo', '/home/dev/wt'] })
    expect(paths(extract([edit('/home/dev/wt/src/a.ts')], { git: linked }))).toEqual(['src/a.ts'])
    const made = [run('git worktree add -b fix ../other-wt'), edit('/home/dev/other-wt/src/a.ts')]
    expect(paths(extract(made, { git }))).toEqual(['src/a.ts'])
    const other = run('git worktree add --orphan -b proof /home/dev/private-wt')
    const written = edit('/home/dev/private-wt/README.md')
    expect(paths(extract(inDirectory('/home/dev/private', other, written), { git }))).toEqual([])
    expect(
      paths(extract([run('git -C ../private worktree add /home/dev/private-wt'), written], { git })),
    ).toEqual([])
  })

  it('drops paths outside the repository and names those that were edited', () => {
    const evidence = extract([edit('/etc/hosts'), read('/home/dev/notes.md')], { git })
    expect(evidence.files).toEqual([])
    expect(evidence.dropped).toEqual([
      { kind: 'file', text: '/etc/hosts', why: 'outside the repository' },
      { kind: 'file', text: '~/notes.md', why: 'outside the repository' },
    ])
    expect(evidence.limitations).toContain('1 file outside the repository edited: `/etc/hosts`.')
    expect(extract([edit('/tmp/scratch/body.md')], { git }).limitations).toEqual([])
    const other = ['docs/x.md', 'src/a.ts', 'src/b.ts'].map((path) => edit(`/home/dev/code/other/${path}`))
    expect(extract([...other, edit('/etc/hosts')], { git }).limitations).toContain(
      '4 files outside the repository edited: `/etc/hosts`, `~/code/other/src/b.ts`, `~/code/other/src/a.ts`, `~/code/other/docs/x.md`.',
    )
  })

  it('names the worktree of another machine that the session ended in', () => {
    const there = inDirectory('/home/dev/repo__worktrees/fix', edit('src/a.ts'))
    expect(extract(there, { git }).work?.worktree).toBe('~/repo__worktrees/fix')
    const here = gitState(['src/a.ts'], { worktrees: ['/home/dev/repo__worktrees/fix'] })
    expect(extract(there, { git: here }).work?.worktree).toBeNull()
  })

  it('takes no word of a command that came to nothing, or means something else, for a file', () => {
    const git = gitState(['.keep'])
    const lost = run('cd pkg && cat src/a.ts', 1, 'bash: line 1: cd: pkg: No such file or directory')
    const listed = (...steps: Step[]) => paths(extract([read('lib/z.ts'), ...steps], { git }))
    expect(listed(lost)).toEqual(['lib/z.ts'])
    expect(listed(run('cd pkg && cat src/a.ts', 1, 'oops'))).toEqual(['pkg/src/a.ts', 'lib/z.ts'])
    expect(listed(run('git log -L 14,20:src/a.ts'))).toEqual(['src/a.ts', 'lib/z.ts'])
    expect(listed(run('node z.ts'))).toEqual(['lib/z.ts'])
    const styles = plan({ text: 'Add `.banner-large` to `src/new.css`', status: 'pending' })
    expect(listed(styles)).toEqual(['lib/z.ts', 'src/new.css'])
  })

  it('does not take another project with a README for this repository', () => {
    const here = gitState(['README.md', 'src/a.ts'])
    expect(
      paths(extract([inDirectory('/home/dev/other', read('/home/dev/other/README.md'))], { git: here })),
    ).toEqual([])
  })

  it('follows renames of git and of the session, folders too', () => {
    const renamed = gitState(['src/new.ts', 'lib/a.ts', 'lib/b.ts'], {
      renames: new Map([['src/old.ts', 'src/new.ts']]),
    })
    expect(paths(extract([edit('src/old.ts'), edit('src/new.ts')], { git: renamed }))).toEqual(['src/new.ts'])
    const moved = extract([edit('src/a.ts'), run('git mv src/a.ts lib/a.ts')], { git: renamed })
    expect(fileOf(moved, 'lib/a.ts')?.evidence).toContain('edited')
    expect(fileOf(moved, 'lib/a.ts')).toMatchObject({
      reason: 'edited once; renamed from src/a.ts',
      evidence: ['edited', 'renamed'],
    })
    expect(paths(moved)).toEqual(['lib/a.ts'])
    expect(paths(extract([edit('src/b.ts'), run('mv src lib')], { git: renamed }))).toEqual(['lib/b.ts'])
  })

  it('keeps a path under its own name when the rename was undone', () => {
    expect(
      paths(extract([edit('src/a.ts'), run('mv src/a.ts src/z.ts'), run('mv src/z.ts src/a.ts')], { git })),
    ).toEqual(['src/a.ts'])
  })
})

describe('names in words', () => {
  it('counts a bare file name only when it is the only one', () => {
    expect(paths(extract([prompt('Look at only.ts first')], { git }))).toEqual(['src/deep/only.ts'])
    const two = extract([prompt('Look at x.md first')], { git })
    expect(two.files).toEqual([])
    expect(two.dropped).toContainEqual({ kind: 'file', text: 'x.md', why: 'names 2 files' })
  })

  it('takes both of two goals as evidence', () => {
    const two = 'make src/a.ts retry, and then write docs/c.md anew'
    const steps = [read('src/a.ts'), read('docs/c.md'), edit('src/b.ts')]
    const evidence = extract(steps, { git: gitState(['src/a.ts', 'src/b.ts', 'docs/c.md']), goal: two })
    expect(fileOf(evidence, 'src/a.ts')?.reason).toMatch(/^named in the goal/)
    expect(fileOf(evidence, 'docs/c.md')?.reason).toMatch(/^named in the goal/)
  })

  it('takes a bare AGENTS.md for the one at the top', () => {
    const deep = gitState(['test/fixtures/AGENTS.md', 'src/a.ts'])
    const goal = 'add AGENTS.md as a target beside src/a.ts'
    expect(paths(extract([prompt('x')], { git: deep, goal }))).not.toContain('test/fixtures/AGENTS.md')
    const top = gitState(['AGENTS.md', 'test/fixtures/AGENTS.md'])
    expect(paths(extract([prompt('x')], { git: top, goal }))).toContain('AGENTS.md')
  })

  it('takes the goal as evidence', () => {
    const evidence = extract([edit('src/b.ts')], { git, goal: 'make `src/a.ts` retry, see bin/run' })
    expect(fileOf(evidence, 'src/a.ts')).toMatchObject({
      path: 'src/a.ts',
      reason: 'named in the goal',
      evidence: ['goal'],
      source: 'user',
    })
  })

  it('reads the focus like the goal', () => {
    expect(paths(extract([], { git, goal: 'make the retry work', focus: 'only src/a.ts' }))).toEqual([
      'src/a.ts',
    ])
  })

  it('keeps files that the user or the plan wants made as planned', () => {
    const evidence = extract(
      [
        prompt('Create src/retry.ts for this.'),
        plan({ text: 'Add tests in test/retry.test.ts', status: 'pending' }),
      ],
      { git, goal: 'write docs/retry.md about it' },
    )
    expect(
      evidence.files.map(({ path, mark, evidence: kinds }) => [path, mark, kinds.includes('planned')]),
    ).toEqual([
      ['docs/retry.md', 'planned', true],
      ['src/retry.ts', 'planned', true],
      ['test/retry.test.ts', 'planned', true],
    ])
  })

  it('takes no bare name for a file that is wanted, unless the goal has it', () => {
    const steps = [prompt('Serve robots.txt and create src/robots.ts for it.')]
    expect(paths(extract(steps, { git }))).toEqual(['src/robots.ts'])
    expect(paths(extract(steps, { git, goal: 'write robots.txt' }))).toEqual(['robots.txt', 'src/robots.ts'])
  })

  it('puts what only commits tell of behind what the goal names', () => {
    const commit = { sha: 'c'.repeat(40), subject: 'Set up', at: '2026-07-14T08:00:00Z', trailers: [] }
    const state = gitState(['src/a.ts', 'src/b.ts', 'AGENTS.md'], {
      commits: [{ ...commit, files: ['AGENTS.md'] }],
    })
    expect(paths(extract([edit('src/a.ts')], { git: state, goal: 'mend src/b.ts' }))).toEqual([
      'src/a.ts',
      'src/b.ts',
      'AGENTS.md',
    ])
  })

  it.each([
    'test in test/door.test.ts that it opens once',
    'mend src/a.ts, then prove it in `test/test_door.py`',
  ])('plans the test that a goal wants: %s', (goal) => {
    expect(extract([prompt('hello')], { git, goal }).files.map(({ mark }) => mark)).toContain('planned')
  })

  it('does not plan a test that is said to fail', () => {
    const goal = 'the test in test/door.test.ts fails, see why'
    expect(extract([prompt('hello')], { git, goal }).files).toEqual([])
  })

  it('does not plan what exists or was made', () => {
    const evidence = extract([prompt('Create src/a.ts and src/made.ts'), edit('src/made.ts', 'create')], {
      git: gitState(['src/a.ts', 'src/made.ts']),
      goal: 'Create src/a.ts',
    })
    expect(evidence.files.map((file) => file.mark)).toEqual([undefined, undefined])
  })

  it('drops named files that are not here, unless configured to keep them as unverified', () => {
    const steps = [prompt('The bug is in src/gone-long-ago.ts')]
    const strict = extract(steps, { git })
    expect(strict.files).toEqual([])
    expect(strict.dropped).toContainEqual({
      kind: 'file',
      text: 'src/gone-long-ago.ts',
      why: 'named, but not in this repository',
    })
    const loose = extract(steps, { git, config: { ...config, validate: { files: false } } })
    expect(loose.files).toMatchObject([{ path: 'src/gone-long-ago.ts', mark: 'unverified' }])
  })

  it('finds paths in Chinese and Japanese text', () => {
    expect(paths(extract([prompt('请修改src/a.ts文件，然后看看src/b.ts。')], { git }))).toEqual([
      'src/a.ts',
      'src/b.ts',
    ])
  })

  it('finds names with spaces when they are quoted', () => {
    expect(paths(extract([prompt('Update "my file.md" please')], { git }))).toEqual(['my file.md'])
  })

  it('takes no command line for a file, here or elsewhere', () => {
    const body = 'It passes:\n- `git diff --check -- src/b.ts docs/use.md`\n- `vitest run test/c.test.ts`'
    const steps = [edit('src/x.ts'), run(`gh pr create --body '${body}'`)]
    for (const known of [git, gitState(['.keep'])])
      expect(paths(extract(steps, { git: known })).filter((path) => path.includes(' '))).toEqual([])
  })

  it('does not take products or versions for files', () => {
    const evidence = extract([prompt('Upgrade Node.js to v20.1 with Next.js, e.g. example.com')], { git })
    expect([evidence.files, evidence.dropped]).toEqual([[], []])
  })
})

describe('what never counts', () => {
  it.each([
    '.handoff/latest.md',
    '.handoff/briefs/x.md',
    'node_modules/pkg/index.js',
    '.git/config',
    'dist/index.js',
    '.git/handoff/notes.json',
  ])('%s', (path) => {
    expect(
      paths(
        extract([edit(path, 'create'), read(path), prompt(`Create ${path}`)], { git, goal: `use ${path}` }),
      ),
    ).toEqual([])
  })

  it('our own settings do when the goal names them, briefs never', () => {
    const tracked = gitState(['.handoff/config.yaml', '.handoff/latest.md', 'src/a.ts'])
    const listed = (goal: string) => paths(extract([], { git: tracked, goal }))
    expect(listed('allow longer goals in .handoff/config.yaml')).toEqual(['.handoff/config.yaml'])
    expect(listed('go on from .handoff/latest.md with src/a.ts')).toEqual(['src/a.ts'])
    const ours = gitState(['.handoff/README.md', 'src/a.ts'])
    const goal = 'describe src/a.ts in README.md'
    expect(paths(extract([], { git: ours, goal }))).toEqual(['src/a.ts'])
    expect(
      paths(extract([edit('.handoff/config.yaml'), read('src/a.ts')], { git: tracked, goal: 'go on' })),
    ).toEqual(['src/a.ts'])
  })

  it('a built folder that is tracked does', () => {
    expect(paths(extract([edit('dist/index.js')], { git: gitState(['dist/index.js']) }))).toEqual([
      'dist/index.js',
    ])
  })

  it('words of a command that are no files of the repository', () => {
    expect(
      paths(
        extract([run('npx vitest run src/a.ts test/nothing.test.ts --reporter=dot origin/main')], { git }),
      ),
    ).toEqual(['src/a.ts'])
  })

  it('files that only the agent spoke of and that are not here', () => {
    expect(paths(extract([reply('I could write src/imaginary.ts for you.')], { git }))).toEqual([])
  })
})

describe('later facts win', () => {
  it('a failed edit is no edit', () => {
    const evidence = extract([edit('src/a.ts', 'update', false)], { git })
    expect(evidence.files).toMatchObject([
      { path: 'src/a.ts', reason: 'an edit was tried and failed', evidence: ['named'] },
    ])
    expect(paths(extract([edit('src/new.ts', 'create', false)], { git }))).toEqual([])
  })

  it('a refused edit is no edit', () => {
    expect(fileOf(extract([refusedEdit('src/a.ts', 'Rejected')], { git }), 'src/a.ts')).toMatchObject({
      reason: 'an edit was refused by the user',
      evidence: ['named'],
    })
  })

  it('a failed read is no evidence', () => {
    expect(paths(extract([read('src/nope.ts', false), read('src/a.ts', false)], { git }))).toEqual([])
  })

  it('an edit without a result is an attempt', () => {
    const steps = [
      {
        kind: 'call' as const,
        id: 'x',
        tool: 'Edit',
        by: 'agent' as const,
        action: { type: 'edit' as const, files: [{ path: 'src/a.ts', change: 'update' as const }] },
      },
    ]
    expect(fileOf(extract(steps, { git }), 'src/a.ts')?.evidence).toEqual(['named'])
  })

  it.each([
    'git checkout -- src/a.ts',
    'git restore src/a.ts',
    'git checkout HEAD -- src/a.ts',
    'git checkout src/a.ts',
    'git checkout .',
    'git reset --hard',
    'git stash',
    'git restore src',
  ])('%s undoes the edit', (command) => {
    const evidence = extract([edit('src/a.ts'), run(command)], { git })
    expect(fileOf(evidence, 'src/a.ts')).toMatchObject({
      reason: command === 'git stash' ? 'edited, then stashed' : 'edited, then reverted',
    })
    expect(fileOf(evidence, 'src/a.ts')?.evidence).not.toContain('edited')
  })

  it.each([
    'git restore --staged src/a.ts',
    'git checkout main',
    'git checkout -b src/a.ts',
    'git reset src/a.ts',
    'git stash && git stash pop',
  ])('%s does not', (command) => {
    expect(fileOf(extract([edit('src/a.ts'), run(command)], { git }), 'src/a.ts')?.evidence).toContain(
      'edited',
    )
  })

  it('a failed checkout undoes nothing, a commit before it neither', () => {
    expect(
      fileOf(extract([edit('src/a.ts'), run('git checkout -- src/a.ts', 1)], { git }), 'src/a.ts')?.evidence,
    ).toContain('edited')
    const steps = [edit('src/a.ts'), run('git commit -am "Retry"'), run('git checkout -- src/a.ts')]
    expect(fileOf(extract(steps, { git }), 'src/a.ts')?.evidence).toContain('edited')
  })

  it('an edit after the revert counts again', () => {
    const steps = [edit('src/a.ts'), edit('src/a.ts'), run('git checkout -- src/a.ts'), edit('src/a.ts')]
    expect(fileOf(extract(steps, { git }), 'src/a.ts')?.reason).toBe('edited once')
  })

  it('a file deleted later is gone, made again it is not', () => {
    expect(
      fileOf(extract([edit('src/old.ts'), edit('src/old.ts', 'delete')], { git }), 'src/old.ts'),
    ).toMatchObject({ mark: 'gone' })
    expect(
      fileOf(extract([edit('src/a.ts', 'delete'), edit('src/a.ts', 'create')], { git }), 'src/a.ts')?.mark,
    ).toBeUndefined()
    expect(paths(extract([edit('src/tmp.ts', 'create'), run('rm src/tmp.ts')], { git }))).toEqual([
      'src/tmp.ts',
    ])
  })
})

describe('what the agent says of a file', () => {
  const reasonOf = (...steps: Step[]) =>
    fileOf(extract([prompt('Mend it.'), ...steps, reply('All is done.')], { git }), 'src/a.ts')?.reason
  it.each([
    ['a list', '- **`src/a.ts`** — caps the retries at 30 s'],
    ['a table', '| `src/a.ts` | caps the retries at 30 s |'],
    ['numbers', '2. `a.ts:12`: caps the retries at 30 s'],
    ['a new file', '`src/a.ts` (new) - caps the **retries** at 30 s'],
  ])('stands in its reason, from %s', (_what, line) => {
    expect(reasonOf(edit('src/a.ts'), reply(line))).toMatch(/; "caps the .*retries.* at 30 s"$/)
  })
  it('is told as older than the last edit where it is', () => {
    const steps = [edit('src/a.ts'), reply('- `src/a.ts` — the email is hardcoded'), edit('src/a.ts')]
    expect(reasonOf(...steps)).toBe('edited 2 times; said before the last edit: "the email is hardcoded"')
  })
  it('is the newest, and cut at a sentence', () => {
    const long = `caps the retries at ${'thirty seconds '.repeat(5)}and no more. It also logs ${'a line '.repeat(9)}`
    const said = [reply('- `src/a.ts` — reads the queue'), reply(`- \`src/a.ts\` — ${long}`)]
    expect(reasonOf(edit('src/a.ts'), ...said)).toMatch(/; "caps the .* and no more\."$/)
    // A mark of code closes no sentence.
    const open = `- \`src/a.ts\` — caps ${'the queue '.repeat(8)}in \`retry\` ${'elsewhere '.repeat(9)}`
    expect(reasonOf(edit('src/a.ts'), reply(open))).toMatch(/ in `retry` \[…\]"$/)
  })
  it.each([
    ['a line that leads to a list', '- `src/a.ts` — these are the changes:'],
    ['a sentence that names it', 'I read `src/a.ts` and `src/b.ts` — both look fine to me.'],
    ['a name of two files', '- `x.md` — says how to retry'],
    ['two words', '- `src/a.ts` — the cap'],
  ])('is nothing in %s', (_what, line) => {
    const { files } = extract(
      [
        prompt('Mend it.'),
        edit('src/a.ts'),
        edit('docs/x.md'),
        edit('pkg/x.md'),
        reply(line),
        reply('Done.'),
      ],
      { git },
    )
    expect(files.map(({ reason }) => reason).filter((reason) => reason.includes('"'))).toEqual([])
  })
})

describe('evidence and reasons', () => {
  it('counts what subagents edited, and says so', () => {
    expect(fileOf(extract([bySub(edit('src/a.ts'), edit('src/a.ts'))], { git }), 'src/a.ts')).toMatchObject({
      reason: 'edited 2 times by a subagent',
      evidence: ['edited'],
    })
  })

  it('joins uncommitted and untracked work of git', () => {
    const dirty = gitState(['src/a.ts', 'new.ts'], {
      changes: [
        { path: 'src/a.ts', staged: false, unstaged: true, state: 'modified' },
        { path: 'new.ts', staged: false, unstaged: true, state: 'untracked' },
        { path: 'src/dead.ts', staged: true, unstaged: false, state: 'deleted' },
      ],
    })
    const evidence = extract(
      [edit('src/a.ts'), edit('src/a.ts'), run('npm test', 1, 'FAIL src/a.ts\nError: boom')],
      { git: dirty },
    )
    expect(evidence.files).toMatchObject([
      {
        path: 'src/a.ts',
        reason: 'edited 2 times; the failing check names it',
        evidence: ['edited', 'uncommitted', 'failing'],
      },
      { path: 'new.ts', reason: 'not tracked yet', evidence: ['uncommitted'], source: 'git' },
      {
        path: 'src/dead.ts',
        reason: 'deleted, uncommitted',
        evidence: ['deleted', 'uncommitted'],
        mark: 'gone',
      },
    ])
  })

  const commit = (sha: string, files: string[]) => ({
    sha,
    subject: 's',
    at: '2026-01-01T00:00:00Z',
    trailers: [],
    files,
  })

  it('joins commits since base', () => {
    const ahead = gitState(['src/a.ts'], {
      commits: [commit('1'.repeat(40), ['src/a.ts', 'src/x.ts']), commit('2'.repeat(40), ['src/a.ts'])],
      commitCount: 2,
    })
    expect(extract([], { git: ahead }).files).toMatchObject([
      { path: 'src/a.ts', reason: 'in 2 commits of this branch', evidence: ['committed'], source: 'git' },
      { path: 'src/x.ts', mark: 'gone' },
    ])
  })

  it('lists few of the files that only commits tell of, most often changed first, and none of a broad commit', () => {
    const some = Array.from({ length: 9 }, (_, at) => `docs/${at}.md`)
    const many = Array.from({ length: 60 }, (_, at) => `import/${at}.ts`)
    const commits = [
      commit('1'.repeat(40), [...many, 'src/a.ts']),
      commit('2'.repeat(40), some),
      commit('3'.repeat(40), ['docs/8.md']),
    ]
    const ahead = gitState([...some, ...many, 'src/a.ts'], { commits, commitCount: 3 })
    const paths = extract([edit('src/a.ts')], { git: ahead }).files.map(({ path }) => path)
    expect(paths).toEqual(['src/a.ts', 'docs/8.md', 'docs/0.md', 'docs/1.md', 'docs/2.md'])
    expect(extract([edit('src/a.ts')], { git: ahead }).files[0]?.evidence).toContain('committed')
    // Files that the person wants made are in no commit, and all of them are listed.
    const wanted = Array.from({ length: 6 }, (_, at) => `lib/new-${at}.ts`)
    const asked = [edit('src/a.ts'), prompt(`Create ${wanted.join(', ')}.`)]
    expect(extract(asked, { git: ahead }).files.map(({ path }) => path)).toEqual(
      expect.arrayContaining(wanted),
    )
  })

  it('lists files in the last failing output', () => {
    const evidence = extract(
      [run('npx vitest run', 1, ' FAIL  test/a.test.ts > retries\nAssertionError: no\n ❯ src/b.ts:12:3')],
      { git },
    )
    expect(evidence.files.map((file) => [file.path, file.evidence])).toEqual([
      ['src/b.ts', ['failing']],
      ['test/a.test.ts', ['failing']],
    ])
  })

  it('knows what shell lines do to files', () => {
    const steps = [
      run("cat > src/a.ts <<'EOF'\nread docs/x.md\nEOF"),
      run("sed -i 's/x/y/' src/b.ts"),
      run('sed -n 1,20p bin/run'),
      run('cp docs/x.md pkg/x.md'),
    ]
    expect(extract(steps, { git }).files.map((file) => [file.path, file.evidence[0]])).toEqual([
      ['pkg/x.md', 'edited'],
      ['src/b.ts', 'edited'],
      ['src/a.ts', 'edited'],
      ['docs/x.md', 'read'],
      ['bin/run', 'read'],
    ])
  })

  it('tells searched files and files in commands', () => {
    expect(fileOf(extract([search('src/a.ts')], { git }), 'src/a.ts')).toMatchObject({
      reason: 'searched',
      evidence: ['searched'],
    })
    expect(fileOf(extract([run('bash bin/run')], { git }), 'bin/run')).toMatchObject({
      reason: 'used in a command',
      evidence: ['command'],
    })
  })

  it('marks files of the session that git does not know', () => {
    const evidence = extract([edit('.env.local', 'create')], { git })
    expect(evidence.files).toMatchObject([{ path: '.env.local', mark: 'unverified' }])
  })

  it('without git lists files as the session named them', () => {
    const evidence = extract([edit('/home/dev/repo/src/a.ts'), read('src/b.ts')], { git: null })
    expect(paths(evidence)).toEqual(['src/a.ts', 'src/b.ts'])
    expect(evidence.limitations[0]).toMatch(/^No git repository/)
  })
})

describe('Windows', () => {
  const root = 'C:\\Users\\ann\\repo'
  const here = gitState(['src/a.ts', 'src/b.ts', 'docs/x.md'])
  const listed = (steps: Step[], git: GitState | null = here) =>
    paths(extract(steps, { git, sessionCwd: root }))

  it.each([
    ['C:\\Users\\ann\\repo\\src\\a.ts'],
    ['c:\\Users\\ann\\repo\\src\\a.ts'],
    ['C:/Users/ann/repo/src/a.ts'],
    ['src\\a.ts'],
    ['.\\src\\a.ts'],
    ['file:///C:/Users/ann/repo/src/a.ts'],
  ])('%s is src/a.ts', (raw) => {
    const inRepo = (step: Step) => inDirectory(root, step)
    expect(listed([inRepo(read(raw))])).toEqual(['src/a.ts'])
    expect(listed([inRepo(edit(raw))], gitState(['.keep']))).toEqual(['src/a.ts'])
    expect(listed([inRepo(read(raw))], null)).toEqual(['src/a.ts'])
    expect(listed([prompt(`Please look at ${raw} now`)])).toEqual(['src/a.ts'])
    expect(listed([inRepo(run(`type ${raw.replace('file:///', '')}`))])).toEqual(['src/a.ts'])
  })

  it('takes a directory above and a worktree made there', () => {
    const steps = [
      inDirectory(`${root}\\src`, read('..\\docs\\x.md')),
      inDirectory(root, run('git worktree add ..\\wt'), edit('C:\\Users\\ann\\wt\\src\\b.ts')),
    ]
    expect(listed(steps)).toEqual(['src/b.ts', 'docs/x.md'])
  })
})

describe('an address', () => {
  it.each(['pr://140', 'https://example.com/src/a.ts', 'ssh://host/src/a.ts'])('%s is no file', (address) => {
    for (const here of [git, gitState(['.keep']), null]) {
      const evidence = extract([read(address), run(`open ${address}`), prompt(`See ${address}`)], {
        git: here,
      })
      expect([evidence.files, evidence.dropped]).toEqual([[], []])
    }
  })
})

describe('names of tools', () => {
  it('are names: no scraps of a call that was written wrongly', () => {
    const call = (tool: string) => ({ ...(read('src/a.ts') as object[])[0], tool }) as unknown as Step
    const tools = ['Read', 'mcp__git-hub__list.all', '@', '!', 'Task" >\n<parameter name="x']
    expect(extract(tools.map(call), { git }).agent?.tools).toEqual(['Read', 'mcp__git-hub__list.all'])
  })
})
