import { expect, it } from 'vitest'
import { keepCommands } from '../../../src/brief/relevance.ts'
import type { CommandFact } from '../../../src/types.ts'

const fact = (command: string, kind: CommandFact['kind'], habit?: true): CommandFact => ({
  command,
  outcome: 'ok',
  exitCode: 0,
  cwd: null,
  kind,
  runs: 1,
  source: 'transcript',
  at: null,
  ...(habit ? { habit } : {}),
})
const list = [
  fact('npm test', 'test'),
  fact('npm run build', 'build'),
  fact('npm test -- a', 'test'),
  fact('npm run lint', 'lint'),
  fact('git add', 'git', true),
  fact('git push', 'git', true),
  fact('gh pr view', 'git', true),
]
const kept = (lines: number) => keepCommands(list, lines).kept.map(({ command }) => command)

it('groups by kind and gives the kinds of one tool one line', () => {
  expect(kept(10)).toEqual([
    ...['npm test', 'npm test -- a', 'npm run build', 'npm run lint'],
    ...['git add', 'git push', 'gh pr view'],
  ])
  expect(kept(5)).toEqual(['npm test', 'npm test -- a', 'npm run build', 'git add', 'git push', 'gh pr view'])
})

it('leaves at least half of the lines to commands of their own', () => {
  expect(kept(2)).toEqual(['npm test', 'git add', 'git push'])
  expect(kept(1)).toEqual(['npm test'])
  expect(kept(0)).toEqual([])
  expect(keepCommands(list, 1).total).toBe(7)
})
