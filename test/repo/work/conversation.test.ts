import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { byNight } from '../../sampled.ts'
import { writeClaudeSession } from '../claude-session.ts'
import { cli } from '../cli.ts'
import { fakeAgent } from '../fake-agent.ts'
import { atFolder, makeEnv, prepared } from '../make-repo.ts'
import { AGENT, later, made, SESSION, sectionOf, usual } from '../usual.ts'
import { BRANCH, done, refused, stateOf } from './pair.ts'

/** Made anew: nothing that looks like one stands in the source. */
const key = (): string =>
  `ghp_${Array.from({ length: 36 }, (_, at) => 'aB3dE5gH7jK9mN1pQ4'[(at * 7) % 18]).join('')}`

/** Ann has handed over from a session; Bob's clone and home know nothing of it. */
const afterSession = prepared(async () => {
  const ann = usual()
  const { base, env, home } = ann
  writeClaudeSession(
    ann,
    [
      { user: 'make the retry queue of src/queue.ts bounded' },
      { says: `GITHUB_TOKEN=${key()} is in ${home}/notes. The pelican incident lost forty jobs there.` },
      { edit: 'src/queue.ts' },
      { bash: 'node --test', exit: 1, output: 'not ok 1 - pelican\n' },
      { says: 'The bound is in; the test of it fails still.' },
    ],
    { id: SESSION },
  )
  const hub = atFolder(base, join(base, 'hub.git'), env)
  ann.git(['clone', '-q', '--bare', ann.root, hub.root])
  ann.git(['remote', 'add', 'origin', `file://${hub.root}`])
  ann.git(['fetch', '-q'])
  ann.git(['switch', '-q', '-c', BRANCH])
  ann.write('src/queue.ts', 'bounded\n')
  ann.git(['add', 'src/queue.ts'])
  ann.write('test/queue.test.ts', 'fails\n')
  const { id } = await made(ann, [], AGENT)
  const bob = atFolder(base, join(base, 'bob'), makeEnv(join(base, 'bob-home')))
  bob.git(['clone', '-q', `file://${hub.root}`, bob.root], { cwd: base })
  return { ann, bob, hub, id }
})

describe('a conversation beside a brief', () => {
  it('answers a colleague who trusts origin, without secrets and homes', async () => {
    const { ann, bob, hub, id } = await afterSession()
    const { stderr } = await cli(ann, ['push', '--conversation'], { now: later(5) })
    expect(stderr).toMatch(
      /The conversation behind \S+: \d+ steps, 1 of them yours, \d+ (?:B|KB), 1 secret replaced\. Requests, replies, commands and their output; whoever may read origin may read it\./,
    )
    const text = hub.git(['show', `refs/handoff/said/${id}:conversation.json`])
    expect(text).toContain('pelican incident')
    expect(text).not.toContain(key())
    expect(text).not.toContain(ann.home)
    await done(bob, ['trust', '--origin'])
    expect((await cli(bob, ['open', BRANCH])).stdout).toContain('Its conversation came along')
    const answer = await done(bob, ['ask', 'which incident lost jobs?'])
    expect(answer.searched).toEqual([{ briefs: [id], session: { agent: 'claude-code', id: SESSION } }])
    expect(JSON.stringify(answer.hits)).toContain('pelican incident lost forty jobs')
    expect(bob.git(['for-each-ref', 'refs/handoff'])).toBe('')
  })

  byNight(
    'tells a colleague why a line is there, where the brief names neither commit nor file',
    async () => {
      const { ann, bob } = await afterSession()
      const talk = Array.from({ length: 12 }, (_, at) => [
        { user: `what of matter ${at}, which is another one?` },
        { says: `Matter ${at} is settled in a long reply of its own.` },
      ]).flat()
      const turn = [
        { user: 'bound it, the pelicans eat the memory' },
        { edit: 'src/queue.ts' },
        { says: 'A hundred entries: the pelican poller is killed above that.' },
      ]
      writeClaudeSession(ann, [...turn, ...talk], { id: SESSION })
      const brief = await made(ann, ['--focus', 'the docs'], { ...AGENT, now: later(9) })
      ann.git(['add', 'src/queue.ts'])
      ann.git(['commit', '-q', '-m', 'Bound it'])
      await done(ann, ['push', '--conversation'])
      await done(bob, ['trust', '--origin'])
      await done(bob, ['open', BRANCH])
      for (const who of [ann, bob]) {
        const { reasons, text } = await done(who, ['why', 'src/queue.ts:1'])
        expect(reasons[0].quotes).toEqual([
          {
            ...{ brief: brief.id, section: 'Turn 1 of Claude Code', about: 'file' },
            lines: [
              'bound it, the pelicans eat the memory',
              'A hundred entries: the pelican poller is killed above that.',
            ],
          },
        ])
        expect(text).toContain(`Turn 1 of Claude Code, ${brief.id}:\n> bound it`)
      }
    },
  )

  byNight('lets a colleague make the brief anew from it, in paths of his own', async () => {
    const { ann, bob, id } = await afterSession()
    const { markdown: wanted } = await done(ann, ['resume', '--dry-run'])
    await done(ann, ['push', '--conversation'])
    await done(bob, ['trust', '--origin'])
    await done(bob, ['open', BRANCH])
    bob.write('src/queue.ts', 'bounded\n')
    const again = await done(bob, ['resume', '--dry-run'])
    expect(again).toMatchObject({ transcript: 'rebuilt', resumedFrom: { id } })
    expect(again.session).toMatchObject({ agent: 'claude-code', id: SESSION })
    const of = (markdown: string, heading: string) =>
      sectionOf(markdown, heading)
        .replaceAll(bob.root, ann.root)
        .replaceAll(/ *not tracked yet/g, '')
    for (const heading of [
      'How it got here',
      'Where it stands',
      'Relevant Commands',
      'Constraints & Preferences',
    ])
      expect(of(again.markdown, heading)).toBe(of(wanted, heading))
    expect(of(again.markdown, 'How it got here')).toContain('pelican incident')
    expect(again.markdown).toContain('- `src/queue.ts` — edited once')
  })

  byNight('is neither sent nor read without a word of the person', async () => {
    const { ann, bob, hub } = await afterSession()
    expect((await done(ann, ['push', '--work'])).conversation).toBeNull()
    expect((await done(ann, ['push', '--conversation', '--dry-run'])).conversation).toBeNull()
    expect(hub.git(['for-each-ref', 'refs/handoff/said'])).toBe('')
    await done(ann, ['push', '--conversation'])
    // Bob does not trust origin: nothing binds the conversation to a brief.
    expect((await cli(bob, ['open', BRANCH])).stdout).toContain('read only from an origin that you trust')
    expect(JSON.stringify(await done(bob, ['ask', 'which incident lost jobs?']))).not.toContain(
      'pelican incident',
    )
    await done(bob, ['trust', '--origin'])
    await done(bob, ['open', BRANCH])
    expect(JSON.stringify(await done(bob, ['ask', 'which incident lost jobs?']))).toContain(
      'pelican incident',
    )
    // The sender's `prune` takes it away after thirty days.
    await done(ann, ['prune', '--keep', '9'], { now: later(60 * 24 * 40) })
    expect(hub.git(['for-each-ref', 'refs/handoff/said'])).toBe('')
  })

  byNight('is refused where there is none here', async () => {
    const { bob, ann } = await afterSession()
    await done(ann, ['push'])
    await done(bob, ['open', BRANCH])
    expect((await refused(bob, ['push', '--conversation'])).code).toBe('E_NO_SESSION')
  })

  byNight('goes with the work to the next agent, who finds brief, edits and index', async () => {
    const { ann, bob, id } = await afterSession()
    await done(ann, ['push', '--work', '--conversation'])
    await done(bob, ['trust', '--origin'])
    const agent = fakeAgent(bob, 'codex')
    const opened = await done(bob, ['open', BRANCH, '--to', 'codex', '--headless'], { env: agent.env })
    expect(opened).toMatchObject({ id, started: true, work: { by: expect.any(String), files: 2, staged: 1 } })
    expect(agent.seen()?.cwd).toBe(bob.root)
    expect(stateOf(bob)).toEqual(stateOf(ann))
  })
})
