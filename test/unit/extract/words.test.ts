import { describe, expect, it } from 'vitest'
import {
  edit,
  extract,
  gitState,
  prompt,
  read,
  refusedEdit,
  refusedRun,
  reply,
  run,
  type Step,
  texts,
} from './session.ts'

const git = gitState(['src/a.ts'])
const constraints = (...steps: Step[]) => texts(extract(steps, { git }).constraints)

describe('demands of the user', () => {
  it.each([
    'Do NOT touch src/api.',
    "Don't add dependencies.",
    'Never commit to main.',
    'Always run the linter before you commit.',
    'Use pnpm, not npm.',
    'Use vitest instead of jest.',
    'Please avoid classes in this room.',
    'Make sure the tests pass on Windows.',
    'You must not change the public API.',
    'We should never block the main thread.',
    'Keep the public API.',
    'I want a single commit.',
    'I would prefer small functions.',
    'Only use the standard library.',
    'Leave src/legacy untouched.',
    'No new dependencies please.',
    'The output has to stay stable.',
    'Refactor it without changing behaviour.',
    'Can you please not touch the docs?',
    "Shouldn't we use a Map instead of an object?",
    'ok, but do not push yet',
    'Tests must run offline.',
    'All sums stay in integer cents, never floats.',
    'i dont want to remove any details',
    'dont touch the header',
    'u cant highlight with the primary color',
    "you can't highlight with the primary color",
    'u must not change the footer',
    'we shouldnt add a second store',
    'the cache mustnt grow without end',
    'the demo should be theme orientated',
    'it should also show simple mouse follow',
    'user should be able to scroll',
    'commit messages should be short',
  ])('%s', (sentence) => {
    expect(constraints(prompt(`Here is the thing.\n${sentence}`))).toEqual([sentence])
  })

  it.each([
    ['German', 'Ändere die öffentliche API nicht.'],
    ['German', 'Bitte verwende nur pnpm für alle Pakete.'],
    ['German', 'Die Tests müssen ohne Netz laufen.'],
    ['German', 'Fass src/api auf keinen Fall an.'],
    ['French', 'Ne touche pas à src/api.'],
    ['French', 'Il ne faut jamais pousser sur main.'],
    ['French', 'Utilise plutôt pnpm pour les paquets.'],
    ['Spanish', 'No toques la carpeta src/api.'],
    ['Spanish', 'Nunca hagas commit en main.'],
    ['Spanish', 'Usa pnpm en lugar de npm.'],
    ['Spanish', 'No modificar los archivos generados.'],
    ['Chinese', '不要修改公共接口。'],
    ['Chinese', '必须使用 pnpm。'],
    ['Chinese', '只改 src/a.ts 这个文件'],
    ['Chinese', '用 pnpm 而不是 npm。'],
    ['Japanese', '公開APIを変更しないでください。'],
    ['Japanese', '必ずテストを実行してください。'],
    ['Japanese', 'npm ではなく pnpm を使って。'],
  ])('%s: %s', (_language, sentence) => {
    expect(constraints(prompt(sentence))).toEqual([sentence])
  })

  it.each([
    "I don't know why it fails.",
    'It does not work on my machine.',
    "Why don't we see the log?",
    'The button is not there.',
    'Fix the retry in src/a.ts.',
    'es funktioniert nicht',
    'ça ne marche pas',
    'no funciona',
    'Das ist ein Test.',
    'Looks good, thanks!',
    '这个功能怎么用？',
    'テストが落ちました。',
    'It should work now.',
    'I think it should work.',
    'That should be fixed.',
    'Not sure what it should show.',
    'Why should it be blue?',
    'What should the demo show?',
    'u cant see the button',
    'It works here but always fails in CI.',
    'It shows a blank page instead of the list.',
    'I have to reload every time.',
    'This has to do with the cache.',
    'Open an issue and make sure it names the branch.',
    'Please create a PR, make sure the title is short.',
    'commit it and keep the message short',
  ])('is not one: %s', (sentence) => {
    expect(constraints(prompt(sentence))).toEqual([])
  })

  it('quotes sentences verbatim, whitespace folded, in order of time, once', () => {
    expect(
      constraints(
        prompt('First: do it well.\n- Do  NOT   touch src/api.'),
        prompt('Never push. Use v1.2 of e.g. zod, not v2.'),
        prompt('do not touch src/api'),
      ),
    ).toEqual(['Do NOT touch src/api.', 'Never push.', 'Use v1.2 of e.g. zod, not v2.'])
  })

  it.each([
    'Never add a macro beside the existing `bail!` and `ensure!` ones we have.',
    'Do not end at `what is this? no idea` in the middle.',
    'Always build it first, replacing `go run ...` with the binary.',
    'Please avoid ... well, you know, any new classes.',
  ])('does not end a sentence in a code span or at an ellipsis: %s', (sentence) => {
    expect(constraints(prompt(`${sentence} It works.`))).toEqual([sentence])
  })

  it('ends a sentence at a code span that closes it, and at an ellipsis before a new one', () => {
    expect(constraints(prompt('Never use `bail!` The rest is old. Do not guess... It works.'))).toEqual([
      'Never use `bail!`',
      'Do not guess...',
    ])
  })

  it('joins a sentence that was wrapped over lines', () => {
    expect(
      constraints(
        prompt(
          'Please go through all of the modules of the package, but never\ntouch the generated files in src/gen.',
        ),
      ),
    ).toEqual([
      'Please go through all of the modules of the package, but never touch the generated files in src/gen.',
    ])
  })

  it.each([
    ['fenced code', '```\n# Do not edit this file\nnever()\n```'],
    ['a quote', '> Do not use this in production.'],
    ['a log', '2026-01-02T03:04:05Z must not be null\n[ERROR] do not retry\nERROR: never reached'],
    ['a stack trace', 'Error: x\n    at never (/srv/x.js:12:3)\npanic: must not happen'],
    ['a tagged block', '<system-reminder>\nDo not mention this.\n</system-reminder>'],
    ['a diff', '+ // Do not remove\n- // never mind\n@@ -1 +1 @@ always'],
    ['code without a fence', 'if (never) { mustNot(); }\nconst always = avoid();'],
    ['a table', '| Do not | use |'],
    [
      'what an assertion says',
      '        \tMessages:   \tShould have at least 1 point\n        Error:      \tmust not be nil',
    ],
  ])('never takes them from %s', (_what, text) => {
    expect(constraints(prompt(`See:\n${text}`))).toEqual([])
  })

  const review = `1. High: src/a.ts:458 likely holds the store too long. It should be discarded right away.

2. Low: src/b.ts:87 now wraps errors twice, and callers must not see that.`
  it.each<[string, string, string[]]>([
    ['with severities', review, []],
    [
      'between own words',
      `Never push.\n\n${review}\n\nPlease do not fix the second.`,
      ['Never push.', 'Please do not fix the second.'],
    ],
    [
      'of one finding',
      'Tests can panic\n\nLow Severity\n\nThe result can be null. The test should check it instead of reading on.',
      [],
    ],
    [
      'that names places',
      'The retry (`src/a.ts:12`) should never sleep.\n\nI would rather see a queue.\n\nThe loop in `src/b.ts:40` should stop.',
      [],
    ],
    [
      'that describes and suggests',
      'The getFiles function reads every file twice. Since that is slow, it should be avoided.\n\nConsider caching it instead of reading again.\n\nDo not use a global for that.',
      ['Do not use a global for that.'],
    ],
    [
      'is no single place',
      'What stands in src/a.ts:12 must never throw.',
      ['What stands in src/a.ts:12 must never throw.'],
    ],
    [
      'is no list of own points',
      '1. Never push.\n2. Tests must run offline.',
      ['Never push.', 'Tests must run offline.'],
    ],
    ['is no suggestion', 'Consider using a map. It must not grow.', ['It must not grow.']],
  ])('a pasted review holds none of them: %s', (_what, text, expected) => {
    expect(constraints(prompt(text))).toEqual(expected)
  })

  it('never takes them from output, replies, subagents or files', () => {
    const steps: Step[] = [
      run('npm test', 1, 'Do not run this. Never do that.'),
      reply('You should never touch src/api. Do not do it.'),
      { ...prompt('Do NOT answer in prose.'), sub: 'helper' },
      { kind: 'compaction', summary: 'The user said: do not touch src/api.' },
    ]
    expect(constraints(...steps)).toEqual([])
  })

  it('finds the first demand of a very long session and prompt', () => {
    const filler: Step[] = Array.from({ length: 3000 }, (_, i) => [
      read(`src/f${i}.ts`),
      reply(`Step ${i}: it expects the file because it is read.`),
    ]).flat()
    const long = `Do NOT touch src/api.\n\n${'Here is some pasted prose that goes on and on. '.repeat(300)}\nNever rename anything in there.\n${'More of it follows here as well. '.repeat(300)}`
    expect(constraints(prompt(long), ...filler)).toEqual([
      'Do NOT touch src/api.',
      'Never rename anything in there.',
    ])
  })

  it('takes answers in own words, and reasons of refusals', () => {
    const steps: Step[] = [
      { kind: 'question', id: 'q', text: 'Which store?', options: ['Redis', 'SQLite'] },
      { kind: 'answer', id: 'q', text: 'Neither. Do not add a store at all.' },
      refusedEdit(
        'src/a.ts',
        "The user doesn't want to proceed with this tool use. The tool use was rejected. To tell you how to proceed, the user said:\nput it into src/b.ts",
      ),
      refusedRun(
        'git push',
        "The user doesn't want to proceed with this tool use. STOP what you are doing and wait for the user.",
      ),
    ]
    expect(constraints(...steps)).toEqual(['Do not add a store at all.', 'put it into src/b.ts'])
  })

  it.each([
    "i'll let you know what to do.",
    "I'll take it from here.",
    'let me look at it first',
    "wait please, let's talk about this",
    'hold on a moment please',
  ])('what they will do themselves is no demand, not even beside a refusal: %s', (words) => {
    const said = `The user doesn't want to proceed with this tool use. To tell you how to proceed, the user said:\n${words}`
    expect(constraints(refusedRun('git push', said))).toEqual([])
  })

  it('takes the reason that OpenCode quotes', () => {
    const said =
      'The user rejected permission to use this specific tool call with the following feedback: use rg, not grep'
    expect(constraints(refusedRun('grep -r x', said))).toEqual(['use rg, not grep'])
  })

  it.each([
    'Conversation interrupted while the hook ran. Restart the client to go on.',
    'The sandbox blocked this call before it ran.',
    "The user doesn't want to proceed. To tell you how to proceed, the user said:\nThe user wants to clarify these questions. Start by asking them what they want.",
    'Debugger attached to the process.\nWaiting for the debugger to disconnect...\n\nreason: the program must be restarted',
  ])('never takes the words of a tool for theirs: %s', (text) => {
    expect(constraints(refusedRun('git push', text))).toEqual([])
    expect(constraints(refusedEdit('src/a.ts', text))).toEqual([])
  })
})

describe('what was taken back', () => {
  it.each([
    ['Use npm for all packages.', 'Actually use pnpm instead.'],
    ['Always use tabs.', 'Use spaces instead of tabs.'],
    ['Do not touch src/api.', 'You may touch src/api now.'],
    ['Never push the branch.', "It's ok to push the branch now."],
    ['Please keep the changelog in English.', 'Ignore what I said about the changelog.'],
    ['Avoid lodash.', 'Forget my earlier rule about lodash.'],
    ['Do not touch src/api.', 'src/api is fine to touch.'],
    ['The server must listen on port 3000.', 'Sorry, I meant the server listens on port 4000.'],
    ['Always push to the branch main.', 'No, push to the branch develop.'],
  ])('%s ← %s', (before, after) => {
    expect(constraints(prompt(before), prompt(after))).not.toContain(before)
  })

  it.each([
    ['Do not touch src/api.', 'You may touch src/web now.'],
    ['Do not touch src/api.', 'You can edit src/api/new.ts now.'],
    ['Use npm for all packages.', 'Actually use vitest instead.'],
    ['Never use yarn.', 'Use pnpm instead of yarn.'],
    ['Always run the tests.', 'You can run the build now.'],
    ['The server must listen on port 3000.', 'No, also listen on port 4000.'],
    ['The server must listen on port 3000.', 'Actually, is the server on port 4000?'],
    ['Do not touch src/api.', 'No, the tests of src/web must run first.'],
    ['Never push to main.', 'No, push to develop.'],
  ])('%s stays after %s', (before, after) => {
    expect(constraints(prompt(before), prompt(after))).toContain(before)
  })

  it('a correction is quoted in the place of what it corrects', () => {
    expect(
      constraints(
        prompt('The server must listen on port 3000. Never push.'),
        prompt('Sorry, I meant the server listens on port 4000.'),
      ),
    ).toEqual(['Never push.', 'Sorry, I meant the server listens on port 4000.'])
  })

  it('the new wish stands, and a demand made again stands again', () => {
    expect(constraints(prompt('Use npm for all packages.'), prompt('Actually use pnpm instead.'))).toEqual([
      'Actually use pnpm instead.',
    ])
    expect(
      constraints(
        prompt('Do not touch src/api.'),
        prompt('You may touch src/api now.'),
        prompt('Do not touch src/api.'),
      ),
    ).toEqual(['Do not touch src/api.'])
  })
})

describe('decisions', () => {
  it('are answered questions, with what else there was', () => {
    const steps: Step[] = [
      { kind: 'question', id: 'q', text: 'Which  store?', options: ['Redis', 'SQLite', 'None'] },
      { kind: 'answer', id: 'q', text: 'SQLite' },
    ]
    expect(extract(steps).decisions).toMatchObject([
      {
        what: 'Which store? → SQLite',
        by: 'user',
        source: 'user',
        alternatives: ['Redis', 'None'],
        why: null,
      },
    ])
    expect(extract(steps).constraints).toEqual([])
  })

  it('several questions under one id are answered in turn', () => {
    const steps: Step[] = [
      { kind: 'question', id: 'q', text: 'Store?', options: [] },
      { kind: 'question', id: 'q', text: 'Port?', options: [] },
      { kind: 'answer', id: 'q', text: 'SQLite' },
      { kind: 'answer', id: 'q', text: '8080' },
    ]
    expect(extract(steps).decisions.map((decision) => decision.what)).toEqual([
      'Store? → SQLite',
      'Port? → 8080',
    ])
  })

  it('are plans by their title, accepted or rejected, the second as well as the first', () => {
    const proposal = (text: string, accepted: boolean | null): Step => ({ kind: 'proposal', text, accepted })
    const decided = (...steps: Step[]) =>
      extract(steps).decisions.map(({ what, by, source }) => `${what} [${by}, ${source}]`)
    expect(decided(proposal('# Plan: Retry queue\n\n- Do', true), proposal('# Cron job', false))).toEqual([
      'Plan accepted: Retry queue [user, user]',
      'Plan rejected: Cron job [user, user]',
    ])
    expect(decided(proposal('# Queue', false), proposal('# Queue', true))).toEqual([
      'Plan accepted: Queue [user, user]',
    ])
    expect(decided(proposal('# Queue', null))).toEqual([])
    expect(decided(proposal('# Plan\n\n1. Fix sub()\n2. Run it', true))).toEqual([
      'Plan accepted: Fix sub(); Run it [user, user]',
    ])
    expect(decided(proposal('# Doors\n\n## Step 1: Hinge\n1. Buy\n2. Oil\n\n## Step 2: Lock', true))).toEqual(
      ['Plan accepted: Doors; Hinge; Lock [user, user]'],
    )
    const door = '# Door\n1. Hang it\n2. Paint it'
    expect(decided(proposal(door, true), proposal(door, true))).toHaveLength(1)
    expect(decided(proposal(door, true), proposal('# Window\n1. Glaze it', true))).toEqual([
      'Plan accepted: Door [user, user]',
      'Plan accepted: Window; Glaze it [user, user]',
    ])
    expect(decided(proposal('# Context\n\nIt fails.\n\n## Retry less often', true))).toEqual([
      'Plan accepted: Retry less often [user, user]',
    ])
    expect(decided(proposal('# Plan', true))).toEqual(['Plan accepted: Plan [user, user]'])
  })

  it("are choices in the user's words", () => {
    expect(extract([prompt("Thanks. Let's go with option B.")]).decisions).toMatchObject([
      { what: "Let's go with option B.", by: 'user' },
    ])
    expect(extract([prompt('Should we go with option B?')]).decisions).toEqual([])
  })

  it("are the agent's only when it says so and why", () => {
    const text =
      'I decided to use a queue instead of a cron job because retries must keep their order. I fixed the test. I chose blue.'
    expect(extract([reply(text)]).decisions).toMatchObject([
      {
        what: 'I decided to use a queue',
        alternatives: ['a cron job'],
        why: 'retries must keep their order',
        by: 'agent',
        source: 'transcript',
      },
    ])
  })
})

describe('information', () => {
  it('holds findings the agent stated, those near the goal first', () => {
    const evidence = extract(
      [
        reply(
          'Let me look because it fails.\n\nThe root cause is a stale lock file.\n\nNote that the parser only works with UTF-8.',
        ),
        reply('I will fix the parser because it is broken. Done!'),
      ],
      { goal: 'make the parser accept latin1 input' },
    )
    expect(texts(evidence.information)).toEqual([
      'Note that the parser only works with UTF-8.',
      'The root cause is a stale lock file.',
    ])
    expect(evidence.information[0]?.source).toBe('transcript')
  })

  it('holds the learnings of the last summary', () => {
    const summary =
      '## Goal\n- Build it all\n\n## Key Learnings\n- The cache is keyed by path and size\n- None\n\n## Files\n- src/a.ts is the main one here'
    expect(
      texts(
        extract([
          { kind: 'compaction', summary: '## Gotchas\n- An older one that was replaced' },
          { kind: 'compaction', summary },
        ]).information,
      ),
    ).toEqual(['The cache is keyed by path and size'])
  })

  it('holds what a summary of Gemini CLI calls key knowledge', () => {
    const summary =
      '## overall goal\nFix sum\n## key knowledge\n- Tests run with npm test in packages/sum\n## task state\n1. [DONE] x'
    expect(texts(extract([{ kind: 'compaction', summary }]).information)).toEqual([
      'Tests run with npm test in packages/sum',
    ])
  })
})

describe('open ends', () => {
  const question = { kind: 'question' as const, id: 'q', text: 'Which store?', options: ['Redis', 'SQLite'] }

  it('an unanswered question stands open, with its options', () => {
    expect(extract([prompt('Go on with it'), question]).questions).toMatchObject([
      { kind: 'question', text: 'Which store? (options: Redis / SQLite)', source: 'agent' },
    ])
  })

  it('an answer or a prompt settles it', () => {
    expect(extract([question, { kind: 'answer', id: 'q', text: 'Redis' }]).questions).toEqual([])
    expect(extract([question, prompt('Just go on with Redis')]).questions).toEqual([])
  })

  it('an unanswered plan stands open', () => {
    expect(texts(extract([{ kind: 'proposal', text: '# Retry queue', accepted: null }]).questions)).toEqual([
      'Plan proposed, not yet answered: Retry queue',
    ])
  })

  it('a reply that ends with a question stands open until the next prompt', () => {
    const asked = [
      prompt('Fix the retry please'),
      reply('I fixed it.\n\nTests pass. Should I also update the docs?'),
    ]
    expect(extract(asked).questions).toMatchObject([
      { kind: 'question', text: 'Should I also update the docs?', source: 'agent' },
    ])
    expect(extract([...asked, prompt('yes please')]).questions).toEqual([])
    expect(extract([reply('Why did it fail? Because of the lock.')]).questions).toEqual([])
  })

  it('a failure of the agent is a risk unless it went on', () => {
    const failed: Step[] = [
      prompt('Fix the retry please'),
      { kind: 'failure', text: 'API Error: rate limit\nreached' },
    ]
    expect(extract(failed).questions).toMatchObject([
      { kind: 'risk', text: 'The session ended with a failure of the agent: API Error: rate limit reached' },
    ])
    expect(extract([...failed, reply('Here we go.')]).questions).toEqual([])
  })

  it('only open plan items of the last plan are kept', () => {
    const steps: Step[] = [
      { kind: 'plan', items: [{ text: 'Old one', status: 'pending' }] },
      {
        kind: 'plan',
        items: [
          { text: 'Write tests', status: 'in_progress', blockedBy: ['Decide'] },
          { text: 'Parse', status: 'done' },
          { text: 'Docs', status: 'pending' },
          { text: 'x', status: 'cancelled' },
          { text: 'TODO', status: 'pending' },
        ],
      },
      { kind: 'plan', items: [{ text: 'Of a subagent', status: 'pending' }], sub: 'helper' },
    ]
    expect(extract(steps).plan).toEqual([
      { text: 'Write tests', status: 'in_progress', blockedBy: ['Decide'] },
      { text: 'Docs', status: 'pending' },
    ])
  })
})

describe('the session', () => {
  it('tells the last request, where the agent stopped, and how much was said', () => {
    const evidence = extract([
      prompt('One.'),
      reply('Two.'),
      prompt('First part.\n\nMiddle part.\n\nLast part.'),
      reply('Start.\n\n```\ncode\n```\n\nMiddle.\n\nEnd.'),
      { ...reply('Sub.'), sub: 'helper' },
    ])
    expect(evidence).toMatchObject({
      messages: 4,
      lastRequest: { text: 'First part. […] Last part.', source: 'user' },
      lastReply: { text: 'Start. […] End.', source: 'agent' },
      endedAt: '2026-01-02T03:00:04.000Z',
    })
  })

  it('tells how the last command ended when nothing was said after it', () => {
    const [ask, done] = [prompt('Fix it.'), reply('It is fixed.')]
    const last = (...steps: Step[]) => extract(steps, { git }).lastCommand
    expect(last(ask, done, run('npm test', 1, 'FAIL src/a.test.ts'))).toMatchObject({
      command: 'npm test',
      outcome: 'failed',
      exitCode: 1,
      firstError: 'FAIL src/a.test.ts',
    })
    expect(last(ask, done, ask, run('npm run seed'))).toMatchObject({
      command: 'npm run seed',
      outcome: 'ok',
    })
    for (const steps of [
      [ask, run('npm test'), done],
      [ask, run('npm test'), done, ask],
      [ask, done, run('npm run dev', null)],
      [ask, done, run('cat src/a.ts')],
      [ask, done, run('cd /srv/other && npm test')],
      [ask, done, { kind: 'prompt', text: '/handoff go on' } as const],
    ])
      expect(last(...steps)).toBeUndefined()
  })

  it('knows the agent: model, thinking, version, tools', () => {
    const steps: Step[] = [
      { kind: 'setting', model: 'old', thinking: 'low', version: '1' },
      { kind: 'setting', model: 'anthropic/new', thinking: 'high' },
      edit('src/a.ts'),
      read('src/a.ts'),
      run('npm test'),
    ]
    expect(extract(steps).agent).toEqual({
      id: 'claude-code',
      label: 'Claude Code',
      version: '1',
      model: 'anthropic/new',
      thinking: 'high',
      tools: ['Bash', 'Edit', 'Read'],
      session: 'session-1',
    })
    expect(extract([{ kind: 'setting', tools: ['b', 'a'] }]).agent?.tools).toEqual(['b', 'a'])
  })

  it('keeps skills in order, the last one last, handoff never', () => {
    const skill = (name: string): Step => ({ kind: 'skill', name })
    expect(
      extract([skill('review'), skill('/skill:evals'), skill('review'), skill('handoff'), skill('/handoff')])
        .skills,
    ).toEqual(['evals', 'review'])
  })

  it('says what may be missing', () => {
    const evidence = extract([], {
      git: gitState([], { shallow: true, sparse: true, commitCount: 3 }),
      skipped: { torn: 1, 'not-json': 2, unknown: 1 },
    })
    expect(evidence.limitations).toEqual([
      'Shallow clone: older commits are not known.',
      'Sparse checkout: files outside it are not in the work tree.',
      'Only the newest 0 of 3 commits since base were read.',
      '3 lines of the transcript could not be read.',
    ])
  })
})
