import { expect, it } from 'vitest'
import { warningsOf } from '../../../src/create/judge.ts'
import type { Finding } from '../../../src/types/checks.ts'

const finding = (rule: string, line: number, message: string, more: Partial<Finding> = {}): Finding => ({
  ...{ rule, line, message, path: '.handoff/briefs/a.md', level: 'warning' },
  ...more,
})

it('warns once of what a rule says of several lines', () => {
  expect(
    warningsOf([
      finding('home-path', 31, 'has a user name in a path'),
      finding('budget', 1, 'has 4,100 tokens'),
      finding('home-path', 40, 'has a user name in a path'),
      finding('home-path', 41, 'names a home directory', { refused: true }),
      finding('schema', 2, 'no goal', { level: 'error' }),
    ]),
  ).toEqual([
    'home-path, lines 31, 40: has a user name in a path',
    'budget: has 4,100 tokens',
    'home-path, line 41: names a home directory; `git handoff check` refuses the brief for it',
  ])
})
