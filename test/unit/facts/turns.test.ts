import { describe, expect, it } from 'vitest'
import { edit, extract, prompt, refusedEdit, refusedRun, reply, run, type Step } from './session.ts'

const turns = (...steps: Step[]) => extract(steps).turns
/** Turns as one can read them: the request, then what came of it. */
const told = (...steps: Step[]) =>
  turns(...steps).map(({ request, steps }) => [request, ...steps.map(({ kind, text }) => `${kind}: ${text}`)])

describe('turns', () => {
  it('are requests with what came of them, oldest first, the last message apart', () => {
    const evidence = extract([
      prompt('Fix add.'),
      reply('I look.'),
      run('git commit -m "Fix add"', 0, '[main 1a2b3c4] Fix add'),
      reply('Fixed.'),
      prompt('Now sub.'),
      { kind: 'question', id: 'q', text: 'How?', options: [] },
      { kind: 'answer', id: 'q', text: 'By hand' },
      refusedEdit('src/sub.ts', 'rejected', 'not in this file'),
      refusedRun('git push', 'rejected'),
      { kind: 'interrupt' },
      reply('sub is open.'),
    ])
    expect(
      evidence.turns.map(({ request, steps }) => [
        request,
        ...steps.map(({ kind, text }) => `${kind}: ${text}`),
      ]),
    ).toEqual([
      ['Fix add.', 'said: I look.', 'commit: `1a2b3c4` Fix add', 'said: Fixed.'],
      [
        'Now sub.',
        'answer: How? → By hand',
        'refused: edit of `src/sub.ts`: "not in this file"',
        'refused: `git push`',
        'interrupt: Interrupted by the user',
      ],
    ])
    expect(evidence.closing).toEqual({ text: 'sub is open.', at: '2026-01-02T03:00:13.000Z', after: [] })
  })

  it('are slash commands with their arguments, but none to the client alone that nothing came of', () => {
    expect(
      told(
        prompt('/plan the queue'),
        reply('Planned.'),
        prompt('/test'),
        run('npm test', 1),
        prompt('/fix --all'),
      ),
    ).toEqual([['/plan the queue'], ['/test'], ['/fix --all']])
    expect(extract([prompt('Go.'), prompt('/mode'), prompt('/mode dark')]).turns).toMatchObject([
      { request: 'Go.' },
      { request: '/mode dark' },
    ])
  })

  it('begin no new one where a machine speaks', () => {
    const notice = prompt('<task-notification>\n<status>done</status>\n</task-notification>')
    const all = turns(prompt('Fix add.'), reply('Fixed.'), notice, reply('The job is over.'), prompt('Next.'))
    expect(all.map(({ steps }) => steps.map(({ text }) => text))).toEqual([['Fixed.'], []])
  })

  it('say what a short answer was given to', () => {
    const asked = reply('Two ways. Shall I patch the lexer?')
    expect(turns(asked, prompt('yes')).at(-1)?.to).toBe('Two ways. Shall I patch the lexer?')
    expect(turns(asked, prompt('Write the docs of the lexer. '.repeat(9))).at(-1)?.to).toBeNull()
  })

  it('begin with what the person typed, not with what a subagent was told or said', () => {
    const sub = [
      { ...prompt('Look around.'), sub: 'helper' },
      { ...reply('Done.'), sub: 'helper' },
    ]
    expect(told(prompt('Fix it.'), sub, { kind: 'interrupt', sub: 'helper' })).toEqual([['Fix it.']])
  })

  it('leave handoffs out, and what the agent says of them', () => {
    const work = [prompt('Fix it.'), edit('src/a.ts'), reply('Fixed.')]
    const handoff = [
      prompt('/handoff go on'),
      reply('I hand over.'),
      run('npx handoff create x'),
      reply('Made.'),
    ]
    expect(told(...work, ...handoff)).toEqual([['Fix it.']])
    expect(told(...work, ...handoff, prompt('And sub.'), ...handoff)).toEqual([['Fix it.'], ['And sub.']])
  })

  it('hold what a client kept of turns it dropped, and the newest plan alone', () => {
    const plan = (text: string): Step => ({ kind: 'proposal', text, accepted: true })
    expect(
      told(prompt('Plan it.'), plan('# One'), reply('Hm.'), plan('# Two'), reply('So.'), reply('Done.')),
    ).toEqual([['Plan it.', 'said: Hm.', 'plan: # Two', 'said: So.']])
    expect(told({ kind: 'compaction', summary: 'It all began.' }, prompt('Go on.'))).toEqual([
      ['', 'summary: It all began.'],
      ['Go on.'],
    ])
  })
})

describe('the memory of turns', () => {
  it('keeps a message of 200 KB up to 16,000 characters, ends at a blank and says how much is gone', () => {
    const [turn] = turns(prompt(`${'secret-word '.repeat(17_000)}end`))
    expect(turn?.request.length).toBeLessThan(16_100)
    expect(turn?.request).toMatch(/secret-word\n\[… 188\d\d\d characters left out\]$/)
    const closing = extract([prompt('Go.'), reply('y'.repeat(200_000))]).closing?.text
    expect(closing).toBe('\n[… 200000 characters left out]')
  })

  it('is bounded: the first request and the newest turns stay, the others are counted', () => {
    const steps = Array.from({ length: 200 }, (_, i) => [
      prompt(`Turn ${i}.`),
      reply(`${i} ${'word '.repeat(2000)}`),
    ])
    const evidence = extract(steps.flat())
    const size = evidence.turns.reduce(
      (sum, turn) => sum + turn.request.length + (turn.steps[0]?.text.length ?? 0),
      0,
    )
    expect(size).toBeLessThan(210_000)
    expect(
      evidence.turns.map(({ request }) => request).filter((_, i, all) => i < 1 || i > all.length - 2),
    ).toEqual(['Turn 0.', 'Turn 199.'])
    expect(evidence.forgotten + evidence.turns.length).toBe(200)
    expect(evidence.messages).toBeGreaterThan(30)
  })

  it('is bounded in one turn without end as well: its newest words stay', () => {
    const evidence = extract([
      prompt('Go.'),
      ...Array.from({ length: 200 }, (_, i) => reply(`${i} ${'word '.repeat(2000)}`)),
    ])
    const steps = evidence.turns[0]?.steps ?? []
    expect(steps.reduce((sum, { text }) => sum + text.length, 0)).toBeLessThan(600_001)
    expect([steps.at(-1)?.text.slice(0, 4), evidence.closing?.text.slice(0, 4)]).toEqual(['198 ', '199 '])
  })
})
