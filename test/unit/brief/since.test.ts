import { describe, expect, it } from 'vitest'
import { draftBrief } from '../../../src/brief/draft.ts'
import { parseBrief } from '../../../src/brief/parse.ts'
import { renderBrief } from '../../../src/brief/render.ts'
import { sameInput } from '../../../src/brief/same-input.ts'
import type { KnownBefore } from '../../../src/brief/since.ts'
import type { CommandFact, GitChange, GitState } from '../../../src/types.ts'
import { sampleInput } from './sample.ts'

const nothing: KnownBefore = { head: null, dirty: false, files: [], commands: [], decisions: [], open: [] }
/** The brief before was made on the 13th. */
const [EARLIER, LATER] = ['2026-07-13T17:00:00Z', '2026-07-14T09:00:00Z']
const NAMES = ['a', 'b', 'c', 'd', 'e'].map((name) => `src/${name}.ts`)
const changed = (path: string): GitChange => ({ path, staged: false, unstaged: true, state: 'modified' })
const command = (text: string, more: Partial<CommandFact> = {}): CommandFact => ({
  command: text,
  outcome: 'ok',
  exitCode: 0,
  cwd: null,
  kind: 'test',
  runs: 1,
  source: 'transcript',
  at: LATER,
  ...more,
})
const commit = (sha: string, files: string[] = []) => ({
  sha,
  subject: 'x',
  at: '2026-01-02T03:00:00Z',
  trailers: [],
  files,
})

function since(known: KnownBefore | undefined, git: Partial<GitState> = {}, openQuestions = 6) {
  const input = sampleInput()
  if (input.parent === null || input.git === null) throw new Error('the sample has both')
  return draftBrief({
    ...input,
    git: { ...input.git, changes: NAMES.map(changed), commits: [], commitCount: 0, base: null, ...git },
    parent: { ...input.parent, ...(known === undefined ? {} : { known }) },
    notes: null,
    config: { ...input.config, limits: { ...input.config.limits, openQuestions } },
    evidence: {
      ...input.evidence,
      files: NAMES.map((path) => ({
        path,
        reason: '',
        evidence: ['read'],
        source: 'transcript',
      })),
      commands: [command('npm test'), command('one\ntwo'), command('make', { at: EARLIER })],
      decisions: ['one', 'two', 'three'].map((what) => ({
        what,
        why: null,
        alternatives: [],
        by: 'user',
        source: 'user',
        at: what === 'three' ? EARLIER : LATER,
      })),
      questions: [{ text: 'Which port?', kind: 'question', source: 'agent', at: null }],
    },
  })
}

describe('what is new since the brief before', () => {
  it('names files and commands, three of each, and counts the rest', () => {
    expect(since(nothing).previous?.since).toBe(
      'new files `src/a.ts`, `src/b.ts`, `src/c.ts` and 2 more; new command `npm test`; 2 new decisions',
    )
  })

  it('leaves out what that brief had', () => {
    const files = ['a', 'b', 'c', 'd'].map((name) => `src/${name}.ts`)
    const known = { ...nothing, files, commands: ['npm test'], decisions: ['one'] }
    expect(since(known).previous?.since).toBe('new file `src/e.ts`; 1 new decision')
    const all = { ...known, files: [...files, 'src/e.ts'], decisions: ['one', 'two'] }
    expect(since(all).previous).not.toHaveProperty('since')
    expect(since(undefined).previous).not.toHaveProperty('since')
  })

  it('takes for new only what is shown to have happened since', () => {
    const known = { ...nothing, head: 'a'.repeat(40), files: ['src/a.ts'], commands: ['npm test'] }
    const decisions = ['one', 'two']
    const commits = [
      commit('b'.repeat(40), ['src/a.ts', 'src/b.ts', 'src/z.ts']),
      commit('a'.repeat(40), ['src/c.ts']),
    ]
    expect(since({ ...known, decisions }, { changes: [], commits }).previous?.since).toBe(
      '1 commit; new file `src/b.ts`',
    )
    // What was dirty then may have been left out of its list.
    expect(since({ ...known, decisions, dirty: true }, { commits }).previous?.since).toBe(
      '1 commit; new file `src/b.ts`',
    )
  })

  it('holds a question that is only cut for open', () => {
    const open = { ...nothing, open: ['Which port?'], files: NAMES, commands: ['npm test'] }
    expect(since({ ...open, decisions: ['one', 'two'] }, {}, 0).previous).not.toHaveProperty('since')
  })

  it('counts commits from where that brief was made, and questions that are no longer open', () => {
    const [a, b, c] = ['a', 'b', 'c'].map((digit) => digit.repeat(40)) as [string, string, string]
    const head = (sha: string, git: Partial<GitState>) =>
      since({ ...nothing, head: sha, open: ['Which port?', 'Which store?'] }, git).previous?.since
    expect(head(a, { commits: [commit(c), commit(b), commit(a)] })).toMatch(
      /^2 commits; .*; 1 question no longer open$/,
    )
    expect(head(a, { commits: [commit(b)], commitCount: 70, base: { ref: 'main', sha: a } })).toMatch(
      /^70 commits; /,
    )
    expect(head(a, { commits: [commit(b)] })).toMatch(/^new files /)
  })

  it('counts them as well where that commit lies before base, or is a handoff itself', () => {
    const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((digit) => digit.repeat(40)) as [
      string,
      string,
      string,
      string,
    ]
    const line = (sha: string, parents: string[], files: string[] = []) => ({ sha, parents, files })
    const lineage = [
      line(d, [c, b], ['src/d.ts']),
      { ...line(c, [b]), own: true as const },
      line(b, [a], ['src/b.ts']),
      line(a, ['0'.repeat(40)]),
    ]
    const git = {
      head: d,
      base: { ref: 'main', sha: b },
      commits: [commit(d, ['src/d.ts'])],
      commitCount: 1,
      changes: [],
      lineage,
    }
    const head = (sha: string, more: Partial<GitState> = {}) =>
      since({ ...nothing, head: sha, commands: ['npm test'], decisions: ['one', 'two'] }, { ...git, ...more })
        .previous?.since
    expect(head(a)).toBe('2 commits; new files `src/b.ts`, `src/d.ts`')
    expect(head(b)).toBe('1 commit; new file `src/d.ts`')
    expect(head(c)).toBe('1 commit; new file `src/d.ts`')
    expect(head(d)).toBeUndefined()
    // One that was rewritten since, or lies before all that was read, tells nothing.
    expect(head('f'.repeat(40))).toBeUndefined()
    expect(head(a, { base: null, commits: [], commitCount: 0 })).toBe(
      '2 commits; new files `src/b.ts`, `src/d.ts`',
    )
  })

  it('is read back, and does not make two briefs of the same input differ', () => {
    const brief = since(nothing)
    const markdown = renderBrief(brief)
    expect(parseBrief(markdown).brief.previous).toEqual(brief.previous)
    expect(sameInput(markdown, renderBrief(since(undefined)))).toBe(true)
  })
})
