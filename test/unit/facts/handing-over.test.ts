import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { identifyFile } from '../../../src/agents/find.ts'
import { createDigest } from '../../../src/facts/digest.ts'
import type { Evidence } from '../../../src/types/evidence.ts'
import type { SessionEvent } from '../../../src/types/session.ts'
import { config, edit, extract, gitState, prompt, read, reply, run, type Step } from './session.ts'

/** What the digest makes of these events before anything is known of git. */
function evidenceOf(all: readonly SessionEvent[]): Evidence {
  const digest = createDigest({ sessionCwd: '/home/dev/repo', home: '/home/dev' })
  for (const event of all) digest.add(event)
  return digest.finish({
    git: gitState([]),
    goal: 'carry the work on as described',
    focus: null,
    agent: { id: 'pi', label: 'Pi' },
    sessionId: 's',
    config,
  })
}

/** The events of a recorded session. */
async function recorded(agent: string, name: string): Promise<SessionEvent[]> {
  const folder = join(import.meta.dirname, '../../fixtures/agents', agent, name)
  const file = readdirSync(folder).find((one) => one.startsWith('session.')) ?? ''
  const { adapter, ref } = await identifyFile(join(folder, file))
  const all: SessionEvent[] = []
  for await (const batch of adapter.read(ref, {})) all.push(...batch)
  return all
}

describe('a turn in which the person hands over', () => {
  it.each([
    ['claude-code', 'skill-commands', 'Tidy applied.'],
    ['codex', 'skills', 'Skill text seen.'],
    [
      'pi',
      'our-own-skill-0.74',
      'Second turn finished. We decided to throw TypeError rather than skip bad values.',
    ],
    [
      'oh-my-pi',
      'our-own-skill-18.2',
      'Fixed the off-by-one. One test still fails: sum must throw TypeError on non-numbers. Next: add validation in src/sum.js.',
    ],
    [
      'opencode',
      'our-own-command-1.18',
      'Second turn finished. We decided to throw TypeError rather than skip bad values.',
    ],
  ])('leaves what %s did before it as where the work ended', async (agent, name, last) => {
    const all = await recorded(agent, name)
    const evidence = evidenceOf(all)
    expect(evidence.closing?.text).toBe(last)
    expect(evidence.turns.at(-1)?.request).not.toContain('handoff')
    expect(evidence.skills).not.toContain('handoff')
    const call = all.findIndex(
      (event) => event.kind === 'prompt' && /^[/$](?:skill:)?handoff /.test(event.text),
    )
    expect(call).toBeGreaterThan(0)
    expect(evidence).toEqual(evidenceOf(all.slice(0, call)))
  })

  const before: Step[] = [prompt('Fix add.'), edit('src/add.ts'), reply('add is fixed.')]

  it.each<[string, Step[]]>([
    [
      'looks first, the call not yet recorded',
      [prompt('/handoff fix sub'), reply('I look.'), run('git status')],
    ],
    [
      'in the person’s own words, by the skill',
      [prompt('Please hand this over.'), read('.claude/skills/handoff/SKILL.md'), reply('I record it.')],
    ],
    [
      'by a skill that is read in a shell',
      [
        prompt('Please hand this over.'),
        run("sed -n '1,80p' /home/dev/repo/.agents/skills/handoff/SKILL.md"),
        reply('I record it.'),
        run('npx git-handoff note --question "who?"'),
      ],
    ],
  ])('is no part of the work: %s', (_, steps) => {
    const evidence = extract([...before, ...steps])
    expect(evidence.closing?.text).toBe('add is fixed.')
    expect(evidence.turns.at(-1)?.request).toBe('Fix add.')
  })

  it('is not begun by notes that the agent records while it works', () => {
    const note = run('handoff note --current-line-of-attack "sub is next"')
    expect(extract([...before.slice(0, 2), note, reply('add is fixed.')]).closing?.text).toBe('add is fixed.')
    const handed = extract([
      ...before,
      note,
      reply('I recorded it.'),
      run("handoff create 'fix sub'"),
      reply('Done.'),
    ])
    expect(handed.closing?.text).toBe('add is fixed.')
  })

  it('is no part of the work either when page and goal go over in one command, after a refusal too', () => {
    const page =
      '## Where it stands\nIt\'s "half" done: `$x` 🙂\ngit push\nrm -rf build\n\n## Fails now\n`npm test`\n'
    const create = `npx git-handoff create 'fix sub' --notes - <<'HANDOFF_PAGE'\n${page.repeat(40)}HANDOFF_PAGE`
    const evidence = extract([
      ...before,
      prompt('Hand over: fix sub.'),
      run("npx git-handoff create 'fix sub'", 2, 'No brief yet: the next agent needs the page'),
      reply('I write the page.'),
      run(create),
      reply('Handed over.'),
    ])
    expect(evidence.closing?.text).toBe('add is fixed.')
    expect([evidence.commands, evidence.work?.isEdited]).toEqual([[], true])
  })

  it('is part of it once something was done', () => {
    const evidence = extract([
      ...before,
      prompt('/handoff fix sub'),
      edit('src/sub.ts'),
      reply('sub is fixed.'),
    ])
    expect(evidence.closing?.text).toBe('sub is fixed.')
    expect(evidence.turns.map(({ request }) => request)).toEqual(['Fix add.', ''])
  })

  it.each<[string, Step[]]>([
    [
      'picked it up and hands over itself',
      [prompt('Read .handoff/latest.md and continue.'), reply('I read.')],
    ],
    ['worked without a word', [prompt('Fix sub.')]],
    ['picked it up and worked without a word', [prompt('Read .handoff/latest.md and continue.')]],
  ])('is enough to be handed over on where the agent %s', (_, steps) => {
    const worked = [...steps, edit('src/sub.ts'), run("handoff create 'add mul beside sub'")]
    expect(extract(worked).messages).toBe(2)
    expect(extract(steps).messages).toBeLessThan(2)
  })

  it('leaves a pick-up that only looked so far as it is', () => {
    const evidence = extract([
      prompt('Read .handoff/latest.md and continue.'),
      reply('I go on with sub.'),
      read('src/sub.ts'),
    ])
    expect(evidence.closing?.text).toBe('I go on with sub.')
  })
})
