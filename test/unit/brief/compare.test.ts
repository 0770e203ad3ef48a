import { describe, expect, it } from 'vitest'
import { compareBriefs, isUnchanged } from '../../../src/brief/compare.ts'
import { relationLine, relationOf } from '../../../src/brief/compare-chain.ts'
import { changeLines } from '../../../src/brief/compare-lines.ts'
import { LIKE, likenessOf, pairItems } from '../../../src/brief/compare-pairs.ts'
import { conflictMarkers } from '../../../src/brief/conflict-markers.ts'
import { draftBrief } from '../../../src/brief/draft.ts'
import { type ParsedBrief, parseBrief } from '../../../src/brief/parse.ts'
import { renderBrief } from '../../../src/brief/render.ts'
import type {
  Brief,
  CommandFact,
  DecisionFact,
  FileFact,
  QuestionFact,
  TextFact,
} from '../../../src/types.ts'
import { cpuTime } from '../../cpu-time.ts'
import { sampleInput, sampleNotes } from './sample.ts'

const PARENT = '20260713T174502-2ab09c1d'

const textOf = (change: (brief: Brief) => void = () => undefined): string => {
  const made = draftBrief(sampleInput())
  change(made)
  return renderBrief(made)
}
const brief = (change?: (brief: Brief) => void): ParsedBrief => parseBrief(textOf(change))
/** The lines from a sample to the sample changed. */
const lines = (change: (brief: Brief) => void, before?: (brief: Brief) => void): string[] =>
  changeLines(compareBriefs(brief(before), brief(change)))

const fact = (text: string, more: Partial<TextFact> = {}): TextFact => ({
  text,
  source: 'user',
  at: null,
  ...more,
})
const decision = (what: string, more: Partial<DecisionFact> = {}): DecisionFact => ({
  what,
  why: null,
  alternatives: [],
  by: 'user',
  source: 'user',
  at: null,
  ...more,
})
const question = (text: string, more: Partial<QuestionFact> = {}): QuestionFact => ({
  ...fact(text),
  kind: 'question',
  ...more,
})
const file = (path: string, more: Partial<FileFact> = {}): FileFact => ({
  path,
  reason: 'edited once',
  evidence: ['edited'],
  source: 'transcript',
  ...more,
})
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

describe('two briefs by meaning', () => {
  it('finds nothing between a brief and itself', () => {
    const change = compareBriefs(brief(), brief())
    expect(isUnchanged(change)).toBe(true)
    expect(changeLines(change)).toEqual([])
  })

  it('a dropped constraint comes first, in capitals, and is the only thing that is', () => {
    const told = lines((now) => {
      now.constraints = [...now.constraints.slice(1), fact('keep the log short')]
      now.decisions = []
      now.meta.goal = 'write the docs and release the package'
    })
    expect(told[0]).toBe('CONSTRAINT DROPPED: "keep the public API of src/queue/index.ts exactly as it is"')
    expect(told[1]).toBe('Constraint added: "keep the log short"')
    expect(told.slice(1).filter((line) => /^[A-Z ]{5,}:/.test(line))).toEqual([])
  })

  it('what is inherited is the same: marks of inheritance count for nothing', () => {
    const inherit = <T extends { from?: string }>(items: T[]): T[] =>
      items.map((item) => ({ ...item, from: PARENT }))
    expect(
      lines((now) => {
        now.constraints = inherit(now.constraints)
        now.questions = inherit(now.questions)
        now.files = inherit(now.files)
        now.commands = inherit(now.commands.filter(({ command: text }) => !text.includes('\n'))).concat(
          now.commands.filter(({ command: text }) => text.includes('\n')),
        )
        now.decisions = inherit(now.decisions)
      }),
    ).toEqual([])
  })

  it('case, white space, quotation marks and a full stop make no other text', () => {
    const before = (now: Brief) => {
      now.constraints = [fact('Use “vitest”, not jest.'), fact('keep  it short')]
    }
    expect(
      lines((now) => {
        now.constraints = [fact('Keep it short!'), fact('use "vitest", not jest')]
      }, before),
    ).toEqual([])
  })

  it('a reworded item is one item, and how alike the two are is said', () => {
    const before = (now: Brief) => {
      now.constraints = [fact('do not touch the Scheduler component')]
      now.questions = [question('Should a cancelled job count as an attempt?')]
    }
    expect(
      lines((now) => {
        now.constraints = [fact('do not ever touch the Scheduler component')]
        now.questions = [question('Should a cancelled job still count as an attempt?', { kind: 'risk' })]
      }, before),
    ).toEqual([
      'CONSTRAINT REWORDED (0.92 alike): "do not touch the Scheduler component" → "do not ever touch the Scheduler component"',
      'Question changed (0.94 alike): Should a cancelled job count as an attempt? → risk: Should a cancelled job still count as an attempt?',
    ])
  })

  it('two texts that only share small words are two', () => {
    const before = (now: Brief) => {
      now.constraints = [fact('do not touch the API')]
    }
    expect(
      lines((now) => {
        now.constraints = [fact('do not add a dependency for logging')]
      }, before),
    ).toEqual([
      'CONSTRAINT DROPPED: "do not touch the API"',
      'Constraint added: "do not add a dependency for logging"',
    ])
  })

  it('a decision keeps its name: another reason, another alternative, another decider', () => {
    const before = (now: Brief) => {
      now.decisions = [decision('Cap at 30 s', { why: 'the gateway drops clients' }), decision('Log it')]
    }
    expect(
      lines((now) => {
        now.decisions = [
          decision('Cap at 30 s', { why: 'billing asked', alternatives: ['45 s'] }),
          decision('Keep the table', { by: 'agent', source: 'agent' }),
        ]
      }, before),
    ).toEqual([
      'Decision added: Keep the table — no reason told (by agent)',
      'Decision changed: Cap at 30 s: the gateway drops clients (by user) → billing asked; instead of: 45 s (by user)',
      'Decision no longer told: Log it — no reason told (by user)',
    ])
  })

  it('files by path: another reason, gone, planned and made, no longer listed; counts are no reason', () => {
    const before = (now: Brief) => {
      now.files = [
        file('a.ts', { reason: 'edited 3 times; in 1 commit since base' }),
        file('b.ts', { reason: 'read once' }),
        file('c.ts'),
        file('d.ts', { mark: 'planned', reason: 'to be made' }),
        file('e.ts'),
      ]
    }
    expect(
      lines((now) => {
        now.files = [
          file('a.ts', { reason: 'edited once; in 4 commits since base' }),
          file('b.ts', { reason: 'the public API' }),
          file('c.ts', { mark: 'gone', reason: 'deleted' }),
          file('d.ts', { reason: 'created' }),
          file('f.ts'),
        ]
      }, before),
    ).toEqual([
      'File listed: `f.ts` — edited once',
      'File changed: `b.ts`: read once → the public API',
      'File changed: `c.ts`: edited once → gone; deleted',
      'File changed: `d.ts`: planned; to be made → created',
      'File no longer listed: `e.ts` — edited once',
    ])
  })

  it('a renamed file is one file, and so is one whose letters changed their case', () => {
    const before = (now: Brief) => {
      now.files = [file('old.ts'), file('Readme.md')]
    }
    expect(
      lines((now) => {
        now.files = [file('new.ts', { reason: 'renamed from old.ts, uncommitted' }), file('README.md')]
      }, before),
    ).toEqual([
      'File changed: `old.ts` — edited once → `new.ts` — renamed from old.ts, uncommitted',
      'File changed: `Readme.md` — edited once → `README.md` — edited once',
    ])
  })

  it('commands by their normalised text and folder: another outcome; how often they ran is nothing', () => {
    const before = (now: Brief) => {
      now.commands = [
        command('npm  test', { outcome: 'failed', exitCode: 1 }),
        command('npm run lint', { runs: 2 }),
        command('npm test', { cwd: 'web' }),
      ]
    }
    expect(
      lines((now) => {
        now.commands = [
          command('npm test;'),
          command('npm run lint', { runs: 9 }),
          command('npm test', { cwd: 'api' }),
        ]
      }, before),
    ).toEqual([
      'Command listed: `npm test` in `api` — ok',
      'Command changed: `npm  test` — failed (exit 1) → `npm test;` — ok',
      'Command no longer listed: `npm test` in `web` — ok',
    ])
  })

  it('which commands of a tool were used here is told in the object, and in no line', () => {
    const before = (now: Brief) => {
      now.commands = [command('git diff', { habit: true }), command('git add', { habit: true })]
    }
    const put = (now: Brief) => {
      now.commands = [command('git add', { habit: true }), command('git push', { habit: true })]
    }
    expect(lines(put, before)).toEqual([])
  })

  it('a step that is done is the same step', () => {
    const before = (now: Brief) => {
      now.progress = { done: [], inProgress: [], pending: [fact('Update docs/queue.md')] }
    }
    expect(
      lines((now) => {
        now.progress = { done: [fact('Update docs/queue.md')], inProgress: [], pending: [] }
      }, before),
    ).toEqual(['Work item changed: Update docs/queue.md: pending → done'])
  })

  it('notes: a single slot turns, lists gain and lose, and none at all is told', () => {
    const more = (now: Brief) => {
      now.notes = {
        ...sampleNotes(),
        currentLineOfAttack: 'Documenting it.',
        activeHypothesis: null,
        abandonedApproaches: [],
      }
    }
    expect(lines(more)).toEqual([
      expect.stringMatching(/^Working memory changed: line of attack: Moving the cap .* → Documenting it\.$/),
      expect.stringMatching(/^Working memory no longer told: hypothesis — The wheel rounds/),
      expect.stringMatching(/^Working memory no longer told: abandoned — Capping in the scheduler/),
    ])
    const told = lines((now) => {
      now.notes = null
    })
    expect(told).toHaveLength(4)
    expect(told.every((line) => line.startsWith('Working memory no longer told: '))).toBe(true)
  })

  it('goal, agent and branch', () => {
    expect(
      lines((now) => {
        now.meta.goal = 'document the limits in docs/queue.md'
        now.meta.agent = { id: 'codex', label: 'Codex', model: 'gpt-6' }
        now.meta.branch = null
      }),
    ).toEqual([
      expect.stringMatching(
        /^Goal changed: cap the retry backoff .* → document the limits in docs\/queue\.md$/,
      ),
      'Agent changed: Claude Code (claude-opus-4-5) → Codex (gpt-6)',
      'Branch changed: `feature/retry-scheduler` → (detached)',
    ])
  })

  it('what a newer brief had to cut may only have been left out, and that is said', () => {
    const change = compareBriefs(
      brief((now) => {
        now.constraints = [fact('use vitest'), fact('keep it short')]
      }),
      brief((now) => {
        now.constraints = [fact('use vitest')]
        now.cuts = { constraints: '(1 of 2 listed; least relevant left out)' }
      }),
    )
    expect(change.constraints.cut).toBe(true)
    expect(changeLines(change)).toEqual([
      'CONSTRAINT DROPPED: "keep it short" (the newer brief was cut here, so it may only have been left out)',
    ])
  })

  it('a closing record drops nothing: what was open is closed with it', () => {
    const done = textOf((now) => {
      now.meta.kind = 'done'
    }).replace(/^# Handoff Context[\s\S]*/m, 'Closed: released as 2.0\n')
    const change = compareBriefs(brief(), parseBrief(done))
    expect(changeLines(change)).toEqual(['Chain closed: released as 2.0'])
    expect(changeLines(compareBriefs(parseBrief(done), brief()))).toEqual([
      'Chain opened again: the older one of the two had closed it',
    ])
  })
})

describe('bad input of a comparison', () => {
  it('CRLF and a byte order mark make no difference', () => {
    const text = textOf()
    const other = parseBrief(text.replace(/\n/g, '\r\n'))
    expect(changeLines(compareBriefs(brief(), other))).toEqual([])
    expect(changeLines(compareBriefs(other, parseBrief(`\ufeff${text}`)))).toEqual([])
  })

  it('conflict markers inside a brief are found, in a fence too, and both sides count', () => {
    const text = textOf((now) => {
      now.constraints = [fact('use vitest')]
    })
    const torn = text.replace(
      '- "use vitest" [user]',
      '<<<<<<< HEAD\n- "use vitest" [user]\n=======\n- "use jest" [user]\n>>>>>>> other',
    )
    const parsed = parseBrief(torn)
    const at = torn.split('\n').indexOf('<<<<<<< HEAD') + 1
    expect(conflictMarkers(parsed)).toEqual([at, at + 4])
    expect(conflictMarkers(parseBrief(text))).toEqual([])
    expect(parsed.brief.constraints.map(({ text: one }) => one)).toEqual(['use vitest', 'use jest'])
  })

  it('hostile texts stay on their line and cannot start markup', () => {
    const told = lines((now) => {
      now.constraints = [fact('# heading\n\n- [x](javascript:1) <script> \u001b[31m \u202e')]
      now.files = [file('a`b\n# c.ts', { reason: '![x](y)' })]
    })
    for (const line of told) {
      for (const raw of ['\n', '\u001b', '\u202e']) expect(line).not.toContain(raw)
      expect(line).not.toMatch(/(?<!\\)<script|(?<!\\)!\[x\]\(y/)
      expect(line).toMatch(/^[A-Z]/)
    }
  })

  it('ten thousand items that are nearly alike are compared within a second', async () => {
    const many = (word: string) => Array.from({ length: 10_000 }, (_, at) => `item ${at} of the ${word} list`)
    const [older, newer] = [many('older'), many('newer')]
    const compare = () =>
      pairItems(
        older,
        newer,
        (text) => text,
        (text) => text,
      )
    expect(await cpuTime(compare, 1000)).toBeLessThan(1000)
    const { pairs, added, gone } = compare()
    expect([pairs.length, added.length, gone.length]).toEqual([200, 9800, 9800])
  })
})

describe('the measure', () => {
  it('is twice the shared words by the words of both, whatever the order', () => {
    expect(likenessOf('a b c d', 'd c b a')).toBe(1)
    expect(likenessOf('a b c', 'a b x')).toBe(0.67)
    expect(likenessOf('a a a', 'a')).toBe(0.5)
    expect(likenessOf('', '')).toBe(0)
    expect(likenessOf('abc', 'xyz')).toBe(0)
  })

  it('takes scripts without spaces letter by letter', () => {
    expect(likenessOf('限制三十秒', '限制四十秒')).toBe(0.8)
  })

  it('gives the best partner first and the earlier item on a tie', () => {
    const { pairs } = pairItems(
      ['one two three', 'one two three four'],
      ['one two three four five', 'one two three zero'],
      (text) => text,
      (text) => text,
    )
    expect(pairs).toEqual([
      { before: 'one two three four', after: 'one two three four five', likeness: 0.89 },
      { before: 'one two three', after: 'one two three zero', likeness: 0.86 },
    ])
    expect(pairs.every(({ likeness }) => likeness >= LIKE)).toBe(true)
  })
})

describe('how two briefs stand to each other', () => {
  const node = (id: string, parent: string | null) => ({ id, parent })
  const nodes = [
    node('a', null),
    node('b', 'a'),
    node('c', 'b'),
    node('d', 'b'),
    node('x', null),
    node('y', 'lost'),
  ]
  const at = (id: string) => nodes.find((one) => one.id === id) ?? node(id, null)
  const told = (older: string, newer: string) => relationLine(relationOf(at(older), at(newer), nodes))

  it('says nothing of a parent and its child, or of one brief with itself', () => {
    expect(told('a', 'b')).toBeNull()
    expect(told('a', 'a')).toBeNull()
  })

  it('names the distance, the order, the fork and another chain', () => {
    expect(told('a', 'c')).toBe('Between the two: 1 handoff.')
    expect(told('c', 'a')).toBe('The first of the two is the newer one.')
    expect(told('c', 'd')).toBe('Two lines of one chain, which part after b.')
    expect(told('c', 'x')).toBe('They belong to different chains.')
  })

  it('a missing parent leaves it open', () => {
    expect(told('c', 'y')).toBe(
      'Whether they belong to one chain is not known: the parent lost of y is not in the history that is here.',
    )
  })

  it('ends in a circle of parents', () => {
    const ring = [node('p', 'q'), node('q', 'p')]
    expect(relationOf(node('p', 'q'), node('z', null), ring).kind).toBe('other-chain')
    expect(relationOf(node('p', 'p'), node('z', 'z'), []).kind).toBe('other-chain')
  })
})
