import { describe, expect, it } from 'vitest'
import { PEOPLE } from '../../bench/handoff/language/people.mjs'
import { PROJECTS } from '../../bench/handoff/language/projects.mjs'
import { playSession } from '../../bench/handoff/play.mjs'
import { scoreDocument, sumUp } from '../../bench/handoff/score/score.mjs'
import { makeWorld } from '../../bench/handoff/world.mjs'

const truth = {
  files: [
    { kind: 'changed', path: 'src/cart.ts', from: null },
    { kind: 'created', path: 'src/gift.ts', from: null },
    { kind: 'deleted', path: 'src/old.ts', from: null },
    { kind: 'renamed', path: 'src/price-list.ts', from: 'src/prices.ts' },
  ],
  known: ['src/cart.ts', 'src/gift.ts', 'src/old.ts', 'src/prices.ts', 'src/price-list.ts', 'src/server.ts'],
  uncommitted: ['src/cart.ts'],
  unpushed: [['abc1234', 'Mend the cart']],
  allUnpushed: 1,
  check: { command: 'npm test 2>&1 | tail -20', outcome: 'failed', test: 'rounds up' },
  rules: [
    { text: "Don't touch src/legacy, it goes away.", kind: 'hard', place: 'alone' },
    { text: 'Prices are integers in cents.', kind: 'soft', place: 'alone' },
  ],
  noRules: ['He never got that far in the demo.'],
  lifted: [{ stale: 'Do not push yet.', current: 'Pushing is fine from here on.' }],
  overturned: [
    {
      stale: 'It is the cache.',
      current: 'It is the clock.',
      staleKey: 'it is the cache',
      currentKey: 'it is the clock',
    },
  ],
  answered: [{ question: 'One table or two?', answer: 'Two, the second one is archived.' }],
  mended: ['keeps the cart'],
  secrets: ['ghp_0123456789'],
}

const PERFECT = `# Handoff

## Status

- Branch \`work\`, 1 ahead of \`origin/work\`: not pushed
- Last check: \`npm test\` failed: rounds up
- Not committed: \`src/cart.ts\`

## Rules

- "Don't touch **src/legacy**, it goes away."
- "Prices are integers
  in cents."

## Trail

- It is the cache.
- It is the clock.
- One table or two? Two, the second one is archived.
- Pushing is fine from here on.
- keeps the cart failed, and passes again

## Files

- \`src/cart.ts\` — edited 3 times
- \`src/gift.ts\` — created
- Deleted: src/old.ts
- \`src/price-list.ts\` — renamed from src/prices.ts
- \`src/server.ts\` — read
`

const figures = (markdown: string) => sumUp([scoreDocument(markdown, truth)])

describe('the scorer of the benchmark', () => {
  it('gives a document that tells all of it the full score', () => {
    expect(figures(PERFECT)).toEqual({
      ...{ rules: 1, gist: 1, ruleLines: 1, falseRules: 0, precision: 1, recall: 1, f1: 1, exact: 1 },
      ...{ state: 1, truth: 1, told: 1, leaked: 0, planted: 1 },
    })
  })

  it('finds nothing in an empty document, and nothing that misleads', () => {
    expect(figures('# Handoff\n')).toMatchObject({ rules: 0, f1: 0, state: 0, truth: 1, told: 0 })
  })

  it.each([
    ['a table of git', 'M src/cart.ts\nA src/gift.ts\nD src/old.ts\nR100 src/prices.ts → src/price-list.ts'],
    [
      'git diff --stat --summary',
      ' src/cart.ts | 2 +-\n src/gift.ts | 3 +++\n src/old.ts | 4 ----\n src/{prices.ts => price-list.ts} | 0\n create mode 100644 src/gift.ts\n delete mode 100644 src/old.ts',
    ],
    [
      'sentences',
      'I edited src/cart.ts and created src/gift.ts. I deleted src/old.ts; src/prices.ts is now src/price-list.ts.',
    ],
    [
      'commands',
      '$ sed -i s/a/b/ src/cart.ts\n$ cat > src/gift.ts\n$ git rm -q src/old.ts\n$ mv src/prices.ts src/price-list.ts',
    ],
    [
      'headings',
      '## Changed\n- /home/dev/repo/src/cart.ts\n## Created\n- src/gift.ts\n## Deleted\n- src/old.ts\n## Renamed\n- src/prices.ts -> src/price-list.ts',
    ],
  ])('reads the kinds of change from %s', (_, markdown) => {
    expect(figures(markdown)).toMatchObject({ f1: 1, exact: 1 })
  })

  it.each([
    'I did not change src/server.ts.',
    'Read src/server.ts first.',
    '- `src/server.ts`: what the callers use',
    'git add src/server.ts',
  ])('takes no change from "%s"', (markdown) => {
    expect(scoreDocument(markdown, truth).artefacts.invented).toEqual([])
  })

  it('counts a file that git does not know as changed', () => {
    // What is said of a command is not said of the file in it.
    const stale = '- `node --test src/server.ts` — passed, files were edited since'
    expect(scoreDocument(stale, truth).artefacts.invented).toEqual([])
    expect(scoreDocument('- `src/server.ts` — edited twice', truth).artefacts.invented).toEqual([
      'changed src/server.ts',
    ])
  })

  it.each([
    ['an old statement without the new one', '- It is the cache.', 'overturned'],
    ['an old statement after the new one', '- It is the clock.\n- It is the cache.', 'overturned'],
    ['a question that was answered', '## Open questions\n- One table or two?', 'answered'],
    [
      'a rule among the rules, its end elsewhere',
      `## Rules\n- Do not push yet.\n## Trail\n${'- Some other words stand here.\n'.repeat(15)}- Pushing is fine from here on.`,
      'lifted',
    ],
    ['a failure that was mended', '- failing: keeps the cart failed', 'mended'],
  ])('is misled by %s', (_, markdown, kind) => {
    const misled = scoreDocument(markdown, truth).truth.filter((one) => one.misled)
    expect(misled.map((one) => one.kind)).toEqual([kind])
  })

  it.each([
    ['the wrong outcome', '- Last check: `npm test` passed', 'last check'],
    ['an older run as the last', '`npm test` failed\n\n`npm test` passed', 'last check'],
    ['another number of commits', '2 commits ahead of origin', 'not pushed'],
    ['one file too many', 'Uncommitted: src/cart.ts, src/server.ts', 'not committed'],
  ])('does not count %s as told', (_, markdown, name) => {
    const item = scoreDocument(markdown, truth).state.find((one) => one.name === name)
    expect(item?.right).toBe(false)
    expect(item?.told).not.toBe('not told')
  })

  it.each([
    '## Uncommitted files\n\nNone.\n\n## Unpushed commits\n\nnone',
    '- Not committed: nothing\n- Not pushed: none',
  ])('are right where there is nothing, and it says so: %j', (markdown) => {
    const { state } = scoreDocument(markdown, { ...truth, uncommitted: [], unpushed: [], allUnpushed: 0 })
    expect(state.filter(({ name }) => name.startsWith('not ')).map(({ right }) => right)).toEqual([
      true,
      true,
    ])
  })

  it('counts what is nobody’s rule only in a section of rules', () => {
    const told = 'He never got that far in the demo. Never run the tests again.'
    expect(figures(`## Trail\n${told}`).falseRules).toBe(0)
    expect(figures(`## Constraints & Preferences\n${told}`).falseRules).toBe(2)
  })

  it('tells rules from other lines of their section, and loses a rule that is told as taken back', () => {
    const { rules, gist, ruleLines } = figures(
      '## Rules\n- Prices are integers in cents.\n- We need it until Thursday.\n- Two, the second one is archived.\n## Decisions\n- Ok. (takes back: Prices are integers in cents.)',
    )
    expect({ rules, gist, ruleLines }).toEqual({ rules: 0, gist: 0, ruleLines: 0.5 })
  })

  it('sees a secret, and a rule in other words', () => {
    expect(figures('TOKEN=ghp_0123456789 and integers in cents for prices')).toMatchObject({
      leaked: 1,
      rules: 0,
      gist: 0.5,
    })
  })
})

describe('the generator of the benchmark', () => {
  const play = (seed: string, person: number) => {
    const world = makeWorld(PROJECTS[person], 'work')
    return { world, ...playSession({ seed, turns: 100, person: PEOPLE[person], world, attack: true }) }
  }

  it('gives the same session for the same seed and another one for another', () => {
    expect(JSON.stringify(play('a', 0).events)).toBe(JSON.stringify(play('a', 0).events))
    expect(JSON.stringify(play('a', 0).events)).not.toBe(JSON.stringify(play('b', 0).events))
  })

  it.each([0, 1, 2, 3, 4])('plays as many turns as asked with person %i, and plants all of it', (person) => {
    const { events, planted } = play('turns', person)
    expect(events.filter((event) => event.kind === 'prompt')).toHaveLength(100)
    expect(planted.rules).toHaveLength(12)
    expect(planted.overturned).toHaveLength(4)
    expect(planted.secrets).toHaveLength(6)
  })
})
