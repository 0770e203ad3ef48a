import { expect, it } from 'vitest'
import { turnsOn } from '../../../src/ask/turns.ts'

const SHA = '1a2b3c4d5e6f'.padEnd(40, '0')
const TRACKED = ['src/queue.ts', 'src/poller.ts', 'README.md', 'docs/README.md']

const quoted = (sections: Readonly<Record<string, readonly string[]>>, paths = ['src/queue.ts']) =>
  turnsOn(
    [
      {
        ...{ id: 'one', as: SHA },
        parsed: {
          sections: Object.entries(sections).map(([id, lines]) => ({
            ...{ id, heading: id },
            lines: lines.map((text) => ({ text, fenced: false })),
          })),
        },
      },
    ],
    paths,
    TRACKED,
  ).map(({ about, lines }) => [about, ...lines])

const trail = [
  '- "Look at src/queue.ts."',
  '  - It has no bound.',
  '- "Bound it." (to: "Shall I?")',
  '  - Committed: `1a2b3c4` Bound the queue',
  '  - The poller is killed above 100.',
]

it('quotes the whole turn that names the commit, and nothing that only names the file', () => {
  expect(quoted({ trail, decisions: ['- src/queue.ts keeps 100 entries'] })).toEqual([
    [
      'commit',
      '"Bound it." (to: "Shall I?")',
      'Committed: `1a2b3c4` Bound the queue',
      'The poller is killed above 100.',
    ],
  ])
})

it('else quotes what names the file, by its path or by a name that only this file has', () => {
  const decisions = ['- `queue.ts` keeps 100 entries', '- the README.md is short', '- `lib/queue.ts` goes']
  expect(quoted({ decisions })).toEqual([['file', '`queue.ts` keeps 100 entries']])
  expect(quoted({ decisions: ['- see README.md'] }, ['README.md'])).toEqual([])
  expect(quoted({ closing: ['> /home/dev/repo/src/queue.ts is done'] })).toEqual([
    ['file', '/home/dev/repo/src/queue.ts is done'],
  ])
})

it('takes no demand for a reason, and quotes three turns at most, each once', () => {
  expect(quoted({ constraints: ['- "never touch src/queue.ts"'] })).toEqual([])
  const closing = [
    '> src/queue.ts is 1',
    '> src/queue.ts is 1',
    ...[2, 3, 4].map((n) => `> src/queue.ts is ${n}`),
  ]
  expect(quoted({ closing }).map(([, line]) => line)).toEqual([
    'src/queue.ts is 1',
    'src/queue.ts is 2',
    'src/queue.ts is 3',
  ])
})
