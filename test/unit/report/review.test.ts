import { fromMarkdown } from 'mdast-util-from-markdown'
import { describe, expect, it } from 'vitest'
import { draftBrief } from '../../../src/brief/draft.ts'
import { type ParsedBrief, parseBrief } from '../../../src/brief/parse.ts'
import { renderBrief, renderClosing } from '../../../src/brief/render.ts'
import {
  REVIEW_MARKER,
  type ReviewedBrief,
  type ReviewInput,
  renderNoReview,
  renderReview,
} from '../../../src/report/review.ts'
import { drawFlowchart } from '../../../src/report/review-chain.ts'
import type { Brief } from '../../../src/types.ts'
import { sampleInput } from '../brief/sample.ts'

type Nodes = ReturnType<typeof fromMarkdown> | ReturnType<typeof fromMarkdown>['children'][number]

const idOf = (n: number): string => `20261122T1000${String(n).padStart(2, '0')}-000abc00`

/** The sample as the n-th brief of a chain. */
function brief(n: number, change: (brief: Brief) => void = () => undefined): ParsedBrief {
  const made = draftBrief(sampleInput())
  made.meta.id = idOf(n)
  made.meta.parent = n === 0 ? null : idOf(n - 1)
  change(made)
  return parseBrief(renderBrief(made))
}

const told = (parsed: ParsedBrief, more: Partial<ReviewedBrief> = {}): ReviewedBrief => ({
  parsed,
  path: `.handoff/briefs/${parsed.meta.id}-x.md`,
  before: null,
  state: 'new',
  ...more,
})

const review = (briefs: ReviewedBrief[], more: Partial<ReviewInput> = {}): string =>
  renderReview({
    briefs,
    total: briefs.length,
    base: 'main',
    branch: 'feature/x',
    removed: 0,
    unreadable: [],
    truth: ['Nothing that was checked contradicts it.'],
    ...more,
  })

const nodes = (markdown: string): Nodes[] => {
  const all: Nodes[] = []
  const walk = (node: Nodes): void => {
    all.push(node)
    if ('children' in node) for (const child of node.children) walk(child)
  }
  walk(fromMarkdown(markdown))
  return all
}

/** Everything that has a meaning of its own in markdown or to a host. */
const EVIL =
  '<!-- x --> --> ``` ~~~ @octocat @org/team Closes #12 GH-1 https://evil.example ![i](https://evil.example/x.png) [l](https://evil.example) <img src=x> </details> **b** `c` &#64;octocat | # h\n# heading\n\n```mermaid\nclick b1 "https://evil.example"\n```\n/close\n::error::x'

const evil = (n: number): ParsedBrief =>
  brief(n, (one) => {
    one.meta.goal = EVIL
    one.meta.agent = { ...one.meta.agent, label: EVIL, model: EVIL }
    one.meta.reason = EVIL
    one.meta.branch = 'evil`branch@x'
    one.decisions = [{ what: EVIL, why: EVIL, alternatives: [EVIL], by: 'agent', source: 'agent', at: null }]
    one.questions = [{ text: EVIL, kind: 'question', source: 'agent', at: null }]
    one.constraints = [{ text: EVIL, source: 'user', at: null }]
    one.progress.pending = [{ text: EVIL, source: 'agent', at: null }]
    one.nextSteps = [{ text: EVIL, source: 'agent', at: null }]
  })

describe('the comment', () => {
  it('tells goal, state, who, what was decided, is open and was demanded, the changes and the chain', () => {
    const [first, second] = [
      brief(0),
      brief(1, (one) => {
        one.meta.goal = 'ship the retry scheduler'
      }),
    ]
    const text = review([told(first), told(second, { before: first })])
    expect(text.split('\n', 2)).toEqual([REVIEW_MARKER, '### Handed over: ship the retry scheduler'])
    const headings = [...text.matchAll(/^#### (.*)$/gm)].map(([, heading]) => heading)
    expect(headings).toEqual([
      'Decided',
      'Open',
      'Constraints',
      'From handoff to handoff',
      'Still true?',
      'Chain',
    ])
    expect(text).toContain(`**Open**. Written by ${second.meta.agent.label}`)
    expect(text).toContain('2 handoffs since `main`')
    expect(text).toMatch(/^- Goal changed: .* → ship the retry scheduler$/m)
    expect(text).toContain('b1 --> b2')
    expect(text).not.toMatch(/\n{3}/)
    expect(review([told(first), told(second, { before: first })])).toBe(text)
  })

  it('tells a closed chain by its outcome, with what the last handoff decided, and nothing open', () => {
    const first = brief(0)
    const closing = parseBrief(
      renderClosing({ ...first.meta, id: idOf(1), parent: idOf(0) }, 'shipped, see the manual'),
    )
    const text = review([told(first), told(closing, { before: first })], { truth: null })
    expect(text).toContain('**Closed**: shipped, see the manual.')
    expect(text).toContain('#### Decided')
    expect(text).not.toMatch(/#### (?:Open|Still true)/)
    expect(text).toContain('b2(["')
    // The record alone, when what it closes was merged before.
    expect(review([told(closing, { before: first })], { truth: null })).toContain('#### Decided')
  })

  it('tells what was edited, taken out, left unread, kept elsewhere and cannot be read', () => {
    const text = review([told(brief(1), { state: 'edited', apart: 'handoff/feature/x' })], {
      removed: 3,
      unreadable: ['.handoff/briefs/a\nb.md', ...Array.from({ length: 9 }, (_, n) => `${n}.md`)],
      total: 4,
    })
    expect(text).toContain(`\`${idOf(1)}\` was changed after it was committed.`)
    expect(text).toContain('3 briefs taken out of the tree')
    expect(text).toContain('5 more files are no readable briefs.')
    expect(text).toContain('on `handoff/feature/x`')
    expect(text).toContain(`It goes on from \`${idOf(0)}\`, which cannot be read here.`)
    expect(text).toContain('The 3 older handoffs not told here stand in the files.')
    expect(renderNoReview('main', ['x.md'])).toBe(
      `${REVIEW_MARKER}\nNo handoff since \`main\`.\\\n\`x.md\` is no readable brief.\n`,
    )
  })

  it('no text of a brief is anything but words in it', () => {
    const [first, second] = [evil(0), evil(1)]
    const text = review([told(first), told(second, { before: first, path: '.handoff/briefs/`@x`#1.md' })], {
      base: 'a`b@c#1',
      branch: EVIL,
    })
    const found = nodes(text)
    const types = new Set(found.map(({ type }) => type))
    for (const type of [
      'link',
      'image',
      'definition',
      'linkReference',
      'imageReference',
      'blockquote',
    ] as const)
      expect(types).not.toContain(type)
    expect(found.filter(({ type }) => type === 'html').map((node) => 'value' in node && node.value)).toEqual([
      REVIEW_MARKER,
    ])
    expect(found.flatMap((node) => (node.type === 'heading' ? [node.depth] : []))).toEqual([
      3, 4, 4, 4, 4, 4, 4,
    ])
    const code = found.flatMap((node) => (node.type === 'code' ? [node] : []))
    expect(code.map(({ lang }) => lang)).toEqual(['mermaid'])
    const words = found.flatMap((node) => (node.type === 'text' ? [node.value] : [])).join('\0')
    expect(words).toContain('octocat')
    expect(words).not.toMatch(/@[\w"]|#\d|:\/\/|GH-\d/)
    // No quick action of GitLab, no command in a log.
    expect(text).not.toMatch(/^\s*(?:\/[a-z]|::)|##\[/m)
  })

  it('stays under what a comment holds, and says what it left out', () => {
    const long = (n: number): string => `${n} ${'word & @name $x '.repeat(16)}`
    const huge = (at: number) =>
      brief(at, (one) => {
        one.decisions = Array.from({ length: 36 }, (_, n) => ({
          what: long(n),
          why: long(n + at),
          alternatives: [long(n)],
          by: 'agent',
          source: 'agent',
          at: null,
        }))
        one.questions = Array.from({ length: 36 }, (_, n) => ({
          text: long(n + at),
          kind: 'question',
          source: 'agent',
          at: null,
        }))
        one.constraints = Array.from({ length: 30 }, (_, n) => ({ text: long(n), source: 'user', at: null }))
        one.meta.goal = long(at)
      })
    const all = Array.from({ length: 20 }, (_, n) => huge(n))
    const briefs = all.map((parsed, n) => told(parsed, { before: all[n - 1] ?? null }))
    const truth = Array.from({ length: 400 }, (_, n) => long(n))
    const text = review(briefs, { total: 9000, truth })
    expect(text.length).toBeLessThan(65_536 - 16_384)
    expect(text.match(/^- \d+ more, see the brief$/gm)?.length).toBeGreaterThanOrEqual(4)
    expect(text).toMatch(/^The \d+ older handoffs not told here stand in the files\.$/m)
    expect(nodes(text).filter(({ type }) => type === 'code')).toHaveLength(1)
    const slots = '{{goal}}{{summary}}{{decisions}}{{open}}{{constraints}}{{changes}}{{drift}}{{chain}}'
    const template = { text: `${slots}\n`.repeat(9), place: 'x' }
    expect(review(briefs, { total: 9000, truth, template }).length).toBeLessThan(65_536)
  })

  it('takes the template of the repository, with the marker before it', () => {
    const slots = ['goal', 'summary', 'decisions', 'open', 'constraints', 'changes', 'drift', 'chain']
    const text = `Ours: ${slots.map((slot) => `{{${slot}}}`).join('\n')}\n`
    expect(review([told(brief(0))], { template: { text, place: 'x' } })).toMatch(
      /^<!-- git-handoff review -->\nOurs: /,
    )
    expect(() => review([told(brief(0))], { template: { text: 'x', place: 'x' } })).toThrow(
      expect.objectContaining({ code: 'E_TEMPLATE' }),
    )
  })
})

describe('the drawn chain', () => {
  const box = (n: number, more = {}) => ({
    id: idOf(n),
    parent: n === 0 ? null : idOf(n - 1),
    goal: `goal ${n}`,
    agent: 'Codex',
    kind: 'handoff' as const,
    ...more,
  })

  it('writes every character by number that could be more than one', () => {
    const goal = 'a "b" <i> #quot; `c` %%{init: {}}%% ]) --> click; \\n {x} | end & @x'
    const [line = ''] = drawFlowchart([box(0, { goal })], null)
      .split('\n')
      .slice(2)
    expect(line).toMatch(/^ {2}b1\["(?:[^"<>`%{}[\]|;&@\\]|#\d+;|<br\/>)*"\]$/)
    expect(line.replace(/#(\d+);/g, (_, code) => String.fromCodePoint(Number(code)))).toContain(
      goal.slice(0, 40),
    )
  })

  it('begins no formula', () => {
    expect(drawFlowchart([box(0, { goal: '$$x$$' })], null)).not.toContain('#36;#36;')
  })

  it('draws a circle, a missing parent and the newest twenty', () => {
    expect(drawFlowchart([], null)).toBe('')
    const circle = drawFlowchart([box(0, { parent: idOf(1) }), box(1)], idOf(1))
    expect(circle).toContain('b2 --> b1\n  b1 --> b2\n  style b2 stroke-width:3px')
    expect(drawFlowchart([box(3)], null)).not.toContain('-->')
    const many = drawFlowchart(
      Array.from({ length: 30 }, (_, n) => box(n)),
      null,
    )
    expect(many).toContain('The newest 20 of 30 are drawn.')
    expect(many.match(/^ {2}b\d+\[/gm)).toHaveLength(20)
  })
})
