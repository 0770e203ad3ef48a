import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, isAbsolute, join, relative } from 'node:path'
import { OTHER_NAME } from '../agents/setup.ts'
import type { Repo } from '../git/open-repo.ts'
import type { Change, Plan } from '../hooks/plan.ts'
import type { Output } from '../output/output.ts'
import type { FoundAgent } from './init-agents.ts'
import type { GitHookSetup } from './init-git-hooks.ts'

/** A path as people write it: from the top of the worktree, else from home. */
export function nameOf(root: string, home: string): (path: string) => string {
  const within = (folder: string, path: string): string | null => {
    const rest = relative(folder, path)
    return rest.startsWith('..') || isAbsolute(rest) ? null : rest
  }
  return (path) => {
    const inside = within(root, path)
    if (inside !== null) return inside
    const below = within(home, path)
    return below === null ? path : `~/${below}`
  }
}

interface Told {
  plan: Plan
  /** Null when it was carried out. */
  diff: string | null
  name: (path: string) => string
}

export function tellSetup(
  out: Output,
  told: Told & {
    agents: FoundAgent[]
    gitHooks: GitHookSetup
    runner: string | null
    /** A skill of the person's own that wins over that of an agent, by its label. */
    shadows: readonly { label: string; path: string }[]
    isNew: (mark: string) => boolean
    /** Address of an origin whose briefs are not trusted. */
    untrusted: string | null
  },
): void {
  const { plan, agents, gitHooks, runner, diff, name, isNew, untrusted } = told
  for (const { path, reason } of plan.left) out.warn(`${name(path)} was left alone: ${reason}`)
  for (const { adapter, isInstalled, hasRun } of agents) {
    const program = adapter.launch?.program
    if (!isInstalled && program !== undefined)
      out.warn(`${adapter.label} is not installed here: there is no \`${program}\` on PATH`)
    else if (!hasRun && adapter.traces !== undefined) out.warn(`${adapter.label} has never run here`)
  }
  for (const { label, path } of told.shadows) out.warn(shadowText(label, name(path)))
  for (const text of gitHooks.warnings) out.warn(text)
  if (agents.length === 0)
    out.warn('no coding agent was found here; name one with `--agent`, `handoff init --help` tells how')
  const todo = agents.flatMap(({ adapter }) =>
    (adapter.afterSetup ?? []).map((text) => ({ agent: adapter.id, label: adapter.label, text })),
  )
  const { manager, where, events } = gitHooks
  const isGitNew = gitHooks.edits.some(({ path }) => plan.changes.some((change) => change.path === path))
  const gitTodo = isGitNew ? gitHooks.todo : []
  const lines = [
    ...changesOf(plan, name),
    ...(isNew('filter') ? ['Set filter.handoff.clean in .git/config.'] : []),
    ...(isNew('refspec')
      ? [
          "Added the branches of briefs to remote.origin.fetch in .git/config; nothing is pushed by itself: `git push origin 'refs/heads/handoff/*'`",
        ]
      : []),
    ...(isNew('trust-origin')
      ? [
          'Briefs on branches of origin are trusted in this clone; `handoff trust --origin --revoke` takes that back.',
        ]
      : []),
    ...(plan.changes.length === 0 || untrusted === null
      ? []
      : [
          `Briefs of others on branches of origin (${untrusted}) are not trusted; \`handoff trust --origin\` trusts them.`,
        ]),
    ...(plan.changes.length === 0 && !isNew('refspec') ? ['Nothing to change.'] : []),
    ...(agents.length === 0 ? [] : [`Set up: ${agents.map(({ adapter }) => adapter.label).join(', ')}.`]),
    ...(where === null ? [] : [`Hooks of git: ${manager}, in ${name(where)}: ${events.join(', ')}.`]),
    ...(plan.changes.length === 0 ? [] : ['Commit these files to have the same in every clone.']),
    ...gitTodo.map((text) => `${manager}: ${text}`),
    ...todo.map(({ label, text }) => `${label}: ${text}`),
  ]
  const text = diff === '' ? 'Nothing to change.' : lines.join('\n')
  tell(out, diff, text, {
    ok: true,
    dryRun: diff !== null,
    agents: agents.map(({ adapter, isInstalled, hasRun }) => ({
      id: adapter.id,
      label: adapter.label,
      installed: isInstalled,
      hasRun,
    })),
    ...listed({ plan, diff, name }),
    runner,
    gitHooks: { manager, where: where === null ? null : name(where), events, todo: gitTodo },
    todo,
    warnings: out.warnings,
  })
}

const shadowText = (label: string, path: string): string =>
  `${label}: ${path} is named handoff too and wins over the skill of this repository. Type /${OTHER_NAME} <goal> here, or rename yours.`

/** A diff is to be read by programs as well: its lines stay. */
function tell(out: Output, diff: string | null, text: string, object: object): void {
  if (diff) out.result(diff, object)
  else out.prose(text, object)
}

export function tellRemoval(out: Output, told: Told & { undone: string[] }): void {
  const { plan, undone, diff, name } = told
  for (const { path, reason } of plan.left) out.warn(`${name(path)} was left alone: ${reason}`)
  const lines = [...changesOf(plan, name), ...undone]
  const text = lines.length === 0 ? 'Nothing of handoff was found here.' : lines.join('\n')
  tell(out, diff, text, {
    ok: true,
    dryRun: diff !== null,
    ...listed({ plan, diff, name }),
    undone,
    warnings: out.warnings,
  })
}

const listed = ({ plan, diff, name }: Told) => ({
  changed: plan.changes.map((change) => ({
    path: name(change.path),
    change: kindOf(change),
    ...(change.moved === undefined
      ? {}
      : { kept: name('to' in change.moved ? change.moved.to : change.moved.from) }),
  })),
  same: plan.same.map(name),
  left: plan.left.map(({ path, reason }) => ({ path: name(path), reason })),
  ...(diff === null ? {} : { diff }),
})

/** The same before it is done. */
export const plannedLines = (plan: Plan, name: (path: string) => string): string[] => [
  ...plan.changes.map(({ moved, ...change }) => {
    const kept =
      moved !== undefined && 'to' in moved ? `; what stands there is kept as ${basename(moved.to)}` : ''
    return `${PLANS[kindOf(change)]} ${name(change.path)}${kept}`
  }),
  ...plan.left.map(({ path, reason }) => `Leave ${name(path)} alone: ${reason}`),
]

const PLANS = { create: 'Write', update: 'Change', delete: 'Remove' } as const

const changesOf = (plan: Plan, name: (path: string) => string): string[] =>
  plan.changes.map(({ moved, ...change }) => {
    const path = name(change.path)
    if (moved === undefined) return `${VERBS[kindOf(change)]} ${path}`
    return 'to' in moved
      ? `Wrote ${path}; what stood there is kept as ${basename(moved.to)} and comes first`
      : `Put back ${path} from ${basename(moved.from)}`
  })

const VERBS = { create: 'Wrote', update: 'Changed', delete: 'Removed' } as const

const kindOf = ({ now, next }: Pick<Plan['changes'][number], 'now' | 'next'>): keyof typeof VERBS =>
  next === null ? 'delete' : now === null ? 'create' : 'update'

/** The changes as one unified diff; `name` tells how a path is shown. Empty when there are none. Throws `gitFailed`. */
export async function diffOf(
  repo: Repo,
  changes: readonly Change[],
  name: (path: string) => string,
): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'handoff-diff-'))
  try {
    for (const { path, now, next } of changes)
      for (const [side, bytes] of [['a', now] as const, ['b', next] as const]) {
        const file = join(folder, side, name(path))
        await mkdir(dirname(file), { recursive: true })
        if (bytes !== null) await writeFile(file, bytes)
      }
    if (changes.length === 0) return ''
    const args = [
      'diff',
      '--no-index',
      '--no-prefix',
      '--no-color',
      '--no-ext-diff',
      '--no-textconv',
      'a',
      'b',
    ]
    // What the person set for line ends is for the work tree, not for what is shown here.
    return await repo.git(['-c', 'core.autocrlf=false', '-c', 'core.safecrlf=false', ...args], {
      cwd: folder,
      env: { GIT_ATTR_NOSYSTEM: '1' },
      answers: [1],
    })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
