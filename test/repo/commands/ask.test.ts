import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { byNight } from '../../sampled.ts'
import { writeClaudeSession } from '../claude-session.ts'
import { cli } from '../cli.ts'
import { makeRepo, type TempRepo } from '../make-repo.ts'
import { later, succeeded } from '../usual.ts'

const FIRST = '11111111-2222-4333-8444-555555555555'
const SECOND = '66666666-2222-4333-8444-555555555555'

const ask = (repo: TempRepo, ...argv: string[]) => cli(repo, ['ask', ...argv, '--json'])

async function create(repo: TempRepo, id: string, goal: string, now?: Date) {
  const env = { CLAUDECODE: '1', CLAUDE_CODE_SESSION_ID: id }
  return succeeded(
    await cli(repo, ['create', goal, '--json', '--no-notes'], { env, ...(now ? { now } : {}) }),
  )
}

/** Two sessions and two briefs, the second the child of the first. */
async function chain() {
  const repo = makeRepo()
  repo.commit('queue', { 'src/queue.ts': 'x\n' })
  const session = writeClaudeSession(
    repo,
    [
      { user: 'Make the retry queue bounded. Use a semaphore, not a mutex.' },
      { bash: 'npm test', exit: 1, output: 'queue.test.ts: deadlock in mutex' },
      { says: 'The mutex deadlocks when the producer waits, so I gave it up.' },
    ],
    { id: FIRST },
  )
  const one = await create(repo, FIRST, 'bound the retry queue with a semaphore')
  writeClaudeSession(
    repo,
    [{ user: 'Now document it.' }, { says: 'The mutex is gone for good: semaphore everywhere.' }],
    { id: SECOND, end: later(30) },
  )
  const two = await create(repo, SECOND, 'document the bounded retry queue', later(31))
  return { repo, session, one, two }
}

describe('ask', () => {
  it('quotes what was said and done in the sessions behind a brief and its parents, located', async () => {
    const { repo, one } = await chain()
    const { code, json } = await ask(repo, 'why was the mutex given up?')
    expect(code).toBe(0)
    expect(json.searched).toHaveLength(2)
    expect(json.hits[0]).toMatchObject({ brief: one.id, session: FIRST, turn: 1, at: expect.any(String) })
    expect(JSON.stringify(json.hits)).toContain('The mutex deadlocks when the producer waits')
    expect(JSON.stringify(json.hits.map((hit: { later: unknown }) => hit.later))).toContain('gone for good')
    expect((await ask(repo, 'why was the mutex given up?')).json).toEqual(json)
  })

  byNight('quotes what came last on a matter once', async () => {
    const { repo } = await chain()
    const { hits, text } = (await ask(repo, 'the mutex')).json
    const isLast = ({ quote }: { quote: string }) => quote.includes('gone for good')
    const after = hits.filter(({ later }: { later: { quote: string } | null }) => later && isLast(later))
    expect(after.length).toBeGreaterThan(1)
    expect(text.split('> The mutex is gone for good')).toHaveLength(2)
  })

  byNight('tells an answer with what it answers', async () => {
    const repo = makeRepo()
    writeClaudeSession(
      repo,
      [
        { user: 'How do we bound the retry queue?' },
        { says: '1. A mutex around it.\n2. A semaphore, since it counts.\n\nWhich one?' },
        { user: 'option 2' },
        { says: 'Done.' },
      ],
      { id: FIRST },
    )
    await create(repo, FIRST, 'document the bounded retry queue')
    const { json } = await ask(repo, 'why a semaphore')
    expect(json.hits[0]).toMatchObject({ who: 'user', turn: 2, quote: 'option 2' })
    expect(json.hits[0].to).toContain('A semaphore, since it counts.')
    expect(json.text).toContain('> option 2\n   in answer to:\n   > ')
  })

  byNight('takes the brief that is named, and no child of it', async () => {
    const { repo, one } = await chain()
    const { json } = await ask(repo, 'semaphore everywhere', one.id)
    expect(json.searched.map(({ session }: { session: { id: string } }) => session.id)).toEqual([FIRST])
  })

  byNight('answers from the brief when the session is gone, and says so', async () => {
    const { repo, session } = await chain()
    rmSync(session)
    const { json } = await ask(repo, 'semaphore or mutex?')
    expect(json.warnings.join('\n')).toMatch(/not on this machine; answered from the brief/)
    const hit = json.hits.find(({ who }: { who: string }) => who === 'brief')
    expect(hit.quote).toContain('Use a semaphore, not a mutex.')
  })

  byNight('tells in one line of all briefs that were made without a session', async () => {
    const repo = makeRepo()
    repo.commit('queue', { 'src/queue.ts': 'x\n' })
    const make = async (goal: string, minutes: number) =>
      succeeded(await cli(repo, ['create', goal, '--from', 'git', '--json'], { now: later(minutes) }))
    const one = await make('bound the retry queue with a semaphore', 0)
    const two = await make('document the bounded retry queue', 5)
    const { json } = await ask(repo, 'what about the semaphore?')
    expect(json.warnings).toEqual([
      `${one.id}, ${two.id}: was made without a session; answered from the brief`,
    ])
  })

  byNight('leaves out a brief that is not trusted when its session is gone', async () => {
    const { repo, session } = await chain()
    rmSync(session)
    writeFileSync(join(repo.root, '.git', 'handoff', 'created'), '')
    const { json } = await ask(repo, 'semaphore or mutex?')
    expect(json.warnings.join('\n')).toContain('not trusted and was left out')
    expect(json.hits.some(({ who }: { who: string }) => who === 'brief')).toBe(false)
  })

  byNight('opens a session of another repository only for a brief that is trusted', async () => {
    const { repo, session } = await chain()
    rmSync(session)
    const said = [{ user: 'Keep the mutex of the other project.' }, { says: 'The other mutex stays.' }]
    writeClaudeSession(repo, said, { id: FIRST, cwd: join(repo.base, 'elsewhere') })
    expect(JSON.stringify((await ask(repo, 'which mutex stays?')).json.hits)).toContain('other mutex')
    writeFileSync(join(repo.root, '.git', 'handoff', 'created'), '')
    const { json } = await ask(repo, 'which mutex stays?')
    expect(JSON.stringify(json.hits)).not.toContain('other mutex')
    expect(json.warnings.join('\n')).toContain('not trusted and was left out')
  })

  byNight('never prints a secret of the session', async () => {
    const repo = makeRepo()
    const key = ['ghp', 'q7Zk2mW9xLrT4vB8nYc1Jd6Hs3Fp5Ga0UeXi'].join('_')
    writeClaudeSession(
      repo,
      [{ user: `The deploy token is ${key}, use it.` }, { says: 'I use the deploy token.' }],
      { id: FIRST },
    )
    await create(repo, FIRST, 'deploy with the token from the vault')
    const { stdout } = await ask(repo, 'deploy token')
    expect(stdout).toContain('deploy token')
    expect(stdout).not.toContain(key)
  })

  byNight('says that nothing was found, and wants a question and a brief', async () => {
    const { repo } = await chain()
    expect((await ask(repo, 'kubernetes')).json).toMatchObject({
      hits: [],
      text: expect.stringContaining('No match'),
    })
    expect((await ask(repo, ' ')).json.errors[0].code).toBe('E_USAGE')
    expect((await ask(makeRepo(), 'anything')).json.errors[0].code).toBe('E_NO_BRIEF')
  })
})
