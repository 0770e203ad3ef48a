import { describe, expect, it } from 'vitest'
import { chainOf, handedDown, linkChain, resolveId } from '../../../src/brief/chain.ts'
import { draftBrief } from '../../../src/brief/draft.ts'
import { masked, measured } from '../../../src/brief/measure.ts'
import { parseBrief } from '../../../src/brief/parse.ts'
import { renderBrief } from '../../../src/brief/render.ts'
import { sampleGit, sampleInput, sampleNotes, sampleSlots } from './sample.ts'

const A = '20260101T000000-00000001'
const B = '20260102T000000-00000002'
const C = '20260103T000000-00000003'
const D = '20260104T000000-00000004'

const node = (id: string, ...parents: string[]) => ({ id, parents })

describe('linkChain', () => {
  it('puts children after parents, whatever their ids', () => {
    const chain = linkChain([node(A, C), node(C, B), node(B), node(D, B)])
    expect(chain.order.map(({ id }) => id)).toEqual([B, C, A, D])
    expect(chain).toMatchObject({ missing: [], cycles: [], heads: [A, D] })
  })
  it('names missing parents and goes on', () => {
    expect(linkChain([node(B, A), node(C, B)])).toMatchObject({ missing: [{ id: B, parent: A }], heads: [C] })
  })
  it('names each cycle once and loses no node', () => {
    const chain = linkChain([node(C, A), node(A, B), node(B, C), node(D, C), node('e', 'e')])
    expect(chain.cycles).toEqual([[A, B, C], ['e']])
    expect(chain.order.map(({ id }) => id).sort()).toEqual([A, B, C, D, 'e'])
    expect(chain.heads).toEqual([D])
  })
  it('puts a brief of two parents after both, which then end no line', () => {
    const chain = linkChain([node(D, C, B), node(C, A), node(B, A), node(A)])
    expect(chain.order.map(({ id }) => id)).toEqual([A, B, C, D])
    expect(chain).toMatchObject({ missing: [], cycles: [], heads: [D] })
    expect(linkChain([node(C, B, A), node(B)])).toMatchObject({ missing: [{ id: C, parent: A }], heads: [C] })
  })
  it('finds a circle through a second parent, and one that parts and meets again once', () => {
    expect(linkChain([node(A, C), node(B), node(C, B, A)]).cycles).toEqual([[A, C]])
    expect(linkChain([node(A, B, C), node(B, D), node(C, D), node(D, A)]).cycles).toEqual([[A, B, D]])
  })
  it('does not depend on the order it is given', () => {
    const nodes = [node(A), node(B, A), node(C, A), node(D, 'x')]
    expect(linkChain([...nodes].reverse())).toEqual(linkChain(nodes))
  })
  it('links 10,000 in a row', () => {
    const nodes = Array.from({ length: 10_000 }, (_, i) =>
      node(String(i).padStart(6, '0'), ...(i === 0 ? [] : [String(i - 1).padStart(6, '0')])),
    )
    expect(linkChain(nodes).order).toHaveLength(10_000)
  })
})

describe('chainOf', () => {
  const nodes = [node(A), node(B, A), node(C, B), node(D, A)]
  it('is the line to the oldest', () => expect(chainOf(C, nodes).map(({ id }) => id)).toEqual([A, B, C]))
  it('ends in a cycle and at what is missing', () => {
    expect(chainOf(A, [node(A, B), node(B, A)]).map(({ id }) => id)).toEqual([B, A])
    expect(chainOf(C, [node(C, 'x')])).toHaveLength(1)
    expect(chainOf('x', nodes)).toEqual([])
  })
})

describe('chainOf with several parents', () => {
  it('holds all ancestors once, each before its children', () => {
    const nodes = [node(A), node(B, A), node(C, A), node(D, B, C), node('e', A)]
    expect(chainOf(D, nodes).map(({ id }) => id)).toEqual([A, B, C, D])
    expect(chainOf(D, [node(D, 'x', C), node(C)]).map(({ id }) => id)).toEqual([C, D])
  })
})

describe('resolveId', () => {
  const ids = [A, B, C, '20260103T000000-00000009']
  it.each([
    ['latest', B],
    [A, A],
    ['20260102', B],
    ['20260103T000000-00000003', C],
  ])('%s', (input, id) => expect(resolveId(input, ids, B)).toBe(id))
  it('lists candidates of an ambiguous prefix', () => {
    expect(() => resolveId('20260103', ids, null)).toThrow(
      expect.objectContaining({
        code: 'E_AMBIGUOUS_ID',
        data: { candidates: [C, '20260103T000000-00000009'] },
      }),
    )
  })
  it.each([
    ['latest', 'E_NO_BRIEF'],
    ['20270101', 'E_UNKNOWN_ID'],
    ['', 'E_BAD_ID'],
    ['--all', 'E_BAD_ID'],
    ['../x', 'E_BAD_ID'],
    ['HEAD', 'E_BAD_ID'],
    [`${A}0`, 'E_BAD_ID'],
  ])('%j fails with %s', (input, code) => {
    expect(() => resolveId(input, ids, null)).toThrow(expect.objectContaining({ code }))
  })
})

describe('handedDown', () => {
  it("is the person's demands and everything open, those of the notes included, and nothing else", () => {
    const parsed = parseBrief(renderBrief(draftBrief(sampleInput())))
    const down = handedDown(parsed)
    expect(down.id).toBe(sampleInput().id)
    expect(down.constraints.map((fact) => fact.text)).toEqual(
      sampleInput().evidence.constraints.map((fact) => fact.text),
    )
    expect(down.constraints[0]?.from).toBe('20260713T174502-2ab09c1d')
    expect(down.questions.map((fact) => [fact.kind, fact.source])).toEqual([
      ['failing', 'transcript'],
      ['question', 'transcript'],
      ['blocker', 'agent'],
      ['question', 'agent'],
    ])
  })

  it('tells a question once that notes and an earlier brief ask', () => {
    const parsed = parseBrief(renderBrief(draftBrief(sampleInput())))
    const [asked = ''] = sampleSlots().openQuestions
    const carried = {
      text: asked,
      source: 'agent',
      at: null,
      kind: 'question',
      from: parsed.meta.id,
    } as const
    const brief = { ...parsed.brief, questions: [...parsed.brief.questions, carried] }
    const { questions } = handedDown({ ...parsed, brief })
    expect(asked).not.toBe('')
    expect(questions.filter(({ text }) => text === asked)).toEqual([carried])
  })
})

describe('the question that the last message ends with', () => {
  const asked = (...lines: string[]): string[] => {
    const parsed = parseBrief(renderBrief(draftBrief(sampleInput())))
    const brief = { ...parsed.brief, notes: null, questions: [], closing: lines.map((line) => `> ${line}`) }
    return handedDown({ ...parsed, brief }).questions.map(({ text }) => text)
  }

  it.each([
    ['names a file', 'I began. Should the cache stay in calc.js?', 'Should the cache stay in calc.js?'],
    ['is short', '**Tabs or spaces?**', 'Tabs or spaces?'],
    [
      'is of another language',
      '코드를 고쳤습니다. 커밋하시겠습니까?',
      '코드를 고쳤습니다. 커밋하시겠습니까?',
    ],
  ])('goes on where it %s', (_, line, question) => {
    expect(asked(line)).toEqual([question])
  })

  it('takes with it what it needs to be understood', () => {
    const before = 'The queue could be bounded as well.'
    expect(asked('It is done.', before, '', 'Want me to do that?')).toEqual([`${before} Want me to do that?`])
    expect(asked('Two ways:', '- Redis', '- a file', 'Which one?')).toEqual([
      'Two ways: Redis a file Which one?',
    ])
  })

  it('is none where it is a courtesy, or says nothing', () => {
    expect(asked('It is done. Is there anything else I can help with?')).toEqual([])
    expect(asked('What now?')).toEqual([])
    expect(asked('Is it done? It is.')).toEqual([])
  })
})

const sameInput = (a: string, b: string): boolean => masked(a) === masked(b)

describe('masked', () => {
  const first = sampleInput()
  const render = (change: object = {}) => renderBrief(draftBrief({ ...first, ...change }))
  /** The same work once more, after the first brief was committed. */
  const again = {
    id: '20260714T092000-00011111',
    createdAt: '2026-07-14T09:20:00.000Z',
    parent: {
      id: first.id,
      createdAt: first.createdAt,
      goal: first.goal,
      skills: first.evidence.skills,
      persona: null,
    },
    git: { ...sampleGit(), head: 'f'.repeat(40), ahead: 3 },
  }

  it('is true when only the brief itself came between', () => {
    expect(sameInput(render(), render(again))).toBe(true)
    expect(sameInput(render({ parent: null }), render(again))).toBe(true)
    const level = { ...sampleGit(), ahead: 0 }
    expect(sameInput(render({ git: level }), render({ ...again, git: { ...again.git, ahead: 1 } }))).toBe(
      true,
    )
    const behind = { ...sampleGit(), ahead: 0, behind: 3 }
    expect(sameInput(render({ git: behind }), render({ ...again, git: { ...again.git, behind: 3 } }))).toBe(
      true,
    )
    expect(sameInput(render({ notesAge: '3 h' }), render({ notesAge: '4 h' }))).toBe(true)
  })

  it('is true with one parent and with two, and takes no line of a goal for the tokens', () => {
    const { meta, ...rest } = draftBrief(first)
    const linked = (parents: string[]) => renderBrief({ ...rest, meta: { ...meta, parents } })
    expect(sameInput(linked([A]), linked([A, B]))).toBe(true)
    expect(sameInput(linked([]), linked([A, B]))).toBe(true)
    const goal = (tokens: number) => render({ goal: `${first.goal}\ntokens: ${tokens}` })
    expect(sameInput(goal(1), goal(2))).toBe(false)
    expect(sameInput(goal(1).replace(/^ {2}tokens: 0$/m, '  tokens: 7'), goal(1))).toBe(true)
  })

  it('takes one figure out of what is measured, in either form', () => {
    const text = render({ goal: `${first.goal}\ntokens: 1` }).replace('\n  tokens: 0\n', '\n  tokens: 1234\n')
    expect(measured(text)).toBe(text.replace('tokens: 1234', 'tokens: 0'))
    expect(measured('---\nid: x\ntokens: 12\n---\n\ntokens: 3\n')).toBe(
      '---\nid: x\ntokens: 0\n---\n\ntokens: 3\n',
    )
  })

  it('is true on a branch that had no commit of its own: its base was its head', () => {
    const { head } = sampleGit()
    const base = { ref: 'main', sha: head ?? '' }
    expect(
      sameInput(render({ git: { ...sampleGit(), base } }), render({ ...again, git: { ...again.git, base } })),
    ).toBe(true)
  })

  it.each([
    ['the goal', { goal: `${first.goal}!` }],
    ['the reason', { reason: 'manual' }],
    ['notes', { notes: { ...sampleNotes(), page: 'another' } }],
    ['the branch', { git: { ...again.git, branch: 'other' } }],
    ['a change', { git: { ...again.git, changes: sampleGit().changes.slice(1) } }],
    ['a commit', { git: { ...again.git, commits: sampleGit().commits.slice(1) } }],
    ['commits of others', { git: { ...again.git, behind: 1 } }],
    ['an item', { evidence: { ...first.evidence, constraints: [] } }],
  ])('is false when %s differs', (_, change) => {
    expect(sameInput(render(), render({ ...again, ...change }))).toBe(false)
  })
})
