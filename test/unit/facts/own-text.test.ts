import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { draftBrief } from '../../../src/brief/draft.ts'
import { pointerPrompt } from '../../../src/brief/prompt.ts'
import { withoutOwnText } from '../../../src/facts/shell.ts'
import { sampleInput } from '../brief/sample.ts'
import { extract, gitState, prompt, texts } from './session.ts'

const template = (name: string) =>
  readFileSync(new URL(`../../../templates/${name}.txt`, import.meta.url), 'utf8')
const BRIEF = `---
schemaVersion: 1
goal: "never push"
---
# Handoff Context

You are continuing work from a previous thread.

## Constraints & Preferences

- Do NOT touch src/api. (user)

## Relevant Files

- src/old.ts — never edit

## Next Goal (verbatim)

\`\`\`text
Always keep the goal.
\`\`\`
`

describe('text of earlier briefs in a prompt is not the user speaking', () => {
  it.each([
    ['a pasted brief', BRIEF],
    [
      'the wrapped block',
      `<handoff-context>\n${BRIEF}</handoff-context>\n\nThe above is a handoff document from a previous session. Use this context to continue the work seamlessly.`,
    ],
    [
      'the pointer prompt',
      pointerPrompt({
        meta: { ...draftBrief(sampleInput()).meta, goal: 'never break src/old.ts' },
        file: '.handoff/briefs/x.md',
        drift: '3 commits since; do not worry',
        start: ['/review'],
        ...{ age: '1 h', taken: null, isAsked: false },
      }),
    ],
    ['the request instruction', template('request').replace('{{request}}', '12')],
    ['a call', '/handoff never forget src/old.ts'],
    ['a call of the skill', '$handoff do not stop'],
    ['a shell line', '!npx git-handoff create "do not touch src/old.ts"'],
    ['a command in words', 'npx handoff create "do not touch src/old.ts"'],
  ])('%s', (_what, text) => {
    const evidence = extract([prompt(text)], { git: gitState(['src/old.ts']) })
    expect([texts(evidence.constraints), evidence.files, evidence.messages, evidence.turns]).toEqual([
      [],
      [],
      0,
      [],
    ])
  })

  it("keeps the user's own words around it", () => {
    expect(withoutOwnText(`Never use npm.\n\n${BRIEF}\nAnd do not push.`).trim().split(/\n+/)).toEqual([
      'Never use npm.',
      'And do not push.',
    ])
    expect(withoutOwnText('<handoff-context>\nx\n</handoff-context>\nNow do not push.').trim()).toBe(
      'Now do not push.',
    )
    expect(withoutOwnText('Read .handoff/latest.md and go on. Do not touch src/api.').trim()).toBe(
      'Do not touch src/api.',
    )
    expect(withoutOwnText('Fix the handoff of the baton in src/a.ts.')).toBe(
      'Fix the handoff of the baton in src/a.ts.',
    )
  })

  it('knows the constant text of latest.md', () => {
    expect(withoutOwnText('# Work may have been handed over here\n\nNever do x.\n').trim()).toBe('')
  })
})
