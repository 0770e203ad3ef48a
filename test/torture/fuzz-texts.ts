import fc from 'fast-check'
import { anyText } from '../any-text.ts'
import { createFakes } from '../unit/secrets/fake.ts'

/** A key as one of a well-known kind looks, made anew in every run and known to nobody. */
export const FAKE_KEY = createFakes(20261122).make('ghp_{A-Za-z0-9:36}')

/** JSON that cannot be written as a value stands for itself until the text is made. */
export const DEEP = '\u{1}deep\u{1}'
export const HUGE = '\u{1}huge\u{1}'

const repeated = (piece: string, bytes: number): string => piece.repeat(Math.ceil(bytes / piece.length))

/** Texts that have broken readers of every kind, each a few bytes to 100 KB. */
const ODD_TEXTS: readonly string[] = [
  ...['', ' ', '\n', '\t', '\r', '\r\n', '0', 'null', 'undefined', 'true', '[object Object]'],
  ...['\u{d800}', 'a\u{dfff}b', 'cut in half \u{d83d}', '\u{0}', 'a\u{0}b', '\u{feff}', 'a\u{2028}b'],
  ...[
    '\u{1b}[2J\u{1b}[H',
    '\u{9b}31m',
    'rm\u{200b} -rf',
    'user\u{202e}gpj.exe',
    'over\rwritten',
    '\u{7f}\u{8}',
  ],
  ...['👩‍💻 ✔️ 日本語 العربية', 'e\u{301}'.repeat(50), '\u{e0041}\u{e0042}'],
  ...[
    '---',
    '---\n',
    '\n---\n',
    '...',
    '# Title',
    '## Status\n\n- forged',
    '\n## Open Questions\n\n- forged\n',
  ],
  ...['```', '~~~~', '```\n## Goal\n```', '`'.repeat(300), '- - - x', '> quoted', '1. one', '    indented'],
  ...[
    '<!-- hidden -->',
    '<details>',
    '<script>x</script>',
    '[x]: https://example.org "y"',
    '[a](javascript:b)',
  ],
  ...['<<<<<<< ours', '=======', '>>>>>>> theirs', '| a | b |', '&amp;&#x202e;', '\\u{202e}', '\\'],
  ...[
    '../../../../etc/passwd',
    '/etc/passwd',
    'C:\\Users\\dev\\x',
    '//host/share',
    '~root/x',
    'file:///etc/passwd',
  ],
  ...[
    '-rf',
    '--output=/tmp/x',
    '--',
    '-',
    '$(touch x)',
    '`touch x`',
    '; rm -rf ~',
    'a\nb',
    '%s%n',
    'CON',
    '.',
    '..',
  ],
  ...[
    '.handoff/latest.md',
    '.handoff/briefs/x.md',
    '.git/config',
    'node_modules/x',
    'a'.repeat(300),
    '/home/dev/x',
  ],
  ...['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'then', 'length', '0'],
  ...[
    '0000-00-00T00:00:00Z',
    '9999-12-31T23:59:59.999Z',
    '+275760-09-13T00:00:00.001Z',
    '-271821-04-20T00:00:00Z',
  ],
  ...['1969-12-31T23:59:59Z', '2026-11-22', 'Infinity', 'NaN', '1e999', '-0', '20260714T091522-01c40e9b'],
  ...[` export GITHUB_TOKEN=${FAKE_KEY}`, ` ${FAKE_KEY} `, `https://user:${FAKE_KEY}@example.org/x.git`],
  ...[
    '*** Begin Patch\n*** Update File: ../../x\n*** Move to: \n',
    '*** Add File: \n+',
    'diff --git a/x b/x\n',
  ],
  ...['<system-reminder>x</system-reminder>', '<command-name>/clear</command-name>', '<user_shell_command>'],
  ...[
    'git commit -m "$(cat <<\'EOF\'\nx\nEOF\n)"',
    'cat <<EOF\nx',
    'cd .. && cd - && npm test | tail',
    "'",
    '"',
    '((',
  ],
  ...['handoff create "x"', 'npx handoff note -', 'Never push.', 'Do not touch src/a.ts. Why?', 'undo that'],
]

/** Long texts in which something stands again and again: what a pattern that looks back costs is seen here. */
const LONG_TEXTS: readonly string[] = [
  ...[
    'x',
    ' ',
    '\n',
    '\t',
    'a ',
    'word ',
    '日本',
    '(',
    '[',
    '{',
    '<',
    '`',
    '"',
    "'",
    '\\',
    '/',
    '*',
    '_',
    '#',
    '.',
    '-',
  ],
  ...[
    'a/',
    '../',
    'a.ts ',
    'a.ts, ',
    '$(',
    '${',
    '&& ',
    '| ',
    '; ',
    'cd a && ',
    'cat <<E\n',
    '<!--',
    '](',
    '- ',
    '1.',
  ],
  ...[
    '/home/',
    'https://',
    'C:\\',
    'a@',
    '@a ',
    '#1 ',
    'AB-1 ',
    'not ',
    'never ',
    'not, ',
    'a=b ',
    'a: ',
    'TOKEN=',
    'x\n',
  ],
  ...[
    '- a\n',
    '## a\n',
    '```\n',
    '{"a":',
    '*** Update File: a\n',
    '<a ',
    '\u{d800}',
    '\u{200b}',
    'é',
    'a\u{301}',
    '-----',
  ],
  ':1',
].flatMap((piece) => [
  repeated(piece, 40_000),
  `${repeated(piece, 40_000)} x`,
  `a${repeated(piece, 40_000)}x`,
])

const ODD_VALUES: readonly unknown[] = [
  ...[null, true, false, 0, -1, 1.5, 1e308, -1e308, 2 ** 53, 8.64e15 + 1, -8.64e15 - 1, 1e15, 4294967296],
  ...[
    [],
    {},
    [[]],
    [null],
    [{}],
    { a: null },
    [1, 'a', null, {}],
    { type: 'text' },
    { type: 'text', text: null },
  ],
  ...[{ length: 5 }, { toString: 'x' }, { catch: 1 }, Array(300).fill('x'), DEEP, HUGE],
]

export const oddText: fc.Arbitrary<string> = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...ODD_TEXTS) },
  { weight: 2, arbitrary: anyText(60) },
  { weight: 1, arbitrary: fc.constantFrom(...LONG_TEXTS) },
  { weight: 1, arbitrary: fc.constantFrom('\u{d800}', 'a\u{dfff}b', 'cut in half \u{d83d}', 'a\u{0}b') },
  // Several together: what one of them opens, another one closes.
  {
    weight: 2,
    arbitrary: fc.array(fc.constantFrom(...ODD_TEXTS), { maxLength: 6 }).map((all) => all.join('')),
  },
)

export const oddValue: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...ODD_VALUES) },
  { weight: 5, arbitrary: oddText },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
  { weight: 1, arbitrary: fc.array(oddText, { maxLength: 3 }) },
)
