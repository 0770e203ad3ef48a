import { symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { byNight, describeByNight, sampled } from '../../sampled.ts'
import { cli } from '../cli.ts'
import { cloneOf, makeRepo, prepared, type TempRepo } from '../make-repo.ts'
import { GOAL, later, made, usual, withBrief } from '../usual.ts'

const KEY = `ghp_${Array.from({ length: 36 }, (_, i) => 'aB3dE5fG7h'[i % 10]).join('')}`
const TEMPLATE = '.handoff/templates/pr-comment.txt'

const review = async (repo: TempRepo, args: string[] = [], env: Record<string, string> = {}) => {
  const { code, json } = await cli(repo, ['review', '--json', ...args], { env })
  return { code, json, ids: (json.briefs ?? []).map(({ id }: { id: string }) => id) as string[] }
}

/** A branch with two handoffs on it. */
const handedOver = prepared(async () => {
  const repo = usual()
  repo.git(['switch', '-q', '-c', 'feature/x'])
  const first = await made(repo)
  repo.commit('work', { 'src/queue.ts': 'changed\n' })
  const second = await made(repo, [], { now: later(10) })
  return { repo, first, second }
})

describe('review', () => {
  it('tells what the branch brings since the default branch, the same every time', async () => {
    const { repo, first, second } = await handedOver()
    const { code, json, ids } = await review(repo)
    expect(code).toBe(0)
    expect(ids).toEqual([first.id, second.id])
    expect(json).toMatchObject({
      base: 'main',
      branch: 'feature/x',
      current: second.id,
      total: 2,
      removed: 0,
      unreadable: [],
      truth: { stillTrue: true },
    })
    expect(json.markdown).toMatch(/^### Not marked done: 3 tasks by /m)
    expect(json.markdown).toContain('1 file changed: none new, none deleted, no tests')
    // Each with what was committed before it; what brought a brief alone is no change.
    const own = repo.git(['log', '-1', '--format=%h', '--abbrev=8', '--', 'src/queue.ts'])
    expect(json.markdown.match(/^ {2}- (?!asked|decided).*/gm)).toEqual([
      '  - no commit',
      `  - \`${own}\` work (\`queue.ts\`, +1 −1)`,
      '  - no commit',
    ])
    expect(json.markdown).toContain(`- Task 3 (after the last brief): ${GOAL}\n`)
    // What is not committed is no part of a pull request.
    repo.write('src/queue.ts', 'dirty\n')
    expect((await cli(repo, ['review'])).stdout).toBe(json.markdown)
    repo.git(['checkout', '-q', '--detach', 'feature/x'])
    repo.git(['checkout', '-q', '-f', 'main'])
    expect((await cli(repo, ['review', 'main..feature/x'])).stdout).toBe(json.markdown)
  })

  byNight('on the default branch after a merge names its range, and says there what landed', async () => {
    const { repo, first, second } = await handedOver()
    repo.git(['switch', '-q', 'main'])
    repo.git(['merge', '-q', '--no-ff', '-m', 'Merge it', 'feature/x'])
    const merge = repo.git(['rev-parse', '--short', 'HEAD'])
    repo.commit('later', { 'src/api.ts': 'later\n' })
    const { json } = await review(repo)
    expect(json.errors[0]).toMatchObject({
      code: 'E_NO_RANGE',
      hint: `Name the commits, for example those of the last merge: \`git handoff review ${merge}^..${merge}\``,
    })
    const { ids, json: merged } = await review(repo, [`${merge}^..${merge}`])
    expect(ids).toEqual([first.id, second.id])
    expect(merged.markdown).toMatch(/^### Landed: 3 tasks by /m)
  })

  byNight('of a chain that was marked done counts what it lists, and links briefs and commits', async () => {
    const { repo, second } = await handedOver()
    repo.commit('after', { 'src/api.ts': 'after\n' })
    repo.git(['remote', 'add', 'origin', 'git@host.example:org/repo.git'])
    expect((await cli(repo, ['done', 'queue and limits'], { now: later(20) })).code).toBe(0)
    const { markdown } = (await review(repo)).json
    expect(markdown).toMatch(
      /^### Marked done: 3 tasks .*\n(?:.*\n)*- Marked done by .*: "queue and limits"$/m,
    )
    expect(markdown.match(/^- Task /gm)).toHaveLength(3)
    expect(markdown).toContain(`https://host.example/org/repo/commit/${repo.git(['rev-parse', 'HEAD~1'])}`)
    expect(markdown).toMatch(/^- Task 3 by .* \(after the last brief\): .*\n.*after \(`api\.ts`, \+1 −1\)$/m)
    expect(markdown).toContain(`/${second.path})`)
  })

  byNight('without a brief says so in a line', async () => {
    const { repo } = await withBrief()
    repo.git(['switch', '-q', '-c', 'work'])
    repo.commit('work', { 'src/queue.ts': 'changed\n' })
    const { code, json } = await review(repo)
    expect(code).toBe(0)
    expect(json).toMatchObject({ ok: true, briefs: [], total: 0, current: null, truth: null })
    expect(json.markdown).toBe('<!-- git-handoff review -->\nNo handoff since `main`.\n')
    expect((await review(repo, ['HEAD..HEAD'])).json.total).toBe(0)
    expect((await review(repo, ['nope..HEAD'])).json.errors[0].code).toBe('E_BAD_REVISION')
    const clone = cloneOf(repo)
    const { hint } = (await review(clone, ['work2..HEAD'])).json.errors[0]
    expect(hint).toMatch(/^Give a branch/)
    clone.git(['update-ref', 'refs/remotes/origin/work2', 'HEAD'])
    expect((await review(clone, ['work2..HEAD'])).json.errors[0].hint).toBe('Did you mean `origin/work2`?')
    expect((await review(makeRepo({ branch: 'odd' }))).json.errors[0].code).toBe('E_NO_RANGE')
  })

  byNight(
    'of a squashed branch tells every brief, and that the commits of then are other ones now',
    async () => {
      const { repo, first, second } = await handedOver()
      repo.git(['switch', '-q', '-c', 'squashed', 'main'])
      repo.git(['merge', '-q', '--squash', 'feature/x'])
      repo.commit('all in one')
      repo.git(['branch', '-q', '-D', 'feature/x'])
      const { ids, json } = await review(repo)
      expect(ids).toEqual([first.id, second.id])
      expect(json.total).toBe(2)
      // In a clone of only this nobody knows the commit that the brief was made at.
      const clone = cloneOf(repo, { env: repo.env })
      const there = await review(clone, ['origin/main..HEAD'])
      expect(there.ids).toEqual(ids)
      expect(there.json.markdown).toContain('not in this clone')
    },
  )

  byNight('of landed work on its old branch names no conflict with the trunk, nor does verify', async () => {
    const { repo, second } = await handedOver()
    repo.git(['switch', '-q', 'main'])
    repo.git(['merge', '-q', '--squash', 'feature/x'])
    repo.commit('all in one')
    repo.commit('on the same lines', { 'src/queue.ts': 'later\n' })
    repo.git(['switch', '-q', 'feature/x'])
    const { json } = await review(repo)
    expect(json.markdown).toMatch(/^### Landed: /m)
    expect(json.truth.items.map(({ code }: { code: string }) => code)).not.toContain('conflict')
    expect(json.markdown).not.toContain('Still true?')
    const verified = await cli(repo, ['verify', second.id, '--json'])
    expect(verified.json).toMatchObject({ ok: true, merge: { conflicts: [] } })
  })

  byNight('of briefs on a branch of their own tells those of this branch', async () => {
    const repo = usual()
    repo.git(['switch', '-q', '-c', 'feature/x'])
    const first = await made(repo, ['--branch', 'separate'])
    const { ids, json } = await review(repo)
    expect(ids).toEqual([first.id])
    expect(json.markdown).toMatch(/^- Task 1 .*`, on handoff\/feature\/x\)/m)
    // As a server of CI has it: fetched, and HEAD on no branch.
    const clone = cloneOf(repo, { env: repo.env })
    clone.git(['checkout', '-q', '--detach', 'origin/feature/x'])
    expect((await review(clone, ['origin/main..origin/feature/x'])).ids).toEqual([first.id])
    expect((await review(clone, ['origin/main..origin/main'])).ids).toEqual([])
    const sha = (rev: string) => clone.git(['rev-parse', rev])
    const payload = {
      pull_request: {
        number: 1,
        base: { sha: sha('origin/main'), ref: 'main' },
        head: { sha: sha('origin/feature/x'), ref: 'feature/x' },
      },
    }
    writeFileSync(join(repo.base, 'event.json'), JSON.stringify(payload))
    const env = { GITHUB_ACTIONS: 'true', GITHUB_EVENT_PATH: join(repo.base, 'event.json') }
    expect((await review(clone, [], env)).ids).toEqual([first.id])
    const checked = await cli(clone, ['check', '--range', '--json'], { env })
    expect(checked.json).toMatchObject({ ok: true, checked: [first.path] })
  })

  byNight(
    'tells a brief that was edited after it was committed, one taken out, and files that are none',
    async () => {
      const { repo, first: old } = await withBrief()
      repo.git(['switch', '-q', '-c', 'work'])
      repo.write('src/queue.ts', 'changed\n')
      const next = await made(repo, [], { now: later(10) })
      repo.git(['rm', '-q', old.path])
      repo.commit('edited', {
        [next.path]: repo.read(next.path).replace('## Status', '## Status\n'),
        '.handoff/briefs/20261122T110000-000abc00-x.md': 'no brief\n',
        '.handoff/briefs/odd\nname.md': 'x\n',
      })
      symlinkSync('/etc/passwd', join(repo.root, '.handoff/briefs/20261122T120000-000abc00-link.md'))
      repo.commit('link')
      const { json } = await review(repo)
      expect(json.briefs.map(({ state }: { state: string }) => state)).toEqual(['edited'])
      expect(json.removed).toBe(1)
      expect(json.unreadable).toHaveLength(3)
      expect(json.markdown).toContain('was changed after it was committed')
      expect(json.markdown).not.toContain('root:')
    },
  )

  byNight('never tells a secret', async () => {
    const { repo, second } = await handedOver()
    repo.commit('leak', {
      [second.path]: repo
        .read(second.path)
        .replace('## Open Questions / Risks\n', `## Open Questions / Risks\n\n- is ${KEY} the key? [user]\n`),
    })
    const { json } = await review(repo)
    expect(JSON.stringify(json)).not.toContain(KEY)
    expect(json.markdown).toContain('REDACTED:github-token')
  })

  byNight('takes the template that the base has, not the one that the branch brings', async () => {
    const slots = 'goal summary open drift handoffs'.split(' ')
    const text = (word: string) => `${word}\n${slots.map((slot) => `{{${slot}}}`).join('\n')}\n`
    const repo = usual()
    repo.commit('template', { [TEMPLATE]: text('Of the base') })
    repo.git(['switch', '-q', '-c', 'work'])
    await made(repo)
    repo.commit('mine', { [TEMPLATE]: text('@everyone look') })
    const { json } = await review(repo)
    expect(json.markdown).toContain('Of the base')
    expect(json.markdown).not.toContain('@everyone')
    repo.git(['switch', '-q', 'main'])
    repo.commit('broken', { [TEMPLATE]: '{{goal}}\n' })
    repo.git(['switch', '-q', 'work'])
    expect((await review(repo, ['main..work'])).json.errors[0]).toMatchObject({
      code: 'E_TEMPLATE',
      message: expect.stringContaining(TEMPLATE),
    })
  })
})

describeByNight('review of what was damaged', () => {
  byNight.each(
    sampled(
      [
        ['CRLF', 'error encoding', (text: string) => text.replaceAll('\n', '\r\n')],
        ['a byte order mark', 'error encoding', (text: string) => `\ufeff${text}`],
        [
          'conflict markers in the body',
          'error',
          (text: string) => text.replace('## Status', '<<<<<<< ours\n## Status\n=======\n>>>>>>> theirs'),
        ],
        [
          'conflict markers in the front matter',
          'error schema',
          (text: string) => text.replace('---\n', '---\n<<<<<<< ours\n=======\n>>>>>>> theirs\n'),
        ],
        ['nothing left', 'error', () => ''],
      ],
      1,
    ),
  )('%s: told by check, and no reason to stop', async (_, finding, damage) => {
    const { repo, first, second } = await handedOver()
    repo.git(['config', 'core.autocrlf', 'false'])
    repo.commit('damaged', {
      '.handoff/.gitattributes': '* -text\n',
      [second.path]: damage(repo.read(second.path)),
    })
    const checked = await cli(repo, ['check', '--range', '--json'])
    const told = checked.json.findings
      .filter(({ path }: { path: string }) => path === second.path)
      .map(({ rule, level }: { rule: string; level: string }) => `${level} ${rule}`)
    expect(told.some((one: string) => one.startsWith(finding))).toBe(true)
    const { code, ids, json } = await review(repo)
    expect(code).toBe(0)
    expect(ids).toContain(first.id)
    expect(ids.includes(second.id) || json.unreadable.includes(second.path)).toBe(true)
  })

  byNight('without a commit there is nothing to compare', async () => {
    const repo = makeRepo({ initial: false })
    expect((await review(repo)).json.errors[0].code).toBe('E_NO_RANGE')
    expect((await review(repo, ['main..HEAD'])).json.errors[0].code).toBe('E_BAD_REVISION')
    expect((await cli(repo, ['check', '--json'])).json).toMatchObject({ ok: true, checked: [] })
  })

  byNight('on a branch whose name means something to a shell, to markdown and to a host', async () => {
    const repo = usual()
    const name = 'fix/#12-@octocat-`$(id)`-&\'"<b>|;ü'
    repo.git(['switch', '-q', '-c', name])
    const first = await made(repo)
    const { ids, json } = await review(repo)
    expect(ids).toEqual([first.id])
    expect(json.branch).toBe(name)
    expect((await review(repo, [`main..${name}`])).ids).toEqual(ids)
  })
})

describeByNight('the range of CI', () => {
  const event = (repo: TempRepo, payload: object): Record<string, string> => {
    const path = join(repo.base, 'event.json')
    writeFileSync(path, JSON.stringify(payload))
    return { GITHUB_ACTIONS: 'true', GITHUB_EVENT_PATH: path }
  }

  /** `main` has moved on since the branch left it, with a brief of its own. */
  async function pulled() {
    const { repo, first, second } = await handedOver()
    const base = repo.git(['rev-parse', 'main'])
    repo.git(['switch', '-q', 'main'])
    const other = await made(repo, [], { now: later(30) })
    const head = repo.git(['rev-parse', 'feature/x'])
    repo.git(['update-ref', 'refs/remotes/origin/main', 'main'])
    repo.git(['checkout', '-q', '--detach', 'main'])
    repo.git(['merge', '-q', '--no-ff', '-m', 'merge', 'feature/x', '-X', 'ours'])
    return { repo, base, head, other, ours: [first.id, second.id] }
  }
  const request = (base: string, head: string) => ({
    pull_request: { number: 1, base: { sha: base, ref: 'main' }, head: { sha: head, ref: 'feature/x' } },
  })

  byNight(
    'a pull request: in the merge that CI made, at its head, and where the base of the event is gone',
    async () => {
      const { repo, base, head, ours } = await pulled()
      const env = event(repo, request(base, head))
      const merged = await review(repo, [], env)
      expect(merged).toMatchObject({ ids: ours, json: { base: 'main', branch: 'feature/x' } })
      repo.git(['checkout', '-q', '--detach', head])
      expect((await review(repo, [], env)).json.markdown).toBe(merged.json.markdown)
      const gone = event(repo, request('1'.repeat(40), head))
      expect((await review(repo, [], gone)).ids).toEqual(ours)
      expect((await cli(repo, ['check', '--range', '--json'], { env })).json.checked).toHaveLength(2)
    },
  )

  byNight('a merge queue, a push, the push of a new branch, and a push that rewrote history', async () => {
    const { repo, base, head, ours } = await pulled()
    const group = {
      merge_group: { base_sha: base, base_ref: 'refs/heads/main', head_sha: head, head_ref: 'refs/heads/q' },
    }
    expect((await review(repo, [], event(repo, group))).ids).toEqual(ours)
    repo.git(['checkout', '-q', '--detach', head])
    const push = (before: string) =>
      event(repo, {
        ref: 'refs/heads/feature/x',
        before,
        after: head,
        repository: { default_branch: 'main' },
      })
    const last = await review(repo, [], push(repo.git(['rev-parse', `${head}~1`])))
    expect(last.ids).toEqual(ours.slice(1))
    for (const before of ['0'.repeat(40), '2'.repeat(40)])
      expect((await review(repo, [], push(before))).ids, before).toEqual(ours)
  })

  byNight('a merge request of GitLab, its merged result, and a branch', async () => {
    const { repo, base, head, ours } = await pulled()
    const merge = repo.git(['rev-parse', 'HEAD'])
    const env = {
      GITLAB_CI: 'true',
      CI_MERGE_REQUEST_IID: '1',
      CI_MERGE_REQUEST_DIFF_BASE_SHA: base,
      CI_MERGE_REQUEST_TARGET_BRANCH_NAME: 'main',
      CI_MERGE_REQUEST_SOURCE_BRANCH_NAME: 'feature/x',
    }
    const merged = { ...env, CI_COMMIT_SHA: merge, CI_MERGE_REQUEST_SOURCE_BRANCH_SHA: head }
    expect(await review(repo, [], merged)).toMatchObject({
      ids: ours,
      json: { base: 'main', branch: 'feature/x' },
    })
    repo.git(['checkout', '-q', '--detach', head])
    expect((await review(repo, [], { ...env, CI_COMMIT_SHA: head })).ids).toEqual(ours)
    const branch = {
      GITLAB_CI: 'true',
      CI_COMMIT_SHA: head,
      CI_COMMIT_BEFORE_SHA: '0'.repeat(40),
      CI_DEFAULT_BRANCH: 'main',
    }
    expect((await review(repo, [], branch)).ids).toEqual(ours)
  })

  byNight.each(
    sampled(
      [
        'nothing of JSON',
        '[]',
        '{"pull_request":{"base":{"sha":"--all"},"head":{"sha":"HEAD","ref":"a b"}}}',
        '{"pull_request":7,"before":{},"ref":["x"]}',
      ],
      1,
    ),
  )('the event %j can do no harm', async (text) => {
    const { repo, first, second } = await handedOver()
    const env = event(repo, {})
    writeFileSync(env.GITHUB_EVENT_PATH as string, text)
    expect((await review(repo, [], env)).ids).toEqual([first.id, second.id])
  })

  byNight('on the default branch what was not pushed yet, whatever that branch is called', async () => {
    const repo = usual({ branch: 'production' })
    repo.git(['clone', '-q', '--bare', repo.root, join(repo.base, 'origin.git')])
    repo.git(['remote', 'add', 'origin', join(repo.base, 'origin.git')])
    repo.git(['fetch', '-q', 'origin'])
    repo.git(['branch', '-q', '-u', 'origin/production'])
    const first = await made(repo)
    expect(await review(repo)).toMatchObject({ ids: [first.id], json: { base: 'origin/production' } })
    repo.git(['remote', 'set-head', 'origin', 'production'])
    repo.git(['switch', '-q', '-c', 'work'])
    expect(await review(repo)).toMatchObject({ ids: [first.id], json: { base: 'origin/production' } })
  })
})
