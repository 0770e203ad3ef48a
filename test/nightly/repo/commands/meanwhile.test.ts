import { existsSync, unlinkSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { findSaved } from '../../../../src/briefs/find-saved.ts'
import { openRepo } from '../../../../src/git/open-repo.ts'
import { type RepoSnapshot, readHeadView } from '../../../../src/git/snapshot.ts'
import { readInput } from '../../../../src/store/ledger.ts'
import { cli } from '../../../repo/cli.ts'
import { makeRepo } from '../../../repo/make-repo.ts'
import { AGENT, create, headOf, later, made, succeeded, usual } from '../../../repo/usual.ts'

describe('what the user does meanwhile', () => {
  /** A branch whose first commit conflicts with main and whose second is a brief; main never had one. */
  async function rebasing() {
    const repo = usual()
    repo.git(['switch', '-q', '-c', 'work'])
    repo.commit('ours', { 'a.txt': 'ours\n' })
    const first = await made(repo)
    repo.git(['switch', '-q', 'main'])
    repo.commit('theirs', { 'a.txt': 'theirs\n' })
    repo.git(['switch', '-q', 'work'])
    expect(repo.tryGit(['rebase', '-q', 'main']).status).not.toBe(0)
    const parked = await create(repo, ['--from', 'git'], { now: later(10) })
    expect(parked.json).toMatchObject({ parked: expect.stringContaining('refs/handoff/') })
    return { repo, first, parked: parked.json }
  }

  it('a brief made while a rebase is stopped does not keep it from going on to the commits with our files', async () => {
    const { repo, first, parked } = await rebasing()
    repo.write('a.txt', 'both\n')
    repo.git(['add', 'a.txt'])
    repo.git(['-c', 'core.editor=true', 'rebase', '--continue'])
    expect(existsSync(join(repo.root, first.path))).toBe(true)
    succeeded(await cli(repo, ['done', 'shipped', '--json'], { now: later(20) }))
    const listed = repo.git(['ls-tree', '-r', '--name-only', 'work', '.handoff'])
    for (const one of [first.path, parked.path, '.handoff/latest.md', '.handoff/.gitattributes'])
      expect(listed).toContain(one)
    expect(repo.git(['status', '--porcelain', '-uall'])).toBe('')
  })

  it('nor does it keep the rebase from being aborted', async () => {
    const { repo, first } = await rebasing()
    repo.git(['rebase', '--abort'])
    expect(existsSync(join(repo.root, first.path))).toBe(true)
    succeeded(await cli(repo, ['done', 'shipped', '--json'], { now: later(20) }))
    expect(repo.git(['status', '--porcelain', '-uall'])).toBe('')
  })

  it('a first brief made while a rebase is stopped brings the files of .handoff with the next one', async () => {
    const repo = makeRepo()
    repo.git(['switch', '-q', '-c', 'work'])
    repo.commit('ours', { 'a.txt': 'ours\n' })
    repo.git(['switch', '-q', 'main'])
    repo.commit('theirs', { 'a.txt': 'theirs\n' })
    repo.git(['switch', '-q', 'work'])
    repo.tryGit(['rebase', '-q', 'main'])
    const { json } = await create(repo, ['--from', 'git'])
    repo.git(['rebase', '--abort'])
    succeeded(await cli(repo, ['done', 'shipped', '--json'], { now: later(20) }))
    const listed = repo.git(['ls-tree', '-r', '--name-only', 'work', '.handoff'])
    for (const one of [json.path, '.handoff/latest.md', '.handoff/.gitattributes', '.handoff/README.md'])
      expect(listed).toContain(one)
    expect(repo.git(['status', '--porcelain', '-uall'])).toBe('')
  })

  it('a brief is about the commit it began at, though HEAD moves before it is made', async () => {
    const repo = usual()
    repo.git(['switch', '-q', '-c', 'work'])
    repo.commit('ours', { 'a.txt': 'ours\n' })
    const begin = headOf(repo)
    let moved = ''
    // Git is read before the notes are.
    async function* stdin() {
      repo.commit('meanwhile', { 'meanwhile.txt': 'theirs\n' })
      moved = headOf(repo)
      yield '- Active hypothesis: in time'
    }
    const { brief, markdown, commit } = await made(repo, ['--notes', '-'], { ...AGENT, stdin: stdin() })
    expect(brief).toMatchObject({ head: begin, notes: { page: '- Active hypothesis: in time' } })
    expect(markdown).toContain('a.txt')
    expect(markdown).not.toContain('meanwhile.txt')
    // What was committed meanwhile stays, below the brief.
    expect(headOf(repo)).toBe(commit)
    expect(repo.git(['rev-parse', 'HEAD~1'])).toBe(moved)
  })

  it('a brief that a checkout takes away between the listing and the reading is passed over', async () => {
    const repo = usual()
    const { id, path } = await made(repo, ['--no-commit'])
    const opened = await openRepo(repo.root, { env: repo.env })
    const refs = sleep(300).then(() => {
      unlinkSync(join(repo.root, path))
      return []
    })
    const reading = { refs, head: () => readHeadView(opened) } as unknown as RepoSnapshot
    const digest = (await readInput(opened.commonDir, id)) ?? ''
    expect(await findSaved(opened, digest, reading)).toBeNull()
  })
})
