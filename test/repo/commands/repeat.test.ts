import { beforeAll, describe, expect, it } from 'vitest'
import { byNight, sampled } from '../../sampled.ts'
import { type Step, USUAL, writeClaudeSession } from '../claude-session.ts'
import { type CliOptions, cli } from '../cli.ts'
import type { TempRepo } from '../make-repo.ts'
import { GOAL, headOf, later, made, succeeded, usual, withBrief } from '../usual.ts'

/** The session goes on: the steps of before and these. */
const grow = (repo: TempRepo, ...steps: Step[]): string =>
  writeClaudeSession(repo, [...USUAL, ...steps], { end: later(20) })

const again = (repo: TempRepo, extra: string[] = [], options: CliOptions = {}) =>
  made(repo, extra, { now: later(30), ...options })

async function handedOver(): Promise<{ repo: TempRepo; id: string; head: string }> {
  const { repo, id } = await withBrief()
  return { repo, id, head: headOf(repo) }
}

describe('identical input makes no second commit', () => {
  // One repository for all: none of this may change it.
  let repo: TempRepo
  let id: string
  let head: string
  beforeAll(async () => {
    ;({ repo, id, head } = await handedOver())
  })

  it('asked twice: the old id, exit 0, nothing moves', async () => {
    const second = await again(repo, ['--mode', 'strict'])
    expect(second).toMatchObject({ ok: true, id, commit: null, parents: [], mode: 'strict', errors: [] })
    expect(second.markdown).toBe(repo.git(['show', `HEAD:${second.path}`]).concat('\n'))
    expect(headOf(repo)).toBe(head)
    expect(repo.git(['status', '--porcelain'])).toBe('')
    expect(repo.git(['ls-files', '.handoff/briefs']).split('\n')).toHaveLength(1)
  })

  const SAME: [string, Step[]][] = [
    [
      'its own call and the closing words',
      [
        { user: `npx handoff create "${GOAL}"` },
        {
          bash: `npx handoff create "${GOAL}"`,
          output: '.handoff/briefs/20261122T100000-000abc00-finish.md',
        },
        { says: 'The work is handed over.' },
      ],
    ],
    [
      'a call in the middle of a turn, and a look at what it made',
      [
        { bash: `cd . && git handoff create '${GOAL}' --json`, output: '{"ok":true}' },
        { bash: 'cat .handoff/latest.md', output: '# Work may have been handed over here' },
        { read: '.handoff/latest.md' },
        { says: 'Handed over; the next agent reads .handoff/latest.md.' },
      ],
    ],
    [
      'the slash command of the skill',
      [
        {
          raw: {
            type: 'user',
            message: {
              role: 'user',
              content: `<command-message>handoff</command-message>\n<command-name>/handoff</command-name>\n<command-args>${GOAL}</command-args>`,
            },
          },
        },
        { bash: `git handoff create "${GOAL}"`, output: 'ok' },
        { says: 'Done.' },
      ],
    ],
    [
      'the skill, a look, what only the agent knows, and the brief',
      [
        {
          raw: {
            type: 'user',
            message: {
              role: 'user',
              content: `<command-message>handoff:handoff</command-message>\n<command-name>/handoff:handoff</command-name>\n<command-args>${GOAL}</command-args>`,
            },
          },
        },
        { says: 'I look at the state first.' },
        { bash: 'git status --short', output: ' M src/queue.ts' },
        { says: 'Nothing to note. Now the brief.' },
      ],
    ],
    [
      'the skill called by the agent itself',
      [
        { user: 'Please hand this session over.' },
        { skill: 'handoff' },
        { says: 'I have nothing to note.' },
        { bash: `git handoff create "${GOAL}"`, output: 'ok' },
      ],
    ],
    [
      'the person’s own shell row',
      [
        {
          raw: {
            type: 'user',
            message: { role: 'user', content: `<bash-input>handoff create "${GOAL}"</bash-input>` },
          },
        },
        {
          raw: {
            type: 'user',
            message: {
              role: 'user',
              content: '<bash-stdout>.handoff/briefs/x.md</bash-stdout><bash-stderr></bash-stderr>',
            },
          },
        },
      ],
    ],
  ]
  it.each(sampled(SAME, 1))('the session grew by handoff alone: %s', async (_, steps) => {
    grow(repo, ...steps)
    const second = await again(repo)
    expect(second.markdown).toContain(`id: ${id}`)
    expect(second).toMatchObject({ id, commit: null })
    expect(headOf(repo)).toBe(head)
  })

  byNight('a refreshed copy, a pull of nothing and a restart change nothing', async () => {
    await cli(repo, ['show'])
    await cli(repo, ['log'])
    const copy = repo.read('.handoff/latest.md')
    const third = await again(repo, [], { now: later(600) })
    expect(third.id).toBe(id)
    expect(repo.read('.handoff/latest.md')).toBe(copy)
  })

  byNight(
    'on a branch that had no commit of its own, and with an upstream that the brief is now ahead of',
    async () => {
      const repo = usual()
      repo.git(['clone', '-q', '--bare', repo.root, `${repo.base}/origin.git`])
      repo.git(['remote', 'add', 'origin', `${repo.base}/origin.git`])
      repo.git(['fetch', '-q', 'origin'])
      repo.git(['branch', '-q', '--set-upstream-to=origin/main'])
      const { id } = await made(repo)
      expect(await again(repo)).toMatchObject({ id, commit: null })
      repo.git(['switch', '-q', '-c', 'topic', 'HEAD~1'])
      const topic = await again(repo)
      expect(topic.parents).toEqual([])
      expect(await again(repo, [], { now: later(40) })).toMatchObject({ id: topic.id, commit: null })
    },
  )
})

describe('new input makes a new brief, child of the old one', () => {
  const CHANGES: [string, (repo: TempRepo) => unknown, string[]?][] = [
    [
      'the session really grew',
      (repo) => grow(repo, { user: 'Now write the limits down.' }, { says: 'I will.' }),
    ],
    [
      'an edit after the call of handoff',
      (repo) => grow(repo, { bash: `git handoff create "${GOAL}"` }, { edit: 'src/api.ts' }),
    ],
    ['a file changed', (repo) => repo.write('src/queue.ts', 'changed\n')],
    ['a file that git does not know', (repo) => repo.write('src/new.ts', 'new\n')],
    [
      'a commit of the user',
      (repo) => {
        repo.write('docs.md', 'limits\n')
        repo.git(['add', 'docs.md'])
        // Later than the session, whatever the clock of the machine says.
        const at = later(25).toISOString()
        repo.git(['commit', '-q', '-m', 'limits'], {
          env: { GIT_AUTHOR_DATE: at, GIT_COMMITTER_DATE: at },
        })
      },
    ],
    ['another focus', () => undefined, ['--focus', 'the off-by-one']],
    ['notes', (repo) => cli(repo, ['note', '--active-hypothesis', 'the timer is cleared twice'])],
  ]
  let repo: TempRepo
  let newest: string
  beforeAll(async () => {
    ;({ repo, id: newest } = await handedOver())
  })

  // One change after the other, so that each begins where nothing else is new.
  it.each(sampled(CHANGES, 1))('%s', async (_, change, extra = []) => {
    await change(repo)
    const next = await again(repo, extra)
    expect(next).toMatchObject({ ok: true, parents: [newest], commit: headOf(repo) })
    expect(next.id > newest).toBe(true)
    newest = next.id
  })

  byNight('another goal; and the child repeats as the first one did', async () => {
    const ask = async (minutes: number) =>
      succeeded(
        await cli(repo, ['create', 'write the release notes of the queue', '--json'], {
          now: later(minutes),
        }),
      )
    const next = await ask(50)
    expect(next).toMatchObject({ ok: true, parents: [newest] })
    expect(await ask(60)).toMatchObject({ id: next.id, commit: null })
  })
})
