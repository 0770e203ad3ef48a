import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { git, handoff, makeLab, textOf } from '../lab.ts'
import { create, expectPickedUp } from './handover.ts'
import { journalOf } from './initialised.ts'
import { clientTest, GOAL, pickUp, textsOf, turn, work } from './work.ts'

describe('OpenCode', () => {
  clientTest(
    'is read live from its database, and OpenCode goes on from the brief',
    ['opencode'],
    async () => {
      const lab = await makeLab()
      await work(lab, 'opencode')
      await create(lab, 'opencode')
      expectPickedUp(await pickUp(lab, 'opencode'))
    },
  )

  clientTest('hands over to Claude Code', ['opencode', 'claude-code'], async () => {
    const lab = await makeLab()
    await work(lab, 'opencode')
    await create(lab, 'opencode')
    expectPickedUp(await pickUp(lab, 'claude-code'))
  })

  clientTest('takes over from Claude Code', ['opencode', 'claude-code'], async () => {
    const lab = await makeLab()
    await work(lab, 'claude-code')
    await create(lab, 'claude-code')
    expectPickedUp(await pickUp(lab, 'opencode'))
  })

  clientTest(
    'reads the brief, is told of it before, and names its own session when it hands over itself',
    ['opencode'],
    async () => {
      const lab = await makeLab()
      const set = await handoff(lab, 'init', '--agent', 'opencode', '--yes')
      expect(set.code, set.stderr + set.stdout).toBe(0)
      await git(lab, 'add', '.')
      await git(lab, 'commit', '-q', '-m', 'Set up handoff')
      const before = await git(lab, 'status', '--porcelain', '--ignored')
      const ids = 'printenv HANDOFF_OPENCODE_SESSION > ../session.txt'
      await work(lab, 'opencode', {
        extra: [
          [
            {
              use: 'handoff_finalize',
              with: { other: '## Questions for the user\n- Is sub used anywhere?\n' },
            },
          ],
          [{ run: `${ids}; handoff create '${GOAL}' --json > ../made.json` }],
        ],
      })
      // Nothing of OpenCode's own stands in the repository: no package.json, no node_modules, no .opencode.
      expect(await git(lab, 'status', '--porcelain', '--ignored')).toBe(`${before} M calc.js\n`)
      const made = JSON.parse(await readFile(join(lab.repo, '..', 'made.json'), 'utf8'))
      expect(made.session.id).toBe((await readFile(join(lab.repo, '..', 'session.txt'), 'utf8')).trim())
      // The note came through the server.
      expect(await git(lab, 'show', `HEAD:${made.path}`)).toContain('Is sub used anywhere?')

      const report = await turn(lab, 'opencode', 'hello', {
        turns: [{ on: 'hello', steps: [[{ say: 'Hello.' }]] }],
      })
      // Nobody sits there: life.test.ts has it on a screen.
      expect(textsOf(report.requests).filter((text) => text.includes(GOAL.slice(0, 60)))).toEqual([])
      expect(await journalOf(lab)).not.toContain('failed')
    },
  )

  clientTest('/handoff puts goal and way before its model, which makes the brief', ['opencode'], async () => {
    const lab = await makeLab()
    expect((await handoff(lab, 'init', '--agent', 'opencode', '--yes')).code).toBe(0)
    await git(lab, 'add', '.')
    await git(lab, 'commit', '-q', '-m', 'Set up handoff')
    const steps = [
      [{ run: `handoff note --question 'Is sub used anywhere?' && handoff create '${GOAL}'` }],
      [{ say: 'Handed over.' }],
    ]
    await work(lab, 'opencode')
    const script = { turns: [{ on: 'keep both arrow', steps }] }
    const report = await turn(lab, 'opencode', `/handoff ${GOAL}`, script, undefined, ['--continue'])
    const texts = textsOf(report.requests.at(-1))
    expect(texts.some((text) => text.startsWith('# Hand the work over'))).toBe(true)
    expect(texts).toContain(`/handoff ${GOAL}`)
    expect(await git(lab, 'log', '-1', '--format=%s')).toContain('chore(handoff):')
    const latest = await textOf(lab, '.handoff/latest.md')
    for (const fact of [GOAL, 'Is sub used anywhere?', 'id: opencode']) expect(latest).toContain(fact)
    // What the command tells the model is no demand of the person.
    expect(latest).not.toContain('Change nothing else')
  })
})
