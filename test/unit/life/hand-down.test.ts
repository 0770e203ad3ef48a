import { describe, expect, it } from 'vitest'
import { commitsAfter } from '../../../src/facts/turns.ts'
import { type HandedDown, handDown, type Inherited } from '../../../src/life/hand-down.ts'
import { takenBackIn } from '../../../src/text/taken-back.ts'
import type { QuestionFact, TextFact } from '../../../src/types/evidence.ts'
import { expectLinear } from '../../growth.ts'
import { edit, extract, gitState, type Options, prompt, reply, run, type Step } from '../facts/session.ts'

const GOAL = 'carry the work on as described'
const PARENT = '20260101T000000-00000001'
const CREATED = '2026-01-01T00:00:00.000Z'
const fact = (text: string, from?: string): TextFact => ({
  text,
  source: 'user',
  at: '2026-01-01T00:00:00.000Z',
  ...(from ? { from } : {}),
})
const question = (kind: QuestionFact['kind'], text: string): QuestionFact => ({
  kind,
  text,
  source: 'agent',
  at: null,
})

/** What goes on after a session of these steps. */
function goesOn(steps: Step[], down: Partial<Inherited> = {}, options: Options = {}): HandedDown {
  const evidence = extract(steps, options)
  const commits = commitsAfter(options.git ?? null, CREATED).map(({ subject }) => subject)
  const inherited = {
    ...{ id: PARENT, createdAt: CREATED, goal: GOAL },
    ...{ constraints: [], questions: [], pending: [] },
    ...down,
  }
  return handDown(inherited, evidence, { ...evidence.heard, checks: evidence.checks, commits }, GOAL)
}
const run6 = (steps: Step[], constraints: TextFact[], questions: QuestionFact[] = []) =>
  goesOn(steps, { constraints, questions })

describe('what the parent hands down', () => {
  it('keeps its constraints with their brief, oldest first', () => {
    expect(
      run6([prompt('Never push.')], [fact('Do NOT touch src/api.'), fact('Use pnpm.', 'older')]).constraints,
    ).toMatchObject([
      { text: 'Do NOT touch src/api.', from: PARENT },
      { text: 'Use pnpm.', from: 'older' },
      { text: 'Never push.' },
    ])
  })

  it('does not repeat what the session says again', () => {
    const constraints = run6([prompt('do not touch src/api')], [fact('Do NOT touch src/api.')]).constraints
    expect(constraints).toMatchObject([{ text: 'Do NOT touch src/api.', from: PARENT }])
    expect(constraints).toHaveLength(1)
  })

  it('over a chain of six the first constraint is quoted once, under its first brief', () => {
    let constraints = extract([prompt('Do NOT touch src/api.')]).constraints
    for (let i = 1; i < 6; i++)
      constraints = goesOn([prompt(i % 2 ? 'Do NOT touch src/api.' : 'Go on with the work please')], {
        id: `brief-${i}`,
        constraints,
      }).constraints
    expect(constraints).toMatchObject([{ text: 'Do NOT touch src/api.', from: 'brief-1' }])
    expect(constraints).toHaveLength(1)
  })

  it('keeps open questions until they are answered', () => {
    const open = [question('question', 'Which database should the retry queue use?')]
    expect(run6([], [], open).questions).toMatchObject([{ text: open[0]?.text, from: PARENT }])
    expect(
      run6([prompt('Always use SQLite as the database of the retry queue.')], [], open).questions,
    ).toEqual([])
    expect(run6([prompt('Fix the typo in the readme please.')], [], open).questions).toHaveLength(1)
    const sub = [question('question', 'Should sub be renamed to subtract?')]
    expect(run6([prompt('Yes, rename sub to subtract.')], [], sub).questions).toEqual([])
    expect(run6([prompt('Was sub renamed to subtract?')], [], sub).questions).toHaveLength(1)
  })

  it('keeps failing checks until the command ran again', () => {
    const failing = extract([run('npm test', 1, 'Error: boom')]).questions
    expect(run6([reply('Nothing was run.')], [], failing).questions).toMatchObject([
      { kind: 'failing', from: PARENT },
    ])
    expect(run6([run('npm test')], [], failing).questions).toEqual([])
    const again = run6([run('npm test', 1, 'Error: other')], [], failing).questions
    expect(again).toMatchObject([{ kind: 'failing', text: '`npm test` failed (exit 1): Error: other' }])
    expect(again[0]?.from).toBeUndefined()
  })

  it('drops a failing test of one file once the suite passed', () => {
    const failing = extract([run('node --test a.test.js', 1, 'not ok 1 - a')]).questions
    expect(failing).toMatchObject([{ kind: 'failing' }])
    expect(run6([run('npm test')], [], failing).questions).toEqual([])
    expect(run6([run('npm run lint')], [], failing).questions).toMatchObject([{ kind: 'failing' }])
  })

  it('does not say that a check fails after code was edited or committed', () => {
    const failing = extract([run('npm test', 1, 'Error: boom')]).questions
    const earlier = [{ kind: 'risk', text: 'Failed earlier, not run whole since: `npm test`', from: PARENT }]
    expect(run6([edit('src/a.ts')], [], failing).questions).toMatchObject(earlier)
    expect(run6([edit('README.md')], [], failing).questions).toMatchObject([{ kind: 'failing' }])
    const commit = (file: string) => ({
      git: gitState([], {
        commits: [
          { sha: 'c'.repeat(40), subject: 's', at: '2026-01-02T00:00:00.000Z', trailers: [], files: [file] },
        ],
      }),
    })
    expect(goesOn([], { questions: failing }, commit('a.js')).questions).toMatchObject(earlier)
    expect(goesOn([], { questions: failing }, commit('a.md')).questions).toMatchObject([{ kind: 'failing' }])
  })

  it('keeps an earlier failure until the command ran again', () => {
    const failing = extract([run('npm test', 1, 'Error: boom')]).questions
    const earlier = run6([edit('src/a.ts')], [], failing).questions
    expect(run6([reply('Nothing was run.')], [], earlier).questions).toMatchObject([
      { kind: 'risk', from: PARENT },
    ])
    expect(run6([run('npm test')], [], earlier).questions).toEqual([])
  })

  it('forgets that the parent session itself failed', () => {
    const failed = extract([prompt('Fix it all, please'), { kind: 'failure', text: 'rate limit' }]).questions
    expect(run6([reply('Going on.')], [], failed).questions).toEqual([])
  })
})

describe('a rule lives until the person takes it back', () => {
  const rules = [
    'Do not touch calc.test.js.',
    'Never edit src/api/**.',
    'Please do not rename the users_v1 table.',
    'Do not add dependencies.',
  ]
  const standing = (said: string, ...more: string[]): string[] =>
    goesOn([said, ...more].map(prompt), { constraints: rules.map((rule) => fact(rule)) }).constraints.map(
      ({ text }) => text,
    )

  it.each([
    ['And you may change calc.test.js now, QA agreed.', rules[0]],
    ['You can now edit `test/calc.test.js`.', rules[0]],
    ['Feel free to rewrite calc.test.js and lib.js.', rules[0]],
    ['calc.test.js may be edited now.', rules[0]],
    ["It's fine to edit src/api/** now.", rules[1]],
    ['You are allowed to rename users_v1.', rules[2]],
    ['You may add dependencies now.', rules[3]],
  ])('is gone after: %s', (said, rule) => {
    expect(standing(said)).toEqual(rules.filter((one) => one !== rule))
  })

  it('quotes the words that took it back as a decision of the person', () => {
    const { decisions } = goesOn([prompt('You may change calc.test.js now.')], {
      constraints: [fact('Do not touch calc.test.js.')],
    })
    expect(decisions).toMatchObject([
      { what: 'You may change calc.test.js now. (takes back: Do not touch calc.test.js.)', by: 'user' },
    ])
  })

  // Conditions, another file, praise, a new request near the words.
  it.each([
    'You may edit calc.test.js only with my word.',
    'You can edit lib.js but not calc.test.js.',
    'You may change calc.test.js once QA agrees.',
    'You may touch calc.test.js if the suite is red.',
    'You may change calc.spec.js now.',
    'calc.test.js is fine, well done.',
    'You can see in calc.test.js how it is used.',
    'After all, users_v1 is not ours.',
    'Fix the v1 endpoint first, then look at users_v1.',
    'You may not add dependencies.',
    'You can rename it later, when users_v1 is empty.',
    'May I change calc.test.js?',
  ])('stays after: %s', (said) => {
    expect(standing(said)).toEqual(expect.arrayContaining(rules))
    const question = [{ ...question1, text: 'Can I drop v1?' }]
    expect(goesOn([prompt(said)], { questions: question }).questions).toMatchObject([
      { text: 'Can I drop v1?' },
    ])
  })

  it('asks where the words limit what they allow', () => {
    const { questions } = goesOn([prompt('You may edit calc.test.js only with my word.')], {
      constraints: [fact('Do not touch calc.test.js.')],
    })
    expect(questions).toMatchObject([
      {
        kind: 'question',
        text: 'Is this rule taken back: Do not touch calc.test.js. Perhaps by: You may edit calc.test.js only with my word.',
      },
    ])
  })

  const leftAfter = (rule: string, said: string): string[] =>
    goesOn([prompt(said)], { constraints: [fact(rule)] }).constraints.map(({ text }) => text)

  it.each([
    [
      'Do not touch calc.test.js, the QA team owns it.',
      'QA is fine with it, go ahead and change calc.test.js.',
    ],
    ['No new dependencies, please.', 'Legal cleared it, you can add zod as a dependency now.'],
    ['Never push to main.', 'From now on you may push to main yourself.'],
    ['The code freeze lasts, nothing gets merged.', 'The freeze is over, merging is fine again.'],
    [
      "Don't run the integration suite against staging.",
      'Forget what I said about the integration suite on staging, run it there.',
    ],
    [
      'Keep the old endpoint /v1/users as it is.',
      'We no longer need the old endpoint /v1/users, so you can drop it.',
    ],
    [
      'Ask me before you change the schema.',
      "You don't have to ask me any more before you change the schema.",
    ],
    ['We only support Node 18.', 'Scratch the Node 18 rule, Node 22 only is okay.'],
    ['Leave src/legacy alone.', 'src/legacy is no longer off limits.'],
    ['Use tabs.', 'Drop the tabs rule.'],
    ["Please don't commit anything.", 'OK, you can commit now.'],
    ['Do not rename the table users.', 'The rule about the table users is lifted, rename it as you like.'],
    ['Leave the Dockerfile as it is.', 'The Dockerfile can be changed now, ops said yes.'],
    ['Do not open a pull request until I tell you.', 'You can open the pull request now.'],
    ['The public API is frozen.', 'The API freeze is over, we release 3.0 next week.'],
    ['All comments must be in German.', 'Comments no longer have to be in German.'],
    ['Only touch files in packages/core.', "You're free to touch files outside packages/core now."],
    ['Please use yarn.', 'Forget the yarn rule, npm is okay.'],
    ["Don't bump the version.", 'You may bump the version, the release bot is off.'],
    [
      'Dana owns the auth folder, do not change it.',
      'Dana left, so you can change the auth folder as you like.',
    ],
    ['No deploys this week.', 'Deploys are allowed again.'],
    ['Keep Python 3.8 compatibility.', "We don't need Python 3.8 compatibility any more."],
    ['Every change needs a test.', 'You can ignore the test rule for this spike.'],
    ['Stay out of the billing module.', 'Sam is back, you may work on the billing module now.'],
    ['Never run the seed script on staging.', 'You can run the seed script on staging now, it is safe.'],
    ['Keep the CSV headers.', 'The CSV headers no longer matter, change them.'],
    ['Use spaces for indentation.', 'Ignore the rule about spaces for indentation.'],
    ['Only Ana approves schema changes.', 'Ana is gone, schema changes may be approved by anyone.'],
    ['No new tables before the audit.', 'The audit is over, you can add new tables.'],
    ['Do not reformat utils.py.', 'Go ahead and reformat utils.py.'],
    ["I don't want snapshots in this repository.", 'Snapshots are okay now.'],
    ['Write every commit message in French.', 'You no longer have to write commit messages in French.'],
    ['The port stays 8080.', 'You can change the port now.'],
    ["Please don't restart the broker.", 'Feel free to restart the broker.'],
    ['Never delete branches.', 'It is fine to delete branches now.'],
  ])('%s ends with: %s', (rule, said) => {
    expect(leftAfter(rule, said)).not.toContain(rule)
  })

  it.each([
    ['Do not touch calc.test.js, the QA team owns it.', 'You can touch calc.test.js.'],
    ['Do not touch test/retry.test.js.', 'you may change the one assertion in test/retry.test.js'],
    [
      'Do not touch test/retry.test.js.',
      'QA agreed, you may change the one assertion in test/retry.test.js.',
    ],
    ['Please never edit the lock file.', 'Ok you can edit the lock file'],
    ["Don't change the schema, it is shared.", "You're free to update the schema."],
    ['Do not restart the worker.', 'You can restart the worker.'],
  ])('RV-2: %s ends with the leave: %s', (rule, said) => {
    expect(leftAfter(rule, said)).toEqual([])
  })

  it.each([
    ['Do not touch calc.test.js.', 'In the fork, you can touch calc.test.js.'],
    ['Do not touch calc.test.js.', 'You can touch calc.test.js, for the imports.'],
    ['Do not touch calc.test.js.', 'You can touch calc.test.js. But only the imports.'],
    ['Do not touch calc.test.js.', 'You can touch calc.test.js, Bob must see it first.'],
    ['Do not touch calc.test.js.', 'You can touch calc.test.js tomorrow.'],
    ['Do not touch calc.test.js.', 'QA wrote: "you can touch calc.test.js".'],
    ['Do not touch calc.test.js.', 'The bot told me you can touch calc.test.js, which is wrong.'],
    ['Do not touch src/legacy/index.ts.', 'You can touch index.ts.'],
    ['Do not touch src/legacy.', 'You may change the comments in src/legacy.'],
    ['Do not touch calc.test.js or lib.test.js.', 'You can touch lib.test.js.'],
    ['Never edit package-lock.json by hand.', 'You can edit package-lock.json with npm.'],
    ['Do not rename the users table.', 'You can change the users table.'],
    // A word of the name is not the file.
    ['Do not touch calc.test.js.', 'Yes, a new test file is fine.'],
    ['Do not touch calc.test.js.', 'The tests are fine now.'],
    ['Do not touch test/retry.test.js.', 'You can retry now.'],
    ['Never edit src/api/**.', 'You may change the api docs now.'],
    ['Do not touch src/auth/login.ts.', 'Yes, a new login page is fine.'],
  ])('RV-2: %s stays after the leave within limits: %s', (rule, said) => {
    expect(leftAfter(rule, said)).toContain(rule)
  })

  it.each([
    ['Do not touch calc.test.js, the QA team owns it.', 'You may change calc.js now, but not calc.test.js.'],
    ['No new dependencies, please.', 'Can I add a dependency for dates?'],
    ['Never push to main.', 'You can push your branch now.'],
    ['Keep the old endpoint /v1/users as it is.', 'You may change the endpoint /v2/users.'],
    ['Ask me before you change the schema.', 'You can change the schema after I have seen it.'],
    ["Please don't commit anything.", 'You may commit once the tests are green.'],
    ['Leave src/legacy alone.', 'The file src/legacy/index.js is fine, I looked at it.'],
    ['Do not rename the table users.', 'It is okay to rename the table orders.'],
    ['Use tabs.', 'The tabs in the browser are too wide, drop the padding.'],
    ["Don't run the integration suite against staging.", 'Is it okay to run the integration suite locally?'],
    ['Leave the Dockerfile as it is.', 'You can see the port in the Dockerfile.'],
    ['Never edit package-lock.json by hand.', 'Feel free to edit package.json.'],
    ['Do not open a pull request until I tell you.', 'You can look at the pull request of Tom now.'],
    ['The public API is frozen.', 'The internal API may be changed.'],
    ['All comments must be in German.', 'No longer comments than two lines, please.'],
    ['Only touch files in packages/core.', 'You may run the tests of packages/core now.'],
    ['Please use yarn.', 'yarn is slow again.'],
    ["Don't bump the version.", 'You can use the new version of the linter.'],
    ['Dana owns the auth folder, do not change it.', 'Is it okay for Dana that we change the auth folder?'],
    ['Every change needs a test.', 'The test no longer fails.'],
    ['Stay out of the billing module.', 'You may read the billing module.'],
    ['Never run the seed script on staging.', 'You can run the seed script locally now.'],
    ['Keep the CSV headers.', 'The CSV is fine now.'],
    ['Use spaces for indentation.', 'There are spaces in the file name again.'],
    ['Only Ana approves schema changes.', 'You can ask Ana now.'],
    ['No new tables before the audit.', 'You may add a new index.'],
    ['Do not reformat utils.py.', 'You may reformat util.py.'],
    ["I don't want snapshots in this repository.", 'Are snapshots okay?'],
    ['The port stays 8080.', 'The port is free again.'],
    ['Never delete branches.', 'You can delete the file now.'],
    [
      'Be concise.',
      'We can enforce "renovate/reconfigure" in CLAUDE.md and AGENTS.md, with a clear and extremely concise rule, no jargon, easy to read, no history.',
    ],
    ['Run the linter before you say that it is finished.', 'Let us finish the gift cards now.'],
    ['The app must work offline, the bus has no network.', 'ok now offline mode'],
    // The end of the sentence limits it.
    ['No new dependencies.', 'You may update the dependencies we have, nothing new though.'],
    ['Do not rename public types.', 'Rename the private types as you like, the public ones stay.'],
    ['Only commit with my word.', 'You can commit with my word, as always.'],
    ['Never delete a migration.', 'You can delete the migration of today, not the old ones.'],
    ['Leave the Dockerfile alone.', 'You may add a comment to the Dockerfile, the base image remains.'],
  ])('%s lives on after: %s', (rule, said) => {
    expect(leftAfter(rule, said)).toContain(rule)
  })

  it('stands where the person says it again afterwards', () => {
    const [rule, lift] = ['Do not touch calc.test.js.', 'You may change calc.test.js now.']
    const heard = { checks: [], changed: [], isEdited: false, commits: [] }
    const own = { constraints: [fact(rule)], questions: [] }
    const following = (...said: string[]) => handDown(null, own, { ...heard, said }, GOAL).constraints
    expect(following(rule, lift)).toEqual([])
    expect(following(rule, lift, `No. ${rule}`)).toMatchObject([{ text: rule }])
  })

  it('takes time in proportion to what was said', async () => {
    const filler = (n: number): string => `Now let the totals of calc${n}.js follow the test in lib${n}.js.`
    const said = (n: number): string[] => Array.from({ length: n }, (_, nth) => filler(nth))
    const own = { constraints: rules.map((rule) => fact(rule)), questions: [] }
    const heard = { checks: [], changed: [], isEdited: false, commits: [] }
    await expectLinear(200, (n) => handDown(null, own, { ...heard, said: said(n) }, GOAL))
  })

  it('of the session itself ends by what was said later alone', () => {
    const rule = 'Do not touch calc.test.js.'
    expect(goesOn([prompt(rule), prompt('You may change calc.test.js now.')]).constraints).toEqual([])
    expect(goesOn([prompt('You may change calc.test.js now.'), prompt(rule)]).constraints).toMatchObject([
      { text: rule },
    ])
  })
})

describe('a rule that the page calls taken back', () => {
  /** What stands of the rule after these requests and this line of the page. */
  const standingAfter = (
    rule: string,
    said: string[],
    line: string,
    inherited: Partial<Inherited> = {},
  ): string[] => {
    const heard = { checks: [], changed: [], isEdited: false, commits: [], said }
    const own = { constraints: [fact(rule)], questions: [] }
    const down = { ...{ id: PARENT, createdAt: CREATED, goal: GOAL }, ...EMPTY, ...inherited }
    return handDown(down, own, heard, GOAL, takenBackIn(line)).constraints.map(({ text }) => text)
  }
  const EMPTY = { constraints: [], questions: [], pending: [] }
  const lineOf = (rule: string, quote: string): string => `- Taken back: "${rule}" by "${quote}"`

  // In words of which half name nothing of the rule.
  it.each([
    [
      'leave the CI workflow alone, devops owns it',
      "gut that yaml, I'm the one paying for the minutes now",
      "gut that yaml, I'm the one paying for the minutes now",
    ],
    [
      'no async in the parser please',
      'make the whole reader await based, I was wrong there. and rename it',
      'make the whole reader await based, I was wrong there.',
    ],
    [
      'Always ask before you install something.',
      "stop pinging me about npm stuff, it's your call",
      'stop pinging me about npm stuff',
    ],
    [
      'Do not touch the Dockerfile.',
      'rip up the container build however you like',
      'rip up the container build however you like',
    ],
    [
      'commit messages in German',
      "english from here on, the new people can't read it",
      'English from here on',
    ],
    [
      'Never run the e2e suite locally, it eats my laptop.',
      'got the new machine btw so go wild with playwright',
      'go wild with playwright',
    ],
    [
      'Wir benutzen keine neuen Abhängigkeiten.',
      'Okay, nimm axios, mir ist das inzwischen egal.',
      'nimm axios, mir ist das inzwischen egal',
    ],
    ['テストファイルは変更しないでください。', 'テストも直していいよ', 'テストも直していいよ'],
    [
      'keep the public API of v2 stable until June',
      "june's done. break whatever",
      'june’s done. break whatever',
    ],
    [
      'Don\'t use "any" in types.',
      'fine, "any" it is, the strictness is costing us days',
      'fine, "any" it is',
    ],
    [
      'show me a plan before you write code',
      'ok\n\nenough planning,\njust write it',
      'enough planning, just write it',
    ],
    [
      'The settings page belongs to Ana, stay out.',
      'Ana left\u2014so settings is ours. `theme.ts` next',
      'Ana left—so settings is ours',
    ],
  ])('%s is gone after: %s', (rule, said, quote) => {
    expect(standingAfter(rule, [rule, said], lineOf(rule, quote))).toEqual([])
    // Told once, it stays so for the same session: a later brief has it from the one before.
    const decisions = handDown(
      null,
      { constraints: [fact(rule)], questions: [] },
      { checks: [], changed: [], isEdited: false, commits: [], said: [rule, said] },
      GOAL,
      takenBackIn(lineOf(rule, quote)),
    ).decisions
    expect(standingAfter(rule, [rule, said, 'Go on.'], '', { decisions })).toEqual([])
    // Of a session that heard the rule before, and of one that did not.
    expect(standingAfter('Use tabs.', [said], lineOf(rule, quote), { constraints: [fact(rule)] })).toEqual([
      'Use tabs.',
    ])
  })

  const [rule, said] = ['leave the CI workflow alone', 'gut that yaml, it is mine now']
  it.each([
    ['words that only a tool or the agent said', [rule, 'go on please'], lineOf(rule, said)],
    ['words in other words', [rule, said], lineOf(rule, 'you may change the yaml')],
    ['words that came before the rule', [said, rule], lineOf(rule, said)],
    ['a rule that was said again', [rule, said, `No, ${rule}.`], lineOf(rule, said)],
    ['a single word', [rule, 'okay'], lineOf(rule, 'okay')],
    ['no words', [rule, said], lineOf(rule, ' ')],
    ['no quote', [rule, said], `- Taken back: "${rule}"`],
    ['another rule', [rule, said], lineOf('leave the Dockerfile alone', said)],
    ['a word of the rule', [rule, said], lineOf('workflow', said)],
    ['every rule', [rule, said], lineOf('', said)],
  ])('lives on behind %s', (_, requests, line) => {
    expect(standingAfter(rule, requests, line)).toEqual([rule])
  })

  it('is found by a part of it where only one has that', () => {
    const inherited = { constraints: [fact('leave the CI workflow of the docs alone')] }
    expect(standingAfter(rule, [rule, said], lineOf(rule, said), inherited)).toEqual([
      'leave the CI workflow of the docs alone',
    ])
    expect(standingAfter(rule, [rule, said], lineOf('leave the CI workflow', said), inherited)).toHaveLength(
      2,
    )
  })
})

const question1 = question('question', '')

describe('an item lives until it is answered or done', () => {
  const open = (...texts: string[]): QuestionFact[] => texts.map((text) => question('question', text))
  const left = (said: string[], ...asked: string[]): string[] =>
    goesOn(said.map(prompt), { questions: open(...asked) }).questions.map(({ text }) => text)

  it('RV-1: answered right after the brief, by yes or no, or by an option', () => {
    expect(left(['Yes, a new test file is fine.'], 'Is a new test file all right?')).toEqual([])
    expect(left(['Yes.'], 'Is a new test file all right?')).toEqual([])
    expect(left(['No.'], 'Is a new test file all right?', 'Drop the v1 endpoint?')).toHaveLength(2)
    expect(left(['Go on.', 'SQLite please.'], 'Postgres or SQLite?')).toEqual([])
    expect(left(['Fix the v1 endpoint first.'], 'Can I drop v1?')).toEqual(['Can I drop v1?'])
    // `no` before a noun answers nothing.
    expect(left(['No new dependencies in this package.'], 'Should mul be added as well?')).toHaveLength(1)
    expect(left(['No leave it.'], 'Should mul be added as well?')).toEqual([])
    expect(left(['No, mul is not ours.'], 'Should mul be added as well?')).toEqual([])
  })

  it.each([
    ['Should the discount be applied before tax, or after?', 'After tax.', 'Run the tests after that.'],
    ['Shall I write it with retries or without?', 'Without.', 'Do it without hurry.'],
    ['Should it stay in its own file, or go into calc.js?', 'Its own file, please.', 'Open a file of notes.'],
  ])('%s is answered by %j and not by %j', (asked, answer, other) => {
    expect(left([answer], asked, 'Drop the v1 endpoint?')).toEqual(['Drop the v1 endpoint?'])
    expect(left([other], asked, 'Drop the v1 endpoint?')).toHaveLength(2)
  })

  it('RV-1, RV-2: and what answers it puts no rule in doubt', () => {
    const said = [prompt('Yes, a new test file is fine.')]
    const constraints = [fact('Do not touch calc.test.js.')]
    const down = goesOn(said, { constraints, questions: open('Is a new test file all right?') })
    expect(down.constraints).toMatchObject(constraints)
    expect(down.questions).toEqual([])
  })

  it('quotes the answer as a decision of the person', () => {
    const { decisions } = goesOn([prompt('Yes, a new test file is fine.')], {
      questions: open('Is a new test file all right?'),
    })
    expect(decisions).toMatchObject([
      { what: 'Yes, a new test file is fine. (answers: Is a new test file all right?)', by: 'user' },
    ])
  })

  it('U-H7: goes on over two and three hops, under the brief that it came from', () => {
    let pending: TextFact[] = [{ text: 'Document it in README.md', source: 'transcript', at: null }]
    for (const id of ['one', 'two', 'three'])
      pending = goesOn([prompt('Go on with the parser.')], { id, pending }).pending
    expect(pending).toMatchObject([{ text: 'Document it in README.md', from: 'one' }])
  })

  it('is done by the file that it names, or by a commit', () => {
    const pending: TextFact[] = ['Document it in README.md', 'Cache the parser results'].map((text) => ({
      ...{ text, source: 'transcript', at: null },
    }))
    const git = gitState(['README.md'], {
      commits: [
        {
          ...{ sha: 'c'.repeat(40), subject: 'Cache results of the parser', trailers: [], files: ['p.js'] },
          at: '2026-01-02T00:00:00.000Z',
        },
      ],
    })
    expect(goesOn([edit('README.md')], { pending }).pending.map(({ text }) => text)).toEqual([
      'Cache the parser results',
    ])
    expect(goesOn([], { pending }, { git }).pending.map(({ text }) => text)).toEqual([
      'Document it in README.md',
    ])
  })

  it('the goal that nobody said to be done goes on as a step, until it is the goal again', () => {
    const { pending } = goesOn([prompt('Go on.')], { goal: 'finish the cache in calc.js' })
    expect(pending).toMatchObject([
      { text: `goal, not said to be done: finish the cache in calc.js`, from: PARENT },
    ])
    expect(goesOn([], { pending }).pending).toMatchObject(pending)
    const next = (goal: string) =>
      handDown(
        { id: 'next', createdAt: CREATED, goal: GOAL, constraints: [], questions: [], pending },
        { constraints: [], questions: [] },
        { said: [], checks: [], changed: [], isEdited: false, commits: [] },
        goal,
      )
    const before = { text: `goal, not said to be done: ${GOAL}` }
    expect(next('finish the cache in calc.js').pending).toMatchObject([before])
    // A part of it is another goal.
    expect(next('the cache in calc.js').pending).toMatchObject([before, ...pending])
  })
})
