import { describe, expect, it } from 'vitest'
import { draftBrief } from '../../../src/brief/draft.ts'
import { parseBrief } from '../../../src/brief/parse.ts'
import { renderBrief } from '../../../src/brief/render.ts'
import type { FileTruth } from '../../../src/types/checks.ts'
import { driftLine, judgeTruth, type Truth, verdictLine } from '../../../src/verify/truth.ts'
import { type TruthFacts, truthCodes } from '../../../src/verify/truth-items.ts'
import { emptyEvidence, sampleInput } from '../brief/sample.ts'

const BARE = parseBrief(
  renderBrief(
    draftBrief({
      ...sampleInput(),
      evidence: emptyEvidence(),
      git: null,
      notes: null,
      parent: null,
    }),
  ),
)

const facts = (change: Partial<TruthFacts> = {}): TruthFacts => ({
  path: '.handoff/briefs/x.md',
  head: 'here',
  standIn: null,
  shallow: false,
  now: 'f'.repeat(40),
  branch: 'main',
  hasBranch: true,
  commits: { listed: [], count: 0, own: 0 },
  lacking: { listed: [], count: 0, ref: null },
  most: 1000,
  files: [],
  merge: { base: null, conflicts: [], why: null },
  edited: null,
  isCommitted: true,
  markers: [],
  ...change,
})
const commit = (subject: string, at = 0) => ({ sha: at.toString(16).padStart(40, 'a'), subject })
/** The verdict, then every item. */
const linesOf = (truth: Truth): string[] => [verdictLine(truth), ...truth.items.map(({ message }) => message)]
const told = (change: Partial<TruthFacts>): string[] => linesOf(judgeTruth(facts(change), BARE))

describe('is it still true', () => {
  it('yes, when nothing contradicts it', () => {
    const truth = judgeTruth(facts(), BARE)
    expect([truth.stillTrue, linesOf(truth)]).toEqual([true, ['No contradictions found.']])
  })

  it('notes leave it true, findings do not and come first', () => {
    const truth = judgeTruth(
      facts({
        commits: { listed: [commit('one')], count: 1, own: 2 },
        files: [
          { path: 'a.ts', state: 'changed' },
          { path: 'b.ts', state: 'gone' },
        ],
      }),
      BARE,
    )
    expect(truth.stillTrue).toBe(false)
    expect(truth.items.map(({ code, level }) => `${level} ${code}`)).toEqual([
      'finding file-gone',
      'note file-changed',
      'note commits-since',
      'note own-commits',
    ])
    for (const { code, level } of truth.items) expect(truthCodes[code]).toBe(level)
  })

  it('a change that nobody committed and that is not here is a finding', () => {
    const was = { text: '2 modified: `src/a.ts`, `src/b.ts`', source: 'git', at: null } as const
    const brief = { ...BARE.brief, progress: { ...BARE.brief.progress, inProgress: [was] } }
    const judged = (...files: FileTruth[]) => linesOf(judgeTruth(facts({ files }), { ...BARE, brief }))
    expect(judged({ path: 'src/a.ts', state: 'same' })).toEqual([
      '1 contradiction found.',
      'The change of `src/a.ts` was not committed then, and it is not here.',
    ])
    expect(judged({ path: 'src/c.ts', state: 'same' })[0]).toBe('No contradictions found.')
    expect(judged({ path: 'src/b.ts', state: 'changed' })[0]).toBe('No contradictions found.')
    expect(judged({ path: 'src/b.ts', state: 'same', work: 'modified' })[0]).toBe('No contradictions found.')
  })

  it('many commits are counted and some are named', () => {
    const listed = Array.from({ length: 12 }, (_, at) => commit(`commit ${at}`, at))
    expect(told({ commits: { listed, count: 12, own: 0 } })[1]).toMatch(
      /^12 commits since: .*commit 4; and 7 more\.$/,
    )
    expect(told({ commits: { listed, count: 1000, own: 0 } })[1]).toMatch(
      /^1000 commits or more since: .*and 995 more\.$/,
    )
  })

  it('earlier commits: rebased, squashed and gone are three things', () => {
    const listed = [
      { ...commit('r', 1), fate: 'rebased' as const },
      { ...commit('c', 2), fate: 'contained' as const },
      { ...commit('g', 3), fate: 'gone' as const },
    ]
    expect(told({ lacking: { listed, count: 3, ref: null } })).toEqual([
      '1 contradiction found.',
      '1 earlier commit is gone from this history with all changes: aaaaaaaa g.',
      '1 earlier commit is here in rewritten form (rebased): aaaaaaaa r.',
      '1 earlier commit is gone from this history, but the changed files are here as they were then: aaaaaaaa c.',
    ])
    expect(told({ lacking: { listed, count: 3, ref: 'work' } }).slice(0, 2)).toEqual([
      'No contradictions found.',
      '1 earlier commit is not in this checkout but on `work`: aaaaaaaa g.',
    ])
  })

  it('an unknown head is a finding, whatever stands in for it', () => {
    expect(told({ head: 'unknown' })[1]).toBe(
      'The commit it was made at is not in this clone, so what changed since is not known; verify every fact.',
    )
    expect(told({ head: 'unknown', standIn: 'b'.repeat(40) })[1]).toContain(
      'changes are counted from bbbbbbbbbbbb, ',
    )
  })

  it('hostile subjects and paths stay on their line and make no markup', () => {
    const evil = 'x\n# y <script> ![a](b) \u001b[31m\u202e'
    const lines = told({
      commits: { listed: [commit(evil)], count: 1, own: 0 },
      lacking: { listed: [{ ...commit(evil), fate: 'gone' }], count: 1, ref: null },
      files: [{ path: evil, state: 'renamed', to: evil }],
      merge: { base: evil, conflicts: [evil], why: null },
    })
    expect(lines).toHaveLength(5)
    for (const line of lines) {
      for (const raw of ['\n', '\u001b', '\u202e']) expect(line).not.toContain(raw)
      expect(line.replace(/`+[^`]*`+/g, '')).not.toMatch(/(?<!\\)<script|(?<!\\)!\[a\]\(b/)
    }
  })
})

describe('the line of drift', () => {
  const drift = (change: Partial<TruthFacts>) => driftLine(facts(change))
  const file = (path: string, state: FileTruth['state']) => ({ path, state })

  it('keeps its shape', () => {
    expect(driftLine(null)).toMatch(/^The commit it was made at is not in this clone/)
    expect(drift({ files: [file('a', 'same')] })).toBe('Nothing was committed since.')
    const listed = [
      { ...commit('gone', 1), fate: 'gone' as const },
      { ...commit('squashed', 2), fate: 'contained' as const },
      { ...commit('rebased', 3), fate: 'rebased' as const },
    ]
    expect(
      drift({
        commits: { listed: [], count: 1, own: 3 },
        lacking: { listed, count: 3, ref: null },
        files: [file('a', 'changed'), file('b', 'same')],
      }),
    ).toBe('Since then: 1 commit, 2 earlier commits missing here, 1 of the files it names changed.')
  })

  it('a renamed file is not gone, and one that is only deleted in the work tree was not committed', () => {
    expect(
      drift({
        commits: { listed: [], count: 3, own: 0 },
        files: [
          file('b', 'gone'),
          { ...file('c', 'renamed'), to: 'd' },
          { ...file('e', 'gone'), work: 'deleted' },
        ],
      }),
    ).toBe('Since then: 3 commits, 1 of the files it names renamed, 1 of the files it names gone.')
  })
})
