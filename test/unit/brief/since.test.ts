import { describe, expect, it } from 'vitest'
import { draftBrief } from '../../../src/brief/draft.ts'
import { parseBrief } from '../../../src/brief/parse.ts'
import { renderBrief } from '../../../src/brief/render.ts'
import { sameInput } from '../../../src/brief/same-input.ts'
import type { KnownBefore } from '../../../src/brief/since.ts'
import type { CommandFact, GitState } from '../../../src/types.ts'
import { sampleInput } from './sample.ts'

const nothing: KnownBefore = { head: null, files: [], commands: [], decisions: [], open: [] }
const command = (text: string, more: Partial<CommandFact> = {}): CommandFact => ({
  command: text,
  outcome: 'ok',
  exitCode: 0,
  cwd: null,
  kind: 'test',
  runs: 1,
  source: 'transcript',
  at: null,
  ...more,
})
const commit = (sha: string) => ({ sha, subject: 'x', at: '2026-01-02T03:00:00Z', trailers: [], files: [] })

function since(known: KnownBefore | undefined, git: Partial<GitState> = {}) {
  const input = sampleInput()
  if (input.parent === null || input.git === null) throw new Error('the sample has both')
  return draftBrief({
    ...input,
    git: { ...input.git, commits: [], commitCount: 0, base: null, ...git },
    parent: { ...input.parent, ...(known === undefined ? {} : { known }) },
    notes: null,
    evidence: {
      ...input.evidence,
      files: ['a', 'b', 'c', 'd', 'e'].map((name) => ({
        path: `src/${name}.ts`,
        reason: '',
        evidence: ['read'],
        source: 'transcript',
      })),
      commands: [command('npm test'), command('git add', { habit: true }), command('one\ntwo')],
      decisions: ['one', 'two'].map((what) => ({
        what,
        why: null,
        alternatives: [],
        by: 'user',
        source: 'user',
        at: null,
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

  it('is read back, and does not make two briefs of the same input differ', () => {
    const brief = since(nothing)
    const markdown = renderBrief(brief)
    expect(parseBrief(markdown).brief.previous).toEqual(brief.previous)
    expect(sameInput(markdown, renderBrief(since(undefined)))).toBe(true)
  })
})
