import { describe, expect, it } from 'vitest'
import { edit, extract, gitState, prompt, reply, run, type Step } from './session.ts'

const work = (...steps: Step[]) => extract([prompt('Fix it.'), ...steps]).work
const commit = (sha: string, subject: string, on = 'main') =>
  run(`git commit -m "${subject}"`, 0, `[${on} ${sha}] ${subject}\n 1 file changed`)

/** A command whose client did not say how it ended. */
const unsure = (command: string, text: string): Step => [
  { kind: 'call', id: text, tool: 'exec', action: { type: 'run', command }, by: 'agent' },
  { kind: 'result', id: text, ok: true, exitCode: null, text, unsure: true },
]

describe('what a session did with git', () => {
  it.each<[string, Step[], object]>([
    [
      'commits, and what it edited since',
      [commit('1a2b3c4', 'Add a'), commit('2b3c4d5', 'Add b (root-commit)'), edit('src/a.ts')],
      { commits: [{ sha: '1a2b3c4' }, { sha: '2b3c4d5' }], branch: 'main', isEdited: true },
    ],
    [
      'a root commit, in a longer line, elsewhere',
      [run('cd x && git add -A && git -C y commit -m "One"', 0, '[trunk (root-commit) 1a2b3c4] One')],
      { commits: [{ sha: '1a2b3c4', subject: 'One' }], branch: 'trunk' },
    ],
    [
      'a push of the branch it is on, and of those that it names',
      [
        commit('1a2b3c4', 'Add a', 'old'),
        commit('2b3c4d5', 'Add b'),
        run('git push -u origin HEAD'),
        commit('3c4d5e6', 'Add c', 'new'),
        commit('4d5e6f7', 'Add d'),
        run(
          'git push --all',
          0,
          'To host:o/r\n   1a2b3c4..2b3c4d5  main -> main\n * [new branch]      new -> new',
        ),
      ],
      {
        commits: [{ isPushed: null }, { isPushed: true }, { isPushed: true }, { isPushed: true }],
        isEdited: false,
      },
    ],
    [
      'a try whose end nobody saw, or that failed as it seems',
      [
        run('git add -A && git -C . commit -m "Add a"', null),
        unsure('git commit -m "Add a"', 'lint: 2 errors'),
      ],
      { commits: [], hasTried: true },
    ],
    [
      'a commit that only the words of git tell of',
      [
        unsure('git commit -m "Add a"', '[fix 1a2b3c4] Add a'),
        unsure('git commit -qm "Add b" && git log --oneline -1', '2b3c4d5 Add b'),
      ],
      { commits: [{ sha: '1a2b3c4', branch: 'fix' }, { sha: '2b3c4d5' }] },
    ],
    [
      'no push before the last commit, of nothing, without effect or that failed',
      [
        run('git push'),
        commit('1a2b3c4', 'Add a'),
        run('git push', 1),
        run('git push --dry-run'),
        run('git push origin --delete x'),
      ],
      { commits: [{ isPushed: false }] },
    ],
    [
      'an amended commit in the place of the one before',
      [commit('1a2b3c4', 'Add a'), run('git commit --amend --no-edit', 0, '[main 2b3c4d5] Add a')],
      { commits: [{ sha: '2b3c4d5', subject: 'Add a' }] },
    ],
    [
      'two commits of one line, each once',
      [
        run(
          'git commit -m "Add a" && git add b && git commit -m "Add b"',
          0,
          '[main 1a2b3c4] Add a\n[main 2b3c4d5] Add b',
        ),
      ],
      { commits: [{ sha: '1a2b3c4' }, { sha: '2b3c4d5' }] },
    ],
    [
      'a commit that its own line amends',
      [
        run(
          'git commit -m "Add a" && git commit --amend -m "Add b"',
          0,
          '[main 1a2b3c4] Add a\n[main 2b3c4d5] Add b',
        ),
      ],
      { commits: [{ sha: '2b3c4d5', subject: 'Add b' }] },
    ],
    [
      'quiet commits by their message',
      [
        run('git commit -qam "Add a\n\nWhy."'),
        run('git commit -q --amend --no-edit'),
        run('git commit -q -F -'),
      ],
      {
        commits: [
          { sha: null, subject: 'Add a' },
          { sha: null, subject: '' },
        ],
      },
    ],
    [
      'the ids that a log tells of quiet and rebased commits',
      [
        run('git commit -qF - && git log --oneline -1', 0, '1a2b3c4 (HEAD -> main) Add a'),
        run('git push 2>&1', 0, 'To host:o/r\n * [new branch]      HEAD -> main'),
        run('git push -q -C elsewhere'),
        commit('2b3c4d5', 'Add b'),
        run('git rebase main'),
        run('git log --oneline -3', 0, '4d5e6f7 Add b\n3c4d5e6 Add a\n0a1b2c3 Other'),
      ],
      {
        commits: [
          { sha: '3c4d5e6', subject: 'Add a', isPushed: null },
          { sha: '4d5e6f7', subject: 'Add b', isPushed: false },
        ],
      },
    ],
    [
      'the ids that a look at a quiet commit tells, also of one that was amended',
      [
        run('git commit -qF - && git show --stat --oneline HEAD | head -8', 0, '1a2b3c4 Add a\n a.md | 2 +'),
        run(
          'git commit -q --amend --no-edit && git show --stat --oneline HEAD',
          0,
          '2b3c4d5 Add a\n a.md | 3 +',
        ),
      ],
      { commits: [{ sha: '2b3c4d5', subject: 'Add a' }] },
    ],
    [
      'the id that a push names, and no push that was rejected',
      [
        commit('1a2b3c4', 'Add a'),
        run('git push 2>&1 | tail -3', 0, ' ! [rejected] main -> main (fetch first)\nerror: failed to push'),
        run('git pull --rebase -q'),
        commit('2b3c4d5', 'Add b', 'topic'),
        run('git push origin main', 0, 'To host:o/r\n   0a1b2c3..3c4d5e6  main -> main'),
      ],
      {
        commits: [
          { sha: '3c4d5e6', isPushed: true },
          { sha: '2b3c4d5', isPushed: null },
        ],
      },
    ],
    [
      'a quiet commit and a quiet push of the branch that it names',
      [
        run(
          'git commit -qF - && git push -q -u origin fix/a 2>&1 | tail -2; git log --oneline -1',
          0,
          '1a2b3c4 Add a',
        ),
        run('git commit -qm "Add b"'),
        run('git push -q origin HEAD:fix/b'),
        run('git commit -qm "Add c"'),
      ],
      {
        commits: [
          { sha: '1a2b3c4', branch: 'fix/a', isPushed: true },
          { subject: 'Add b', branch: 'fix/b', isPushed: true },
          { subject: 'Add c', branch: null, isPushed: false },
        ],
      },
    ],
    [
      'commits of another repository with its folder, and nothing of its branch',
      [
        run('git status', 0, 'On branch main'),
        run('git -C ../notes commit -m "Add n"', 0, '[proof 1a2b3c4] Add n'),
        run('cd /home/dev/other && git switch x', 0, "Switched to branch 'x'"),
        run('cd /home/dev/other && git push'),
        run('git -C ../notes push'),
        run('git -C src commit -m "Add a"', 0, '[main 2b3c4d5] Add a'),
      ],
      {
        branch: 'main',
        commits: [
          { sha: '1a2b3c4', folder: 'notes', isPushed: true },
          { sha: '2b3c4d5', isPushed: false },
        ],
      },
    ],
    [
      'no ids that a rebase has changed',
      [commit('1a2b3c4', 'Add a'), run('git pull --rebase')],
      { commits: [{ sha: null, subject: 'Add a' }] },
    ],
    [
      'without the commits that a reset takes back',
      [commit('1a2b3c4', 'Add a'), commit('2b3c4d5', 'Add b'), run('git -C . reset --soft HEAD~1')],
      { commits: [{ sha: '1a2b3c4' }], hasTried: true },
    ],
    [
      'none after a reset by two marks',
      [commit('1a2b3c4', 'Add a'), commit('2b3c4d5', 'Add b'), run('git reset HEAD^^')],
      { commits: [] },
    ],
    [
      'all after a reset of files, or one that failed',
      [
        commit('1a2b3c4', 'Add a'),
        run('git reset HEAD'),
        run('git reset HEAD~1 -- src/a.ts'),
        run('git reset --hard HEAD~1', 128),
      ],
      { commits: [{ sha: '1a2b3c4' }] },
    ],
    [
      'of the branch that is reset or rebased alone, and not of what was pushed',
      [
        commit('1a2b3c4', 'Add a', 'fix'),
        run('git checkout main', 0, "Switched to branch 'main'"),
        run('git reset --hard HEAD~1'),
        run('git rebase origin/main'),
        commit('2b3c4d5', 'Add b'),
        run('git push', 0, '   1a1a1a1..2b3c4d5  main -> main'),
        run('git reset --hard origin/main'),
      ],
      { commits: [{ sha: '1a2b3c4' }, { sha: '2b3c4d5', isPushed: true }] },
    ],
    [
      'no ids after a reset to elsewhere',
      [commit('1a2b3c4', 'Add a'), run('git reset --hard origin/main')],
      { commits: [{ sha: null, subject: 'Add a' }] },
    ],
    [
      'a cherry-pick',
      [run('git cherry-pick abc', 0, '[main 3c4d5e6] Picked\n Date: now'), run('git revert --no-commit abc')],
      { commits: [{ sha: '3c4d5e6', subject: 'Picked' }] },
    ],
    [
      'the branch it made, not a detached head',
      [run('git checkout -b fix/a'), commit('1a2b3c4', 'Add a', 'detached HEAD')],
      { branch: 'fix/a', commits: [{ sha: '1a2b3c4' }] },
    ],
    [
      'the branch that git named last',
      [
        { kind: 'setting', branch: 'old' },
        run('git switch main', 0, "Switched to branch 'main'\nYour branch is up to date"),
      ],
      { branch: 'main' },
    ],
    [
      'the branch of a short status',
      [run('git status -sb', 0, '## fix/a...origin/fix/a [ahead 1]\n M a.ts')],
      { branch: 'fix/a' },
    ],
    [
      'the branch of a status',
      [run('git status', 0, 'On branch topic\nnothing to commit')],
      { branch: 'topic' },
    ],
    ['the branch its client names', [{ kind: 'setting', branch: 'feature/x' }], { branch: 'feature/x' }],
    [
      'no commit that failed',
      [run('git commit -m "Add a"', 1, 'nothing to commit')],
      { commits: [], hasTried: true },
    ],
    [
      'no trial in a folder of the moment',
      [run('T=$(mktemp -d) && git worktree add "$T" && cd "$T" && git commit -qm "Try it"')],
      { commits: [] },
    ],
    [
      'no trial in a repository that the line makes elsewhere',
      [run('mkdir -p /tmp/t && cd /tmp/t && git init -q && git commit -qm "Start"')],
      { commits: [] },
    ],
    [
      'the first commit of a repository that the session makes where it is',
      [run('git init && git add -A && git commit -m "Start"', 0, '[main (root-commit) 1a2b3c4] Start')],
      { commits: [{ sha: '1a2b3c4' }] },
    ],
    [
      'a commit at a place that only the shell knows',
      [run('cd "$(git rev-parse --show-toplevel)" && git commit -m "Add a"', 0, '[main 1a2b3c4] Add a')],
      { commits: [{ sha: '1a2b3c4' }] },
    ],
    [
      'the branch of the last switch, whatever else git prints',
      [
        run(
          'git checkout main && git checkout v1.2',
          0,
          "Switched to branch 'main'\nSwitched to branch 'v1.2'",
        ),
        run('git show HEAD:README.md', 0, '## Usage\nOn branch none'),
      ],
      { branch: 'v1.2' },
    ],
    [
      'a branch with a dot in its name',
      [run('git status -sb', 0, '## release/1.2...origin/release/1.2 [behind 1]')],
      { branch: 'release/1.2' },
    ],
    [
      'no message that only the shell knows',
      [run(`git commit -qm "$(cat <<'EOF'\nAdd a\nEOF\n)"`)],
      { commits: [{ subject: '' }], hasTried: true },
    ],
    ['no try of one', [run('git status && git add -A')], { commits: [], hasTried: false }],
  ])('is %s', (_, steps, told) => {
    expect(work(...steps)).toMatchObject(told)
  })

  it('is the newest 50 commits', () => {
    const many = Array.from({ length: 60 }, (_, i) => commit(`${1_000_000 + i}`, `Add ${i}`))
    expect(
      work(...many)
        ?.commits.map(({ subject }) => subject)
        .filter((_, i, all) => i % (all.length - 1) === 0),
    ).toEqual(['Add 10', 'Add 59'])
  })

  it('is nothing where no session was read', () => {
    expect(extract([], { agent: null, git: gitState([]) }).work).toBeNull()
  })
})

describe('references', () => {
  const references = (...steps: Step[]) =>
    extract(steps).references.map(({ name, url }) => (url === null ? name : `${name} ${url}`))
  const URL = 'https://github.com/o/r'

  it.each<[string, string[]]>([
    ['Look at PR #12 and issue #34, and MR !5.', ['MR #5', 'Issue #34', 'PR #12']],
    [`See ${URL}/pull/12, then ${URL}/issues/34`, [`Issue #34 ${URL}/issues/34`, `PR #12 ${URL}/pull/12`]],
    [
      `Answer ${URL}/pull/12#discussion_r99 (PR 12), ${URL}/pull/12`,
      [`PR #12 ${URL}/pull/12#discussion_r99`],
    ],
    ['https://gitlab.com/g/s/r/-/merge_requests/7', ['MR #7 https://gitlab.com/g/s/r/-/merge_requests/7']],
    [`${URL}/discussions/8#discussioncomment-1`, [`Discussion #8 ${URL}/discussions/8#discussioncomment-1`]],
    ['1 issue in 12 files, #12, PR of 2026', []],
    // For the API a pull request is an issue as well.
    ['https://api.github.com/repos/o/r/issues/12', []],
  ])('of %j', (text, told) => {
    expect(references(prompt(text))).toEqual(told)
    // An agent numbers its own findings so as well: an issue needs more than its words.
    const isNumbered = text.includes('issue #')
    expect(references(reply(text))).toEqual(isNumbered ? told.filter((name) => name !== 'Issue #34') : told)
  })

  it('count for an issue that a command names as well', () => {
    expect(references(reply('That is issue #34.'), run('gh issue view 34'))).toEqual(['Issue #34'])
  })

  it('count without a sign for the person alone: of an agent it may be a label', () => {
    const text = 'Look at PR 12 and issue 34.'
    expect(references(prompt(text))).toEqual(['Issue #34', 'PR #12'])
    expect(references(reply(text))).toEqual([])
  })

  it('do not count in a code block of the agent: it may be an example', () => {
    expect(references(reply('See PR #4.\n```\nPR #123 opens\n```'))).toEqual(['PR #4'])
  })

  it('are first those that the person asked about last: an agent names many in passing', () => {
    const agent = reply('PR #7, PR #8, PR #9 and PR #10 are older.')
    expect(references(prompt('Is issue 386 stale?'), agent)).toEqual([
      'Issue #386',
      'PR #10',
      'PR #9',
      'PR #8',
    ])
    expect(references(prompt('Is issue 386 stale?'), agent, prompt('and PR 8?'))[0]).toBe('PR #8')
  })

  it('are those of commands and of what a new pull request answers, the last four, none of long pages', () => {
    expect(references(run('gh pr view 12'), run('gh pr create --fill', 0, `${URL}/pull/13\n`))).toEqual([
      `PR #13 ${URL}/pull/13`,
      'PR #12',
    ])
    expect(references(prompt('PR 1, PR 2, PR 3, PR 4, PR 5, PR 1'))).toEqual([
      'PR #1',
      'PR #5',
      'PR #4',
      'PR #3',
    ])
    expect(references(prompt(`PR 1 ${'and a page '.repeat(2000)}`), run('npm test', 0, 'PR 2'))).toEqual([])
  })

  it.each<[string, Step[], string[]]>([
    ['merged', [run('gh pr merge 12 --squash')], ['PR #12 merged']],
    ['closed, then open again', [run('gh issue close 3'), run('gh issue reopen 3')], ['Issue #3 open']],
    ['new', [run('gh pr create --fill', 0, `${URL}/pull/13`)], ['PR #13 open']],
    [
      'viewed: its description names others',
      [run('gh pr view', 0, 'title:\tMend #3\nstate:\tMERGED\nnumber:\t12\n--\nFixes issue #4, see PR 5.')],
      ['PR #12 merged'],
    ],
    ['viewed as JSON', [run('gh pr view 12 --json state', 0, '{"state":"CLOSED"}')], ['PR #12 closed']],
    [
      'the one that the command names, whatever came last',
      [prompt('Merge PR 12 for issue 4.'), run('gh pr merge 12 && echo done')],
      ['Issue #4', 'PR #12 merged'],
    ],
    ['each of a line', [run('gh pr merge 1; gh issue close 2')], ['Issue #2 closed', 'PR #1 merged']],
    ['not known when it merges later', [run('gh pr merge 12 --auto')], ['PR #12']],
    ['not known of a list', [run('gh pr list', 0, '12 Mend it OPEN'), prompt('See PR 7.')], ['PR #7']],
    ['not changed by a failure', [prompt('See PR 7.'), run('gh pr merge 7', 1, 'not mergeable')], ['PR #7']],
    ['kept when it is named again', [run('gh pr merge 7'), prompt('See PR 7.')], ['PR #7 merged']],
  ])('have a state: %s', (_, steps, told) => {
    const found = extract(steps).references
    expect(found.map(({ name, state }) => (state === undefined ? name : `${name} ${state}`))).toEqual(told)
  })
})

describe('what the turns tell of commits', () => {
  const steps = (...session: Step[]) =>
    extract([prompt('Fix it.'), ...session]).turns.flatMap((turn) => turn.steps.map(({ text }) => text))

  it.each<[string, Step[], string[]]>([
    [
      'the id that an amended commit has now',
      [
        commit('1a2b3c4', 'Add a'),
        prompt('Say why.'),
        run('git commit --amend -m "Add b"', 0, '[main 2b3c4d5] Add b'),
      ],
      ['`2b3c4d5` Add b'],
    ],
    ['none that was taken back', [commit('1a2b3c4', 'Add a'), run('git reset --soft HEAD~1')], []],
    [
      'the id that a push told after a rebase, and of two alike each its own',
      [
        commit('1a2b3c4', 'Add a', 'old'),
        prompt('Off main, please.'),
        run(
          'git switch -c new && git cherry-pick 1a2b3c4',
          0,
          "Switched to a new branch 'new'\n[new 2b3c4d5] Add a",
        ),
        run('git rebase origin/main'),
        run('git push', 0, '   0a0a0a0..3c4d5e6  new -> new'),
      ],
      ['`1a2b3c4` Add a', '`3c4d5e6` Add a'],
    ],
    ['no id after a rebase', [commit('1a2b3c4', 'Add a'), run('git rebase main')], ['Add a']],
  ])('%s', (_, session, told) => expect(steps(...session)).toEqual(told))
})
