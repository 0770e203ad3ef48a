import { describe, expect, it } from 'vitest'
import { type DraftInput, draftBrief } from '../../../src/brief/draft.ts'
import { readFrontMatter } from '../../../src/brief/front-matter.ts'
import { renderBrief } from '../../../src/brief/render.ts'
import { defaultConfig } from '../../../src/config/keys.ts'
import type { Evidence, GitState } from '../../../src/types.ts'
import { emptyEvidence, sampleEvidence, sampleGit, sampleInput, sampleNotes } from './sample.ts'

const draft = (change: Partial<DraftInput> = {}) => draftBrief({ ...sampleInput(), ...change })
const include = (change: Partial<DraftInput['config']['include']>) => {
  const { config } = sampleInput()
  return { config: { ...config, include: { ...config.include, ...change } } }
}
const limits = (change: Partial<DraftInput['config']['limits']>) => {
  const { config } = sampleInput()
  return { config: { ...config, limits: { ...config.limits, ...change } } }
}
const status = (change: Partial<GitState>) => draft({ git: { ...sampleGit(), ...change } }).status

describe('names that a session tells', () => {
  const told = (names: string[], one: string | null = null) => {
    const agent = { ...sampleEvidence().agent, tools: names, model: one } as Evidence['agent']
    const text = renderBrief(draft({ evidence: { ...sampleEvidence(), agent, skills: names } }))
    return readFrontMatter(text).meta
  }
  it.each([
    ['blank ones', ['', ' ', '\n', 'Bash']],
    ['one of 70,000 characters', ['x'.repeat(70_000), 'Bash']],
  ])('are left out where they are none: %s', (_, names) => {
    expect(told(names, names[0])).toMatchObject({ agent: { tools: ['Bash'] }, skills: ['Bash'] })
    expect(told(names.slice(0, -1), names[0]).agent).not.toHaveProperty('tools')
    expect(told(names, names[0]).agent).not.toHaveProperty('model')
  })
  it('never fill the front matter', () => {
    const names = Array.from({ length: 500 }, (_, at) => `mcp__a-server-with-a-long-name__tool_${at}`)
    const { agent, skills } = told(names)
    expect(agent.tools?.at(-1)).toBe(names.at(-1))
    expect(agent.tools).toEqual(names.slice(-(agent.tools?.length ?? 0)))
    expect(skills?.at(-1)).toBe(names.at(-1))
  })
})

describe('configuration changes the brief (SPEC D10)', () => {
  it('includeMetadata', () => {
    expect(renderBrief(draft())).toContain('## Session Metadata')
    expect(renderBrief(draft(include({ metadata: false })))).not.toContain('## Session Metadata')
  })
  it('includeSkill', () => {
    expect(draft().meta.skills).toEqual(['test-driven-development'])
    const without = renderBrief(draft(include({ skill: false })))
    expect(without).not.toContain('test-driven-development')
  })
  it('includeFileReasons', () => {
    expect(renderBrief(draft())).toContain('`src/queue/retry.ts` — holds the retry loop')
    expect(renderBrief(draft(include({ fileReasons: false })))).toContain(
      '- `src/queue/retry.ts` [edited, uncommitted]',
    )
  })
  it('includeHandoffPreamble', () => {
    const without = renderBrief(draft(include({ preamble: false })))
    expect(without).not.toContain('You are continuing work')
    expect(without).toContain('# Handoff Context\n\nThe facts below were true at `3f9c2ab1d0e4`')
  })
  it('a preamble of the repository', () => {
    expect(renderBrief(draft({ preamble: 'Read on.\n' }))).toContain('# Handoff Context\n\nRead on.\n')
  })
  it.each([
    ['files', '(2 of 7 listed; least relevant left out)'],
    ['commands', '(2 of 3 listed; least relevant left out)'],
    ['openQuestions', '(2 of 3 listed; least relevant left out)'],
    ['decisions', '(1 of 2 listed; least relevant left out)'],
    ['information', '(1 of 2 listed; least relevant left out)'],
  ] as const)('limits.%s', (key, line) => {
    const count = Number(line[1])
    const text = renderBrief(draft(limits({ [key]: count })))
    expect(text).toContain(`\n\n${line}\n`)
    expect(readFrontMatter(text).meta.limits).toEqual({ [key]: count })
  })
  it('says nothing about limits nobody changed', () => expect(draft().meta.limits).toBeUndefined())
  it('mission of the configuration stands before the first goal of the chain', () => {
    const { config } = sampleInput()
    expect(draft({ config: { ...config, mission: 'ship version 2' } }).mission?.text).toBe('ship version 2')
  })
  it('names changed token budgets', () => {
    const { config } = sampleInput()
    const changed = { ...config, budget: { ...config.budget, soft: 2000, files: 100 } }
    expect(draft({ config: changed }).meta.limits).toEqual({ 'tokens.files': 100, 'tokens.soft': 2000 })
  })
})

describe('what is left out first', () => {
  it("the agent's decision before the user's, what was inherited before what is new", () => {
    const evidence = sampleEvidence()
    const [first] = evidence.decisions
    if (first === undefined) throw new Error('the sample has a decision')
    evidence.decisions = [
      { ...first, what: 'inherited', from: '20260713T174502-2ab09c1d' },
      { ...first, what: 'old' },
      { ...first, what: 'by agent', by: 'agent' },
      { ...first, what: 'new' },
    ]
    const kept = (count: number) =>
      draft({ ...limits({ decisions: count }), evidence, notes: null }).decisions.map((item) => item.what)
    expect([kept(3), kept(2), kept(1)]).toEqual([['old', 'by agent', 'new'], ['old', 'new'], ['new']])
  })
  it('risks before questions and blockers', () => {
    const evidence = sampleEvidence()
    evidence.questions = (['risk', 'question', 'blocker'] as const).map((kind) => ({
      text: kind,
      source: 'agent',
      at: null,
      kind,
    }))
    const kept = draft({ ...limits({ openQuestions: 2 }), evidence, notes: null }).questions.map(
      (item) => item.kind,
    )
    expect(kept).toEqual(['question', 'blocker'])
  })
})

describe('the last outcome in Status', () => {
  const at = (second: number) => `2026-07-14T09:00:0${second}.000Z`
  const said = (change: Partial<Evidence>) => {
    const { lastCheck: _, ...evidence } = sampleEvidence()
    return draft({ evidence: { ...evidence, lastCheck: null, ...change } }).status.filter((line) =>
      line.startsWith('Last outcome: '),
    )
  }
  const request = { text: 'fix it', source: 'user', at: at(1) } as const
  const command = {
    command: 'npm run seed',
    outcome: 'failed',
    exitCode: 1,
    firstError: 'no such table',
    at: at(3),
  } as const

  it('is the last reply', () => {
    expect(said({ lastRequest: request, lastReply: { text: 'Done.', source: 'agent', at: at(2) } })).toEqual([
      'Last outcome: "Done." [agent]',
    ])
    expect(said({ lastRequest: request, lastReply: null })).toEqual([])
  })

  it('is no answer when the reply is older than the request', () => {
    expect(said({ lastRequest: request, lastReply: { text: 'Done.', source: 'agent', at: at(0) } })).toEqual([
      'Last outcome: the last request was not answered; before it "Done." [agent]',
    ])
  })

  it('is how the last command ended, told once when it is the last check', () => {
    expect(said({ lastRequest: request, lastReply: null, lastCommand: command })).toEqual([
      'Last outcome: `npm run seed` failed (exit 1): no such table [transcript]',
    ])
    expect(said({ lastRequest: request, lastReply: null, lastCommand: command, lastCheck: command })).toEqual(
      ['Last outcome: that check; nothing was said after it [transcript]'],
    )
  })
})

describe('Status', () => {
  it.each([
    [
      { upstream: null, ahead: null, behind: null },
      'Branch `feature/retry-scheduler` at `3f9c2ab1d0e4`, no upstream',
    ],
    [
      { ahead: 0, behind: 0 },
      'Branch `feature/retry-scheduler` at `3f9c2ab1d0e4`, level with `origin/feature/retry-scheduler`',
    ],
    [
      { ahead: 0, behind: 3 },
      'Branch `feature/retry-scheduler` at `3f9c2ab1d0e4`, 3 behind `origin/feature/retry-scheduler`',
    ],
    [
      { ahead: 2, behind: 3 },
      'Branch `feature/retry-scheduler` at `3f9c2ab1d0e4`, 2 ahead and 3 behind `origin/feature/retry-scheduler`',
    ],
    [{ branch: null }, 'Detached HEAD at `3f9c2ab1d0e4`'],
    [{ head: null, upstream: null }, 'Branch `feature/retry-scheduler`, no commits yet, no upstream'],
  ] as const)('%j', (change, line) => expect(status(change)[0]).toBe(line)) // prettier-ignore

  it('tells a clean tree, an operation, stashes', () => {
    expect(status({ changes: [], operation: 'rebase', stashes: 2 }).slice(1, 4)).toEqual([
      'Work tree clean',
      'Operation in progress: rebase, neither finished nor aborted',
      '2 stashes kept aside',
    ])
  })

  it('tells conflicts', () => {
    const conflict = { path: 'a', staged: false, unstaged: true, state: 'conflicted' } as const
    expect(status({ changes: [conflict] })[1]).toBe('Work tree: 1 uncommitted change (1 conflicted)')
  })

  it('says when no check ran, and nothing about checks without a session', () => {
    const commands = sampleEvidence().commands.filter(({ kind }) => kind === 'run')
    expect(draft({ evidence: { ...sampleEvidence(), lastCheck: null, commands } }).status).toContain(
      'Last check: none ran in the session',
    )
    expect(draft({ evidence: emptyEvidence(), notes: null }).status).toHaveLength(2)
  })

  it.each(['test', 'build', 'lint'] as const)(
    'does not say that none ran beside a %s of unknown end',
    (kind) => {
      const commands = sampleEvidence().commands.map((fact) => ({
        ...fact,
        kind,
        outcome: 'unknown' as const,
      }))
      expect(draft({ evidence: { ...sampleEvidence(), lastCheck: null, commands } }).status).toContain(
        'Last check: none whose outcome is known',
      )
    },
  )
})

describe('git', () => {
  it('is left out outside a repository, and that is said', () => {
    const brief = draft({ git: null })
    expect(brief.meta).toMatchObject({ branch: null, head: null, dirty: false })
    expect(brief.status[0]).toBe('No git repository here: git facts are left out.')
    expect(brief.progress.done).toEqual([])
    expect(renderBrief(brief)).toContain('The facts below were true before the first commit;')
  })

  it('tells commits oldest first', () => {
    expect(draft().progress.done.map((fact) => fact.text.slice(0, 10))).toEqual(['`77aa10b2`', '`3f9c2ab1`'])
  })

  it('groups the dirty tree and counts what it does not name', () => {
    const changes = Array.from({ length: 9 }, (_, i) => ({
      path: `f${i}.ts`,
      staged: false,
      unstaged: true,
      state: 'modified' as const,
    }))
    expect(draft({ git: { ...sampleGit(), changes }, notes: null }).progress.inProgress[0]?.text).toBe(
      '9 modified: `f0.ts`, `f1.ts`, `f2.ts`, `f3.ts`, `f4.ts`, `f5.ts` and 3 more',
    )
  })
})

describe('notes', () => {
  it('go to their sections as words of the agent', () => {
    const brief = draft({ notes: { ...sampleNotes(), progress: ['half done'], information: ['learned'] } })
    expect(brief.decisions.at(-1)).toMatchObject({
      what: 'Keep the old delay table',
      by: 'agent',
      source: 'agent',
    })
    expect(brief.questions.at(-1)).toMatchObject({ kind: 'blocker', source: 'agent' })
    expect(brief.nextSteps.map((step) => step.source)).toEqual(['agent', 'agent'])
    expect(brief.information.at(-1)).toMatchObject({ text: 'learned', source: 'agent' })
    expect(brief.progress.inProgress.at(-1)).toMatchObject({ text: 'half done', source: 'agent' })
    expect(brief.meta.notes).toEqual({ capturedAt: '2026-07-14T09:14:00.000Z' })
    expect(renderBrief(brief)).toContain(
      '## Next Steps\n\nWritten by the agent, not verified.\n\n- Move the cap',
    )
  })

  it('name files that are checked against git, renames followed', () => {
    const brief = draft()
    const file = brief.files.find((fact) => fact.path === 'src/queue/backoff.ts')
    expect(file).toMatchObject({
      reason: 'the delay table two callers still import',
      source: 'agent',
      evidence: ['created', 'uncommitted', 'notes'],
    })
    expect(brief.files.some((fact) => fact.path === 'src/nowhere.ts')).toBe(false)
    expect(brief.dropped).toContainEqual({
      kind: 'file',
      text: 'src/nowhere.ts',
      why: 'named in the notes, but not in the repository',
    })
    expect(brief.meta.dropped).toEqual({ files: 2, commands: 0, other: 0 })
  })

  it.each([
    ['wheel.ts', 'src/scheduler/wheel.ts'],
    ['@./package.json', 'package.json'],
    ['/home/dev/repo/docs/queue.md:3:1', 'docs/queue.md'],
    ['`src\\queue\\index.ts`', 'src/queue/index.ts'],
  ])('resolve %s', (path, expected) => {
    const notes = { ...sampleNotes(), files: [{ path, reason: 'because' }] }
    const brief = draft({ notes })
    expect(brief.files.find((fact) => fact.reason === 'because')?.path).toBe(expected)
  })

  it('cannot be checked without git, so their files are marked', () => {
    const files = draft({ git: null, evidence: emptyEvidence() }).files
    expect(files.map((file) => file.mark)).toEqual(['unverified', 'unverified'])
  })

  it('show their age when stale ones are wanted', () => {
    expect(renderBrief(draft({ notesAge: '3 h' }))).toContain(
      'Written by the agent, not verified. Recorded 3 h before this brief.',
    )
  })

  it('of nothing but blank slots are the placeholder', () => {
    const blank = {
      ...sampleNotes(),
      currentLineOfAttack: null,
      activeHypothesis: null,
      abandonedApproaches: [],
      openQuestions: [],
    }
    expect(renderBrief(draft({ notes: blank }))).toContain('## Working Memory\n\n[gap-fill not provided]\n')
  })
})

describe('the chain', () => {
  it('leaves the mission out when it is the goal', () => {
    const { goal, mission } = sampleInput()
    expect(draft().mission?.from).toBe('20260713T174502-2ab09c1d')
    expect(
      draft({ mission: mission === null ? null : { ...mission, text: ` ${goal}\n` } }).mission,
    ).toBeNull()
    expect(draft({ mission: null, parent: null }).previous).toBeNull()
  })

  it('inherits skills and persona, the last used last', () => {
    const { parent } = sampleInput()
    if (parent === null) throw new Error('the sample has a parent')
    const { meta, metadata } = draft({
      parent: { ...parent, skills: ['a', 'test-driven-development'], persona: 'reviewer' },
      skills: ['a'],
    })
    expect(meta.skills).toEqual(['test-driven-development', 'a'])
    expect(meta.persona).toBe('reviewer')
    expect(metadata).toContain('Prior skill: `a`')
  })
})

describe('sections that hold nothing', () => {
  it('are left out, the required ones stay', () => {
    const text = renderBrief(
      draft({
        evidence: emptyEvidence(),
        notes: null,
        parent: null,
        mission: null,
        git: { ...sampleGit(), commits: [], changes: [] },
        ...include({ metadata: false }),
      }),
    )
    expect([...text.matchAll(/^#{1,2} .*$/gm)].map((match) => match[0])).toEqual([
      '# Handoff Context',
      '## Status',
      '## Working Memory',
      '## Next Goal (verbatim)',
    ])
  })
})

it('knows the same default limits as the configuration', () => {
  const { limits: standard, budget } = defaultConfig()
  expect(sampleInput().defaults).toEqual({ limits: standard, budget })
})
