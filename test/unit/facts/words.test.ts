import { describe, expect, it } from 'vitest'
import { edit, extract, gitState, prompt, read, reply, run, type Step, texts } from './session.ts'

const git = gitState(['src/a.ts'])

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

  it('say nothing of the other options where the person answers in words of their own', () => {
    const steps: Step[] = [
      { kind: 'question', id: 'q', text: 'Now?', options: ['Work on it now', 'Put it back'] },
      { kind: 'answer', id: 'q', text: 'yes, on this branch' },
      { kind: 'question', id: 'r', text: 'Later?', options: ['Work on it now', 'Put it back'] },
      { kind: 'answer', id: 'r', text: 'work on it now, on this branch' },
    ]
    expect(extract(steps).decisions.map(({ alternatives }) => alternatives)).toEqual([[], ['Put it back']])
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

  it.each<[string, string]>([
    ['# Plan: Retry queue\n\n- Do', 'Retry queue'],
    ['# Plan\n\n1. Fix sub()\n2. Run it', 'Fix sub(); Run it'],
    ['# Context\n\nIt fails.\n\n## Retry less often', 'Retry less often'],
    ['# Doors\n1. Buy\n2. Oil', 'Doors; Buy; Oil'],
    [
      '# Doors\n## Step 1: Hinge\n1. Buy\n## Step 2: Lock\n- [x] Drill\n- [ ] Screw',
      'Doors; Step 1: Hinge; Step 2: Lock; Screw',
    ],
    ['# Doors\n## Style\n## Hinge first\n## File', 'Doors; Hinge first'],
    ['# Doors\n```\n# not a heading\n```\nText', 'Doors'],
    ['# Plan', 'Plan'],
    [
      `# Doors\n${Array.from({ length: 16 }, (_, i) => `${i + 1}. Door ${i}`).join('\n')}`,
      'Doors; Door 0; Door 1; Door 2; Door 3; Door 4; Door 5; Door 6; Door 7; Door 8; Door 9; 6 more',
    ],
  ])('are the plan that was accepted last, by its headings and open steps: %j', (text, told) => {
    const plans: Step[] = [
      { kind: 'proposal', text: '# Older', accepted: true },
      { kind: 'proposal', text, accepted: true },
    ]
    expect(extract(plans).decisions).toMatchObject([
      { what: `Plan accepted: ${told}`, by: 'user', source: 'user' },
    ])
  })

  it('name the file that the plan was written to', () => {
    const steps: Step[] = [
      edit('/home/dev/.claude/plans/brisk-fox.md', 'create'),
      { kind: 'proposal', text: '# Queue', accepted: true },
    ]
    expect(extract(steps).decisions[0]?.what).toBe('Plan accepted: Queue, in ~/.claude/plans/brisk-fox.md')
  })

  it('are options that the person picked, with their text', () => {
    const asked = reply(
      'Two ways:\n\n1. **Rewrite** the parser.\n2. **Patch** the lexer: quick.\n\nWhich one?',
    )
    expect(extract([prompt('How?'), asked, prompt('option 2')]).decisions).toMatchObject([
      { what: '"option 2" → 2. **Patch** the lexer: quick.', by: 'user' },
    ])
    expect(extract([prompt('How?'), asked, prompt('Should we go with option 2?')]).decisions).toEqual([])
    expect(extract([prompt('option 2')]).decisions).toEqual([])
  })

  it.each<[string, object]>([
    ['Decision: one table per tenant', { what: 'one table per tenant', why: null }],
    ['- **Decision:** keep it: it works', { what: 'keep it: it works' }],
    ['**Decided**: a queue, because order matters', { what: 'a queue', why: 'order matters' }],
    [
      'We chose a queue instead of a cron job because retries must keep their order.',
      { what: 'We chose a queue', alternatives: ['a cron job'], why: 'retries must keep their order.' },
    ],
    ["1. I've settled on Redis rather than SQLite", { alternatives: ['SQLite'] }],
  ])("are the agent's where it names them: %s", (line, told) => {
    expect(extract([reply(`Done.\n${line}\nMore.`)]).decisions).toMatchObject([
      { ...told, by: 'agent', source: 'agent' },
    ])
  })

  it("are not the agent's in passing, told once, the newest 30 of them", () => {
    expect(
      extract([reply('The decision: see above is old. They chose blue. Decision:\nDecision: none')])
        .decisions,
    ).toEqual([])
    const many = Array.from({ length: 40 }, (_, i) => reply(`Decision: door ${i}\nDecision: door 0`))
    const told = extract(many).decisions.map(({ what }) => what)
    expect([told.length, told[0], told.at(-1)]).toEqual([30, 'door 11', 'door 0'])
  })
})

describe('open ends', () => {
  const question = { kind: 'question' as const, id: 'q', text: 'Which store?', options: ['Redis', 'SQLite'] }

  it('an unanswered question stands open, with its options', () => {
    expect(extract([prompt('Go on with it'), question]).questions).toMatchObject([
      { kind: 'question', text: 'Which store? (options: Redis / SQLite)', source: 'agent' },
    ])
  })

  it('an option that the person picked and then stopped is not decided', () => {
    const list = reply('1. Rewrite the parser.\n2. Patch the lexer.\n\nWhich?')
    const picks = (...steps: Step[]) => extract([list, prompt('option 2'), ...steps]).decisions
    expect(picks(reply('I patch it.'), { kind: 'interrupt' })).toHaveLength(1)
    expect(picks({ kind: 'interrupt' }, prompt('option 1')).map(({ what }) => what)).toEqual([
      '"option 1" → 1. Rewrite the parser.',
    ])
  })

  it('a question that nobody saw, since its call failed, is none', () => {
    const asked: Step[] = [
      { kind: 'call', id: 'q', tool: 'AskUserQuestion', by: 'agent', action: { type: 'other', paths: [] } },
      { kind: 'question', id: 'q', text: 'Which store?', options: [] },
      { kind: 'question', id: 'q#2', text: 'Which port?', options: [] },
    ]
    const ended = { kind: 'result', id: 'q', exitCode: null, text: 'Too big: at most 4 questions' } as const
    expect(extract([...asked, { ...ended, ok: false }]).questions).toEqual([])
    expect(extract([...asked, { ...ended, ok: false, refused: true }]).questions).toHaveLength(2)
  })

  it('a plan that the goal holds is answered by it', () => {
    const proposal: Step = { kind: 'proposal', text: '# Retry queue\n1. Drain', accepted: false }
    const goal = 'Implement the following plan: # Retry queue 1. Drain'
    expect(extract([proposal], { goal }).questions).toEqual([])
    expect(extract([reply('I plan.'), read('src/a.ts'), proposal], { goal }).closing?.after).toEqual([
      'After it the agent proposed a plan.',
    ])
  })

  it('an answer or a prompt settles it', () => {
    expect(extract([question, { kind: 'answer', id: 'q', text: 'Redis' }]).questions).toEqual([])
    expect(extract([question, prompt('Just go on with Redis')]).questions).toEqual([])
  })

  it.each([null, false])('a plan without an answer stands open until the next prompt', (accepted) => {
    const proposal: Step = { kind: 'proposal', text: '# Retry queue\n1. Drain', accepted }
    expect(texts(extract([proposal]).questions)).toEqual([
      'Plan proposed last, not approved in this session: Retry queue; Drain',
    ])
    expect(extract([proposal, prompt('Not like this.')]).questions).toEqual([])
    expect(extract([proposal, { ...proposal, accepted: true }]).questions).toEqual([])
  })

  it('what the agent calls an open question stands open for three turns', () => {
    const asked = [prompt('Begin with it.'), reply('Begun.\n**Open question:** which store?')]
    expect(texts(extract(asked).questions)).toEqual(['which store?'])
    const later = (count: number) =>
      Array.from({ length: count }, () => [prompt('Go on.'), reply('Done.')]).flat()
    expect(texts(extract([...asked, ...later(2)]).questions)).toEqual(['which store?'])
    expect(extract([...asked, ...later(3)]).questions).toEqual([])
  })

  it('a reply that ends with a question stands open until something comes after it', () => {
    const asked = [
      prompt('Fix the retry please'),
      reply('I fixed it.\n\nTests pass. Which docs should I update?'),
    ]
    expect(extract(asked).questions).toMatchObject([
      { kind: 'question', text: 'Which docs should I update?', source: 'agent' },
    ])
    expect(extract([...asked, prompt('yes please')]).questions).toEqual([])
    expect(extract([...asked, edit('src/a.ts')], { git }).questions).toEqual([])
    expect(extract([reply('Why did it fail? Because of the lock.')]).questions).toEqual([])
  })

  it.each([
    'Want me to push it?',
    '**Do you want me to commit?**',
    'Should I also update the docs?',
    'Would you like a test?',
    'Ready for the next step?',
  ])('an offer is no open question: %s', (offer) => {
    const { questions, closing } = extract([prompt('Fix it.'), reply(`I fixed it. ${offer}`)])
    expect(questions).toEqual([])
    expect(closing?.text).toContain(offer)
  })

  it('one that says nothing without what stands before it is none', () => {
    expect(extract([prompt('Go.'), reply('Java 17 or 21 fit both. Which one?')]).questions).toEqual([])
  })

  it('a choice is one, though it begins like an offer', () => {
    const asked = [prompt('Fix it.'), reply('Should I keep Redis or move to SQLite?')]
    expect(texts(extract(asked).questions)).toEqual(['Should I keep Redis or move to SQLite?'])
  })

  it('one that the agent did not wait for is open no more', () => {
    const asked = [prompt('Fix it.'), question]
    expect(extract(asked).questions).toHaveLength(1)
    expect(extract([...asked, reply('Nobody answered, so I go on with Redis.')]).questions).toEqual([])
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

  it('an item that was listed many calls ago may be done: it is not told', () => {
    const listed: Step = { kind: 'plan', items: [{ text: 'Docs', status: 'pending' }] }
    const reads = (count: number) => Array.from({ length: count }, () => read('src/a.ts'))
    expect(extract([listed, ...reads(30)]).plan).toEqual([])
    expect(extract([listed, ...reads(29)]).plan).toMatchObject([{ text: 'Docs' }])
    expect(extract([...reads(30), listed]).plan).toMatchObject([{ text: 'Docs' }])
  })
})

describe('the session', () => {
  it('knows how much was said, when it ended, and garbage for no tool', () => {
    const garbage: Step = {
      kind: 'call',
      id: 'g',
      tool: 'Bash">\n<parameter',
      action: { type: 'other', paths: [] },
      by: 'agent',
    }
    const evidence = extract([
      prompt('One.'),
      reply('Two.'),
      prompt('Three.'),
      reply('Four.'),
      garbage,
      { ...reply('Sub.'), sub: 'helper' },
    ])
    expect(evidence).toMatchObject({ messages: 4, endedAt: '2026-01-02T03:00:05.000Z', agent: { tools: [] } })
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
