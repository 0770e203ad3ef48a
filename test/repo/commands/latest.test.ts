import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { pointerText, readMarker } from '../../../src/brief/latest.ts'
import { byNight, describeByNight, isNightly, sampled } from '../../sampled.ts'
import { USUAL, writeClaudeSession } from '../claude-session.ts'
import { cli } from '../cli.ts'
import { cloneOf, makeRepo, type TempRepo } from '../make-repo.ts'
import { later, made, usual, withBrief } from '../usual.ts'

const LATEST = '.handoff/latest.md'
const copy = (repo: TempRepo) => repo.read(LATEST)
const blob = (repo: TempRepo, rev: string) => repo.git(['rev-parse', `${rev}:${LATEST}`])

describeByNight('what git holds of latest.md', () => {
  byNight('is one blob in every repository, on every branch, in every commit', async () => {
    const { repo: one } = await withBrief()
    one.git(['switch', '-q', '-c', 'side'])
    one.write('src/queue.ts', 'changed\n')
    await made(one, [], { now: later(5) })
    const other = makeRepo({ branch: 'trunk', name: 'other' })
    other.write('a.txt', 'changed\n')
    await made(other, ['--from', 'git'])
    const blobs = ['main', 'side', 'side~1'].map((rev) => blob(one, rev))
    expect(new Set([...blobs, blob(other, 'HEAD')]).size).toBe(1)
    expect(`${one.git(['cat-file', 'blob', blob(one, 'main')])}\n`).toBe(pointerText())
    const log = (repo: TempRepo) => repo.git(['log', '--format=', '--name-only', '--', LATEST]).split('\n')
    expect(log(one)).toEqual([LATEST])
  })

  byNight.each(sampled(['main', 'main.2', 'feat/c++(new)', 'a{b}$c|d', 'fix/über-x', "it's", '{a', '+1'], 1))(
    'finds the current brief of %s with git alone, by the command it names',
    async (branch) => {
      const repo = usual()
      // A name that only looks alike to a pattern.
      repo.git(['switch', '-q', '-c', branch.replace(/\W/g, 'x').replace('main', 'main2')])
      await made(repo)
      repo.git(['switch', '-q', ...(branch === 'main' ? [] : ['-c']), branch])
      repo.commit('more', { 'src/more.ts': 'more\n' })
      const { path } = await made(repo, [], { now: later(5) })
      const [, command = ''] = /```sh\n([\s\S]*?)\n\s*```/.exec(pointerText()) ?? []
      const ran = execFileSync('sh', ['-c', command], { cwd: repo.root, env: repo.env, encoding: 'utf8' })
      expect(ran).toBe(`${path}\n`)
    },
  )
})

describe('the copy in the work tree', () => {
  it('is the pointer, the marker, the line for other branches, and the whole brief', async () => {
    const { repo, id, markdown, first } = await withBrief()
    const { commit } = first
    const sum = readMarker(copy(repo))?.sum
    const briefs = repo.git(['rev-parse', 'HEAD:.handoff/briefs'])
    expect(copy(repo)).toBe(
      `${pointerText()}<!-- handoff:begin branch=main id=${id} head=${commit} briefs=${briefs} sum=${sum} -->\n` +
        `This copy belongs to branch main, written at commit ${commit}; if \`git branch --show-current\` prints another name, or \`git rev-parse -q --verify HEAD:.handoff/briefs\` prints anything but ${briefs}, ignore everything below.\n\n${markdown}`,
    )
    expect(markdown).toContain(`head: ${repo.git(['rev-parse', 'HEAD~1'])}`)
    expect(repo.git(['status', '--porcelain'])).toBe('')
    expect(repo.git(['diff', '--stat'])).toBe('')
    expect(repo.git(['config', '--get', 'filter.handoff.clean'])).toContain('sed')
  })

  byNight('costs no filter at the next git status, until somebody writes to it', async () => {
    const { repo } = await withBrief()
    const trace = join(repo.base, 'trace')
    const filtered = () => {
      expect(repo.git(['status', '--porcelain'], { env: { GIT_TRACE: trace } })).toBe('')
      return readFileSync(trace, 'utf8').includes('handoff:begin')
    }
    expect(filtered()).toBe(false)
    repo.write(LATEST, copy(repo))
    expect(filtered()).toBe(true)
  })

  byNight('follows every handoff command to the branch that is checked out', async () => {
    const { repo, first: main } = await withBrief()
    repo.git(['switch', '-q', '-c', 'side'])
    repo.write('src/queue.ts', 'changed\n')
    repo.git(['commit', '-q', '-am', 'work'])
    const side = await made(repo, [], { now: later(5) })
    expect(copy(repo)).toContain('belongs to branch side')
    const visits = [
      ['main', ['show'], main, side],
      ['side', ['log'], side, main],
      ['main', ['note', '--blocker', 'none so far'], main, side],
      ['side', ['trust'], side, main],
    ] as const
    for (const [branch, command, here, other] of visits.slice(0, isNightly ? 4 : 2)) {
      repo.git(['switch', '-q', branch])
      expect(copy(repo)).toContain(other.id)
      await cli(repo, [...command])
      expect(copy(repo)).toContain(`branch=${branch} id=${here.id}`)
      expect(copy(repo).endsWith(here.markdown)).toBe(true)
      expect(repo.git(['status', '--porcelain'])).toBe('')
    }
  })
})

describe('merges', () => {
  it('of branches that both carry briefs never conflict, whichever way; the copy follows', async () => {
    const { repo } = await withBrief()
    repo.git(['switch', '-q', '-c', 'side'])
    repo.commit('side work', { 'side.txt': 's\n' })
    await made(repo, [], { now: later(5) })
    repo.git(['switch', '-q', 'main'])
    repo.commit('main work', { 'main.txt': 'm\n' })
    const main = await made(repo, ['--focus', 'the limits'], { now: later(9) })
    repo.git(['branch', '-q', 'rebased', 'side'])
    repo.git(['merge', '-q', '--no-edit', 'side'])
    await cli(repo, ['log'])
    expect(copy(repo)).toContain(`branch=main id=${main.id}`)
    expect(repo.git(['status', '--porcelain'])).toBe('')
    expect(repo.git(['ls-files', '.handoff/briefs']).split('\n')).toHaveLength(3)
    if (!isNightly) return
    repo.git(['switch', '-q', 'rebased'])
    await cli(repo, ['show'])
    repo.git(['rebase', '-q', 'main~1'])
    await cli(repo, ['log'])
    // It has landed on main meanwhile, so what main had when the branch left it counts.
    expect(copy(repo)).toContain(`branch=rebased id=${main.id}`)
    expect(repo.git(['status', '--porcelain'])).toBe('')
    expect(repo.git(['ls-files', '.handoff/briefs']).split('\n')).toHaveLength(3)
  })
})

describeByNight('trust', () => {
  byNight(
    'a fresh clone of a stranger’s repository shows the pointer; trust expands it; revoke takes it back',
    async () => {
      const { repo: origin, id, markdown } = await withBrief()
      const clone = cloneOf(origin)
      const shown = await cli(clone, ['show', '--json'])
      expect(shown.json).toMatchObject({ id, trusted: false })
      expect(copy(clone)).toBe(pointerText())

      const trusted = await cli(clone, ['trust', id, '--json'])
      expect(trusted.json).toMatchObject({ ok: true, id, trusted: true, because: 'you trusted it' })
      expect(copy(clone).endsWith(markdown)).toBe(true)
      expect(clone.git(['status', '--porcelain'])).toBe('')
      expect((await cli(clone, ['trust', '--list', '--json'])).json.trusted).toHaveLength(1)

      expect((await cli(clone, ['trust', id, '--revoke', '--json'])).json).toMatchObject({ trusted: false })
      expect(copy(clone)).not.toContain('Next Goal')
      expect(copy(clone)).toContain(`git handoff trust ${id}`)
      expect(clone.git(['status', '--porcelain'])).toBe('')
    },
  )

  byNight('an untrusted brief is named with its id and nothing else of it', async () => {
    const { repo: origin, id } = await withBrief()
    const clone = cloneOf(origin)
    clone.git(['switch', '-q', '-c', 'mine'])
    writeClaudeSession(clone, USUAL)
    const own = await made(clone, [], { now: later(5) })
    // What somebody makes here is theirs.
    expect(copy(clone).endsWith(own.markdown)).toBe(true)
    clone.git(['switch', '-q', 'main'])
    await cli(clone, ['log'])
    const [, below = ''] = copy(clone).split('ignore everything below.\n\n')
    expect(below).toBe(
      `The brief ${id} is here but not trusted yet. After looking at it, the user can run: git handoff trust ${id}\n`,
    )
    expect(clone.git(['status', '--porcelain'])).toBe('')
  })

  byNight('--origin trusts what the branches of origin carry', async () => {
    const { repo: origin, id, markdown } = await withBrief()
    const clone = cloneOf(origin)
    await cli(clone, ['trust', '--origin'])
    expect((await cli(clone, ['show', '--json'])).json).toMatchObject({ id, trusted: true })
    expect(copy(clone).endsWith(markdown)).toBe(true)
    await cli(clone, ['trust', '--origin', '--revoke'])
    expect((await cli(clone, ['show', '--json'])).json).toMatchObject({ id, trusted: false })
  })

  byNight('a trusted brief that was changed afterwards is not shown', async () => {
    const { repo, id, path } = await withBrief()
    writeFileSync(join(repo.root, path), repo.read(path).replace('Do NOT touch', 'Do touch'))
    await cli(repo, ['log'])
    expect(copy(repo)).not.toContain('Next Goal')
    expect(copy(repo)).toContain(`trust ${id}`)
  })
})
