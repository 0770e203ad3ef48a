import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { leftovers } from '../repo/git/harm.ts'
import { atFolder, type TempRepo } from '../repo/make-repo.ts'
import type { Ended } from './collect.ts'
import type { ByForm, Context, Part } from './part.ts'
import { call } from './race-world.ts'
import { randomOf } from './random.ts'
import { nothingRunsIn, runKilled } from './steps.ts'
import { openWorld } from './world.ts'

/** Seeds of every long run; a last one comes from the run itself. */
const FIXED = [11, 23, 37, 41, 59, 67, 83, 97]
const WALKS: ByForm<{ seeds: number; length: number }> = {
  ci: { seeds: 0, length: 12 },
  short: { seeds: 1, length: 15 },
  long: { seeds: FIXED.length, length: 40 },
}

/**
 * Random operations of a user and of handoff against the simplest model there is: whatever id was ever told is in a work tree, in
 * history or under refs/handoff.
 */
export const part: Part = {
  name: 'model',
  async run(context) {
    const { form, seed, row } = context
    const { seeds: fixed, length } = WALKS[form]
    const seeds = [...FIXED.slice(0, fixed), seed]
    const wrong: string[] = []
    const counts = new Map<string, number>()
    for (const one of seeds) wrong.push(...(await walk(context, one, length, counts)))
    for (const [operation, count] of [...counts].sort(([a], [b]) => (a < b ? -1 : 1))) {
      const bad = wrong.filter((text) => text.includes(` ${operation}: `))
      row(`random operations, ${seeds.length} seeds`, operation, count, bad.slice(0, 2))
    }
    await control(context)
  },
}

interface World {
  program: string
  /** The first one, and those added. */
  trees: TempRepo[]
  random: () => number
  /** The model: every id that was told. */
  ids: Set<string>
  steps: number
}

type Step = (world: World, tree: TempRepo) => Promise<string | undefined> | string | undefined

const pick = <T>(list: readonly T[], random: () => number): T => {
  const one = list[Math.floor(random() * list.length)]
  if (one === undefined) throw new Error('there is nothing to pick from')
  return one
}

const branchesOf = (tree: TempRepo) =>
  tree
    .git(['for-each-ref', '--format=%(refname:short)', 'refs/heads/'])
    .split('\n')
    .filter((name) => !name.startsWith('handoff/'))

/** Ours answers with an id or refuses with a code; anything else is wrong. */
async function ours(
  world: World,
  tree: TempRepo,
  args: string[],
  more: object = {},
): Promise<string | undefined> {
  const ended: Ended = await call(world.program, { ...tree, ...more }, [...args, '--json'])
  try {
    const said = JSON.parse(ended.stdout) as { ok: boolean; id?: string; errors?: { code: string }[] }
    if (ended.code === 0 && said.id !== undefined) world.ids.add(said.id)
    const code = said.errors?.[0]?.code
    return ended.code === 0 || (code !== undefined && !/E_UNEXPECTED|E_NOT_COMMITTED/.test(code))
      ? undefined
      : `exit ${ended.code}, ${code}: ${ended.stdout.slice(-300)}`
  } catch {
    return `exit ${ended.code} without an answer: ${ended.stderr.slice(-300)}`
  }
}

const goalOf = ({ steps }: World) => `finish part ${steps} of the retry queue and document its limits`

/** What git refuses, for a conflict or a work tree that is not clean, is left as it is or taken back, as people do. */
function orAbort(tree: TempRepo, random: () => number, args: string[], abort: string[]): undefined {
  if (tree.tryGit(args).status !== 0 && random() < 0.5) tree.tryGit(abort)
}

const STEPS: Readonly<Record<string, Step>> = {
  create: (world, tree) => ours(world, tree, ['create', goalOf(world), '--from', 'git']),
  'create again': (world, tree) => ours(world, tree, ['create', goalOf(world), '--from', 'git']),
  'create, separate': (world, tree) =>
    ours(world, tree, ['create', goalOf(world), '--from', 'git', '--branch', 'separate']),
  done: (world, tree) => ours(world, tree, ['done', `shipped part ${world.steps}`]),
  resume: (world, tree) => ours(world, tree, ['resume']),
  prune: (world, tree) => ours(world, tree, ['prune', '--keep', '1', '--open']),
  async kill(world, tree) {
    await runKilled(
      world.program,
      tree,
      ['create', goalOf(world), '--from', 'git'],
      Math.round(world.random() * 1500),
    )
    await nothingRunsIn(tree.base)
    return undefined
  },
  commit({ steps, random }, tree) {
    tree.write(random() < 0.3 ? 'a.txt' : `file-${steps}.txt`, `${steps}\n`)
    // Some take everything along, ours as well.
    tree.tryGit([
      'add',
      ...(random() < 0.5
        ? ['-A']
        : [
            '--',
            'a.txt',
            ...(existsSync(join(tree.root, `file-${steps}.txt`)) ? [`file-${steps}.txt`] : []),
          ]),
    ])
    tree.tryGit(['commit', '-q', '-m', `work ${steps}`])
    return undefined
  },
  checkout({ steps, random }, tree) {
    if (random() < 0.4) tree.tryGit(['switch', '-q', '-c', `branch-${steps}`])
    else if (random() < 0.2) tree.tryGit(['checkout', '-q', '--detach'])
    else tree.tryGit(['switch', '-q', pick(branchesOf(tree), random)])
    return undefined
  },
  merge: ({ random }, tree) =>
    orAbort(tree, random, ['merge', '-q', '--no-edit', pick(branchesOf(tree), random)], ['merge', '--abort']),
  rebase: ({ random }, tree) =>
    orAbort(tree, random, ['rebase', '-q', pick(branchesOf(tree), random)], ['rebase', '--abort']),
  squash({ steps, random }, tree) {
    // The branch stays: who deletes a branch whose briefs were pruned deletes them.
    if (tree.tryGit(['merge', '-q', '--squash', pick(branchesOf(tree), random)]).status === 0)
      tree.tryGit(['commit', '-q', '-m', `squash ${steps}`])
    else tree.tryGit(['reset', '-q', '--merge'])
    return undefined
  },
  stash({ random }, tree) {
    tree.write('a.txt', `put away ${random()}\n`)
    tree.tryGit(['stash', 'push', '-q', ...(random() < 0.5 ? ['-u'] : [])])
    if (random() < 0.6) tree.tryGit(['stash', 'pop', '-q'])
    return undefined
  },
  gc: (_, tree) => void tree.git(['gc', '-q', '--prune=now']),
  'worktree add'({ trees, steps }, tree) {
    const root = join(tree.base, `tree-${steps}`)
    if (trees.length < 4 && tree.tryGit(['worktree', 'add', '-q', '-b', `tree-${steps}`, root]).status === 0)
      trees.push(atFolder(tree.base, root, tree.env))
    return undefined
  },
  'worktree remove'({ trees }) {
    const gone = trees.length > 1 ? trees.pop() : undefined
    // By force: what was parked there has its ref.
    if (gone !== undefined) trees[0]?.git(['worktree', 'remove', '--force', '--force', gone.root])
    return undefined
  },
}

async function walk(
  context: Context,
  seed: number,
  length: number,
  counts: Map<string, number>,
): Promise<string[]> {
  const random = randomOf(seed, 'model')
  const first = openWorld(context.scratch('model'))
  const world: World = { program: context.program, trees: [first], random, ids: new Set(), steps: 0 }
  const wrong: string[] = []
  while (world.steps < length && wrong.length === 0) {
    world.steps++
    // The first two make something to lose.
    const name = world.steps <= 2 ? 'create' : pick(Object.keys(STEPS), random)
    const tree = pick(world.trees, random)
    const said = await STEPS[name]?.(world, tree)
    const found = [...(said === undefined ? [] : [said]), ...lost(world), ...unsound(first)]
    counts.set(name, (counts.get(name) ?? 0) + 1)
    context.case({
      seed,
      step: world.steps,
      operation: name,
      tree: tree.root.slice(tree.base.length),
      ids: world.ids.size,
      wrong: found,
    })
    wrong.push(...found.map((one) => `seed ${seed}, step ${world.steps}, ${name}: ${one}`))
  }
  if (wrong.length === 0)
    wrong.push(...(await settle(world)).map((one) => `seed ${seed}, in the end, create: ${one}`))
  return wrong
}

/** Ids of the model that are in no work tree, in no history and under no ref. */
function lost({ trees, ids }: World): string[] {
  const [first] = trees
  if (first === undefined) return []
  const heads = trees.flatMap(
    (tree) => tree.tryGit(['rev-parse', '-q', '--verify', 'HEAD']).stdout.trim() || [],
  )
  const reachable = first.git(['rev-list', '--objects', '--all', ...heads])
  const here = trees.flatMap((tree) => {
    const folder = join(tree.root, '.handoff/briefs')
    return existsSync(folder) ? readdirSync(folder) : []
  })
  return [...ids]
    .filter((id) => !reachable.includes(`.handoff/briefs/${id}`) && !here.some((name) => name.startsWith(id)))
    .map((id) => `${id} is lost`)
}

function unsound(repo: TempRepo): string[] {
  const { status, stderr } = repo.tryGit(['fsck', '--no-dangling', '--no-progress'])
  return status === 0 ? [] : [`fsck: ${stderr.split('\n')[0]}`]
}

/** After whatever was left unfinished is taken back, the next create works everywhere and nobody's lock is left. */
async function settle(world: World): Promise<string[]> {
  const wrong: string[] = []
  for (const [at, tree] of world.trees.entries()) {
    for (const one of ['merge', 'rebase', 'cherry-pick']) tree.tryGit([one, '--abort'])
    world.steps += at + 1
    const said = await ours(world, tree, ['create', goalOf(world), '--from', 'git'])
    if (said !== undefined) wrong.push(said)
  }
  const [first] = world.trees
  const left = first === undefined ? [] : leftovers(join(first.root, '.git'))
  return [...wrong, ...lost(world), ...left.map((one) => `left over: ${one}`)]
}

/** A brief that a reset of the user's takes out of history is missed by the model. */
async function control({ program, random, scratch, row }: Context): Promise<void> {
  const repo = openWorld(scratch('model'))
  const world: World = { program, trees: [repo], random, ids: new Set(), steps: 0 }
  await STEPS.create?.(world, repo)
  const before = lost(world).length
  repo.git(['reset', '-q', '--hard', 'HEAD~1'])
  const caught = lost(world).length
  const isSeen = before === 0 && caught === 1
  row(
    'planted: git reset --hard HEAD~1',
    'create',
    1,
    isSeen,
    isSeen ? 'caught: 1 lost' : 'the harness is blind',
  )
}
