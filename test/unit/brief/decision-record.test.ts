import { describe, expect, it } from 'vitest'
import { readDecisionRecord } from '../../../src/brief/records.ts'
import { expectLinear } from '../../growth.ts'

const NYGARD = `# 3. Keep briefs in the repository

Date: 2026-02-03

## Status

Accepted

Superseded by [9. Keep briefs on a branch](0009-branch.md)

## Context

A brief must travel with the code. A server is out of question.

## Decision

We will commit every brief.
`

const MADR = `---
status: "accepted"
date: 2026-03-04
---
# Which queue to use

## Context and Problem Statement

Jobs are lost when the process ends.

## Considered Options

* Redis
* [PostgreSQL](https://www.postgresql.org)
* A file

\`\`\`text
* not an option
\`\`\`

## Decision Outcome

Chosen option: "PostgreSQL", because it is already run by everyone. It also scales.

### Consequences

* Good, because nothing new is installed
`

describe('readDecisionRecord', () => {
  it('Nygard: a later state counts, and what took its place is named', () => {
    expect(readDecisionRecord(NYGARD)).toEqual({
      title: 'Keep briefs in the repository',
      status: 'superseded',
      supersededBy: '9. Keep briefs on a branch',
      chosen: null,
      why: 'A brief must travel with the code',
      alternatives: [],
    })
  })

  it('MADR: the option taken, why, and what else was considered', () => {
    expect(readDecisionRecord(MADR)).toEqual({
      title: 'Which queue to use',
      status: 'accepted',
      supersededBy: null,
      chosen: 'PostgreSQL',
      why: 'it is already run by everyone',
      alternatives: ['Redis', 'A file'],
    })
    expect(readDecisionRecord(MADR.replaceAll('\n', '\r\n'))).toEqual(readDecisionRecord(MADR))
  })

  it('MADR 2: the status stands in a list, the reason may be a list of its own', () => {
    const text = `# Use tabs\n\n* Status: proposed\n\n## Decision Outcome\n\nChosen option: "Tabs", because\n\n* everyone sets the width\n* fewer bytes\n`
    expect(readDecisionRecord(text)).toMatchObject({
      title: 'Use tabs',
      status: 'proposed',
      chosen: null,
      why: 'everyone sets the width',
    })
  })

  it.each([
    ['another page', '# Notes\n\n## Context\n\nNothing was decided.\n'],
    ['a template', '# {short title}\n\n## Status\n\naccepted\n'],
    ['no title', '## Status\n\nAccepted\n\n## Decision\n\nYes.\n'],
    ['a record inside a fence', '```markdown\n# 1. Title\n\n## Status\n\nAccepted\n```\n'],
    ['nothing', ''],
  ])('%s is no record', (_, text) => {
    expect(readDecisionRecord(text)).toBeNull()
  })

  it('takes linear time whatever is in it', async () => {
    await expectLinear(2000, (n) => {
      for (const part of ['Chosen option: "', '<!-- ', '[a](', '* ', 'because ', '---\n'])
        readDecisionRecord(
          `# T\n\n## Status\n\nsuperseded by ${part.repeat(n)}\n\n## Decision\n\n${part.repeat(n)}`,
        )
    })
  })
})
