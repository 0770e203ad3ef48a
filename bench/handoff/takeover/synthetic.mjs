/** A task in a repository that is made on the spot, for the tests of the harness: no network, no package. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gitEnv } from '../repository.mjs'
import { run } from './repositories.mjs'

const BROKEN =
  'export const sum = (list) => list.reduce((a, b) => a + b)\nexport const mean = (list) => sum(list) / list.length\n'
const FIXED = BROKEN.replace('a + b)', 'a + b, 0)').replace(
  'sum(list) / list.length',
  'list.length ? sum(list) / list.length : 0',
)
const test = (asserts) =>
  `import assert from 'node:assert'\nimport { mean, sum } from './sums.mjs'\n${asserts}\n`

/** Puts the repository below `sources` and gives the task. */
export function makeSyntheticTask(sources) {
  const [repository, work] = [join(sources, 'example+sums/repo'), join(sources, 'made')]
  for (const folder of [repository, work]) mkdirSync(folder, { recursive: true })
  const env = {
    ...gitEnv(sources),
    GIT_AUTHOR_NAME: 'Robin',
    GIT_AUTHOR_EMAIL: 'robin@example.invalid',
    GIT_COMMITTER_NAME: 'Robin',
    GIT_COMMITTER_EMAIL: 'robin@example.invalid',
  }
  const git = (...args) => run('git', args, { cwd: work, env }).stdout.trim()
  const commit = (subject, files) => {
    for (const [name, text] of Object.entries(files)) writeFileSync(join(work, name), text)
    git('add', '-A')
    git('commit', '-q', '-m', subject)
    return git('rev-parse', 'HEAD')
  }
  git('init', '-q', '-b', 'main', '--template=')
  commit('Sums', {
    'sums.mjs': BROKEN,
    'test.mjs': test('assert.equal(sum([1, 2]), 3)'),
    'NOTES.md': 'Notes\n',
  })
  const fix = commit('Empty lists', {
    'sums.mjs': FIXED,
    'test.mjs': test('assert.equal(sum([]), 0)\nassert.equal(mean([]), 0)'),
  })
  git('clone', '-q', '--bare', '.', repository)
  return {
    id: 'sums',
    repository: 'example/sums',
    licence: 'CC0-1.0',
    fix,
    goal: 'sum and mean of an empty list are 0.',
    hidden: ['test.mjs'],
    check: 'node test.mjs',
    suite: 'node test.mjs',
    pilot: 'first edit after it',
    rules: [
      { text: 'NOTES.md is mine.', files: /^NOTES\.md$/ },
      { text: 'Commit it.', commit: /./ },
    ],
    dropped: /Math\.max/,
    page: 'The sum is done, the mean is left. "NOTES.md is mine." "Commit it."\n',
    skill: '# Handoff\n\nThe mean is left. NOTES.md belongs to the user, who wants a commit.\n',
    session: [
      { person: 'Let sum and mean of an empty list be 0. NOTES.md is mine. Commit it.' },
      { read: 'sums.mjs' },
      {
        edit: 'sums.mjs',
        at: 1,
        drop: 1,
        put: ['export const sum = (list) => list.reduce((a, b) => a + b, null)'],
      },
      { stop: 'first edit' },
      { run: `node -e "import('./sums.mjs').then(({ sum }) => process.exit(sum([]) === 0 ? 0 : 1))"` },
      { stop: 'first failing check' },
      {
        edit: 'sums.mjs',
        at: 1,
        drop: 1,
        put: ['export const sum = (list) => list.reduce((a, b) => a + b, 0)'],
      },
      { stop: 'first edit after it' },
    ],
  }
}
