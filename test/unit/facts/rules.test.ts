import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { createRules } from '../../../src/facts/decisions.ts'
import { LEAST_RULE, ruleScore } from '../../../src/text/rule-score.ts'
import { expectLinear } from '../../growth.ts'

const SETS = new URL('../../../scripts/rules/', import.meta.url)

/** What stands after these prompts of a person. */
function standing(...prompts: string[]): string[] {
  const rules = createRules()
  for (const text of prompts) rules.hear(text, null)
  return rules.standing().map(({ text }) => text)
}

describe('the sets that the table of words was made from', () => {
  const share = (kind: string): number => {
    const lines = readdirSync(SETS)
      .filter((name) => name.startsWith(kind))
      .flatMap((name) => readFileSync(new URL(name, SETS), 'utf8').split('\n').filter(Boolean))
    return lines.filter((line) => ruleScore(line) > LEAST_RULE).length / lines.length
  }

  it('finds at least four rules of five', () => {
    expect(share('rules-')).toBeGreaterThan(0.8)
  })

  it('takes at most one of fifty other sentences', () => {
    expect(share('none-')).toBeLessThan(0.02)
  })
})

describe('a rule is kept word for word', () => {
  it.each([
    'The public signature of retry() must not change, the mobile team imports it.',
    'Nobody may edit the changelog.',
    'The config folder is off limits.',
    'It has to work on Node 18.',
    'All public functions need JSDoc.',
    'Commit messages are in German.',
    'The API is frozen.',
    'We only deploy on Tuesdays after on-call approves.',
    'Bitte keine neuen Abhängigkeiten.',
    'Niemals direkt auf main pushen.',
    'Nunca hagas push directamente a main.',
    'テストファイルは変更しないでください。',
    '请不要修改测试文件。',
  ])('%s', (rule) => {
    expect(standing(rule)).toEqual([rule])
  })

  it('inside a long request', () => {
    const rule = 'Never call the payments sandbox from unit tests.'
    const before =
      'Finance wrote again about March. One invoice in forty is three cents off. I suspect the order in which we round. '
    expect(standing(`${before.repeat(6)}${rule} ${before.repeat(6)}`)).toEqual([rule])
  })

  it('where the rest of the prompt repeats', () => {
    const prompt = (n: number, rule: string): string =>
      `Good, go on with part ${n} now. Last week the office wrote that the sums of March are off. ${rule} Then show me what changed in src/part${n}.rb.`
    const rule = 'The export has to be finished within nine minutes.'
    const many = Array.from({ length: 1000 }, (_, n) => prompt(n, n === 3 ? rule : ''))
    expect(standing(...many)).toEqual([rule])
  })

  it.each([
    'Would you mind leaving the ports as they are?',
    "I'd rather we didn't add another cache.",
    'Whoever adds a route also documents it.',
  ])('also in ordinary words: %s', (rule) => expect(standing(rule)).toEqual([rule]))

  it('beside a pasted log with the time of day', () => {
    const log = '09:10:00 worker up\n09:10:02 queue full, 3 dropped'
    expect(standing(`${log}\n\nThe config folder is off limits.`)).toEqual([
      'The config folder is off limits.',
    ])
  })

  it('with the sentence before it where it speaks of what that names', () => {
    expect(standing('The invoices folder is read by a script of the office. Please leave it alone.')).toEqual(
      ['The invoices folder is read by a script of the office. Please leave it alone.'],
    )
  })

  it('with the two before it where the one before it points back as well', () => {
    const said =
      'The report of May lies in drafts/may.md. It may be stale by now. Do not send it until Jana has read the figures again.'
    expect(standing(said)).toEqual([said])
  })

  it('of dictated text without a mark as its clause', () => {
    const dictated =
      'ok so the export button is on the wrong side and the colours look odd on my phone so look at the form first and never touch the billing module and then we can see what is left of the list for today'
    expect(standing(dictated)).toEqual(['and never touch the billing module'])
  })

  it('and both of two that contradict each other, the later one last', () => {
    expect(standing('Use tabs for indentation.', 'Use spaces for indentation.')).toEqual([
      'Use tabs for indentation.',
      'Use spaces for indentation.',
    ])
  })

  it('once, at its newest place, where it is said again', () => {
    expect(
      standing('Never push to main.', 'Use pnpm in this repository, not npm.', 'never push to main!'),
    ).toEqual(['Use pnpm in this repository, not npm.', 'never push to main!'])
  })
})

describe('what is no rule is not taken', () => {
  it.each([
    ['a finished request', 'Add tests to ensure that source and target must not be the same repository'],
    [
      'a suggestion',
      `I'd suggest we add an "--all-refs" flag and the default behaviour is "warn" when we can't set/update it.`,
    ],
    ['a question', 'Should we never push to main?'],
    ['a request put as one', 'Could you keep going?'],
    ['a slash command', '/review never push to main'],
    ['an observation', 'The rate is loaded once at start and kept.'],
    ['a guess', 'That must be the reversed settlements.'],
    ['a finding of a review', 'This means wrapper hooks can never be uninstalled through the CLI.'],
    ['our own words', 'Do not mention the handoff itself.'],
    ['a block of code', '```\nNever push to main.\n```'],
    ['a quote', '> Never push to main.'],
  ])('%s', (_, text) => {
    expect(standing(text)).toEqual([])
  })

  it('and of a pasted report only what is certain', () => {
    const report =
      '## Order\n**Commit 3** bundles counting with the integration tests, which are independent of it.\n' +
      'Use regex patterns instead of exact string matching.\nAlways run tests before pushing.\n'
    expect(standing(report)).toEqual(['Always run tests before pushing.'])
  })

  it('and of a message with output only what is certain', () => {
    const lint =
      'fix pkg/build.go:1:9: var-naming: avoid package names that conflict with the standard library'
    const log = 'Run echo "License check task not found"\nError: Process completed with exit code 1.'
    expect(standing(lint)).toEqual([])
    expect(standing(log)).toEqual([])
    expect(standing(`${log}\nNever push to main.`)).toEqual(['Never push to main.'])
    const apart = 'Use vitest, not jest.\n```\nError: never retried\n```'
    expect(standing(apart)).toEqual(['Use vitest, not jest.'])
  })

  it('and a rule file of 2,000 lines crowds out no rule of the person', () => {
    const file = Array.from(
      { length: 2000 },
      (_, n) => `- Module ${n} must not import ${String.fromCharCode(97 + (n % 26))}${n}.`,
    ).join('\n')
    const rules = ['Never push to main.', 'Please no new dependencies.']
    const [first = '', second = ''] = rules
    expect(standing(first, file, second)).toEqual(expect.arrayContaining(rules))
  })
})

it('takes time in proportion to the text', async () => {
  const text = (n: number): string => 'never touch the file and keep the other one as it is '.repeat(n)
  await expectLinear(500, (n) => standing(text(n)), 'one sentence')
  await expectLinear(200, (n) => standing('Never touch the file, keep it as it is.\n'.repeat(n)), 'sentences')
})
