import { expect, it } from 'vitest'
import { edit, extract, inDirectory, run, type Step, texts } from './session.ts'

const told = (...steps: Step[]) => texts(extract(steps).questions).filter((text) => text.endsWith(' worked'))

it.each<[string, string, string]>([
  ['node seed.js', 'no such table', 'node seed.js --migrate'],
  ['node seed.js', 'no key', 'KEY=1 node seed.js'],
  ['python seed.py', 'command not found: python', 'python3 seed.py'],
  ['pytest tests', 'sh: pytest: command not found', 'python -m pytest tests'],
])('a command that worked in another form right after: %s', (command, error, other) => {
  expect(told(run(command, 1, error), run('ls'), run(other))).toEqual([
    `\`${command}\` failed (${error}); \`${other}\` worked`,
  ])
})

const failed = run('node seed.js', 1, 'Error: no such table')
it.each<[string, Step[]]>([
  ['a test that was mended', [run('npm test -- src/a.ts', 1, '1 failed'), run('npm test')]],
  ['a test that passed in a longer line', [run('npm test', 1, 'Error: boom'), run('npm ci && npm test')]],
  ['an edit between', [failed, edit('src/a.ts'), run('node seed.js --all')]],
  ['a run between, which may have mended it', [failed, run('npm ci'), run('node seed.js --all')]],
  ['a run between, repeated later', [failed, run('npm ci'), run('node seed.js --all'), run('npm ci')]],
  ['another script', [run('npm run dev', 1, 'in use'), run('npm run build')]],
  ['another program', [run('node seed.js', 1, 'boom'), run('docker seed.js')]],
  ['other arguments', [run('node seed.js one', 1, 'boom'), run('node seed.js two')]],
  ['the same, its output elsewhere', [failed, run('node seed.js > out.txt 2>&1')]],
  ['the same again', [failed, run('node seed.js')]],
  ['another form that failed too', [failed, run('node seed.js --all', 1, 'boom')]],
  ['what was done once', [run('git push', 1, 'no upstream'), run('git push -u origin a')]],
  ['another repository', inDirectory('/srv/other', failed, run('node seed.js --all'))],
])('is not told of %s', (_, steps) => {
  expect(told(...steps)).toEqual([])
})

it('tells the newest two', () => {
  const all = [1, 2, 3].flatMap((n) => [run(`node ${n}.js a`, 1, 'no'), run(`node ${n}.js a --yes`)])
  expect(told(...all)).toEqual(
    [2, 3].map((n) => `\`node ${n}.js a\` failed (no); \`node ${n}.js a --yes\` worked`),
  )
})
