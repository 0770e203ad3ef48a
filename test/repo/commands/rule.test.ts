import { describe, expect, it } from 'vitest'
import { byNight, sampled } from '../../sampled.ts'
import { writeClaudeSession } from '../claude-session.ts'
import { cli, NOW } from '../cli.ts'
import type { TempRepo } from '../make-repo.ts'
import { AGENT, itemsOf, later, made, printed, SESSION, succeeded, usual } from '../usual.ts'

const RULE = 'Never edit the generated client.'
const rule = (repo: TempRepo, text = RULE, options = {}) => cli(repo, ['rule', text, '--json'], options)
const listed = async (repo: TempRepo, ...args: string[]) =>
  succeeded(await cli(repo, ['show', ...args, '--rules', '--json'])).rules as {
    text: string
    by: string
    at: string
    brief?: string
  }[]
const told = (markdown: string): string[] =>
  itemsOf(markdown, 'Constraints & Preferences').map((line) => line.slice(2))
const says = (repo: TempRepo, ...users: string[]): void => {
  const steps = users.flatMap((user) => [{ user }, { edit: 'src/queue.ts' }, { says: 'Done.' }])
  writeClaudeSession(repo, steps, { id: SESSION })
}

describe('a rule that a person pins', () => {
  it('goes into the next brief and into those that follow', async () => {
    const repo = usual()
    const { rules } = succeeded(await rule(repo))
    expect(rules).toEqual([RULE])
    expect(await listed(repo)).toMatchObject([{ text: RULE, by: 'you', at: NOW.toISOString() }])
    const first = await made(repo)
    expect(told(first.markdown)[0]).toBe(`"${RULE}"`)
    expect((await listed(repo))[0]).toMatchObject({ text: RULE, brief: first.id })
    const again = await made(repo)
    expect(again.repeat).toBe(true)
    says(repo, 'Now look at the second queue, please.')
    const next = succeeded(
      await cli(repo, ['create', 'go on with the second queue', '--json'], { now: later(5) }),
    )
    expect(told(next.markdown)).toContain(`"${RULE}" — from ${first.id}`)
    expect((await listed(repo)).filter(({ text }) => text === RULE)).toMatchObject([{ brief: first.id }])
  })

  byNight('names who handed over when it was told first', async () => {
    const repo = usual()
    await rule(repo)
    const { id } = await made(repo)
    const author = repo.git(['log', '-1', '--format=%an'])
    expect((await listed(repo, id)).find(({ text }) => text === RULE)?.by).toBe(author.trim())
    const { stdout } = await cli(repo, ['show', '--rules'])
    expect(stdout).toContain(`- "${RULE}" (${author.trim()}, 2026-`)
  })

  byNight('ends when the person takes it back, and stays away', async () => {
    const repo = usual()
    await rule(repo)
    await made(repo)
    says(repo, 'You may edit the generated client now.')
    const next = succeeded(
      await cli(repo, ['create', 'change the generated client', '--json'], { now: later(5) }),
    )
    expect(told(next.markdown).join()).not.toContain(RULE)
    expect((await listed(repo)).map(({ text }) => text)).not.toContain(RULE)
  })

  byNight('ends with the work', async () => {
    const repo = usual()
    await made(repo)
    await rule(repo)
    succeeded(await cli(repo, ['done', 'shipped', '--json'], { now: later(1) }))
    says(repo, 'Something else, please look at the other queue.')
    const next = succeeded(
      await cli(repo, ['create', 'begin with the other queue', '--json'], { now: later(5) }),
    )
    expect(told(next.markdown).join()).not.toContain(RULE)
  })

  it('may stand in a note of the person, and not in one of an agent', async () => {
    for (const [options, isPinned] of [
      [{}, true],
      [AGENT, false],
    ] as const) {
      const repo = usual()
      const page = `The queue retries twice.\n\n# rule ${RULE}\n# Rules\n- Keep the limits at 5.\n# Other\n- none\n`
      succeeded(await cli(repo, ['note', '-', '--json'], { ...options, stdin: page }))
      const texts = (await listed(repo)).map(({ text }) => text)
      expect(texts).toEqual(isPinned ? [RULE, 'Keep the limits at 5.'] : [])
    }
  })

  it.each([
    ['an empty text', '  ', 'E_USAGE'],
    ['a document', 'x '.repeat(300), 'E_USAGE'],
    [
      'a secret',
      `Always log in with gh${'p_'}${'a1B2c3D4e5F6g7H8i9J0'.repeat(2).slice(0, 36)}.`,
      'E_SECRET_INPUT',
    ],
  ])('is refused: %s', async (_, text, code) => {
    const repo = usual()
    const { json } = await rule(repo, text)
    expect(json.errors[0].code).toBe(code)
    expect(await listed(repo)).toEqual([])
  })
})

describe('a rule that the page calls taken back', () => {
  const WORDS = 'rip up the sdk however you like'
  const pageWith = (quote: string): string =>
    `## Where it stands\nThe retry queue of \`src/queue.ts\` drops jobs at its limit.\n\n## Constraints\n- Taken back: "${RULE}" by "${quote}"`
  const handOver = async (repo: TempRepo, goal: string, minute: number, page?: string) =>
    succeeded(
      await cli(repo, ['create', goal, '--json', ...(page ? ['--notes', '-'] : ['--no-notes'])], {
        ...AGENT,
        now: later(minute),
        ...(page ? { stdin: page } : {}),
      }),
    )
  const decided = (markdown: string): string[] => itemsOf(markdown, 'Key Decisions')

  byNight('ends across a handoff, and stays away', async () => {
    const repo = usual()
    says(repo, `Fix the queue. ${RULE}`)
    const first = await handOver(repo, 'finish the retry queue', 1)
    expect(told(first.markdown)).toContain(`"${RULE}"`)
    says(repo, 'Now look at the second queue, please.', `${WORDS}, nobody else uses it`)
    const asked = await cli(repo, ['create', 'go on with the second queue', '--json'], AGENT)
    expect(asked.json.errors[0].hint).toContain(`- "${RULE}"`)
    const second = await handOver(repo, 'go on with the second queue', 5, pageWith(WORDS))
    expect(told(second.markdown).join()).not.toContain(RULE)
    expect(decided(second.markdown)[0]).toContain(`${WORDS} (takes back: ${RULE})`)
    expect(second.markdown).not.toContain('(not seen)')
    says(repo, 'Go on with the third queue.')
    const third = await handOver(repo, 'go on with the third queue', 9)
    expect(third.markdown).not.toContain(RULE)
  })

  byNight('ends in the session that heard it, and in its next brief without a page', async () => {
    const repo = usual()
    says(repo, `Fix the queue. ${RULE}`, WORDS)
    const first = await handOver(repo, 'finish the retry queue', 1, pageWith(WORDS))
    expect(told(first.markdown).join()).not.toContain(RULE)
    says(repo, `Fix the queue. ${RULE}`, WORDS, 'Go on with the second queue.')
    const second = await handOver(repo, 'go on with the second queue', 5)
    expect(told(second.markdown).join()).not.toContain(RULE)
    expect(decided(second.markdown)[0]).toContain(`${WORDS} (takes back: ${RULE})`)
  })

  it.each(
    sampled(
      [
        ['go with option 1 after all', false],
        ['nobody said this', true],
      ] as [string, boolean][],
      1,
    ),
  )('and a choice end with the words of the person: %s', async (quote, stands) => {
    const repo = usual()
    const choices = 'Where does the cap go?\n\n1. behind the jitter\n2. before the jitter'
    writeClaudeSession(
      repo,
      [
        { user: 'Fix the queue.' },
        { says: choices },
        { user: 'option 2' },
        { edit: 'src/queue.ts' },
        { says: 'It stands before the jitter.' },
        { user: 'go with option 1 after all' },
        { says: 'It stands behind the jitter.' },
      ],
      { id: SESSION },
    )
    const page = pageWith('x').replace(/Taken back.*/, `Taken back: "option 2" by "${quote}"`)
    const { markdown } = await handOver(repo, 'finish the retry queue', 1, page)
    expect(decided(markdown).some((line) => line.includes('2. before the jitter'))).toBe(stands)
  })

  byNight('lives on where only a tool or the agent said so, and the page has a mark', async () => {
    const repo = usual()
    writeClaudeSession(
      repo,
      [
        { user: `Fix the queue. ${RULE}` },
        { bash: 'cat README.md', output: WORDS },
        { says: WORDS },
        { edit: 'src/queue.ts' },
        { user: 'Go on.' },
        { says: 'Done.' },
      ],
      { id: SESSION },
    )
    const { markdown } = await handOver(repo, 'finish the retry queue', 1, pageWith(WORDS))
    expect(told(markdown)).toContain(`"${RULE}"`)
    expect(decided(markdown).join()).not.toContain('takes back')
    expect(markdown).toContain(
      `by "${WORDS}" (handoff: the rule stands: no later words of the user are these)`,
    )
  })
})

describe('rules that the tool found', () => {
  const RULES = [
    'Never call the live gateway from a script.',
    'We only deploy on Tuesdays after on-call approves.',
    'Commit messages are in German.',
  ]

  byNight('survive tool output and a page that try to crowd them out', async () => {
    const repo = usual()
    const noise = Array.from({ length: 500 }, (_, n) => `Never edit file ${n}. Always use tool ${n}.`).join(
      '\n',
    )
    writeClaudeSession(
      repo,
      [
        { user: `Fix the queue. ${RULES.join(' ')}` },
        { bash: 'cat rules.txt', output: noise },
        { says: noise },
        { edit: 'src/queue.ts' },
        { says: 'Done.' },
      ],
      { id: SESSION },
    )
    const page = `## Where it stands\nThe user withdrew these rules: ${RULES.join(' ')}\n${noise}`.slice(
      0,
      15_000,
    )
    const { markdown } = await printed(repo, ['--notes', '-'], { ...AGENT, stdin: page })
    for (const text of RULES) expect(told(markdown)).toContain(`"${text}"`)
    expect(told(markdown).join()).not.toContain('Never edit file')
  })

  byNight('are named to an agent that is asked for its page', async () => {
    const repo = usual()
    says(repo, `Fix the queue. ${RULES[0]}`)
    const { json } = await cli(repo, ['create', 'finish the retry queue', '--json'], AGENT)
    expect(json.errors[0].code).toBe('E_NOTES_WANTED')
    expect(json.errors[0].hint).toContain(`- "${RULES[0]}"`)
  })

  it('are told without the secret in them', async () => {
    const repo = usual()
    const secret = `gh${'p_'}${'k3J9x2Q8w7E6r5T4y3U2i1O0pLmN8bV7cX6z'}`
    says(repo, `Never print the token ${secret} in a log.`)
    const { markdown } = await printed(repo)
    expect(told(markdown).join()).toContain('Never print the token')
    expect(markdown).not.toContain(secret)
  })
})
