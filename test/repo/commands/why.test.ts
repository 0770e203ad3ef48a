import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { byNight } from '../../sampled.ts'
import { writeClaudeSession } from '../claude-session.ts'
import { cli } from '../cli.ts'
import { cloneOf, makeRepo, prepared, type TempRepo } from '../make-repo.ts'
import { later, SESSION, succeeded } from '../usual.ts'

const DECISION = 'We bound src/queue.ts at 100 entries, because the poller is killed above that.'
const env = { CLAUDECODE: '1', CLAUDE_CODE_SESSION_ID: SESSION }

/** What is quoted for the first commit. */
const linesOf = (reasons: { quotes: { lines: string[] }[] }[]): string[] =>
  reasons[0]?.quotes.flatMap(({ lines }) => lines) ?? []

const why = async (repo: TempRepo, target: string) => succeeded(await cli(repo, ['why', target, '--json']))

async function handOff(repo: TempRepo, goal: string, at = 0): Promise<{ id: string }> {
  const args = ['create', goal, '--json', '--no-notes']
  return succeeded(await cli(repo, args, { env, now: later(at) }))
}

/** A branch with two commits, of which a session tells, and the brief of that session. */
const told = prepared(async () => {
  const repo = makeRepo({ second: { 'src/queue.ts': 'export {}\n', 'src/poller.ts': 'export {}\n' } })
  repo.git(['switch', '-q', '-c', 'bounded'])
  const sha = repo.commit('Bound the retry queue', { 'src/queue.ts': 'export const maxEntries = 100\n' })
  repo.commit('Let the poller rest', { 'src/poller.ts': 'export const restMs = 250\n' })
  writeClaudeSession(repo, [
    { user: 'The retry queue in src/queue.ts grows without an end. Bound it.' },
    { says: DECISION },
    { user: 'Good. Now the docs.' },
    { says: 'I have not begun with the docs.' },
  ])
  return { repo, sha, brief: await handOff(repo, 'document the bounded retry queue') }
})

describe('why', () => {
  it('goes from a line to its commit, to the brief that tells of it, to the words', async () => {
    const { repo, sha, brief } = await told()
    const { reasons, text } = await why(repo, 'src/queue.ts:1')
    expect(reasons).toMatchObject([
      {
        commit: { sha, subject: 'Bound the retry queue' },
        briefs: [{ id: brief.id, by: 'named' }],
        none: null,
      },
    ])
    expect(linesOf(reasons)).toContain(DECISION)
    expect(text).toContain(`src/queue.ts:1: commit ${sha.slice(0, 12)}`)
    expect(text).toContain(`> ${DECISION}`)
    expect(text).not.toContain('poller.ts')
  })

  byNight('quotes the whole turn that made the commit, and no other', async () => {
    const repo = makeRepo({ second: { 'src/queue.ts': 'export {}\n' } })
    repo.git(['switch', '-q', '-c', 'bounded'])
    const id = repo.commit('Let it end', { 'src/queue.ts': 'export const maxEntries = 100\n' }).slice(0, 7)
    writeClaudeSession(repo, [
      { user: 'What does src/queue.ts do?' },
      { says: 'It keeps what the poller could not send, without an end.' },
      { user: 'Bound it at 100, since the poller is killed above that.' },
      { says: `Bounded it at 100 entries, that is \`${id}\`.` },
      { user: 'Now the docs.' },
      { says: 'I have not begun with the docs.' },
    ])
    await handOff(repo, 'document the bounded retry queue')
    const { reasons } = await why(repo, 'src/queue.ts:1')
    expect(reasons[0].quotes).toMatchObject([{ about: 'commit', section: 'How it got here' }])
    expect(linesOf(reasons)).toEqual([
      '"Bound it at 100, since the poller is killed above that."',
      `Bounded it at 100 entries, that is \`${id}\`.`,
    ])
  })

  byNight('follows a rename, and tells of a whole file', async () => {
    const { repo, sha } = await told()
    renameSync(join(repo.root, 'src/queue.ts'), join(repo.root, 'src/bounded.ts'))
    repo.commit('Rename the queue')
    const { reasons, text } = await why(repo, 'src/bounded.ts')
    expect(reasons).toMatchObject([{ commit: { sha, lines: 1 }, none: null }])
    expect(linesOf(reasons).join()).toContain('src/queue.ts')
    expect(text).toContain('These name the file, perhaps for another change:')
  })

  byNight('knows the brief of a branch that was squashed or rebased', async () => {
    for (const way of ['squash', 'rebase']) {
      const { repo, brief } = await told()
      repo.git(['switch', '-q', 'main'])
      repo.commit('Something else', { 'b.txt': 'b\n' })
      if (way === 'squash') {
        repo.git(['merge', '-q', '--squash', 'bounded'])
        repo.git(['commit', '-qm', 'Bounded queue (#4)'])
      } else {
        repo.git(['rebase', '-q', 'main', 'bounded'])
      }
      const { reasons } = await why(repo, 'src/queue.ts:1')
      const by = way === 'squash' ? 'squashed' : 'named'
      expect(reasons[0]).toMatchObject({ briefs: [{ id: brief.id, by }], none: null })
    }
  })

  byNight('knows a commit by its former id in words from before a rebase', async () => {
    const repo = makeRepo()
    repo.git(['switch', '-q', '-c', 'lint'])
    const id = repo.commit('Fix lint', { 'c.txt': 'c\n' }).slice(0, 7)
    const done = `That is \`${id}\`. The linter now reads each folder once, since the server runs out of memory.`
    writeClaudeSession(repo, [{ user: 'Make the linter happy.' }, { says: done }])
    await handOff(repo, 'make the linter run before each commit')
    repo.git(['switch', '-q', 'main'])
    repo.commit('Something else', { 'b.txt': 'b\n' })
    repo.git(['rebase', '-q', 'main', 'lint'])
    const { reasons } = await why(repo, 'c.txt:1')
    expect(reasons[0].quotes[0].about).toBe('commit')
    expect(linesOf(reasons).join()).toContain(id)
  })

  byNight('takes no other commit of the same subject for the one that a brief tells of', async () => {
    for (const way of ['before', 'squash']) {
      const repo = makeRepo()
      if (way === 'before') repo.commit('Fix lint', { 'b.txt': 'b\n' })
      repo.git(['switch', '-q', '-c', 'lint'])
      const sha = repo.commit('Fix lint', { 'c.txt': 'c\n' })
      writeClaudeSession(repo, [{ user: 'Fix the lint of b.txt and c.txt.' }, { says: 'That is done.' }])
      const { id } = await handOff(repo, 'make the linter run before each commit')
      if (way === 'squash') {
        repo.git(['switch', '-q', 'main'])
        repo.commit('Fix lint', { 'b.txt': 'b\n' })
        repo.git(['merge', '-q', '--squash', 'lint'])
        repo.git(['commit', '-qm', 'Linted (#5)'])
      } else
        expect((await why(repo, 'c.txt:1')).reasons).toMatchObject([{ commit: { sha }, briefs: [{ id }] }])
      expect((await why(repo, 'b.txt:1')).reasons, way).toMatchObject([{ briefs: [], quotes: [] }])
    }
  })

  byNight('says so where no brief tells of the commit, or none of its words names the file', async () => {
    const { repo } = await told()
    expect((await why(repo, 'a.txt:1')).reasons[0]).toMatchObject({
      briefs: [],
      quotes: [],
      none: 'No brief tells of this commit.',
    })
    const poller = (await why(repo, 'src/poller.ts:1')).reasons[0]
    expect(poller).toMatchObject({ briefs: [{ by: 'named' }], quotes: [] })
    expect(poller.none).toContain('It names neither the commit nor the file.')
    // The work that came after the brief is told by no brief yet.
    repo.commit('Document it', { 'docs.md': 'The retry queue in src/queue.ts is bounded.\n' })
    expect((await why(repo, 'docs.md:1')).reasons[0].briefs).toEqual([])
  })

  byNight('tells the goal of the brief that a commit names, and of the one before', async () => {
    const { repo, brief } = await told()
    repo.commit(`Document the queue\n\nHandoff-For: ${brief.id}`, { 'docs.md': 'Bounded.\n' })
    const goal = 'document the bounded retry queue'
    expect((await why(repo, 'docs.md:1')).reasons[0].briefs).toMatchObject([
      { id: brief.id, by: 'followed', goal },
    ])
    repo.commit('Say more', { 'more.md': 'More.\n' })
    const next = await handOff(repo, 'publish the documents of the queue', 60)
    expect((await why(repo, 'more.md:1')).reasons[0].briefs).toMatchObject([
      { id: brief.id, by: 'before', goal },
      { id: next.id, by: 'named', goal: null },
    ])
    const [{ none }] = (await why(repo, 'more.md:1')).reasons
    expect(none).toContain(`show ${next.id}`)
  })

  byNight('knows the brief that left the file uncommitted', async () => {
    const { repo } = await told()
    writeFileSync(join(repo.root, 'src/queue.ts'), 'export const maxEntries = 100\nexport const drop = 1\n')
    const next = await handOff(repo, 'commit the bounded retry queue', 60)
    const path = 'src/queue.ts'
    repo.commit('Drop the oldest entry', { [path]: 'export const maxEntries = 100\nexport const drop = 1\n' })
    const { reasons, text } = await why(repo, `${path}:2`)
    expect(reasons[0]).toMatchObject({ briefs: [{ id: next.id, by: 'uncommitted' }], none: null })
    expect(text).toContain(`Brief ${next.id} listed the file as not committed.`)
    expect(reasons[0].quotes).toMatchObject([{ about: 'file' }])
    repo.commit('Drop two', { [path]: 'export const maxEntries = 100\nexport const drop = 2\n' })
    expect((await why(repo, `${path}:2`)).reasons[0]).toMatchObject({ briefs: [] })
  })

  byNight('takes a handoff for what it is, and no demand for a reason', async () => {
    const { repo, brief } = await told()
    const { reasons, text } = await why(repo, '.handoff/latest.md:1')
    expect(reasons[0]).toMatchObject({ briefs: [{ id: brief.id, by: 'handoff' }], quotes: [] })
    expect(text).toContain('is what it committed')
    expect(text).not.toContain('squashed')
    const other = makeRepo({ second: { 'calc.js': 'sub\n', 'calc.test.js': 'test\n' } })
    other.git(['switch', '-q', '-c', 'calc'])
    other.commit('Fix add', { 'calc.js': 'add\n', 'calc.test.js': 'more\n' })
    writeClaudeSession(other, [
      { user: 'Fix the first function of calc.js. Never touch calc.test.js.' },
      { says: 'The first one works.' },
    ])
    await handOff(other, 'make the second function of calc.js work')
    const line = await why(other, 'calc.js:1')
    expect(line.reasons[0].quotes[0]).toMatchObject({ about: 'file' })
    expect(line.text).toContain('These name the file, perhaps for another change:')
    const sections = (await why(other, 'calc.test.js:1')).reasons[0].quotes.map(
      ({ section }: { section: string }) => section,
    )
    expect(sections).not.toContain('Constraints & Preferences')
  })

  byNight('shows nothing of a brief that is not trusted', async () => {
    const { repo, brief } = await told()
    const clone = cloneOf(repo)
    const { reasons, text } = await why(clone, 'src/queue.ts:1')
    expect(reasons[0]).toMatchObject({ briefs: [{ id: brief.id, trusted: false, goal: null }], quotes: [] })
    expect(text).toContain(`git handoff show ${brief.id}`)
    expect(text).toContain('git handoff trust --origin')
    clone.git(['remote', 'remove', 'origin'])
    expect((await why(clone, 'src/queue.ts:1')).text).not.toContain('--origin')
    expect(text).not.toContain('poller is killed')
    succeeded(await cli(clone, ['trust', brief.id, '--json']))
    expect((await why(clone, 'src/queue.ts:1')).text).toContain('poller is killed')
  })

  byNight('says what it needs', async () => {
    const { repo } = await told()
    writeFileSync(join(repo.root, 'new.txt'), 'n\n')
    repo.commit('A picture', { 'p.bin': 'a\0b\n' })
    const message = async (target: string) =>
      (await cli(repo, ['why', target, '--json'])).json.errors[0].message
    expect(await message('new2.txt')).toBe('git does not know new2.txt.')
    expect(await message('../x')).toBe('../x is not a file of this repository.')
    expect(await message('src/queue.ts:9')).toBe('src/queue.ts has 1 line.')
    expect(await message('p.bin:1')).toBe('p.bin is binary: it has no lines.')
    writeFileSync(join(repo.root, 'a.txt'), 'a\nnew\n')
    expect((await why(repo, 'a.txt:2')).text).toBe('a.txt:2 is not committed yet.')
  })
})
