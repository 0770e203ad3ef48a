import { describe, expect, it } from 'vitest'
import { edit, extract, gitState, inDirectory, prompt, run, type Step, texts } from './session.ts'

const git = gitState(['src/a.ts', 'src/b.ts', 'src/c.ts'])
const tried = (...steps: Step[]) => texts(extract([prompt('Do it.'), ...steps], { git }).information)

describe('what was tried and taken back', () => {
  it.each([
    ['git checkout -- src/a.ts', '`git checkout -- src/a.ts`'],
    ['git restore src/a.ts', '`git restore src/a.ts`'],
    ['cd /home/dev/repo && git checkout src/a.ts && npm test', '`git checkout src/a.ts`'],
    ['git reset --hard', '`git reset --hard`'],
  ])('%s', (command, shown) => {
    expect(tried(edit('src/a.ts'), run(command))).toEqual([
      `Tried and taken back with ${shown}: the edits of \`src/a.ts\``,
    ])
  })

  it('names every file once and says when work went on in it', () => {
    expect(
      tried(edit('src/a.ts'), edit('src/b.ts'), run('git checkout -- src/a.ts src/b.ts'), edit('src/b.ts')),
    ).toEqual([
      'Tried and taken back with `git checkout -- src/a.ts src/b.ts`: the edits of `src/a.ts`, `src/b.ts`; edited again since',
    ])
  })

  it.each<[string, Step[]]>([
    ['a file that was not edited', [run('git checkout -- src/a.ts')]],
    ['a change of branch', [edit('src/a.ts'), run('git checkout main')]],
    ['an attempt that failed', [edit('src/a.ts'), run('git checkout -- src/a.ts', 1, 'error: pathspec')]],
    [
      'edits that were committed',
      [edit('src/a.ts'), run('git commit -am x'), run('git checkout -- src/a.ts')],
    ],
    ['a stash', [edit('src/a.ts'), run('git stash')]],
  ])('is not %s', (_, steps) => {
    expect(tried(...steps)).toEqual([])
  })

  it('is a commit that a later one reverted, until it is brought back', () => {
    const told = (...subjects: string[]) =>
      extract([], {
        git: gitState(['src/a.ts'], {
          // Newest first, as git tells them.
          commits: subjects.toReversed().map((subject, at) => ({
            sha: `${at}`.repeat(40),
            subject,
            at: '2026-01-01T00:00:00Z',
            trailers: [],
            files: ['src/a.ts'],
          })),
          commitCount: subjects.length,
        }),
      }).information.map(({ text, source }) => `${text} [${source}]`)
    expect(told('Cache rows', 'Revert "Cache rows"', 'Add a test')).toEqual([
      'Tried and taken back by commit `11111111`: Cache rows [git]',
    ])
    expect(told('Cache rows', 'Revert "Cache rows"', 'Reapply "Cache rows"')).toEqual([])
    expect(told('Cache rows', 'Revert "Cache rows"', 'Revert "Revert "Cache rows""')).toEqual([])
    expect(told('Revert to the old names')).toEqual([])
  })

  it('tells the latest two', () => {
    const steps = ['a', 'b', 'c'].flatMap((name) => [
      edit(`src/${name}.ts`),
      run(`git restore src/${name}.ts`),
    ])
    expect(tried(...steps).map((text) => text.slice(-10))).toEqual(['`src/b.ts`', '`src/c.ts`'])
  })
})

describe('what failed and was not run again', () => {
  it('stands with its exit status and first error', () => {
    expect(tried(run('docker compose up -d', 1, 'Error: port 5432 is taken\nmore'))).toEqual([
      'Failed (exit 1) and not run again: `docker compose up -d`: Error: port 5432 is taken',
    ])
  })

  it.each<[string, Step[]]>([
    ['one that ran later', [run('docker compose up', 1, 'Error: x'), run('docker compose up -d')]],
    ['a check, which is an open question', [run('npm test', 1, 'Error: x')]],
    ['a question about usage', [run('./tool --help', 1, 'Error: x')]],
    ['one of several in a pipe or list', [run('node a.js; node b.js', 1, 'Error: x')]],
    ['a look', [run('cat app/(site)/page.tsx', 1, 'no matches found')]],
    ['one that says nothing', [run('node a.js', 1, 'Command exited with code 1')]],
    ['one elsewhere', inDirectory('/srv/other', run('node a.js', 1, 'Error: x')).map((step) => [step])],
  ])('is not %s', (_, steps) => {
    expect(tried(...steps)).toEqual([])
  })
})
