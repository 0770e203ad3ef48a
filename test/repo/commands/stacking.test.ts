import { beforeAll, describe, expect, it } from 'vitest'
import { inlinePrompt } from '../../../src/brief/prompt.ts'
import { byNight } from '../../sampled.ts'
import { type Step, writeClaudeSession } from '../claude-session.ts'
import { cli } from '../cli.ts'
import { makeRepo, type TempRepo } from '../make-repo.ts'
import { itemsOf, later, sectionOf, succeeded } from '../usual.ts'

const CONSTRAINT = 'Do NOT touch src/api.ts, the public API must stay as it is.'
const CONSTRAINTS = 'Constraints & Preferences'
const QUESTIONS = 'Open Questions / Risks'
const session = (at: number) => `0000000${at}-2222-4333-8444-555555555555`
/** The goal of each round reads like a demand, so that it would show up as one if earlier briefs were evidence. */
const goal = (at: number) =>
  `port part ${at} of the queue; never rename part${at}.ts, always run make part${at}`

interface Round {
  id: string
  tokens: number
  markdown: string
}

/** The next session: it was handed the work in every way there is, did a little, and hands over again. */
async function round(repo: TempRepo, at: number, whole: string, steps: readonly Step[]): Promise<Round> {
  const now = later(at * 60)
  const handed: Step[] = []
  if (at > 1) {
    const pointer = (await cli(repo, ['show', '--prompt'], { now })).stdout
    const inline = inlinePrompt(whole)
    const copy = repo.read('.handoff/latest.md')
    handed.push(
      { user: pointer },
      { read: '.handoff/latest.md' },
      { bash: 'cat .handoff/latest.md', output: copy },
      { bash: 'git handoff show', output: whole },
      { user: inline },
      { user: `Read this and go on.\n\n${whole}` },
    )
  }
  const request =
    'Please write down what the next agent needs.\n\n## Tried and dropped\n## Fails now\n## Not proven\n## Questions for the user\n\nNever write secrets.'
  writeClaudeSession(
    repo,
    [
      ...handed,
      ...steps,
      { edit: 'src/queue.ts' },
      { bash: 'npm test', output: 'ok' },
      { says: `Part ${at} is ported.` },
      { user: request },
      { bash: `git handoff create "${goal(at)}"`, output: '.handoff/briefs/x.md' },
    ],
    { id: session(at), end: later(at * 60 - 1) },
  )
  const made = succeeded(await cli(repo, ['create', goal(at), '--json', '--session', session(at)], { now }))
  return { id: made.id, tokens: made.tokens, markdown: made.markdown }
}

describe('no stacking, no forgetting', () => {
  const rounds: Round[] = []
  const nth = (at: number): Round => {
    const found = rounds[at - 1]
    if (found === undefined) throw new RangeError(`no round ${at}`)
    return found
  }
  beforeAll(async () => {
    const repo = makeRepo()
    repo.commit('queue', { 'src/queue.ts': 'x\n', 'src/api.ts': 'y\n' })
    const said: Step[][] = [
      [
        { user: `Port the queue. ${CONSTRAINT}` },
        { says: 'Does anybody still need the legacy retry format?' },
      ],
      [{ user: 'Please go on with part 2. Always use tabs for indentation.' }],
      [{ user: 'Please go on with part 3.' }],
      [{ user: 'Please go on with part 4.' }],
    ]
    for (const [index, steps] of said.entries()) {
      // The first one stops at its question.
      if (index === 0) {
        writeClaudeSession(repo, steps, { id: session(1), end: later(59) })
        const argv = ['create', goal(1), '--json', '--session', session(1)]
        const made = succeeded(await cli(repo, argv, { now: later(60) }))
        rounds.push({ id: made.id, tokens: made.tokens, markdown: made.markdown })
      } else rounds.push(await round(repo, index + 1, nth(index).markdown, steps))
    }
  })

  it('a constraint of the first is still quoted in the fourth, once, marked with where it is from', () => {
    expect(itemsOf(nth(1).markdown, CONSTRAINTS)).toEqual([`- "${CONSTRAINT}"`])
    for (const { markdown } of rounds.slice(1))
      expect(itemsOf(markdown, CONSTRAINTS).filter((line) => line.includes('src/api.ts'))).toEqual([
        `- "${CONSTRAINT}" — from ${nth(1).id}`,
      ])
  })

  it('an open question is carried until it is answered, with the id of its brief', () => {
    // There the last message is quoted whole.
    expect(sectionOf(nth(1).markdown, 'Where it stands')).toContain(
      'Does anybody still need the legacy retry format?',
    )
    expect(itemsOf(nth(4).markdown, QUESTIONS)).toEqual([
      `- Does anybody still need the legacy retry format? — from ${nth(1).id}`,
    ])
  })

  it('tokens do not grow with the length of the chain', () => {
    // But for the goals that nobody said to be done, and of these two older ones at most.
    const goals = (at: number): string[] =>
      itemsOf(nth(at).markdown, 'Progress').filter((line) => line.includes('not said to be done'))
    expect([2, 3, 4].map((at) => goals(at).length)).toEqual([1, 2, 3])
    const added = goals(4).slice(1).join('\n').length / 2.5
    expect(nth(4).tokens).toBeLessThan(nth(2).tokens * 1.03 + added)
  })

  it('nothing of an earlier brief counts as words, commands or files of this session', () => {
    for (const [index, { markdown }] of rounds.entries()) {
      const at = index + 1
      const body = markdown.slice(markdown.indexOf('# Handoff Context'))
      const facts = [
        'Status',
        CONSTRAINTS,
        'Context (from previous thread)',
        'Key Decisions',
        'Relevant Files',
      ]
      for (const heading of [...facts, 'Relevant Commands', QUESTIONS]) {
        const section = sectionOf(body, heading)
        // Goals of other rounds, headings of the instruction, the preamble, our own folder and commands.
        for (let other = 1; other < at; other++) expect(section).not.toContain(`part${other}`)
        expect(section).not.toMatch(
          /continuing work from a previous thread|Never write secrets|handoff|schemaVersion/,
        )
      }
      if (at > 1) expect(itemsOf(markdown, 'Relevant Commands')).toEqual(['- `npm test` — test, passed'])
      expect(body.match(/^# Handoff Context$/gm)).toHaveLength(1)
    }
  })

  it('only one line speaks of the parent', () => {
    expect(itemsOf(nth(4).markdown, 'Previous handoff')).toHaveLength(1)
    const others = [...itemsOf(nth(4).markdown, CONSTRAINTS), ...itemsOf(nth(4).markdown, 'Progress')]
    expect(others.reduce((text, line) => text.replace(line, ''), nth(4).markdown)).not.toContain(nth(2).id)
  })

  byNight('an answered question ends', async () => {
    const repo = makeRepo()
    repo.commit('queue', { 'src/queue.ts': 'x\n' })
    const ask: Step[] = [
      { user: 'Port the queue.' },
      { says: 'Does anybody still need the legacy retry format?' },
    ]
    writeClaudeSession(repo, ask, { id: session(1), end: later(-60) })
    const asked = succeeded(await cli(repo, ['create', goal(1), '--json'], { now: later(-50) }))
    expect(sectionOf(asked.markdown, 'Where it stands')).toContain('the legacy retry format?')
    writeClaudeSession(
      repo,
      [
        { user: 'You must not drop the legacy retry format, keep it.' },
        { edit: 'src/queue.ts' },
        { says: 'The format is kept.' },
      ],
      { id: session(2) },
    )
    const made = succeeded(await cli(repo, ['create', goal(2), '--json', '--session', session(2)]))
    expect(itemsOf(made.markdown, QUESTIONS)).toEqual([])
    expect(sectionOf(made.markdown, CONSTRAINTS)).toContain('must not drop the legacy retry format')
  })
})
