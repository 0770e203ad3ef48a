import { describe, expect, it } from 'vitest'
import { conflictMarkers, parseBrief } from '../../../src/brief/parse.ts'
import { changeLine, changesBetween, endingsIn } from '../../../src/report/compare.ts'
import type { Brief } from '../../../src/types/brief.ts'
import type {
  CommandFact,
  DecisionFact,
  FileFact,
  QuestionFact,
  TextFact,
} from '../../../src/types/evidence.ts'
import { brief, notes, textOf } from './sample-brief.ts'

const PARENT = '20260713T174502-2ab09c1d'

const changeLines = (...briefs: Parameters<typeof changesBetween>): string[] =>
  changesBetween(...briefs).map(changeLine)

/** The lines from a sample to the sample changed. */
const lines = (change: (brief: Brief) => void, before?: (brief: Brief) => void): string[] =>
  changeLines(brief(before), brief(change))

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
    expect(changeLines(brief(), brief())).toEqual([])
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

  it('what the person ended is told once, by the decision that quotes it', () => {
    const before = (now: Brief) => {
      now.constraints = [fact('do not touch calc.test.js'), fact('use vitest')]
      now.questions = [question('May a new file be added?')]
    }
    const answers = decision('Yes, a new one is fine. (answers: May a new file be added?)')
    const lifts = decision('You may change it now. (takes back: do not touch calc.test.js)')
    const after = (now: Brief) => {
      now.constraints = [fact('use vitest')]
      now.questions = []
      now.decisions = [answers, lifts]
    }
    expect(lines(after, before).filter((line) => !line.startsWith('Decision added: '))).toEqual([])
    expect([...endingsIn(brief(after)).values()]).toEqual([
      { by: 'answers', text: 'May a new file be added?', quote: 'Yes, a new one is fine.' },
      { by: 'takes back', text: 'do not touch calc.test.js', quote: 'You may change it now.' },
    ])
    // An agent ends nothing.
    const byAgent = brief((now) => {
      now.decisions = [{ ...answers, by: 'agent' }]
    })
    expect(endingsIn(byAgent).size).toBe(0)
  })

  it('a demand in other words is another one', () => {
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

  it('decisions that were added; one that is merely not listed any more is not told', () => {
    const before = (now: Brief) => {
      now.decisions = [decision('Cap the delay at 30 s'), decision('Log it')]
    }
    expect(
      lines((now) => {
        now.decisions = [
          decision('Cap the delay at 45 s', { why: 'billing asked', alternatives: ['60 s'] }),
          decision('Keep the table', { by: 'agent', source: 'agent' }),
        ]
      }, before),
    ).toEqual([
      'Decision added: Cap the delay at 45 s — billing asked; instead of: 60 s (by user)',
      'Decision added: Keep the table (by agent)',
    ])
  })

  it('questions that were opened, and those that are gone', () => {
    const before = (now: Brief) => {
      now.questions = [question('is 30 s meant with jitter?')]
    }
    expect(
      lines((now) => {
        now.questions = [question('who owns the gateway?', { kind: 'risk' })]
      }, before),
    ).toEqual(['Question gone: is 30 s meant with jitter?', 'Question opened: risk: who owns the gateway?'])
  })

  it('files, commands, work items and next steps that come and go from a list are not told as gone', () => {
    const before = (now: Brief) => {
      now.files = [file('a.ts'), file('b.ts', { reason: 'read once' })]
      now.commands = [command('npm run lint'), command('git diff')]
      now.progress = {
        done: [fact('`aaaaaaaa` one')],
        inProgress: [fact('1 modified: `a.ts`')],
        pending: [fact('later')],
      }
      now.nextSteps = [fact('update the docs'), fact('tell billing')]
    }
    expect(
      lines((now) => {
        now.files = [file('c.ts'), file('b.ts', { reason: 'the public API' })]
        now.commands = [command('npm run build'), command('git push')]
        now.progress = { done: [], inProgress: [], pending: [] }
        now.nextSteps = [fact('release it')]
      }, before),
    ).toEqual(['Next step added: release it'])
  })

  it('commits that are new; one that was rebased is not', () => {
    const before = (now: Brief) => {
      now.progress = { done: [fact('`aaaaaaaa` fix the lint')], inProgress: [], pending: [] }
    }
    expect(
      lines((now) => {
        now.progress.done = [
          '`bbbbbbbb` fix the lint',
          '`cccccccc` fix the lint',
          '`dddddddd` fix the lint again',
        ].map((text) => fact(text))
        now.progress.inProgress = []
        now.progress.pending = []
      }, before),
    ).toEqual(['Committed: `cccccccc` fix the lint', 'Committed: `dddddddd` fix the lint again'])
  })

  it('checks whose outcome changed, by command and folder; how often they ran is nothing', () => {
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
          command('npm test'),
          command('npm run lint', { runs: 9 }),
          command('npm test', { cwd: 'web', outcome: 'failed', exitCode: 2 }),
        ]
      }, before),
    ).toEqual([
      'Check changed: `npm test`: failed (exit 1) → ok',
      'Check changed: `npm test` in `web`: ok → failed (exit 2)',
    ])
  })

  it('working memory that is new; notes of before are not told as gone', () => {
    const more = (now: Brief) => {
      now.notes = notes({ currentLineOfAttack: 'Documenting it.' })
    }
    expect(lines(more)).toEqual(['Working memory: Current line of attack — Documenting it.'])
    const none = (now: Brief) => {
      now.notes = null
    }
    expect(lines(none)).toEqual([])
  })

  it('notes in markdown item by item, a line for each heading under which something is new', () => {
    const write = (other: string) => (now: Brief) => {
      now.notes = notes({ other })
    }
    const before = write(
      '### Tried and dropped\n\n- a second timer: it drifts\n\n### Traps\n\n- the wheel rounds up',
    )
    const after = write(
      [
        '### Tried and dropped',
        '- A second timer: it drifts.',
        '- linear delays:',
        '  too slow',
        '- a cap of `5` s',
        '```',
        '- no item but code',
        '```',
        '### Traps',
        '* the wheel rounds up',
        '### Next step',
        '1. run `npm test`',
        '',
        'Then push.',
      ].join('\n'),
    )
    expect(lines(after, before)).toEqual([
      'Working memory: Tried and dropped — linear delays: too slow; a cap of `5` s',
      'Working memory: Next step — run `npm test`; Then push.',
    ])
  })

  it('goal and branch', () => {
    expect(
      lines((now) => {
        now.meta.goal = 'document the limits in docs/queue.md'
        now.meta.branch = null
      }),
    ).toEqual([
      expect.stringMatching(
        /^Goal changed: cap the retry backoff .* → document the limits in docs\/queue\.md$/,
      ),
      'Branch changed: `feature/retry-scheduler` → (detached)',
    ])
  })

  it('what a newer brief had to cut may still stand, so that nothing is said of it', () => {
    const put = (texts: string[], cut: boolean) => (now: Brief) => {
      now.constraints = texts.map((text) => fact(text))
      if (cut) now.cuts = { constraints: '(1 of 2 listed; least relevant left out)' }
    }
    const before = put(['use vitest', 'keep it short'], false)
    expect(lines(put(['use vitest'], true), before)).toEqual([])
    expect(lines(put(['use vitest'], false), before)).toEqual(['CONSTRAINT DROPPED: "keep it short"'])
  })

  it('a closing record drops nothing: what was open is closed with it', () => {
    const done = textOf((now) => {
      now.meta.kind = 'done'
    }).replace(/^# Handoff Context[\s\S]*/m, 'Closed: released as 2.0\n')
    expect(changeLines(brief(), parseBrief(done))).toEqual(['Chain closed: released as 2.0'])
    expect(changeLines(parseBrief(done), brief())).toEqual([
      'Chain opened again: the older one of the two had closed it',
    ])
  })
})

describe('bad input of a comparison', () => {
  it('CRLF and a byte order mark make no difference', () => {
    const text = textOf()
    const other = parseBrief(text.replace(/\n/g, '\r\n'))
    expect(changeLines(brief(), other)).toEqual([])
    expect(changeLines(other, parseBrief(`\ufeff${text}`))).toEqual([])
  })

  it('conflict markers inside a brief are found, in a fence too, and both sides count', () => {
    const text = textOf((now) => {
      now.constraints = [fact('use vitest')]
    })
    const torn = text.replace(
      '- "use vitest"',
      '<<<<<<< HEAD\n- "use vitest"\n=======\n- "use jest"\n>>>>>>> other',
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
})
