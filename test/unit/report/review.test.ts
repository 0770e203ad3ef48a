import { readFileSync } from 'node:fs'
import { fromMarkdown } from 'mdast-util-from-markdown'
import { describe, expect, it } from 'vitest'
import { type ParsedBrief, parseBrief } from '../../../src/brief/parse.ts'
import { renderClosing } from '../../../src/brief/render.ts'
import { templates } from '../../../src/brief/template.ts'
import { trailLines } from '../../../src/brief/trail.ts'
import { statesOf } from '../../../src/life/state.ts'
import { noReviewLines, type ReviewInput, reviewOf } from '../../../src/report/review.ts'
import { renderComment, renderNoReview, renderReviewText } from '../../../src/report/review-comment.ts'
import { type RangeCommit, shortNames } from '../../../src/report/review-files.ts'
import { rulesOf } from '../../../src/report/review-rules.ts'
import type { ReviewedBrief } from '../../../src/report/review-work.ts'
import { escapeMarkdown, hiddenIn } from '../../../src/text/safe-text.ts'
import type { Turn } from '../../../src/types/evidence.ts'
import { brief, idOf, notes, said } from './sample-brief.ts'

type Nodes = ReturnType<typeof fromMarkdown> | ReturnType<typeof fromMarkdown>['children'][number]

const MARKER = '<!-- git-handoff review -->'

const told = (parsed: ParsedBrief, more: Partial<ReviewedBrief> = {}): ReviewedBrief => ({
  parsed,
  path: `.handoff/briefs/${parsed.meta.id}-x.md`,
  before: [],
  state: 'new',
  commit: '',
  ...more,
})

/** Its id is one digit, forty times. */
const commit = (digit: string, subject: string, files: string[]): RangeCommit => ({
  sha: digit.repeat(40),
  author: 'Ada',
  subject,
  files,
  lines: [12, 3],
})
/** A commit that only brought a brief. */
const brought = (digit: string): RangeCommit => commit(digit, 'chore(handoff)', [])

/** As where their branch is gone. */
const statesIn = (briefs: ReviewedBrief[]): ReviewInput['states'] =>
  statesOf(
    briefs.map(({ parsed: { meta } }) => ({
      ...meta,
      kind: meta.kind ?? 'handoff',
    })),
    { landed: new Set(), branches: new Map(), tips: new Set(briefs.map(({ parsed }) => parsed.meta.id)) },
  )

const reviewed = (
  briefs: ReviewedBrief[],
  { commits = [], states = statesIn(briefs), ...more }: Partial<ReviewInput> = {},
) =>
  reviewOf({
    ...{
      briefs,
      total: briefs.length,
      removed: 0,
      files: null,
      unreadable: [],
      untrusted: [],
      findings: [],
    },
    states,
    commits,
    rules: rulesOf(briefs, states, commits),
    ...more,
  })
const comment = (...args: Parameters<typeof reviewed>): string => renderComment(reviewed(...args), null)

const turn = (request: string, refused: string): Turn => ({
  request,
  to: null,
  at: null,
  steps: [{ kind: 'refused', text: refused, at: null }],
})

const nodes = (markdown: string): Nodes[] => {
  const all: Nodes[] = []
  const walk = (node: Nodes): void => {
    all.push(node)
    if ('children' in node) for (const child of node.children) walk(child)
  }
  walk(fromMarkdown(markdown))
  return all
}

/** Everything that has a meaning of its own in markdown or to a host. */
const EVIL =
  '<!-- x --> --> ``` ~~~ @octocat @org/team Closes #12 GH-1 https://evil.example ![i](https://evil.example/x.png) [l](https://evil.example) <img src=x> </details> **b** `c` &#64;octocat | # h\n# heading\n\n```mermaid\nclick b1 "https://evil.example"\n```\n/close\n::error::x'

const evil = (n: number): ParsedBrief =>
  brief((one) => {
    one.meta.goal = EVIL
    one.meta.agent = { ...one.meta.agent, label: EVIL, model: EVIL }
    one.meta.reason = EVIL
    one.meta.branch = 'evil`branch@x'
    one.decisions = [{ what: EVIL, why: EVIL, alternatives: [EVIL], by: 'agent', source: 'agent', at: null }]
    one.questions = [{ text: EVIL, kind: 'question', source: 'agent', at: null }]
    one.constraints = [{ text: EVIL, source: 'user', at: null }]
    one.progress.pending = [{ text: EVIL, source: 'agent', at: null }]
    one.nextSteps = [{ text: EVIL, source: 'agent', at: null }]
    one.notes = notes({
      other: `### Decisions\n\n- ${escapeMarkdown(EVIL).join('\n')}`,
      abandonedApproaches: [EVIL],
    })
    one.trail = trailLines([turn(EVIL, EVIL)], 0, '', 5000)
    if (n > 0) one.meta.parents = [idOf(0)]
  }, n)

it('a control character in any line of a brief is shown, never written', () => {
  const whole = readFileSync(new URL('../../fixtures/brief/whole-brief/brief.md', import.meta.url), 'utf8')
  const lines = whole.split('\n')
  const odd = lines.map((line, at) => {
    const middle = line.indexOf(' ', line.length / 2) + 1
    return lines.with(at, `${line.slice(0, middle)}\u0010${line.slice(middle)}`).join('\n')
  })
  let read = 0
  for (const text of odd) {
    let parsed: ParsedBrief
    try {
      parsed = parseBrief(text)
    } catch {
      continue
    }
    read++
    expect(hiddenIn(comment([told(parsed)]))).toEqual([])
  }
  expect(read).toBeGreaterThan(50)
})

describe('the comment', () => {
  const [first, second] = [
    brief(undefined, 0),
    brief((one) => {
      one.meta.goal = 'ship the retry scheduler'
      one.meta.agent = { id: 'codex', label: 'Codex' }
      one.constraints = [...one.constraints, said('no new dependency', 'user')]
      one.questions = [{ ...said('Who owns the gateway?', 'agent'), kind: 'question' }]
      one.progress.pending = []
    }, 1),
  ]
  const two = [told(first), told(second, { before: [first] })]

  it('tells no failure as open that something came after', () => {
    const failed = brief((one) => {
      one.progress.pending = []
      one.nextSteps = []
      one.questions = [
        {
          ...said('Failed earlier, not run whole since: `npm test`', 'transcript'),
          kind: 'risk',
        },
        { ...said('`npm run lint` failed (exit 1)', 'transcript'), kind: 'failing' },
      ]
    }, 0)
    expect(comment([told(failed)])).toContain(
      '**Open at the last handoff**\n\n- failing: `npm run lint` failed (exit 1)\n\n',
    )
  })

  it('tells what is open, checked, decided and dropped over all handoffs, then what was asked and committed for each', () => {
    const people = [
      told(first, { author: 'Ada', commit: '2'.repeat(40) }),
      told(second, { before: [first], author: 'Bob', commit: '5'.repeat(40) }),
    ]
    const commits = [
      commit('6', 'Cap <it>', ['src/queue.ts']),
      brought('5'),
      commit('4', 'Write @docs', ['a.md', 'b.md', 'c.md', 'd.md', 'e.md']),
      { ...commit('3', 'Ship', ['src/ship.ts']), lines: null },
      brought('2'),
      commit('1', 'Add a queue', ['src/queue.ts', 'test/queue.test.ts']),
    ]
    const links = new Map([
      [idOf(0), 'https://host/0'],
      ['66666666', 'https://host/6'],
    ])
    const text = renderComment(reviewed(people, { commits }), null, links)
    expect(text.split('\n')).toEqual([
      MARKER,
      '### Not marked done: 3 tasks by Ada → Bob → Ada',
      '',
      'Last check on record: `npm test -- queue` failed (exit 1): expected 45000 to be 30000; committed after it: [`66666666`](https://host/6)',
      '',
      '**Open at the last handoff**',
      '',
      '- Who owns the gateway?',
      '',
      '**Asked, decided and committed, oldest first; quoted, not compared with the diff**',
      '',
      `- Task 1 by Ada with Claude Code (2026-07-16, [\`${idOf(0)}\`](https://host/0))`,
      '  - asked: "now cap the backoff at 30 s"',
      '  - decided: Backoff is exponential and capped at 30 s — the gateway drops clients after 45 s; instead of: linear (by Ada)',
      '  - `11111111` Add a queue (`queue.ts`, `queue.test.ts`, +12 −3)',
      `- Task 2 by Bob with Codex (2026-07-16, \`${idOf(1)}\`): cap the retry backoff at 30 s including jitter, make the queue tests pass, document it`,
      '  - `33333333` Ship (`ship.ts`)',
      '  - `44444444` Write @&#8203;docs (`a.md`, `b.md`, `c.md` and 2 more, +12 −3)',
      '- Task 3 by Ada (after the last brief): ship the retry scheduler',
      '  - [`66666666`](https://host/6) Cap &lt;it> (`queue.ts`, +12 −3)',
      '',
      '**Noted by the agents**',
      '',
      '- dropped: Capping in the scheduler: breaks the billing jobs.',
      '',
      '**Rules**',
      '',
      '- "keep the public API of src/queue/index.ts exactly as it is"',
      '- "use vitest, not jest"',
      '- "no new dependency"',
      '',
    ])
  })

  it('quotes no message of an agent: the diff or a later commit may contradict it', () => {
    const closing = [
      '> Done. All 10 tests pass, and the change was committed as 7be65cb9: the delay is capped behind the jitter, and the branch is ready to merge. The scheduler keeps its public API, and the manual names the limit of every queue.',
      '>',
      '> Shall I push the branch of the queue?',
    ]
    const parsed = { ...first, brief: { ...first.brief, closing } }
    const inherited = brief((one) => {
      one.questions = [
        { ...said('Shall I push the branch of the queue?', 'agent', idOf(0)), kind: 'question' },
      ]
    }, 1)
    expect(comment([told(parsed), told(inherited, { before: [parsed] })])).not.toMatch(
      /7be65cb9|Shall I push/,
    )
    // Nothing came after it, so that it is open still.
    const alone = told(parsed, { commit: '1'.repeat(40) })
    expect(comment([alone])).toContain('- Shall I push the branch of the queue?\n')
    const commits = [commit('2', 'Cap', ['a.ts']), brought('1')]
    expect(comment([alone], { commits })).not.toContain('Shall I push')
  })

  it('lists as many tasks as it counts, and says the same of their state everywhere', () => {
    const closing = parseBrief(renderClosing({ ...first.meta, id: idOf(2), parents: [idOf(1)] }, 'shipped'))
    const done = [...two, told(closing, { before: [second], author: 'Ada' })]
    for (const [briefs, total] of [
      [two, 2],
      [done, 3],
      [two, 7],
    ] as const) {
      const text = comment([...briefs], { total })
      const [, state, counted] = /^### (.*): (\d+) tasks by Claude Code → Codex$/m.exec(text) ?? []
      expect(state).toBe(briefs.length === 3 ? 'Marked done' : 'Not marked done')
      const older = Number(/^- (\d+) older handoffs?, not listed$/m.exec(text)?.[1] ?? 0)
      expect(older).toBe(total - briefs.length)
      const tasks = [...text.matchAll(/^- Task (\d+) /gm)].map(([, n]) => Number(n) - older)
      expect(tasks).toEqual([1, 2, 3])
      expect(Number(counted)).toBe(older + 3)
      expect(text).not.toMatch(/, open\b/)
      expect(text.includes('- Marked done by Ada (2026-')).toBe(briefs.length === 3)
    }
  })

  it('places a handoff by the commit that brought it, then by its own, and a squash at the last that it brought', () => {
    const at = (n: number, more: Partial<ReviewedBrief>) =>
      told(
        brief((one) => {
          one.meta.head = `${n}`.repeat(40)
        }, n),
        more,
      )
    const listed = (briefs: ReviewedBrief[], commits: RangeCommit[]) =>
      comment(briefs, { commits })
        .split('\n')
        .flatMap((line) => /^ *- (?:`(\d)\d{7}`|(no commit)|(Task))/.exec(line)?.slice(1).find(Boolean) ?? [])
    const work = ['8', '7', '6'].map((digit) => commit(digit, 'Work', ['a.ts']))
    // Kept on a branch of their own, briefs stand at the commit that they were made at.
    expect(listed([at(6, {}), at(7, {})], work)).toEqual(['Task', '6', 'Task', '7', 'Task', '8'])
    // After a rebase nobody knows that commit any more.
    expect(listed([at(1, { commit: '6'.repeat(40) })], work)).toEqual(['Task', '6', 'Task', '7', '8'])
    expect(listed([at(1, {})], work)).toEqual(['Task', 'Task', 'no commit'])
    const squash = { commit: '8'.repeat(40) }
    expect(listed([at(1, squash), at(2, squash)], work.slice(0, 1))).toEqual([
      'Task',
      'Task',
      '8',
      'Task',
      'no commit',
    ])
    expect(listed([at(1, { commit: '5'.repeat(40) })], [brought('5')])).toEqual([
      ...['Task', 'no commit', 'Task', 'no commit'],
    ])
    const many = Array.from({ length: 14 }, () => commit('9', 'Work', ['a.ts']))
    expect(comment([at(1, { commit: '5'.repeat(40) })], { commits: [brought('5'), ...many] })).toContain(
      '  - 4 more commits\n',
    )
  })

  it('tells each rule that stands or that the person took back, and first the changed files that one names', () => {
    const rule = 'Do not touch src/api.ts, the mobile team owns it.'
    const ruled = brief((one) => {
      one.constraints = [
        said(rule, 'user'),
        said('Nobody edits migrations/', 'user'),
        said('use jest', 'user'),
      ]
    }, 0)
    const next = brief((one) => {
      one.constraints = [said('Nobody edits migrations/', 'user', idOf(0))]
      const what = `You may change src/api.ts now. (takes back: ${rule})`
      one.decisions = [{ what, why: null, alternatives: [], by: 'user', source: 'transcript', at: null }]
    }, 1)
    const commits = [
      commit('c', 'Third', ['lib/other.ts', 'db/migrations/1.sql']),
      commit('b', 'Again', ['migrations/2.sql', 'src/api.ts']),
      commit('a', 'First', ['src/api.ts']),
    ]
    const briefs = [told(ruled), told(next, { before: [ruled] })]
    const rulesOf = (text: string) =>
      text
        .split(/\*\*Rules.*\*\*\n\n/)[1]
        ?.trimEnd()
        .split('\n') ?? []
    const lines = new Map([['src/api.ts', { added: 28, deleted: 1 }]])
    const changed = ['src/api.ts', 'migrations/2.sql']
    const files = { changed, added: [], gone: [], renamed: new Map(), lines }
    const text = comment(briefs, { commits, files })
    const first = ['- `api.ts`: +28 −1, named in a rule', '- `2.sql`: named in a rule, database']
    expect(text).toContain(`**Look at first**\n\n${first.join('\n')}\n`)
    expect(rulesOf(text)).toEqual([
      '- "Nobody edits migrations/"',
      `- taken back: "${rule}" by "You may change src/api.ts now."`,
      '- no longer handed down: "use jest"',
    ])
    const states = new Map(briefs.map(({ parsed }) => [parsed.meta.id, 'landed'] as const))
    expect(comment(briefs, { states })).toContain('**Rules at the end**')
    const none = brief((one) => {
      one.constraints = []
    })
    expect(rulesOf(comment([told(none)]))).toEqual([])
    // Said and taken back in one session, it stands in no brief.
    expect(rulesOf(comment([told({ ...next, meta: { ...next.meta, parents: [] } })]))).toContain(
      `- taken back: "${rule}" by "You may change src/api.ts now."`,
    )
  })

  it('never cuts a quoted rule, and closes the quotation of a request that it cuts', () => {
    const rule = `Never change lib/retry.ts ${'because the gateway of the mobile team reads it '.repeat(20)}at night.`
    const text = comment([
      told(
        brief((one) => {
          one.constraints = [said(rule, 'user')]
          one.trail = [`- "${'polish the seams '.repeat(20)}Do not touch it"`]
        }),
      ),
    ])
    expect(text).toContain(`- "${rule}"\n`)
    expect(text).toMatch(/^ {2}- asked: "polish .*…\]?"$/m)
  })

  it('tells a question once, and none that the person answered', () => {
    const asked = 'May a new file test/jitter.test.js be added?'
    const other = `### Questions for the user\n- ${asked}\n- Which port?\n- Is 30 s right?`
    const text = comment([
      told(
        brief((one) => {
          one.questions = [{ ...said('Which port?', 'agent'), kind: 'question' }]
          one.decisions = [`Yes, it is fine. (answers: ${asked})`, 'Is 30 s right? → Yes'].map((what) => ({
            ...{ what, why: null, alternatives: [], by: 'user', source: 'transcript', at: null },
          }))
          one.notes = notes({ other })
        }),
      ),
    ])
    const open = text.slice(text.indexOf('**Open at'), text.indexOf('**Asked'))
    expect(open).toBe('**Open at the last handoff**\n\n- Which port?\n- to do: Update docs/queue.md\n\n')
  })

  it('takes notes in markdown by their headings, and says what an agent has not proven', () => {
    const other = [
      '### Where it stands',
      'Half done.',
      '### Decisions',
      '- keep the table: two callers import it',
      '### Tried and dropped',
      '- a second timer: it drifts',
      '### Fails now',
      '- `npm test`: the sum is 45 s',
      '### Not proven',
      '- that the wheel rounds up',
      '### Next step',
      '1. run `npm test`',
      '### Questions for the user',
      '- 30 s with jitter?',
    ]
    const text = comment([
      told(
        brief((one) => {
          one.notes = notes({ other: other.join('\n') })
        }),
      ),
    ])
    for (const line of [
      '- 30 s with jitter?',
      '- next: run `npm test`',
      '- decided: keep the table: two callers import it (by Claude Code)',
      '- fails: `npm test`: the sum is 45 s',
      '- not proven: that the wheel rounds up',
      '- dropped: a second timer: it drifts',
    ])
      expect(text).toContain(`${line}\n`)
    expect(text).not.toContain('Half done')
  })

  it('reads back what the trail tells of requests', () => {
    const text = comment([
      told(
        brief((one) => {
          one.trail = trailLines(
            [turn('now cap the <jitter>', 'edit of `q.ts`: "no second `timer<T>`"')],
            0,
            '',
            500,
          )
          one.notes = null
        }),
      ),
    ])
    expect(text).toContain('- asked: "now cap the &lt;jitter>"\n')
    const long = `${'Cap the delay of the queue behind its jitter. '.repeat(3)}Do not touch test/retry.test.js. ${'Then write it down. '.repeat(20)}`
    const cut = comment([
      told(
        brief((one) => {
          one.trail = trailLines([turn(long, '')], 0, '', 500)
        }),
      ),
    ])
    expect(cut).toMatch(/^ {2}- asked: "Cap .* Do not touch test\/retry\.test\.js\..*"$/m)
  })

  it('leaves out what the diff answers, and names a plan that was asked for once', () => {
    const text = comment([
      told(
        brief((one) => {
          one.trail = [
            '- "Implement the following plan: # Cap the delay"',
            '- "commit this and update changelog"',
          ]
          one.decisions = ['Cap the delay; Steps', 'Rename the queue; Steps'].map((plan) => ({
            ...{ what: `Plan accepted: ${plan}`, why: null, alternatives: [] },
            ...{ by: 'user', source: 'transcript', at: null },
          }))
        }),
      ),
    ])
    expect(text.match(/Cap the delay|changelog/g)).toEqual(['Cap the delay'])
    expect(text).toContain('  - asked to carry out a plan: "Cap the delay"\n')
    expect(text).toContain('- decided: Plan accepted: Rename the queue (by user)\n')
  })

  it('names the commits since the last check up to now, of the newest handoff that knows one', () => {
    const text = (status: string | null, since: number, tests: string[] = []) => {
      const checked = brief((one) => {
        one.status = status === null ? [] : [`Last check: ${status}`]
        one.meta.head = 'a'.repeat(40)
        one.commands = tests.map((command) => ({
          ...{ command, cwd: null, kind: 'test' as const, outcome: 'ok' as const, exitCode: 0, runs: 1 },
          ...{ at: null, source: 'transcript' as const },
        }))
      })
      const later = ['2', '1'].slice(0, since).map((digit) => commit(digit, 'Cap', ['a.ts']))
      const briefs = [told(checked)]
      if (since > 0)
        briefs.push(
          told(
            brief((one) => {
              one.status = []
              one.meta.head = '0'.repeat(40)
            }, 1),
          ),
        )
      const all = comment(briefs, { commits: [...later, brought('a'), commit('9', 'Old', ['a.ts'])] })
      return /^Last check on record: (.*?)\\?$/m.exec(all)?.[1]
    }
    expect(text('`npm test` passed; 1 commit since', 0)).toBe(
      '`npm test` passed; committed after it: `99999999`',
    )
    expect(text('`npm test` passed; 4 commits since', 0)).toBe(
      '`npm test` passed; committed after it: 4 commits',
    )
    // Edits since were committed, and where HEAD stood then says less than what came after.
    expect(text('`npm test` passed at `0a1b2c3d`; 1 commit since; files were edited since', 2)).toBe(
      '`npm test` passed; committed after it: `99999999`, `11111111`, `22222222`',
    )
    expect(text('`npm test` passed', 1)).toBe('`npm test` passed; committed after it: `22222222`')
    expect(text('`npm test` passed', 0)).toBe('`npm test` passed at `aaaaaaaa`')
    const built = '`go build` passed; before it passed `npm test`; committed after it: `99999999`'
    expect(text('`go build` passed; 1 commit since', 0, ['npm test'])).toBe(built)
    expect(text(null, 0)).toBe('none')
  })

  it('quotes what the person asked for in each task, once, without talk and what was pasted', () => {
    const quoted = (at: number, ...requests: string[]) =>
      told(
        brief((one) => {
          one.trail = requests.map((words) => `- "${words}${words.endsWith(')') ? '' : '"'}`)
        }, at),
      )
    const log = `/home/dev/${'long/'.repeat(20)}x.log`
    const text = comment([
      quoted(
        0,
        'Keep both by name." (to: "All tests pass. May sub be renamed?")',
        'Why does the queue drop the last job of the night? It should not.',
        'commit and push the fix of the queue',
        'yeah, try it now',
        'does git config know the name of the main branch?',
      ),
      quoted(
        1,
        'Keep both by name.',
        'Why does the queue drop […]',
        'Log every retry of the queue with its delay: ```js log(retry)```',
        `Read the log of the queue in ${log} first.`,
        'Name the limit of every queue in the manual […]',
      ),
    ])
    expect(text.match(/asked: .*/g)).toEqual([
      'asked: "Keep both by name."',
      'asked: "Why does the queue drop the last job of the night? It should not."',
      'asked: "Log every retry of the queue with its delay:"',
      `asked: "Read the log of the queue in …${log.slice(-30)} first."`,
    ])
  })

  it('tells a decision in the task that made it, and none that a request tells', () => {
    const decide = (at: number, trail: string[], ...decisions: string[]) =>
      told(
        brief((one) => {
          one.trail = trail
          one.notes = null
          one.decisions = decisions.map((what) => ({
            ...{ what, why: null, alternatives: [], by: 'user', source: 'transcript', at: null },
          }))
        }, at),
        { author: 'Ada' },
      )
    const many = Array.from({ length: 7 }, (_, n) => `Which port? → ${n}`)
    const fix = 'ok, address H1 and M2 of the review'
    const text = comment([
      decide(0, [], ...many, `What next? → ${fix}`),
      decide(1, [`- "${fix}, then write the tests."`], ...many),
    ])
    expect(text.match(/^ {2}- (?:decided|asked|\d).*/gm)).toEqual([
      ...many.slice(0, 5).map((what) => `  - decided: ${what} (by Ada)`),
      '  - 2 more decisions in the brief',
      `  - asked: "${fix}, then write the tests."`,
    ])
  })

  it('names the files where a small change does much and the largest, by the shortest name of its own', () => {
    const paths = 'src/auth/user.ts db/migrations/1.sql .github/workflows/ci.yml go.mod AGENTS.md'.split(' ')
    const others = 'src/a/index.ts src/b/index.ts src/old.ts test/auth.test.ts docs/auth.md .gitignore'.split(
      ' ',
    )
    const commits = [commit('b', 'Second', others), commit('a', 'First', paths)]
    const files = {
      changed: [...paths, ...others.filter((path) => path !== 'src/old.ts'), 'of/the/base.ts'],
      ...{ added: ['src/a/index.ts'], gone: ['src/old.ts', 'gone/in/base.ts'], renamed: new Map() },
      lines: new Map([...others, ...paths].map((path, at) => [path, { added: 20 - at, deleted: 1 }])),
    }
    const asked = brief((one) => {
      one.meta.goal = 'Drop src/left.ts (left.ts) and src/old.ts, see https://host.example/x.html'
      one.constraints = []
    })
    const text = comment([told(asked)], { commits, files })
    expect(text).toContain('\n11 files changed: 1 new, 1 deleted, 1 test\n')
    expect(text.split('**Look at first**\n\n')[1]?.split('\n\n')[0]?.split('\n')).toEqual([
      '- `a/index.ts`: +20 −1, new',
      '- `b/index.ts`: +19 −1',
      '- `old.ts`: +18 −1, deleted',
      '- `user.ts`: +14 −1, security',
      '- `1.sql`: +13 −1, database',
      '- `ci.yml`: +12 −1, CI',
      '- `AGENTS.md`: +10 −1, instructions to agents',
      '- `go.mod`: +11 −1, dependencies',
      '- named in what was asked or decided, and not changed: `src/left.ts`',
    ])
    expect([...shortNames(['a/b/c', 'b/c', 'd'])]).toEqual([
      ['a/b/c', 'a/b/c'],
      ['b/c', 'b/c'],
      ['d', 'd'],
    ])
  })

  it('counts files whose names differ in marks or case alone', () => {
    const changed = ['src/a-b.ts', 'src/a.b.ts', 'src/A.b.ts']
    const files = { changed, added: [], gone: [], renamed: new Map(), lines: new Map() }
    const text = comment([told(brief(() => undefined))], { commits: [commit('a', 'First', changed)], files })
    expect(text).toContain('\n3 files changed: ')
  })

  it('cuts the question before a decision, never the answer', () => {
    const what = `"The gateway ${'of the mobile team '.repeat(20)}drops clients." → ### Cap at 30 s`
    const text = comment([
      told(
        brief((one) => {
          one.decisions = [{ what, why: null, alternatives: [], by: 'user', source: 'transcript', at: null }]
        }),
      ),
    ])
    expect(text).toMatch(/^ {2}- decided: "The gateway of .{0,200}", of: Cap at 30 s \(by user\)$/m)
  })

  it('tells three handoffs within about fifty lines', () => {
    const third = (parents: string[]) =>
      brief((one) => {
        one.meta.goal = 'write the docs'
        one.meta.parents = parents
      }, 2)
    const straight = comment([...two, told(third([idOf(1)]), { before: [second] })])
    expect(straight).toContain('4 tasks by Claude Code → Codex → Claude Code\n')
    expect(straight.split('\n').filter((line) => line !== '').length).toBeLessThanOrEqual(50)
  })

  it('tells a closed chain by its outcome, with what the last handoff decided, and nothing open', () => {
    const closing = parseBrief(
      renderClosing({ ...first.meta, id: idOf(1), parents: [idOf(0)] }, 'shipped, see the manual'),
    )
    const text = comment([told(first), told(closing, { before: [first] })])
    expect(text).toContain('### Marked done: 2 tasks by Claude Code\n')
    expect(text).toMatch(/^- Marked done by Claude Code \(.*\): "shipped, see the manual"$/m)
    expect(text).toContain('  - decided: Backoff')
    expect(text).not.toMatch(/Open at|Still true/)
  })

  it('of several chains tells who worked on them, every task, and what is open in all', () => {
    const other = brief((one) => {
      one.meta.id = idOf(5)
      one.meta.parents = []
      one.meta.goal = 'round invoices once'
      one.meta.branch = 'fix/invoices'
      one.questions = [{ ...said('In the ledger?', 'agent'), kind: 'question' }]
    })
    const text = comment([...two, told(other)])
    expect(text).toContain('### Not marked done: 5 tasks by Claude Code → Codex → Claude Code\n')
    expect(text).toContain('- Task 4 (after the last brief): ship the retry scheduler\n')
    expect(text).toContain('- Task 5 (after the last brief): round invoices once\n  - no commit\n')
    expect(text).toContain('- In the ledger?\n')
    expect(text).toContain('- Who owns the gateway?\n')
  })

  it('tells what was edited, taken out, left unread, kept elsewhere and cannot be read', () => {
    const text = comment([told(second, { state: 'edited', apart: 'handoff/feature/x' })], {
      removed: 3,
      unreadable: ['.handoff/briefs/a\nb.md', ...Array.from({ length: 9 }, (_, n) => `${n}.md`)],
      total: 4,
    })
    expect(text).toContain(`\`${idOf(1)}\` was changed after it was committed.`)
    expect(text).toContain('3 briefs taken out of the tree')
    expect(text).toMatch(/^10 files among the briefs cannot be read: .*`3\.md` and 5 more\.$/m)
    expect(text).toContain(
      '- Task 4 by Codex (2026-07-16, `20261122T100001-000abc00`, on handoff/feature/x)\n',
    )
    expect(text).toContain('- 3 older handoffs, not listed\n')
    expect(renderNoReview(noReviewLines('main', { unreadable: ['x.md'], untrusted: [] }))).toBe(
      `${MARKER}\nNo handoff since \`main\`.\\\n1 file among the briefs cannot be read: \`x.md\`.\n`,
    )
  })

  it('no text of a brief is anything but words in it', () => {
    const all = [evil(0), evil(1), evil(2)]
    const text = comment(
      all.map((parsed) => told(parsed, { path: '.handoff/briefs/`@x`#1.md', apart: EVIL, author: EVIL })),
      { commits: [{ ...commit('a', EVIL, ['evil.example/x.png', EVIL]), author: EVIL }] },
    )
    const found = nodes(text)
    const types = new Set(found.map(({ type }) => type))
    for (const type of [
      'link',
      'image',
      'definition',
      'linkReference',
      'imageReference',
      'blockquote',
    ] as const)
      expect(types).not.toContain(type)
    const tags = found.flatMap((node) => (node.type === 'html' ? [node.value] : []))
    expect(tags[0]).toBe(MARKER)
    // Of elements there are only ours.
    for (const tag of tags.slice(1)) expect(tag).toMatch(/^<\/?span>$/)
    expect(found.flatMap((node) => (node.type === 'heading' ? [node.depth] : []))).toEqual([3])
    expect(types).not.toContain('code')
    const words = found.flatMap((node) => (node.type === 'text' ? [node.value] : [])).join('\0')
    expect(words).toContain('octocat')
    expect(words).not.toMatch(/@[\w"]|#\d|:\/\/|GH-\d/)
    // No quick action of GitLab, no command in a log.
    expect(text).not.toMatch(/^\s*(?:\/[a-z]|::)|##\[/m)
  })

  it('stays under what a comment holds, and says what it left out', () => {
    const long = (n: number): string => `${n} ${'word & @name $x '.repeat(16)}`
    const huge = (at: number) =>
      brief((one) => {
        one.decisions = Array.from({ length: 36 }, (_, n) => ({
          what: long(n),
          why: long(n + at),
          alternatives: [long(n)],
          by: 'agent',
          source: 'agent',
          at: null,
        }))
        one.questions = Array.from({ length: 36 }, (_, n) => ({
          ...said(long(n + at), 'agent'),
          kind: 'question',
        }))
        one.constraints = Array.from({ length: 30 }, (_, n) => said(`@&$!/${n + at}.x ${long(n)}`, 'user'))
        one.meta.goal = long(at)
        if (at > 1) one.meta.parents = [idOf(0)]
      }, at)
    const all = Array.from({ length: 20 }, (_, n) => huge(n))
    const briefs = all.map((parsed, n) => told(parsed, { before: all.slice(Math.max(0, n - 1), n) }))
    const findings = Array.from({ length: 400 }, (_, n) => long(n))
    const files = Array.from({ length: 400 }, (_, n) => `@&$!/${n}.x`)
    const commits = Array.from({ length: 1000 }, (_, n) => ({
      ...commit('a', long(n), n === 0 ? files : ['a.ts']),
      author: long(n),
    }))
    const review = reviewed(briefs, { total: 9000, findings, commits: [...commits, brought('3')] })
    const text = renderComment(review, null)
    expect(text.length).toBeLessThan(65_536 - 16_384)
    expect(text).toMatch(/^- \d+ more in the briefs$/m)
    expect(text).toMatch(/^- \d+ more by `git handoff verify`$/m)
    expect(text).toMatch(/^### Not marked done: \d{4} tasks by /m)
    const slots = templates['pr-comment'].slots.map((slot) => `{{${slot}}}`).join('')
    expect(renderComment(review, { text: `${slots}\n`.repeat(9), place: 'x' }).length).toBeLessThan(65_536)
  })

  it('takes the template of the repository, with the marker before it', () => {
    const text = `Ours: ${templates['pr-comment'].slots.map((slot) => `{{${slot}}}`).join('\n')}\n`
    expect(renderComment(reviewed(two), { text, place: 'x' })).toMatch(/^<!-- git-handoff review -->\nOurs: /)
    expect(() => renderComment(reviewed(two), { text: 'x', place: 'x' })).toThrow(
      expect.objectContaining({ code: 'E_TEMPLATE' }),
    )
  })

  it('is text for a terminal, without marks of markdown or HTML', () => {
    const text = renderReviewText(
      reviewed([
        told(
          brief((one) => {
            one.decisions = []
            one.constraints = [said('do not touch <Scheduler> of @team', 'user')]
          }),
          { before: [first] },
        ),
      ]),
    )
    expect(text).toContain(
      '\n\nOpen at the last handoff\n  - Should a cancelled job still count as an attempt?\n',
    )
    expect(text).toContain('\n\nRules\n  - "do not touch <Scheduler> of @team"\n')
    expect(text).not.toMatch(/<!--|<\/?(?:details|summary|b)>|&#|\*\*|\\/)
  })
})
