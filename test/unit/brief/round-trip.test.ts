import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { draftBrief } from '../../../src/brief/draft.ts'
import { readEdited } from '../../../src/brief/edited.ts'
import { parseBrief } from '../../../src/brief/parse.ts'
import { briefToJson, goalText, renderBrief } from '../../../src/brief/render.ts'
import { oneLine } from '../../../src/text/safe-text.ts'
import type { Brief } from '../../../src/types/brief.ts'
import type {
  CommandFact,
  DecisionFact,
  FileFact,
  QuestionFact,
  TextFact,
} from '../../../src/types/evidence.ts'
import { anyText } from '../../any-text.ts'
import { runs } from '../../sampled.ts'
import { emptyEvidence, sampleInput } from './sample.ts'

/** What tries to break out of a line, a quote, a fence, a label. */
const HOSTILE = [
  '# Heading¦## Status¦## Next Goal (verbatim)¦- item¦* item¦1. item¦1.¦2)¦1\\.¦12) item¦1\\. x¦> quote',
  '---¦***¦___¦===¦```¦````sh¦~~~¦| a | b |¦[ref]: http://example.com "hidden"¦<!-- hidden -->',
  '<details>¦</handoff-context>¦<script>¦\\<b>¦\\\\<b>¦![x](http://example.com/i.png)¦[t](javascript:1)',
  '\\# x¦\\\\# x¦`¦``¦`a` b¦`\\<b>.js`¦`<b>` ¦`[x]\\(y)`¦\\`¦"¦" [user]¦x [agent]',
  'x [user] — from 20260101T000000-00000000¦ — why: x¦— why: x¦\\— or: y¦ — instead of: z¦blocker: x',
  'question: y¦failing: ¦(3 of 9 listed; x)¦Pending:¦Limitation: x¦\u001b[31m¦\u202e¦\u200b¦\ufeff',
  '\u0000¦👩‍💻¦日本語¦a\tb¦a\nb¦a\r\nb¦\\¦\\\\¦{{goal}}¦$&¦__proto__¦[gap-fill not provided]',
  'Written by the agent, not verified.¦%s¦ ¦é¦\ud800¦--force¦x: [git]¦ [foo]¦, passed, ',
  '; no longer here¦Told by x:',
].flatMap((row) => row.split('¦'))
const text = fc
  .array(fc.oneof(fc.constantFrom(...HOSTILE), fc.string({ maxLength: 12 }), anyText(4)), {
    minLength: 1,
    maxLength: 4,
  })
  .map((parts) => parts.join(''))
  .filter((value) => oneLine(value) !== '')
const id = fc.constantFrom('20260713T174502-2ab09c1d', '20250101T000000-3e7fffff')
const source = fc.constantFrom('git', 'transcript', 'agent', 'model', 'user')
const from = fc.oneof(fc.constant({}), fc.record({ from: id }))
const withFrom = <T extends object>(arbitrary: fc.Arbitrary<T>) =>
  fc.tuple(arbitrary, from).map(([value, extra]) => ({ ...value, ...extra }))
const sentence = withFrom(fc.record({ text, source, at: fc.constant(null) })) as fc.Arbitrary<TextFact>
const list = <T>(of: fc.Arbitrary<T>) => fc.array(of, { maxLength: 4 })
const evidence = {
  constraints: list(sentence),
  information: list(sentence),
  questions: list(
    withFrom(
      fc.record({
        text,
        source,
        at: fc.constant(null),
        kind: fc.constantFrom('question', 'failing', 'blocker', 'risk'),
      }),
    ) as fc.Arbitrary<QuestionFact>,
  ),
  decisions: list(
    withFrom(
      fc.record({
        what: text,
        why: fc.option(text),
        alternatives: list(text),
        by: fc.constantFrom('user', 'agent'),
        source,
        at: fc.constant(null),
      }),
    ) as fc.Arbitrary<DecisionFact>,
  ),
  files: list(
    withFrom(
      fc
        .tuple(
          fc.record({
            path: text.map((value) => value.trim()).filter((value) => value !== ''),
            reason: fc.oneof(fc.constant(''), text),
            evidence: fc.constant([]),
            source,
          }),
          fc.constantFrom({}, { mark: 'gone' }, { mark: 'planned' }, { mark: 'unverified' }),
        )
        .map(([value, mark]) => ({ ...value, ...mark })),
    ) as fc.Arbitrary<FileFact>,
  ),
  commands: list(
    withFrom(
      fc.record({
        command: text.map((value) => value.trim()).filter((value) => value !== ''),
        outcome: fc.constantFrom('ok', 'failed', 'unknown'),
        exitCode: fc.constantFrom(null, 1, 137),
        cwd: fc.option(text.map((value) => value.trim()).filter((value) => value !== '')),
        kind: fc.constantFrom('build', 'test', 'lint', 'run', 'git', 'deploy', 'install', 'other'),
        runs: fc.constant(1),
        source,
        at: fc.constant(null),
      }),
    ) as fc.Arbitrary<CommandFact>,
  ),
}

/** What a line does not carry: times, runs, evidence, exit codes that its outcome implies. */
function carried(brief: Brief) {
  return {
    ...brief,
    meta: { ...brief.meta, agent: { ...brief.meta.agent } },
    progress: {
      done: brief.progress.done.map((fact) => ({ ...fact, at: null })),
      inProgress: brief.progress.inProgress.map((fact) => ({ ...fact, at: null })),
      pending: brief.progress.pending,
    },
    decisions: brief.decisions.map((fact) => ({ ...fact, at: null })),
    questions: brief.questions.map((fact) => ({ ...fact, at: null })),
    nextSteps: brief.nextSteps.map((fact) => ({ ...fact, at: null })),
    information: brief.information.map((fact) => ({ ...fact, at: null })),
    constraints: brief.constraints.map((fact) => ({ ...fact, at: null })),
    // Git goes without saying beside a file, as the session does.
    files: brief.files.map((fact) => ({
      ...fact,
      evidence: [],
      source: fact.source === 'git' || fact.source === 'user' ? 'transcript' : fact.source,
    })),
    commands: brief.commands.map((fact: CommandFact) => ({
      ...fact,
      at: null,
      runs: 1,
      exitCode: fact.outcome === 'ok' ? 0 : fact.outcome === 'failed' ? fact.exitCode : null,
    })),
  }
}
const readBack = (markdown: string) => ({ ...parseBrief(markdown).brief })

describe('draft, render, parse', () => {
  it('gives the same items for a real brief, its notes included', () => {
    const brief = {
      ...draftBrief(sampleInput()),
      trail: ['- "now cap the backoff"', '  - Committed: Cap it'],
    }
    const markdown = renderBrief(brief)
    const notes = { ...brief.notes, capturedBySessionId: null, branch: null, head: null }
    expect(readBack(markdown)).toEqual({ ...carried(brief), notes })
    expect(renderBrief(parseBrief(markdown).brief)).toBe(markdown)
    expect(parseBrief(markdown).goal?.text).toBe(brief.meta.goal)
  })

  it('gives the same items whatever they say, and no section that was not written', () => {
    fc.assert(
      fc.property(fc.record(evidence), text, (facts, goal) => {
        const input = {
          ...sampleInput(),
          goal: goal.slice(0, 900),
          notes: null,
          evidence: { ...emptyEvidence(), ...facts },
        }
        const brief = draftBrief(input)
        const markdown = renderBrief(brief)
        const parsed = parseBrief(markdown)
        expect(readBack(markdown)).toEqual({ ...carried(brief), notes: null })
        expect(parsed.meta.goal).toBe(input.goal)
        expect(parsed.goal?.text).toBe(goalText(input.goal))
        expect(parsed.sections.every((section) => section.id !== null)).toBe(true)
        expect(new Set(parsed.sections.map((section) => section.id)).size).toBe(parsed.sections.length)
        expect(parsed.sections.at(-1)?.id).toBe('goal')
        expect(renderBrief({ ...parsed.brief, meta: parsed.meta })).toBe(markdown)
        const left = readEdited(markdown, brief, 'draft')
        expect([renderBrief(left.brief), left.lost]).toEqual([markdown, []])
      }),
      { numRuns: runs(15, 60), seed: 20260714 },
    )
  }, 60_000)

  it('reads lines that a person wrote as the words of the user, or of whom the section quotes', () => {
    const markdown = renderBrief(draftBrief(sampleInput()))
      .replace('## Constraints & Preferences\n', '## Constraints & Preferences\n\n- written by hand\n')
      .replace('## Relevant Files\n', '## Relevant Files\n\n- `by/hand.ts` because I say so\n')
    const { brief } = parseBrief(markdown)
    expect(brief.constraints[0]).toEqual({ text: 'written by hand', source: 'user', at: null })
    expect(brief.files[0]).toMatchObject({ path: 'by/hand.ts', reason: 'because I say so' })
  })

  it('tells what may be a wish for one request apart from rules, and reads it back so', () => {
    const rule = (text: string, certainty?: number): TextFact => ({
      ...{ text, source: 'user', at: null },
      ...(certainty === undefined ? {} : { certainty }),
    })
    const constraints = [rule('Make the docs consistent.', 1.2), rule('Never squash.', 5), rule('Pinned.')]
    const lead = 'Perhaps meant for one request only:'
    const markdown = renderBrief({ ...draftBrief(sampleInput()), constraints })
    expect(markdown).toContain(`- "Never squash."\n- "Pinned."\n\n${lead}\n\n- "Make the docs consistent."\n`)
    const { brief, meta } = parseBrief(markdown)
    expect(brief.constraints.map(({ text }) => text)).toEqual([
      'Never squash.',
      'Pinned.',
      'Make the docs consistent.',
    ])
    expect(renderBrief({ ...brief, meta })).toBe(markdown)
    const only = renderBrief({ ...draftBrief(sampleInput()), constraints: constraints.slice(0, 1) })
    expect(only).toContain(`## Constraints & Preferences\n\n${lead}\n\n- "Make`)
  })

  it('says once that no file was seen here, and reads each as not seen', () => {
    const brief = draftBrief(sampleInput())
    const files = brief.files.map((file) => ({ ...file, mark: 'unverified' as const }))
    const text = renderBrief({ ...brief, files })
    expect(files.length).toBeGreaterThan(1)
    expect(text.match(/not seen here|was seen here/g)).toHaveLength(1)
    expect(parseBrief(text).brief.files.map(({ mark }) => mark)).toEqual(files.map(({ mark }) => mark))
    const [first, ...others] = files
    const some = renderBrief({ ...brief, files: [{ ...first, mark: 'gone' }, ...others] as typeof files })
    expect(some.match(/; not seen here$/gm)).toHaveLength(others.length)
  })

  it('tells the same as JSON', () => {
    const brief = draftBrief(sampleInput())
    const json = briefToJson(brief)
    expect(json.relevantFiles.map((file) => file.path)).toEqual(brief.files.map((file) => file.path))
    expect(json.relevantFiles[0]).toEqual({
      path: 'src/queue/retry.ts',
      reason: 'holds the retry loop, moved onto `Scheduler.at`',
      evidence: ['edited', 'uncommitted', 'committed'],
      source: 'transcript',
    })
    expect(json.relevantCommands[0]).toMatchObject({
      command: 'npm test -- queue',
      outcome: 'failed',
      exitCode: 1,
    })
    expect(json.constraints[0]).toEqual({
      text: 'keep the public API of src/queue/index.ts exactly as it is',
      source: 'user',
      from: '20260713T174502-2ab09c1d',
    })
    expect(json.notes).toEqual({ capturedAt: brief.notes?.capturedAt, page: brief.notes?.page })
    expect(JSON.parse(JSON.stringify(json))).toEqual(json)
  })
})
