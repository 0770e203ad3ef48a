import { mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { root } from '../../e2e/build.ts'
import { GOAL, play, type Said, SECRET, tryAlone } from '../../e2e/statements-story.ts'

const page = (path: string): string => readFileSync(join(root, path), 'utf8')
const flat = (text: string): string => text.replace(/\s+/g, ' ')
/** The first block of a language below a heading. */
const block = (text: string, heading: string, language: string): string => {
  const part = text.split(`## ${heading}\n`)[1] ?? ''
  return new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``).exec(part)?.[1] ?? ''
}

type Story = Awaited<ReturnType<typeof play>> & Awaited<ReturnType<typeof tryAlone>>
let s: Story
let folder: string

beforeAll(async () => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'handoff-statements-')))
  const path = [dirname(process.execPath), '/usr/local/bin', '/usr/bin', '/bin'].join(':')
  const notes = block(page('docs/scripts.md'), 'Notes as JSON', 'json')
  const [day, alone] = await Promise.all([play(folder, notes, path), tryAlone(folder, path)])
  s = { ...day, ...alone }
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const states = (said: Said): string[] => said.json.briefs.map(({ state }: { state: string }) => state)
const errorOf = ({ code, json }: Said) => [code, json.errors[0].code]
const changed = (said: Said): string[] => said.json.changed.map(({ path }: { path: string }) => path)
const section = (markdown: string, heading: string): string =>
  markdown.split(`## ${heading}\n`)[1]?.split('\n## ')[0] ?? ''
const configOf = (key: string) => s.doctor.json.config.find((one: { key: string }) => one.key === key)

/** Each statement: its words as the page has them, and what must hold. */
const STATEMENTS: Readonly<Record<string, readonly (readonly [words: string, holds: () => unknown])[]>> = {
  'README.md': [
    [
      "Only handoff's own files are committed.",
      () => expect(s.committed.every((path) => path.startsWith('.handoff/'))).toBe(true),
    ],
    ['Index, work tree and stash stay as they are.', () => expect(s.ownAfter).toEqual(s.ownBefore)],
    [
      'They are replaced',
      () =>
        expect([s.brief.includes(SECRET), s.brief.includes('[REDACTED:github-token]')]).toEqual([
          false,
          true,
        ]),
    ],
    [
      'reads it in `.handoff/latest.md`',
      () => expect(s.pointer[1]).toContain(section(s.brief, 'Constraints & Preferences').trim()),
    ],
    [
      "see a stranger's only after you [trust](docs/trust.md) it",
      () => expect([s.untrusted.show.code, s.untrusted.show.out]).toEqual([2, '']),
    ],
    [
      'a comment](docs/review.md) says what is open',
      () => expect(s.readBack.review.json.markdown).toContain('**Open at the last handoff**'),
    ],
  ],
  'docs/roll-out.md': [
    [
      'Commit the files that `init` lists, except those in `.git/`.',
      () =>
        expect(
          changed(s.init)
            .filter((path) => !path.startsWith('.git/'))
            .sort(),
        ).toEqual(s.untracked.sort()),
    ],
    [
      'Worktrees share the hooks of their clone.',
      () => expect(s.worktreeHooks.out.trim()).toBe(join(s.ada.repo, '.git/hooks')),
    ],
    [
      'that a brief grants no permissions',
      () => expect(s.bob.read('AGENTS.md')).toContain('it grants no permissions'),
    ],
    [
      '`.claude/settings.json`, `.codex/hooks.json` …: hooks',
      () =>
        expect(s.untracked).toEqual(expect.arrayContaining(['.claude/settings.json', '.codex/hooks.json'])),
    ],
    [
      '`.claude/skills/handoff/`, `.agents/skills/handoff/` …: the command',
      () =>
        expect(s.untracked).toEqual(
          expect.arrayContaining(['.claude/skills/handoff/SKILL.md', '.agents/skills/handoff/SKILL.md']),
        ),
    ],
    [
      '`.mcp.json`, `.codex/config.toml` …: the MCP server',
      () => expect(s.untracked).toEqual(expect.arrayContaining(['.mcp.json', '.codex/config.toml'])),
    ],
    [
      'These files hold no program and install no package, except that CI fetches one',
      () =>
        expect(
          s.untracked.filter((path) => !path.startsWith('.github/') && /npx|npm exec/.test(s.bob.read(path))),
        ).toEqual([]),
    ],
    [
      'Without it they do nothing',
      () =>
        expect([s.stranger[0], s.stranger[2]].map((one) => [one?.code, one?.out, one?.err])).toEqual([
          [0, '', ''],
          [0, '', ''],
        ]),
    ],
    ['an agent says once how to set it up', () => expect(s.stranger[1]?.out).toContain('git handoff init')],
    ['commits a short brief in `.handoff/`', () => expect(s.first.json.path).toMatch(/^\.handoff\/briefs\//)],
    [
      'which `git handoff push` pushes',
      () => expect(s.separateRefs).toMatch(/heads\/feature\/fix-calc\n[\s\S]*heads\/handoff\/feature\/notes/),
    ],
    ['and in no pull request', () => expect(s.headAfter).toBe(s.head)],
    [
      'They are then on `handoff/<branch>`',
      () => expect(s.separateRefs).toContain('refs/heads/handoff/feature/notes'),
    ],
    [
      'A clone made with `--depth` or `--single-branch` needs this once',
      () => expect(s.fetched).toEqual(['', expect.stringContaining('origin/handoff/feature/notes')]),
    ],
    [
      'Merged work has [landed](life.md): nobody sees its briefs as open.',
      () =>
        expect([states(s.landed.log), s.landed.moment.out]).toEqual([
          ['landed'],
          expect.stringContaining('No brief is open here.'),
        ]),
    ],
    [
      'which leaves a short record',
      () =>
        expect([s.left.length, s.done.json.markdown.split('---\n')[2]?.trim()]).toEqual([
          1,
          'Closed: shipped in 2.4',
        ]),
    ],
    [
      'History keeps pruned briefs, and `log`, `show` and `resume` still find them.',
      () => expect([s.pruned.show.code, s.pruned.log.json.briefs.length]).toEqual([0, 3]),
    ],
    ['writes one page that needs no server', () => expect(s.html.out).not.toMatch(/(?:src|href)="https?:/)],
    [
      '`git handoff init --remove` restores every file.',
      () =>
        expect(
          [...s.before].filter(([path, sum]) => path !== '.git/config' && s.after.get(path) !== sum),
        ).toEqual([]),
    ],
    [
      '`.handoff/` stays while it has briefs',
      () => expect(s.ada.list('.handoff/briefs').length).toBeGreaterThan(0),
    ],
    [
      '`.handoff/.gitattributes` folds briefs on GitHub',
      () => expect(s.generated).toContain('linguist-generated: set'),
    ],
  ],
  'docs/machines.md': [
    ['For the next person: git handoff open', () => expect(s.pushed.json.open).toMatch(/^git handoff open /)],
    [
      'your own briefs need `git handoff trust --origin` once',
      () => expect([s.opened.json.brief.trusted, s.ofOrigin.json.trusted]).toEqual([false, true]),
    ],
    [
      'This sends index and work tree.',
      () => expect(s.pushed.json.work).toMatchObject({ files: 2, staged: 1, left: [] }),
    ],
    [
      'They go as two commits under `refs/handoff/work/<id>`, on no branch.',
      () => expect(s.refs).toContain(`refs/handoff/work/${s.id}`),
    ],
    [
      '`git handoff open` restores index and work tree',
      () => expect(s.taken.slice(0, 2)).toEqual(s.ownBefore.slice(0, 2)),
    ],
    ['takes the work off the remote', () => expect(s.refsAfter).not.toContain('refs/handoff/work/')],
  ],
  'docs/review.md': [
    [
      'The heading says whether the work was marked done',
      () => expect(s.readBack.review.json.markdown).toMatch(/^### Not marked done: \d tasks/m),
    ],
    [
      'and who did it',
      () =>
        expect(s.closedReview.out).toMatch(
          /### Marked done: \d tasks by ada\n(?:.*\n)*- Marked done by ada .*: "shipped in 2\.4"\n/,
        ),
    ],
    [
      "the user's rules that stand",
      () => expect(s.readBack.review.json.markdown).toMatch(/\*\*Rules\*\*\n\n(?:- ".*"\n){2}/),
    ],
    [
      '**Asked, decided and committed**: by task',
      () =>
        expect(s.readBack.review.json.markdown).toMatch(
          /\*\*Asked, decided.*\*\*\n\n- Task 1 by ada with Plain transcript \(\d{4}-/,
        ),
    ],
    [
      'no agent',
      () => expect(s.readBack.review.json.markdown).toMatch(/\n {2}- asked: ".*\n {2}- (?:`|no commit)/),
    ],
    [
      '`git handoff why` src/queue.ts:42'.replaceAll('`', ''),
      () => expect([s.readBack.why.code, s.readBack.verify.code]).toEqual([0, 0]),
    ],
  ],
  'docs/ci.md': [
    [
      'The comment always starts with `<!-- git-handoff review -->`',
      () => expect(s.markupReview.out.startsWith('<!-- git-handoff review -->\n')).toBe(true),
    ],
    [
      'brief text cannot become markup, mentions, issue references, links, images',
      () => expect(s.markupReview.out).not.toMatch(/<script|@acme|#12|\]\(http/),
    ],
    [
      'It writes `.github/workflows/handoff.yml` and `.github/actions/handoff/action.yml`.',
      () =>
        expect(s.untracked).toEqual(
          expect.arrayContaining(['.github/workflows/handoff.yml', '.github/actions/handoff/action.yml']),
        ),
    ],
    [
      '`fetch-depth: 0` for actions/checkout',
      () => expect(s.bob.read('.github/workflows/handoff.yml')).toContain('fetch-depth: 0'),
    ],
    [
      'The workflow runs on `pull_request`, never on `pull_request_target`.',
      () =>
        expect(s.bob.read('.github/workflows/handoff.yml')).toMatch(
          /^on:\n {2}pull_request:(?![\s\S]*pull_request_target)/m,
        ),
    ],
    [
      'needs `pull-requests: write`',
      () => expect(s.bob.read('.github/workflows/handoff.yml')).toContain('pull-requests: write'),
    ],
    [
      'Inputs of the action',
      () =>
        expect(keysOf(s.bob.read('.github/actions/handoff/action.yml'), 'inputs').sort()).toEqual(
          [...inputsTold()].sort(),
        ),
    ],
    [
      'Outputs: `briefs` (their number), `sarif` (path of the log), `comment`',
      () =>
        expect(keysOf(s.bob.read('.github/actions/handoff/action.yml'), 'outputs').sort()).toEqual([
          'briefs',
          'comment',
          'sarif',
        ]),
    ],
    [
      '`--ci gitlab` writes `.gitlab/handoff.gitlab-ci.yml`, and an `include:` in `.gitlab-ci.yml`.',
      () =>
        expect(changed(s.all)).toEqual(
          expect.arrayContaining(['.gitlab/handoff.gitlab-ci.yml', '.gitlab-ci.yml']),
        ),
    ],
    ['`GIT_DEPTH: "0"` in GitLab', () => expect(s.all.json.diff).toContain('GIT_DEPTH: "0"')],
    [
      '`HANDOFF_VERSION` and `HANDOFF_DIGEST` name the package, `HANDOFF_RUN` another command, `HANDOFF_FAILS_ON`',
      () =>
        expect(
          [
            'HANDOFF_VERSION',
            'HANDOFF_DIGEST',
            'HANDOFF_RUN',
            'HANDOFF_FAILS_ON',
            'HANDOFF_GITLAB_TOKEN',
          ].filter((name) => !s.all.json.diff.includes(name)),
        ).toEqual([]),
    ],
  ],
  'docs/trust.md': [
    ['made in this clone: yes', () => expect(s.readBack.trust.json.trusted).toBe(true)],
    [
      "a colleague's, or yours from another machine: after `git handoff trust --origin`",
      () => expect(s.ofOrigin.json.because).toContain('a trusted remote'),
    ],
    [
      'one that you have read: after `git handoff trust <id>`',
      () => expect(s.byHand.json).toMatchObject({ trusted: true, because: 'you trusted it' }),
    ],
    ['Trust in `origin` ends when its address changes.', () => expect(s.moved.json.trusted).toBe(false)],
    [
      'CI and containers can set `HANDOFF_TRUST=origin`.',
      () => expect(s.untrusted.env.json.trusted).toBe(true),
    ],
    [
      'Without trust, an agent gets only the id.',
      () =>
        expect([s.untrusted.show.err.includes(s.id), s.untrusted.show.err.includes('sub()')]).toEqual([
          true,
          false,
        ]),
    ],
    [
      '`log`, `ask` and `review` leave its words out',
      () => expect([s.untrusted.log.code, s.untrusted.log.out.includes('sub()')]).toEqual([0, false]),
    ],
    ['`git handoff show` prints you any brief', () => expect(s.untrusted.person.out).toContain(GOAL)],
    [
      '`git handoff trust` says why',
      () => expect(s.readBack.trust.json.because).toBe('it was created in this clone'),
    ],
  ],
  'docs/life.md': [
    ['`followed`: its branch has a later brief', () => expect(states(s.chain)).toEqual(['open', 'followed'])],
    [
      '`closed`: its branch has a `done` record',
      () => expect(new Set(states(s.pruned.log))).toEqual(new Set(['closed'])),
    ],
    ['`landed`: a trunk has its file and its work', () => expect(states(s.landed.log)).toEqual(['landed'])],
    ['`open`: none of these', () => expect(s.readBack.status.json.brief.open).toBe(true)],
    ['A push lands nothing', () => expect(s.opened.json.brief.open).toBe(true)],
    [
      'A new brief follows every open brief of its line.',
      () => expect(s.second.json.parents).toEqual([s.id]),
    ],
    [
      'After landed or closed work, a new line begins.',
      () => expect([s.markup.json.parents, s.separate.json.parents]).toEqual([[], []]),
    ],
    [
      'a rule of the user, until the user takes it back',
      () =>
        expect(section(s.second.json.markdown, 'Constraints & Preferences')).toContain(
          `"Do not touch calc.test.js, the QA team owns it." — from ${s.id}`,
        ),
    ],
    ['the goal of the last brief, if yours differs', () => expect(s.second.json.markdown).toContain(GOAL)],
    [
      'Each item names its brief.',
      () =>
        expect(
          section(s.second.json.markdown, 'Constraints & Preferences')
            .trim()
            .split('\n')
            .every((line) => line.includes('— from ')),
        ).toBe(true),
    ],
  ],
  'docs/create.md': [
    [
      '$ handoff create "continue"',
      () =>
        expect(`${s.short.json.errors[0].message}\n  ${s.short.json.errors[0].hint}\n`).toBe(
          block(page('docs/create.md'), 'Input', 'text').split('\n').slice(1).join('\n'),
        ),
    ],
    ['A goal is too short below 12 characters', () => expect(errorOf(s.short)).toEqual([2, 'E_GOAL'])],
    ['at most 4,096 bytes', () => expect(errorOf(s.long)).toEqual([2, 'E_GOAL_TOO_LONG'])],
    [
      'Your words stay byte for byte',
      () => expect(s.brief.trimEnd().endsWith(`\`\`\`text\n${GOAL}\n\`\`\``)).toBe(true),
    ],
    [
      'A secret in your own input (goal, focus, reason, notes, edited brief) is an error',
      () => expect(errorOf(s.secret)).toEqual([1, 'E_SECRET_INPUT']),
    ],
    [
      '`--redact` replaces it there, too',
      () =>
        expect([
          s.redacted.out.includes(SECRET),
          s.redacted.out.includes('goal: use [REDACTED:github-token] in calc.js'),
        ]).toEqual([false, true]),
    ],
    [
      '`create` prints that one again',
      () => expect([s.again.json.id, s.again.json.repeat]).toEqual([s.second.json.id, true]),
    ],
    [
      'During a merge, rebase or the like it parks the brief under `refs/handoff/<id>`.',
      () => expect(s.parked.json.parked).toBe(`refs/handoff/${s.parked.json.id}`),
    ],
    [
      'with `--branch separate` on [`handoff/<branch>`]',
      () => expect(s.separateRefs).toContain('handoff/feature/notes'),
    ],
    ['By default no model runs', () => expect(s.brief).toContain('  extraction:\n    mode: none\n')],
  ],
  'docs/configuration.md': [
    [
      'nested (`limits: {files: 30}`), dotted (`limits.files: 30`) or an alias (`maxFiles: 30`)',
      () =>
        expect([
          configOf('limits.files').value,
          configOf('limits.commands').value,
          configOf('budget.soft').value,
        ]).toEqual([7, 3, 1500]),
    ],
    ['`HANDOFF_` and the key in capitals', () => expect(configOf('limits.information').value).toBe(2)],
    ['A wrong value is an error', () => expect(errorOf(s.wrong)).toEqual([2, 'E_CONFIG'])],
    ['an unknown key is a warning', () => expect(s.mission.err).toContain('unknown key `nope` ignored')],
    [
      'these keys do not count, and a warning names your own file',
      () =>
        expect(s.mission.err).toMatch(
          /`inject` ignored: it counts only in your own configuration, .*home-eve\/\.config\/handoff/,
        ),
    ],
    [
      'A `mission` of the repository is quoted with its file.',
      () => expect(s.mission.out).toContain('mission by .handoff/config.yaml: "Keep the API"'),
    ],
    [
      'Later layers override earlier ones, key by key',
      () => expect(configOf('limits.decisions').value).toBe(8),
    ],
  ],
  'docs/git-hooks.md': [
    [
      '`pre-commit` checks the staged briefs, and stops the commit on errors.',
      () => expect([s.stopped.code, s.stopped.err]).toEqual([1, expect.stringContaining('commit stopped')]),
    ],
    [
      'and name the open brief',
      () => expect(s.back.err).toContain(`handoff: brief ${s.markup.json.id} is open here:`),
    ],
    [
      'Without briefs they start no Node and print nothing.',
      () => expect([s.quiet.out, s.quiet.err]).toEqual(['', "Switched to a new branch 'feature/fix-calc'\n"]),
    ],
    [
      'offers the trailer `Handoff-For: <id>` on a branch with an open brief',
      () => expect(s.trailer).toBe(`Add new.js\n\nHandoff-For: ${s.markup.json.id}`),
    ],
    ['`HANDOFF=0` turns all hooks off.', () => expect(s.off.code).toBe(0)],
    ['An existing hook runs first', () => expect(s.ownHook.match(/own/g)?.length).toBeGreaterThan(2)],
    [
      'An existing hook is kept as `<hook>.before-handoff`.',
      () =>
        expect(s.init.json.changed).toContainEqual(
          expect.objectContaining({
            path: '.git/hooks/pre-commit',
            kept: '.git/hooks/pre-commit.before-handoff',
          }),
        ),
    ],
  ],
  'docs/scripts.md': [
    [
      '"ok":false,"warnings":[],"errors":[{"code":"E_GOAL"',
      () =>
        expect(`${JSON.stringify(s.short.json)}\n`).toBe(
          /```json\n(\{"ok":false.*\n)/.exec(page('docs/scripts.md'))?.[1],
        ),
    ],
    ['2: could not run: wrong usage', () => expect(errorOf(s.usage)).toEqual([2, 'E_USAGE'])],
    [
      'all optional; an unknown key is an error',
      () => expect([s.noted.code, ...errorOf(s.badNote)]).toEqual([0, 1, 'E_NOTES']),
    ],
  ],
  'docs/spec/format.md': [
    [
      'Handoff-Reason: manual',
      () =>
        expect(s.message.split('\n').map((line) => line.split(':')[0])).toEqual(
          expect.arrayContaining(['Handoff-Id', 'Handoff-Reason', 'Handoff-Agent']),
        ),
    ],
    [
      '<!-- handoff:begin branch=feature%2Fbackoff',
      () =>
        expect(s.pointer[1]).toMatch(
          /^<!-- handoff:begin branch=feature%2Ffix-calc id=\S+ head=[0-9a-f]{40} briefs=[0-9a-f]{40} sum=[0-9a-f]{14} -->$/m,
        ),
    ],
    [
      'filter.handoff.clean = case',
      () => expect(s.filter).toBe(/filter\.handoff\.clean = (.*)/.exec(page('docs/spec/format.md'))?.[1]),
    ],
    ['Without the filter there is no copy.', () => expect(s.untrusted.latest).not.toContain('handoff:begin')],
    ['It never changes after its commit', () => expect(s.pruned.show.out).toBe(s.brief)],
  ],
  'docs/spec/brief-v1.md': [
    ['`YYYYMMDDTHHmmss-<8 hex digits>` in UTC', () => expect(s.id).toMatch(/^\d{8}T\d{6}-[0-9a-f]{8}$/)],
    [
      'Sections have this order.',
      () => expect(orderOf(s.brief)).toEqual(orderOf(s.brief).toSorted((a, b) => a - b)),
    ],
    ['Closed: shipped in 2.4', () => expect(s.done.json.markdown).toMatch(/^ {2}kind: done$/m)],
  ],
  'docs/troubleshooting.md': [
    [
      '## No agent session was found for this worktree and branch',
      () => expect(s.alone.err).toContain('No agent session was found for this worktree and branch'),
    ],
    [
      '`git handoff sessions --verbose` says what was passed over',
      () => expect(s.sessions.json.passedOver).toBeInstanceOf(Array),
    ],
    [
      'is not trusted, so no agent is shown it',
      () => expect(s.untrusted.show.err).toContain('is not trusted, so no agent is shown it'),
    ],
    [
      '## A secret is in the request',
      () => expect(s.secret.json.errors[0].message).toContain('A secret is in the request'),
    ],
  ],
  'docs/agents/README.md': [
    [
      '`/handoff <goal>` (`$handoff` in Codex)',
      () => expect(JSON.stringify(s.init.json.todo)).toContain('The skill is called $handoff there.'),
    ],
  ],
  'docs/commands.md': [
    [
      '`handoff "<goal>"` is short for `handoff create "<goal>"`',
      () =>
        expect([s.mission.code, s.mission.out]).toEqual([
          0,
          expect.stringContaining('write docs/usage.md with an example'),
        ]),
    ],
    [
      'Elsewhere it says what is open and what to type next',
      () => expect(s.readBack.handoff.json.next.length).toBeGreaterThan(1),
    ],
    ['Index, other files and stash stay as they are.', () => expect(s.ownAfter).toEqual(s.ownBefore)],
  ],
}

/** Names below a key of a YAML file, two blanks in. */
const keysOf = (yaml: string, key: string): string[] =>
  [
    ...(new RegExp(`^${key}:\\n((?: .*\\n|\\n)*)`, 'm').exec(yaml)?.[1] ?? '').matchAll(/^ {2}([\w-]+):/gm),
  ].map(([, name]) => name ?? '')
/** The inputs that docs/ci.md lists: `a`, `b` in front of each colon. */
const inputsTold = (): string[] =>
  [
    ...(page('docs/ci.md').split('Inputs of the action:')[1]?.split('\n\n')[1] ?? '').matchAll(
      /(?:^- |; |, )`([\w-]+)`(?=[:,]| )/gm,
    ),
  ]
    .map(([, name]) => name ?? '')
    .filter((name) => !['error', 'warning', 'never', 'false'].includes(name))
/** Places of the headings of a brief in the list of the specification. */
const orderOf = (brief: string): number[] => {
  const told = [...page('docs/spec/brief-v1.md').matchAll(/^- `\w+`: `(#+ .*?)`/gm)].map(
    ([, heading]) => heading,
  )
  return [...brief.matchAll(/^#{1,2} .*$/gm)].map(([heading]) => told.indexOf(heading))
}

describe.each(Object.entries(STATEMENTS))('%s', (path, statements) => {
  it.each(statements)('%s', (words, holds) => {
    expect(flat(page(path))).toContain(words)
    holds()
  })
})

it('tries at least 80 statements', () => {
  expect(Object.values(STATEMENTS).flat().length).toBeGreaterThanOrEqual(80)
})

describe('docs/scripts.md has the keys of the JSON of', () => {
  const rows = new Map(
    block(page('docs/scripts.md'), 'JSON of each command', 'text')
      .split(/\n(?=\S)/)
      .map((row) => [row.split(/\s/, 1)[0] ?? '', row] as const),
  )
  const given: Readonly<Record<string, () => Said>> = {
    handoff: () => s.readBack.handoff,
    init: () => s.init,
    create: () => s.first,
    note: () => s.noted,
    rule: () => s.rule,
    show: () => s.readBack.show,
    log: () => s.readBack.log,
    diff: () => s.diff,
    verify: () => s.readBack.verify,
    check: () => s.readBack.check,
    review: () => s.readBack.review,
    push: () => s.pushed,
    open: () => s.opened,
    ask: () => s.readBack.ask,
    receipt: () => s.readBack.receipt,
    why: () => s.readBack.why,
    status: () => s.readBack.status,
    doctor: () => s.doctor,
    sessions: () => s.sessions,
    done: () => s.done,
    trust: () => s.readBack.trust,
  }
  it.each(Object.entries(given))('%s', (name, said) => {
    const told: string[] = rows.get(name)?.match(/\w+/g) ?? []
    const keys = Object.keys(said().json).filter((key) => !['ok', 'warnings', 'errors'].includes(key))
    expect(keys.filter((key) => !told.includes(key))).toEqual([])
  })
})

it('each agent page names the files that init writes', () => {
  for (const id of ['claude-code', 'codex', 'copilot-cli', 'gemini-cli', 'opencode', 'pi']) {
    const [sentence = ''] = /^`init` writes [\s\S]*?\n\n/m.exec(page(`docs/agents/${id}.md`)) ?? []
    const named = [...sentence.matchAll(/`(\.?[\w./-]+\/?)`/g)]
      .map(([, path]) => path ?? '')
      .filter((path) => /[./]/.test(path))
    expect(named.length, id).toBeGreaterThan(0)
    expect(named.filter((path) => !changed(s.all).some((one) => one.startsWith(path)))).toEqual([])
  }
})
