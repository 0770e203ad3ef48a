import { describe, expect, it } from 'vitest'
import {
  bySub,
  edit,
  extract,
  gitState,
  paths,
  prompt,
  ROOT,
  read,
  refusedEdit,
  refusedRun,
  reply,
  run,
  type Step,
  texts,
} from './session.ts'

// Mistakes that briefs of earlier versions made, each as a small session of its own.

const git = gitState(['src/store.ts', 'src/api/routes.ts'])
const SAID = "The user doesn't want to proceed with this tool use. The tool use was rejected"

describe('error 1: the last message was cut', () => {
  it('stands whole, with its list, its table and its options, while it is no page of its own', () => {
    const text = `Both ways work.\n\n${'| way | cost |\n|---|---|\n| queue | 2 days |\n'.repeat(60)}\n1. Queue\n2. Cron\n\nWhich one do you want?`
    const evidence = extract([prompt('How?'), reply(text)])
    expect(text.length).toBeGreaterThan(2_500)
    expect(evidence.closing?.text).toBe(text)
    expect(texts(evidence.questions)).toEqual(['Which one do you want?'])
  })
})

describe('error 2: a plan approved with cleared context', () => {
  const plan =
    '# Durable retry queue\n\n## Context\nJobs get lost.\n\n## Drain on start\n- [x] Read it\n- [ ] Replay it\n\n## Drop the timer'
  const outline = 'Durable retry queue; Drain on start; Drop the timer; Replay it'
  const rejected: Step[] = [
    prompt('Plan a durable queue.'),
    edit('/home/dev/.claude/plans/calm-owl.md', 'create'),
    { kind: 'call', id: 'p', tool: 'ExitPlanMode', action: { type: 'other', paths: [] }, by: 'agent' },
    {
      kind: 'result',
      id: 'p',
      ok: false,
      exitCode: null,
      refused: true,
      text: `${SAID} (eg. if it was a file edit).`,
    },
    { kind: 'proposal', text: plan, accepted: false },
  ]

  it('is not told as rejected by the session that ends with it, and carried by its headings, open steps and path', () => {
    const evidence = extract(rejected)
    expect(texts(evidence.questions)).toEqual([
      `Plan proposed last, not approved in this session: ${outline}, in ~/.claude/plans/calm-owl.md`,
    ])
    expect(evidence.turns[0]?.steps).toMatchObject([{ kind: 'plan', text: plan }])
    expect(JSON.stringify(evidence)).not.toMatch(/reject|refuse/i)
  })

  it('names the request of the session that begins with it, and is its plan', () => {
    const evidence = extract([
      { kind: 'proposal', text: plan, accepted: true },
      prompt('Implement the following plan:'),
      reply('I begin.'),
    ])
    expect(evidence.turns).toMatchObject([
      { request: `Implement the following plan: ${outline}`, steps: [{ kind: 'plan', text: plan }] },
    ])
    // The request tells it.
    expect(evidence.decisions).toEqual([])
  })

  it('is a decision in one line where the request tells it and it stands in a file, and whole where no request does', () => {
    const accepted: Step[] = [
      edit('/home/dev/.claude/plans/calm-owl.md', 'create'),
      { kind: 'proposal', text: plan, accepted: true },
    ]
    const decided = (...steps: Step[]) => extract(steps).decisions.map(({ what }) => what)
    const file = 'in ~/.claude/plans/calm-owl.md'
    expect(decided(...accepted, prompt('Implement the following plan:'), reply('I begin.'))).toEqual([
      `Plan accepted: Durable retry queue, ${file}`,
    ])
    expect(decided(prompt('Plan it.'), ...accepted, reply('I begin.'))).toEqual([
      `Plan accepted: ${outline}, ${file}`,
    ])
  })

  it('is told with the words that it was sent back with', () => {
    const words = 'without a new dependency please'
    const evidence = extract([...rejected, prompt(words), reply('I change it.')])
    expect(evidence.questions).toEqual([])
    expect(evidence.turns.map(({ request }) => request)).toEqual(['Plan a durable queue.', words])
  })
})

describe('error 3: notices of the machine were told as requests', () => {
  it.each([
    '<task-notification>\n<task-id>b1</task-id>\n<status>completed</status>\n</task-notification>',
    '<ci-monitor-event>\nThe build of main is red.\n</ci-monitor-event>',
    '<ide_opened_file>src/store.ts</ide_opened_file>',
  ])('%s', (notice) => {
    const evidence = extract([prompt('Fix it.'), reply('I wait.'), prompt(notice), reply('It ended.')], {
      git,
    })
    expect(evidence.turns.map(({ request }) => request)).toEqual(['Fix it.'])
    expect(evidence.closing).toMatchObject({ text: 'It ended.', after: [] })
    expect([evidence.messages, evidence.files]).toEqual([3, []])
  })

  it('leaves the words around one', () => {
    const text = '<ci-monitor-event>\nred\n</ci-monitor-event>\nPlease mend that.'
    expect(extract([prompt(text)]).turns[0]?.request).toBe('Please mend that.')
  })

  it('keeps a slash command with its arguments, and an interrupt as what came of a request', () => {
    expect(extract([prompt('/review src/store.ts'), { kind: 'interrupt' }]).turns).toMatchObject([
      { request: '/review src/store.ts', steps: [{ kind: 'interrupt', text: 'Interrupted by the user' }] },
    ])
  })
})

describe('error 5: failures that were none', () => {
  const failing = (...steps: Step[]) => texts(extract(steps, { git }).questions)
  const boom = run('npm test', 1, 'Error: boom')

  it.each<[string, Step]>([
    ['a count of Bun behind a pipe', run('bun test 2>&1 | tail -3', 0, '1232 pass, 0 fail')],
    [
      'the same on lines of their own',
      run('bun test | tail -3', 0, ' 1232 pass\n 0 fail\nRan 1232 tests [2.1s]'),
    ],
    [
      'an error that tests print which pass',
      run('bun test | tail -9', 0, 'Error: no such route\n 1232 pass\n 0 fail'),
    ],
    ['a filter that found nothing', run('npm test 2>&1 | grep -i "not ok"', 1, '')],
    ['a filter that found only good news', run('bun test 2>&1 | grep fail', 1, ' 0 fail')],
    [
      'tests that passed before another step failed',
      run('bun test && ./release.sh', 1, ' 1232 pass\n 0 fail\nno key'),
    ],
  ])('%s', (_, step) => {
    expect(failing(step)).toEqual([])
  })

  it.each<[string, Step, string]>([
    [
      'a count of Bun',
      run('bun test 2>&1 | tail -3', 0, ' 1230 pass\n 2 fail'),
      '`bun test 2>&1 | tail -3` failed: 2 fail',
    ],
    [
      'the lint behind tests that passed',
      run('bun test && npm run lint', 1, ' 1232 pass\n 0 fail\nsrc/a.ts:1:2 error x'),
      '`bun test && npm run lint` failed (exit 1): src/a.ts:1:2 error x',
    ],
    [
      'a status that only a crash explains',
      run('bun test', 1, ' 1232 pass\n 0 fail\npanic: out of memory'),
      'panic: out of memory',
    ],
  ])('yet one is: %s', (_, step, told) => {
    expect(failing(step).join()).toContain(told)
  })

  it.each([
    'npm test',
    'npm run build && npm test && npm run lint',
    'npm run build; npm test',
    'npm test && git push | cat',
    'cd /home/dev/repo && npm ci && npm test && npm run lint 2>&1 && echo done',
  ])('a check is cleared by a line that holds it and passed: %s', (line) => {
    expect(failing(boom, run(line, 0, ''))).toEqual([])
  })

  it.each([
    'npm test; npm run build',
    'npm run lint && npm run build',
    'npm test || npm run build',
    'cd web && npm test',
  ])('and not by one that does not hold it or hides how it ended: %s', (line) => {
    expect(failing(boom, run(line, 0, '')).join()).toContain('`npm test`')
  })

  it('a line of several checks is cleared by runs of each of them', () => {
    const both = run('npm run lint && npm test', 1, 'Error: boom')
    expect(failing(both, run('npm test')).join()).toContain('Failed earlier')
    expect(failing(both, run('npm test'), run('npm run lint'))).toEqual([])
  })

  it('many that files were edited after are one line', () => {
    const many = Array.from({ length: 20 }, (_, i) => [
      run(`npx vitest run test/${i}.test.ts`, 1, 'Error: x'),
      edit('src/store.ts'),
    ])
    expect(failing(...many.flat())).toEqual([
      'Failed earlier, not run whole since: `npx vitest run test/17.test.ts`, `npx vitest run test/18.test.ts`, `npx vitest run test/19.test.ts` and 17 more',
    ])
  })
})

describe('error 7: constraints that were none', () => {
  it('are no finished requests, no pasted review, no questions', () => {
    const evidence = extract([
      prompt('Commit it and keep the message short, then open a PR, make sure the title is short.'),
      prompt('Please create an issue, make sure it names the branch.'),
      prompt(
        '1. High: src/store.ts:458 likely holds the lock too long. It should be released right away.\n\n2. Low: src/api/routes.ts:87 wraps errors twice, and callers must not see that.',
      ),
      prompt('Why must the tests never touch the disk?'),
      prompt('The page only shows half of the rows.'),
    ])
    expect(evidence.constraints).toEqual([])
  })
})

describe('error 9: decisions without what was decided', () => {
  it.each<[string, string]>([
    ['Decision: store: SQLite', 'store: SQLite'],
    ['We chose SQLite because it is there.', 'We chose SQLite'],
  ])('%s', (line, what) => {
    expect(extract([reply(line)]).decisions).toMatchObject([{ what }])
  })

  it.each([
    ['option 2.', '2. Cron job'],
    ['2', '2. Cron job'],
    ['1+2', '1. Queue + 2. Cron job'],
    ['yeah, the cron job', '2. Cron job'],
  ])('an option is told with its text: %s', (picked, text) => {
    const steps = [prompt('How?'), reply('Two ways:\n1. Queue\n2. Cron job\n\nWhich one?'), prompt(picked)]
    expect(extract(steps).decisions).toMatchObject([{ what: `"${picked}" → ${text}` }])
  })

  it('an open question is one', () => {
    expect(texts(extract([prompt('Go.'), reply('Open question: who pays?\nDone.')]).questions)).toEqual([
      'who pays?',
    ])
  })

  it('an open question that closes the session is told once, with what follows it', () => {
    const asked = 'Sum works.\n\nOpen question: should it take a decimal comma? I left it out.'
    expect(texts(extract([prompt('Go.'), reply(asked)]).questions)).toEqual([
      'should it take a decimal comma? I left it out.',
    ])
  })
})

describe('error 10: names that nobody gave', () => {
  it('are neither files nor tools', () => {
    const evidence = extract(
      [
        prompt('Look at pr://140 and store.'),
        {
          kind: 'call',
          id: 'x',
          tool: 'read</name>\n<path',
          action: { type: 'other', paths: ['pr://140'] },
          by: 'agent',
        },
        { kind: 'result', id: 'x', ok: true, exitCode: null, text: '' },
        read('src/store.ts'),
      ],
      { git },
    )
    expect(evidence.agent?.tools).toEqual(['Read'])
    expect(paths(evidence)).toEqual(['src/store.ts'])
  })
})

describe('error 14: refusals and other things that happened and were not told', () => {
  it('a veto in passing, a refused script and a file that was not to be touched are what came of the request', () => {
    const steps = extract([
      prompt('Clean up.'),
      refusedRun('node fix.mjs --all', SAID, 'not all of them'),
      refusedEdit(`${ROOT}/src/store.ts`, `${SAID}. STOP what you are doing.`),
      reply('I stop.'),
    ]).turns[0]?.steps
    expect(steps).toMatchObject([
      { kind: 'refused', text: '`node fix.mjs --all`: "not all of them"' },
      { kind: 'refused', text: 'edit of `src/store.ts`' },
    ])
  })

  it('words of a refusal that the client records as a prompt as well are told once', () => {
    const { turns } = extract([
      prompt('Clean up.'),
      refusedRun('node fix.mjs --all', SAID, 'not all of them'),
      prompt('not all of them'),
      reply('Only the two.'),
    ])
    expect(turns.map(({ request, steps }) => [request, ...steps.map(({ text }) => text)])).toEqual([
      ['Clean up.', '`node fix.mjs --all`'],
      ['not all of them'],
    ])
  })

  it('"all tests pass" after lint alone has no proof, nor has it once files were edited', () => {
    const since = (...steps: Step[]) => extract([prompt('Fix it.'), ...steps], { git }).closing?.after
    expect(since(run('npm run lint'), reply('Done, all tests pass.'))).toEqual([
      'It says that tests pass; no test is on record in this session.',
    ])
    expect(since(run('npm test'), reply('All tests pass.'), edit('src/store.ts'))).toEqual([
      'After it the agent edited `src/store.ts`.',
      'It says that tests pass; files were edited after the last run of `npm test`.',
    ])
  })

  it('a change left in the tree stands in what the session did', () => {
    expect(extract([run('git commit -qm x'), edit('src/store.ts')]).work).toMatchObject({
      isEdited: true,
      commits: [{ subject: 'x', isPushed: false }],
    })
  })
})

describe('C11: a command that a subagent ran', () => {
  it('C11: is told as its own when it failed, and as the agent’s when the agent ran it again', () => {
    const boom = run('npm test', 1, 'FAIL test/a.test.ts\nError: boom')
    const told = (...steps: Step[]) =>
      texts(extract([prompt('Fix it.'), ...steps], { git }).questions).join('\n')
    expect(told(...bySub(boom))).toContain('`npm test` failed in a subagent (exit 1)')
    expect(told(boom)).toContain('`npm test` failed (exit 1)')
    expect(told(...bySub(boom), boom)).toContain('`npm test` failed (exit 1)')
  })
})
