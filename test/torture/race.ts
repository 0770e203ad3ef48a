import { join } from 'node:path'
import { readJournal } from '../../src/store/journal.ts'
import { listLive } from '../../src/store/live.ts'
import { atFolder, type TempRepo } from '../repo/make-repo.ts'
import type { ByForm, Context, Part } from './part.ts'
import { raceControls } from './race-controls.ts'
import { collectUntil, commitUntil, oneLine, rebaseUntil } from './race-user.ts'
import { auditHistory, call, hand, idsOf, userGit, wrongOf } from './race-world.ts'
import { tell } from './tell.ts'
import { openWorld } from './world.ts'

interface Crowd {
  /** Creators in one worktree, beside a collection, and on a separate branch. */
  one: number
  collecting: number
  separate: number
  sessions: number
  /** Linked worktrees, and creators in each. */
  linked: readonly [places: number, each: number]
  /** How often two clones push. */
  rounds: number
}
const CROWD: ByForm<Crowd> = {
  ci: { one: 3, collecting: 2, separate: 2, sessions: 2, linked: [2, 2], rounds: 1 },
  short: { one: 12, collecting: 6, separate: 6, sessions: 4, linked: [2, 4], rounds: 3 },
  long: { one: 50, collecting: 30, separate: 20, sessions: 16, linked: [5, 10], rounds: 10 },
}

/** Many at once, and a user who works on meanwhile. */
export const part: Part = {
  name: 'race',
  async run(context) {
    await oneWorktree(context)
    await collecting(context)
    await separately(context)
    await linkedWorktrees(context)
    await twoClones(context)
    await raceControls(context)
  },
}

const counted = (count: number) => Array.from({ length: count }, (_, at) => at)

/** Creators, hooks of agents, departing agents' notes and a user who commits, all in one worktree. */
async function oneWorktree(context: Context): Promise<void> {
  const { program, form } = context
  const repo = openWorld(context.scratch('one'))
  const { one: creators, sessions } = CROWD[form]
  await hand(program, repo, 'zero')
  let isOver = false
  const user = commitUntil(repo, 'user', () => isOver)
  const hooks = Promise.all(counted(sessions).map((at) => session(program, repo, at)))
  const results = await Promise.all(counted(creators).map((at) => hand(program, repo, at)))
  const heard = await hooks
  isOver = true
  const commits = await user
  const wrong = [...wrongOf(results), ...auditHistory(repo, 'main', idsOf(results))]
  tell(context, 'at once in one worktree', 'create', creators, wrong)
  tell(
    context,
    'beside creators and hooks',
    'git commit of the user',
    commits.done,
    [...commits.wrong, ...auditCommits(repo, 'main', 'user', commits.done)],
    commits.detail,
  )
  tell(context, 'at once, beside creators', 'hook, note', sessions * 4, [
    ...heard.flat(),
    ...(await auditSessions(program, repo, sessions)),
  ])
}

/** What git collects by itself. `--prune=now` takes what nothing names yet, from any git: see docs/design.md. */
async function collecting(context: Context): Promise<void> {
  const repo = openWorld(context.scratch('prune'))
  const creators = CROWD[context.form].collecting
  let isOver = false
  const gc = collectUntil(repo, ['gc', '-q'], () => isOver)
  const results = await Promise.all(counted(creators).map((at) => hand(context.program, repo, at)))
  isOver = true
  const collected = await gc
  const wrong = [...wrongOf(results), ...auditHistory(repo, 'main', idsOf(results))]
  tell(context, 'beside git gc in a loop', 'create', creators, wrong)
  tell(context, 'beside creators', 'git gc', collected.done, collected.wrong)
}

/** On a branch of briefs, which no index guards. */
async function separately(context: Context): Promise<void> {
  const repo = openWorld(context.scratch('separate'))
  const creators = CROWD[context.form].separate
  const results = await Promise.all(
    counted(creators).map((at) => hand(context.program, repo, at, ['--branch', 'separate'])),
  )
  const wrong = [...wrongOf(results), ...auditHistory(repo, 'handoff/main', idsOf(results))]
  tell(context, 'at once on a separate branch', 'create', creators, wrong)
}

/** Linked worktrees with creators each; the user rebases in the first and commits in the others. */
async function linkedWorktrees(context: Context): Promise<void> {
  const { program, form } = context
  const repo = openWorld(context.scratch('linked'))
  // So that main has our files: a rebase does not take them out of the work tree then, and ends sooner.
  await hand(program, repo, 'zero')
  const [places, each] = CROWD[form].linked
  const trees = counted(places).map((at) => {
    const root = join(repo.base, `tree-${at}`)
    repo.git(['worktree', 'add', '-q', '-b', `work-${at}`, root])
    return atFolder(repo.base, root, repo.env)
  })
  let isOver = false
  const user = trees.map((tree, at) =>
    at === 0 ? rebaseUntil(repo, tree, () => isOver) : commitUntil(tree, `mine-${at}`, () => isOver),
  )
  const all = await Promise.all(
    trees.map((tree, at) => Promise.all(counted(each).map((one) => hand(program, tree, `${at}-${one}`)))),
  )
  isOver = true
  const done = await Promise.all(user)
  const wrong: string[] = []
  let takenOff = 0
  for (const [at, tree] of trees.entries()) {
    // What was parked during a rebase is adopted by the next command.
    const last = await hand(program, tree, `${at}-last`)
    const results = [...(all[at] ?? []), last]
    // A rebase takes off what was committed since it had read the branch: given up, see docs/design.md.
    const found = auditHistory(tree, `work-${at}`, idsOf(results))
    const excused = found.filter((one) => at === 0 && isTakenOff(one))
    takenOff += excused.length
    wrong.push(...wrongOf(results), ...found.filter((one) => !excused.includes(one)))
  }
  const told = takenOff === 0 ? '' : `${takenOff} findings of briefs that a rebase took off its branch`
  tell(context, `at once in ${places} linked worktrees`, 'create', places * (each + 1), wrong, told)
  for (const [at, { done: count, wrong: failed, detail }] of done.entries())
    tell(
      context,
      'beside creators in linked worktrees',
      at === 0 ? 'git rebase of the user' : 'git commit of the user',
      count,
      [...failed, ...(at === 0 ? [] : auditCommits(repo, `work-${at}`, `mine-${at}`, count))],
      detail,
    )
}

/** Two clones hand over and push to one bare remote: one rebases what it has, the other merges. */
async function twoClones(context: Context): Promise<void> {
  const { program, form } = context
  const source = openWorld(context.scratch('clones'), 'source')
  const bare = join(source.base, 'bare.git')
  source.git(['clone', '-q', '--bare', source.root, bare])
  const { rounds } = CROWD[form]
  const clones = ['rebase', 'merge'].map((way) => {
    const root = join(source.base, way)
    source.git(['clone', '-q', bare, root])
    return { way, clone: atFolder(source.base, root, source.env) }
  })
  const ends = await Promise.all(
    clones.map(async ({ way, clone }) => {
      const results: Awaited<ReturnType<typeof hand>>[] = []
      const wrong: string[] = []
      for (const at of counted(rounds)) {
        // Two at once, so that a clone has more than one commit to bring.
        results.push(...(await Promise.all([0, 1].map((one) => hand(program, clone, `${way}-${at}-${one}`)))))
        wrong.push(...(await publish(clone, way)))
      }
      return { results, wrong }
    }),
  )
  const judge = clones[0]?.clone ?? source
  await userGit(judge, ['pull', '-q', '--rebase'])
  const results = ends.flatMap((one) => one.results)
  const wrong = [...wrongOf(results), ...ends.flatMap((one) => one.wrong)]
  wrong.push(...auditHistory(judge, 'origin/main', idsOf(results), { isLinear: false }))
  tell(context, 'two clones push to one remote', 'create', results.length, wrong)
}

async function publish(clone: TempRepo, way: string): Promise<string[]> {
  const join = way === 'rebase' ? ['--rebase'] : ['--no-rebase', '--no-edit']
  for (let attempt = 0; attempt < 20; attempt++) {
    if ((await userGit(clone, ['push', '-q', 'origin', 'main'])).code === 0) return []
    const pulled = await userGit(clone, ['pull', '-q', ...join, 'origin', 'main'])
    if (pulled.code !== 0) return [`pull by ${way} failed: ${oneLine(pulled)}`]
  }
  return [`${way}: 20 pushes were rejected`]
}

/** Each commit of the user's is there once, with its file. */
function auditCommits(repo: TempRepo, ref: string, name: string, count: number): string[] {
  const log = repo.git(['log', '--format=%s', '--name-only', ref]).split('\n')
  return counted(count).flatMap((at) => {
    const times = log.filter((line) => line === `${name} ${at}`).length
    if (times !== 1) return [`"${name} ${at}" stands ${times} times in history`]
    return repo.tryGit(['show', `${ref}:${name}-${at}.txt`]).stdout === `${at}`
      ? []
      : [`${name}-${at}.txt is not as written`]
  })
}

const isTakenOff = (one: string): boolean => / is (?:lost|not in the tree|a parent and nowhere)$/.test(one)

const sessionId = (at: number) => `${String(at).padStart(8, '0')}-2222-4333-8444-555555555555`

/** An agent begins, stops, leaves its notes and ends: three hooks and a command. */
async function session(program: string, repo: TempRepo, at: number): Promise<string[]> {
  const payload = (extra: object) => JSON.stringify({ session_id: sessionId(at), cwd: repo.root, ...extra })
  const hook = (event: string, extra: object) =>
    call(program, repo, ['hook', event, '--agent', 'claude-code'], payload(extra))
  const asAgent = { ...repo, env: { ...repo.env, CLAUDECODE: '1', CLAUDE_CODE_SESSION_ID: sessionId(at) } }
  const ended = [
    ['session-start', await hook('session-start', { source: 'startup' })],
    ['stop', await hook('stop', {})],
    ['note', await call(program, asAgent, ['note', '--active-hypothesis', `what agent ${at} believes`])],
    ['session-end', await hook('session-end', { reason: 'other' })],
  ] as const
  return ended.flatMap(([name, { code, stderr }]) =>
    code === 0 && (name === 'note' || stderr === '') ? [] : [`${name} ${at}: ${oneLine({ code, stderr })}`],
  )
}

/** No hook failed unseen, and nobody's notes or session were written over. */
async function auditSessions(program: string, repo: TempRepo, count: number): Promise<string[]> {
  const common = join(repo.root, '.git')
  const failed = (await readJournal(common)).filter((entry) => 'failed' in entry)
  const live = await listLive(common)
  const notes = (await call(program, repo, ['note', '--list'])).stdout
  return [
    ...failed.map((entry) => `a hook failed: ${entry.failed}`),
    ...counted(count).flatMap((at) => [
      ...(live.some((one) => one.sessionId === sessionId(at) && one.endedAt !== null)
        ? []
        : [`session ${at} is lost`]),
      ...(notes.includes(`what agent ${at} believes`) ? [] : [`the notes of agent ${at} are lost`]),
    ]),
  ]
}
