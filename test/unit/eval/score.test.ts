import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { type EvalCase, readCase } from '../../../bench/eval/case.ts'
import { readClaims } from '../../../bench/eval/claims.ts'
import { type Outcome, scoreCase } from '../../../bench/eval/score.ts'
import { expandPlaceholders } from '../../../bench/eval/scratch.ts'
import { isGood, renderScores, summarise } from '../../../bench/eval/summary.ts'
import { knowsPath, knowsText, textOfTrace, type Witness } from '../../../bench/eval/witness.ts'

const GOAL = 'make sub pass its test'
const CASE: EvalCase = readCase('sub', {
  goal: GOAL,
  recorded: 'by hand',
  session: 'trace/session.jsonl',
  tags: ['happy', 'bugfix'],
  expected_files: ['src/calc.js', 'test/calc.test.js'],
  expected_commands: ['npm test'],
  expected_demands: ['Do not touch the tests.'],
  expected_context: ['sub still adds', ['npm test failed', 'npm test: failed']],
  forbidden: ['always push'],
  git: { branch: 'work', base: { subject: 'First', files: { 'src/calc.js': '', 'test/calc.test.js': '' } } },
})
const TRACE = [
  { type: 'user', message: { content: 'Fix calc. Do not touch the tests.' } },
  { type: 'assistant', message: { content: [{ input: { file_path: '/home/dev/repo/src/calc.js' } }] } },
  { type: 'assistant', message: { content: [{ input: { command: 'npm test' } }] } },
  { type: 'result', text: 'not ok 1 - test/calc.test.js' },
]
  .map((record) => JSON.stringify(record))
  .join('\n')
const WITNESS: Witness = {
  text: textOfTrace(TRACE),
  changed: new Set(['src/calc.js']),
  paths: new Set(['src/calc.js', 'test/calc.test.js', 'src/other.js']),
  goal: GOAL,
}
const BRIEF = `---
goal: x
---

# Handoff Context

## Where it stands

> sub still adds

## How it got here

Quoted from the session, oldest first: each request, and below it the agent's own words, shortened. Each was true when it was said: later lines overrule earlier ones.

- "Fix calc. Do not […]" (to: "And now?")
  - sub still adds

## Constraints & Preferences

- "Do not touch the tests." — from 20261122T031543-25902f85

## Relevant Files

- \`src/calc.js\` — edited once [edited]
- \`test/calc.test.js\` — named in the last failing check

## Relevant Commands

- \`npm test\` — test, failed (exit 1)

## Open Questions / Risks

- failing: \`npm test\` failed (exit 1)

## Next Goal (verbatim)

\`\`\`text
${GOAL}
\`\`\`
`
const outcome = (markdown: string, tokens = 500): Outcome => ({ markdown, error: null, tokens, ms: 10 })
const score = (markdown: string, secrets: string[] = []) =>
  scoreCase(CASE, outcome(markdown), WITNESS, secrets)

describe('a good brief', () => {
  it('passes, with everything covered and nothing invented', () => {
    expect(score(BRIEF)).toMatchObject({
      pass: true,
      problems: [],
      hallucinations: [],
      files: { covered: 2, expected: 2 },
      commands: { covered: 1, expected: 1 },
      demands: { covered: 1, expected: 1 },
      context: { covered: 2, expected: 2 },
    })
  })
})

describe('a brief fails', () => {
  const spoiled: [string, (brief: string) => string, RegExp][] = [
    [
      'without its files',
      (b) => b.replace(/- `(?:src|test)\/.*\n/g, ''),
      /^files: 0 of 2, missing src\/calc\.js/,
    ],
    [
      'without the failing command',
      (b) => b.replace(/- `npm test`.*\n/, ''),
      /^commands: 0 of 1, missing npm test$/,
    ],
    ['without the demand', (b) => b.replace(/- "Do not.*\n/, ''), /^demands: 0 of 1/],
    [
      'when the demand is only told and not quoted',
      (b) => b.replace('- "Do not touch the tests." —', '- Do not touch the tests. —'),
      /^demands: 0 of 1/,
    ],
    ['without the facts', (b) => b.replaceAll('sub still adds', 'all is well'), /^context: 1 of 2/],
    [
      'with a path nobody named',
      (b) => b.replace('src/calc.js`', 'src/made-up.js`'),
      /invented file: src\/made-up\.js/,
    ],
    [
      'with a file of the repository that had no part in it',
      (b) => b.replace('## Relevant Commands', '- `src/other.js` — read [read]\n\n## Relevant Commands'),
      /invented file: src\/other\.js/,
    ],
    [
      'with a path nobody named outside the list of files',
      (b) => b.replace('sub still adds', 'sub still adds, see `src/ghost/deep.js`'),
      /invented file: src\/ghost\/deep\.js/,
    ],
    [
      'with a command nobody ran',
      (b) => b.replace('## Open', '- `npm run deploy` — ok [transcript]\n\n## Open'),
      /invented command: npm run deploy/,
    ],
    [
      'with a demand nobody made',
      (b) => b.replace('## Relevant Files', '- "Never use semicolons."\n\n## Relevant Files'),
      /invented quote: Never use semicolons\./,
    ],
    [
      'with a request nobody made',
      (b) => b.replace('"Fix calc. Do', '"Rewrite calc. Do'),
      /invented request: Rewrite calc\. Do not$/m,
    ],
    [
      'with an obvious step nobody wrote',
      (b) => b.replace('## Next Goal', '## Next Steps\n\n- run the tests again [agent]\n\n## Next Goal'),
      /invented next step: run the tests again/,
    ],
    [
      'with a forbidden text',
      (b) => b.replace('sub still adds', 'sub still adds. ALWAYS  push'),
      /must not be said/,
    ],
    [
      'when the goal is another one',
      (b) => b.replace(`text\n${GOAL}`, 'text\nmake it pass'),
      /goal does not stand last/,
    ],
  ]
  it.each(spoiled)('%s', (_, spoil, reason) => {
    const text = spoil(BRIEF)
    expect(text).not.toBe(BRIEF)
    const result = score(text)
    expect(result.pass).toBe(false)
    expect(result.problems.join('\n')).toMatch(reason)
  })

  it('when a secret of the session stands in it, told without the value', () => {
    const value = Array.from('secret', (c) => c.charCodeAt(0)).join('x')
    const result = score(BRIEF.replace('sub still adds', `sub still adds ${value}`), [value])
    expect(result.problems).toEqual(['a secret of the session stands in the brief'])
    expect(JSON.stringify(result)).not.toContain(value)
  })

  it('when it is longer than allowed', () => {
    expect(scoreCase(CASE, outcome(BRIEF, 2001), WITNESS, []).problems).toEqual(['2001 tokens, at most 2000'])
  })
})

describe('an expected error', () => {
  const refused: EvalCase = { ...CASE, expectedError: 'E_TOO_SHORT' }
  const failed = (error: string): Outcome => ({ markdown: null, error, tokens: 0, ms: 1 })
  it('is the pass, another one or a brief is not', () => {
    expect(scoreCase(refused, failed('E_TOO_SHORT'), WITNESS, []).pass).toBe(true)
    expect(scoreCase(refused, failed('E_GIT'), WITNESS, []).problems).toEqual([
      'expected E_TOO_SHORT, got E_GIT',
    ])
    expect(scoreCase(refused, outcome(BRIEF), WITNESS, []).pass).toBe(false)
    expect(scoreCase(CASE, failed('E_EMPTY'), WITNESS, []).problems).toEqual([
      'expected a brief, got E_EMPTY',
    ])
  })
})

describe('the own readers', () => {
  it('read fenced commands and code spans with backticks', () => {
    const text = `## Relevant Commands\n\n- ok, run [transcript]\n  \`\`\`sh\n  cat <<E\n  x\n  E\n  \`\`\`\n- \`\` echo \`date\` \`\` — ok [transcript]\n`
    expect(readClaims(text).commands).toEqual(['cat <<E\nx\nE', 'echo `date`'])
  })

  it('find names as a whole only', () => {
    const witness = {
      ...WITNESS,
      text: textOfTrace('{"a":"see src/data.ts and lib/a.tsx"}'),
      changed: new Set<string>(),
    }
    expect(knowsPath(witness, 'src/data.ts')).toBe(true)
    expect(knowsPath(witness, 'a.ts')).toBe(false)
    expect(knowsPath(witness, 'lib/a.ts')).toBe(false)
  })

  it('find a command that stands quoted in a script', () => {
    const script = JSON.stringify({ input: 'await tools.exec_command({"cmd":"grep -n \\"await\\" src"})' })
    expect(knowsText({ ...WITNESS, text: textOfTrace(script) }, 'grep -n "await" src')).toBe(true)
  })

  it('read whole JSON, lines of JSON and plain text alike', () => {
    for (const raw of ['{\n "a": ["npm  test"]\n}', '{"a":"x"}\n{"b":"NPM test"}', 'torn {\nnpm test'])
      expect(textOfTrace(raw)).toContain('npm test')
  })
})

describe('the totals', () => {
  const good = score(BRIEF)
  const bad = score(BRIEF.replace('src/calc.js`', 'src/made-up.js`'))
  it('need 85 % and at least one case', () => {
    expect(isGood(summarise([]))).toBe(false)
    expect(isGood(summarise([...Array(17).fill(good), bad, bad, bad]))).toBe(true)
    expect(isGood(summarise([...Array(16).fill(good), bad, bad, bad]))).toBe(false)
  })

  it('count sorts, failure modes and what was invented', () => {
    const summary = summarise([good, bad])
    expect(summary).toMatchObject({
      cases: 2,
      passed: 1,
      passRate: 0.5,
      hallucinating: 1,
      bySort: { happy: { cases: 2, passed: 1 }, edge: { cases: 0, passed: 0 } },
      failedTags: { happy: 1, bugfix: 1 },
    })
    expect(renderScores([good, bad], summary)).toContain('1 of 2 pass, 50 % (at least 85 %): happy 1/2')
  })
})

describe('a case.yaml', () => {
  const whole = {
    goal: GOAL,
    recorded: 'x',
    session: null,
    tags: ['edge'],
    git: { branch: 'b', base: { subject: 's', files: {} } },
  }
  it.each([
    [{ goal: '' }, 'goal: a text is needed'],
    [{ tags: ['smoke'] }, 'exactly one of happy, edge, adversarial, regression'],
    [{ tags: ['happy', 'edge'] }, 'exactly one of'],
    [{ pass_criteria: { speed: 1 } }, 'pass_criteria.speed'],
    [{ expected_files: [1] }, 'expected_files.0'],
    [{ git: { branch: 'b', base: { subject: 's', files: { '../x': '' } } } }, 'a path inside the repository'],
  ])('%j is refused', (change, reason) => {
    expect(() => readCase('c', { ...whole, ...change })).toThrow(reason)
  })
})

describe('the judges', () => {
  it('share no code with the program', () => {
    const folder = fileURLToPath(new URL('../../../bench/eval/', import.meta.url))
    const files = readdirSync(folder)
    expect(files.length).toBeGreaterThan(4)
    for (const name of files) expect(readFileSync(folder + name, 'utf8'), name).not.toMatch(/from '\.\./)
  })
})

it('a placeholder becomes the same value in every run and another one in every case', () => {
  const text = 'a @@GITHUB_TOKEN@@ b @@GITHUB_TOKEN@@ c @@BEARER_TOKEN@@'
  const first = expandPlaceholders(text, 'case')
  expect(first).toEqual(expandPlaceholders(text, 'case'))
  expect(first.values).toHaveLength(2)
  expect(first.text).not.toContain('@@')
  expect(first.text.split(first.values[0] ?? '')).toHaveLength(3)
  expect(expandPlaceholders(text, 'other').values[0]).not.toBe(first.values[0])
  expect(() => expandPlaceholders('@@NOTHING@@', 'case')).toThrow('@@NOTHING@@')
})
