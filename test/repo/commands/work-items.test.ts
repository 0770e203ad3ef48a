import { mkdirSync, renameSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { byNight } from '../../sampled.ts'
import { cli } from '../cli.ts'
import type { TempRepo } from '../make-repo.ts'
import { itemsOf, later, made, printed, sectionOf, succeeded, usual } from '../usual.ts'

const RECORD = `# 2. Keep the queue in PostgreSQL

## Status

Accepted

## Context

Jobs were lost when the process ended.

## Considered Options

- Redis
- A file

## Decision

We keep jobs in a table because everyone runs PostgreSQL already.
`
const TODO = '- [x] port the queue\n- [ ] limit the retry queue (blocked by: T-10)\n- [ ] new logo\n'

function planned(): TempRepo {
  const repo = usual()
  repo.commit('plans', {
    '.handoff/config.yaml': 'sources: [docs/adr/**/*.md, docs/decisions/**/*.md, TODO.md]\n',
    'docs/adr/0002-queue.md': RECORD,
    'docs/adr/0003-tabs.md': '# 3. Use tabs\n\n## Status\n\nAccepted\n\n## Decision\n\nTabs.\n',
    'TODO.md': TODO,
  })
  repo.git(['switch', '-q', '-c', 'work'])
  return repo
}

describe('work items', () => {
  it('decision records and plan files reach the brief where they matter, and nothing else of them', async () => {
    const { markdown, brief } = await printed(planned())
    expect(itemsOf(markdown, 'Key Decisions')).toContain(
      '- Keep the queue in PostgreSQL (docs/adr/0002-queue.md) — why: everyone runs PostgreSQL already — instead of: Redis — or: A file [by project, git]',
    )
    expect(markdown).not.toContain('Use tabs')
    expect(itemsOf(markdown, 'Progress')).toEqual(
      expect.arrayContaining([
        '- `TODO.md`: 1 of 3 items done',
        '- limit the retry queue (blocked by: T-10), in `TODO.md` [git]',
      ]),
    )
    expect(markdown).not.toContain('new logo')
    expect(brief.decisions.some(({ by }: { by: string }) => by === 'project')).toBe(true)
  })

  byNight('the brief with them is written, valid and read back', async () => {
    const repo = planned()
    const { path } = await made(repo)
    expect(succeeded(await cli(repo, ['check', path, '--json'])).ok).toBe(true)
    const next = await made(repo, [], { now: later(5) })
    expect(
      itemsOf(next.markdown, 'Key Decisions').filter((line) => line.includes('0002-queue')),
    ).toHaveLength(1)
  })

  byNight('`sources` says where they stand; none is read when it is empty, as by default', async () => {
    const repo = planned()
    const config = repo.read('.handoff/config.yaml')
    for (const text of ['', 'sources: []\n']) {
      repo.write('.handoff/config.yaml', text)
      expect((await printed(repo)).markdown).not.toMatch(/by project|items done|0002-queue/)
    }
    repo.write('.handoff/config.yaml', config)
    repo.commit('elsewhere', { 'notes/plan/a.md': '- [ ] retry the retry queue\n' })
    const wide = await printed(repo, [], { env: { HANDOFF_SOURCES: 'notes/**/*.md' } })
    expect(wide.markdown).toContain('retry the retry queue, in `notes/plan/a.md`')
    expect(wide.markdown).not.toContain('0002-queue')
    for (const sources of ['../**', '/etc/**', 'nothing/**', 'TODO.txt']) {
      const { markdown } = await printed(repo, [], { env: { HANDOFF_SOURCES: sources } })
      expect(markdown).not.toMatch(/by project|items done/)
    }
  })

  it('links are not followed, large and ignored files not read; the limitation says so', async () => {
    const repo = planned()
    repo.write('.gitignore', 'docs/decisions/hidden.md\n')
    mkdirSync(join(repo.root, 'docs/decisions'))
    symlinkSync('/etc/hostname', join(repo.root, 'docs/decisions/link.md'))
    repo.write('docs/decisions/large.md', `# Queue ${'x'.repeat(300_000)}\n\n## Decision\n`)
    repo.write('docs/decisions/hidden.md', RECORD.replace('PostgreSQL', 'Oracle'))
    repo.git(['add', '-A'])
    const { markdown } = await printed(repo)
    expect(markdown).not.toMatch(/Oracle|xxxxx/)
    expect(sectionOf(markdown, 'Relevant Files')).toContain(
      '2 files of the decision and plan records were not read (a link, too large, or too many).',
    )
  })

  it('records whose folder is gone or a link are not read; a link is said', async () => {
    const repo = planned()
    renameSync(join(repo.root, 'docs'), join(repo.base, 'moved'))
    const gone = (await printed(repo)).markdown
    expect(gone).not.toMatch(/by project|were? not read/)
    symlinkSync(join(repo.base, 'moved'), join(repo.root, 'docs'))
    const linked = (await printed(repo)).markdown
    expect(linked).not.toContain('by project')
    expect(linked).toContain('2 files of the decision and plan records were not read')
  })

  it('secrets in them never reach the brief', async () => {
    const repo = planned()
    const token = `ghp_${Array.from({ length: 36 }, (_, i) => 'aZ3kQ9xB7'[(i * 5) % 9]).join('')}`
    repo.write('TODO.md', `- [ ] rotate the queue token ${token}\n`)
    const { markdown } = await printed(repo, ['--redact'])
    expect(markdown).toContain('rotate the queue token')
    expect(markdown).not.toContain(token)
  })

  it('tickets group commits and files; T-1 is not T-10; work without a ticket is said', async () => {
    const repo = planned()
    repo.commit('T-1: begin', { 'src/one.ts': '1\n' })
    repo.commit('T-10: another', { 'src/ten.ts': '10\n' })
    repo.commit('begin the limits\n\nRefs: T-1', { 'src/two.ts': '2\n' })
    repo.commit('clean up', { 'src/three.ts': '3\n' })
    const { markdown } = await printed(repo)
    const lines = itemsOf(markdown, 'Progress').filter((line) => line.startsWith('- Ticket '))
    expect(lines).toHaveLength(2)
    expect(lines.find((line) => line.includes('Ticket T-1:'))).toMatch(/: 2 commits, 2 files$/)
    expect(lines.find((line) => line.includes('Ticket T-10:'))).toMatch(/: 1 commit, 1 file$/)
    expect(sectionOf(markdown, 'Relevant Files')).toContain('1 of 4 commits belongs to no ticket.')
    repo.git(['branch', '-m', 'fix/T-7-limits'])
    const named = (await printed(repo)).markdown
    expect(named).toMatch(/- Ticket T-7 \(of this branch\): 1 commit, 1 file$/m)
    expect(named).not.toContain('no ticket')
  })
})
