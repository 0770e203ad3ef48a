import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, extname, isAbsolute, join, relative } from 'node:path'
import { OTHER_NAME } from '../agents/setup.ts'
import type { Repo } from '../git/open-repo.ts'
import type { Change, Plan } from '../hooks/plan.ts'
import type { Output } from '../output/output.ts'
import { typedWord } from '../text/safe-text.ts'
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

interface SetupTold extends Told {
  agents: FoundAgent[]
  /** Agents that an earlier run set up here, by their labels. */
  others: readonly string[]
  gitHooks: GitHookSetup
  runner: string | null
  /** A skill of the person's own that wins over that of an agent, by its label. */
  shadows: readonly { label: string; path: string }[]
  isFilterNew: boolean
  /** No hook ran in this clone before. */
  isFirst: boolean
  /** Files of the work tree that change, from its top, and those of them that git ignores, with the rule. */
  toCommit: readonly string[]
  ignored: ReadonlyMap<string, string>
  isAtTop: boolean
  /** What a dry run would do besides its diff. */
  besides: readonly string[]
  /** Address of an origin whose briefs are not trusted. */
  untrusted: string | null
}

export function tellSetup(out: Output, told: SetupTold): void {
  const { plan, agents, others, gitHooks, runner, diff, name, besides, untrusted } = told
  warnOf(out, told)
  if (besides.length > 0) out.say(`It would also do this:${besides.map((line) => `\n  ${line}`).join('')}`)
  const { manager, where, events, activate } = gitHooks
  const todo = agents.flatMap(({ adapter }) =>
    (adapter.afterSetup ?? []).map((text) => ({ agent: adapter.id, label: adapter.label, text })),
  )
  const isGitNew = gitHooks.edits.some(({ path }) => plan.changes.some((change) => change.path === path))
  const isTold = isGitNew || told.isFirst || manager === 'husky'
  const gitTodo = isTold && activate !== null ? [`Run \`${activate}\`, so that git calls the hooks.`] : []
  const changes = changesOf(plan, name)
  const isChanged = changes.length > 0
  const also = others.length === 0 ? '' : ` Also set up here: ${others.join(', ')}.`
  const lines: [isSaid: boolean, text: string][] = [
    [told.isFilterNew, 'Set filter.handoff.clean in .git/config.'],
    [
      isChanged && untrusted !== null,
      `Briefs of others on branches of origin (${untrusted}) are not trusted. To trust them: \`git handoff trust --origin\`.`,
    ],
    [
      !isChanged && told.isFirst,
      `${activate === null ? 'Hooks' : 'Agent hooks'} and the MCP server are active in this clone now. No file changed.`,
    ],
    [!isChanged && !told.isFirst, 'Nothing to change.'],
    [agents.length > 0, `Set up: ${agents.map(({ adapter }) => adapter.label).join(', ')}.${also}`],
    [
      where !== null,
      `Git hooks: ${events.join(', ')} ${manager === 'plain' ? '' : `(${manager}) `}in ${name(where ?? '')}.`,
    ],
    [
      where !== null && manager === 'plain',
      'They run in this clone only: each colleague runs `git handoff init` once.',
    ],
    [
      told.toCommit.length > 0,
      `Commit the files above that are outside of .git, and only them: \`git add ${told.isAtTop ? '' : ':/'}${told.toCommit.map(typedWord).join(told.isAtTop ? ' ' : ' :/')}\``,
    ],
  ]
  const text = [
    ...changes,
    ...lines.flatMap(([isSaid, line]) => (isSaid ? [line] : [])),
    ...gitTodo.map((line) => `${manager}: ${line}`),
    ...todo.map((one) => `${one.label}: ${one.text}`),
  ].join('\n')
  const nothing = besides.length > 0 ? 'No file would change.' : 'Nothing to change.'
  tell(out, diff, diff === '' ? nothing : text, {
    ok: true,
    dryRun: diff !== null,
    agents: agents.map(({ adapter, isInstalled, hasRun }) => ({
      id: adapter.id,
      label: adapter.label,
      installed: isInstalled,
      hasRun,
    })),
    ...listed(told),
    runner,
    gitHooks: { manager, where: where === null ? null : name(where), events, todo: gitTodo },
    todo,
    warnings: out.warnings,
  })
}

function warnOf(out: Output, { plan, agents, gitHooks, shadows, name, ignored }: SetupTold): void {
  warnOfLeft(out, plan, name)
  for (const [path, rule] of ignored)
    out.warn(
      `git ignores ${path} (${rule}), so nobody else gets it; \`git add -f ${typedWord(path)}\` adds it anyway`,
    )
  for (const { adapter, isInstalled, hasRun } of agents) {
    const program = adapter.launch?.program
    if (!isInstalled && program !== undefined)
      out.warn(
        `${adapter.label} is set up but not installed: install \`${program}\`, or leave it out with \`--agent\``,
      )
    else if (!hasRun && adapter.traces !== undefined) out.warn(`${adapter.label} has never run here`)
  }
  for (const { label, path } of shadows)
    out.warn(
      `${label}: ${name(path)} is named handoff too and wins over the skill of this repository. Type /${OTHER_NAME} <goal> here, or rename yours.`,
    )
  for (const text of gitHooks.warnings) out.warn(text)
  if (agents.length === 0)
    out.warn(
      'no coding agent was found here; name one with `git handoff init --agent <id>` (`git handoff init --help` lists them)',
    )
}

function warnOfLeft(out: Output, { left, renamed }: Plan, name: Told['name']): void {
  for (const { path, reason } of left) out.warn(`${name(path)} was left alone: ${reason}`)
  for (const path of renamed) out.warn(renamedLine(name(path)))
}

/** A diff is to be read by programs as well: its lines stay. */
function tell(out: Output, diff: string | null, text: string, object: object): void {
  if (diff) out.result(diff, object)
  else out.prose(text, object)
}

export function tellRemoval(
  out: Output,
  told: Told & { undone: string[]; stays: boolean; isAll: boolean },
): void {
  const { plan, undone, stays, diff, name } = told
  warnOfLeft(out, plan, name)
  const lines = [...changesOf(plan, name), ...undone]
  if (lines.length > 0 && told.isAll)
    lines.push('In each other clone: `git handoff init --remove` takes out what git does not share.')
  if (lines.length > 0 && stays)
    lines.push('.handoff/ stays, with the briefs. To take it out as well: git rm -r .handoff')
  const text = lines.length === 0 ? 'handoff is not set up here.' : lines.join('\n')
  tell(out, diff, text, {
    ok: true,
    dryRun: diff !== null,
    ...listed(told),
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
  ...(plan.renamed.length === 0 ? {} : { renamed: plan.renamed.map(name) }),
  ...(diff === null ? {} : { diff }),
})

/** What would be done. */
export const plannedLines = (plan: Plan, name: (path: string) => string): string[] => [
  ...plan.changes.map((change) => lineOf(change, name, 0)),
  ...plan.left.map(({ path, reason }) => `Leave ${name(path)} alone: ${reason}`),
  ...plan.renamed.map((path) => renamedLine(name(path))),
]

const renamedLine = (path: string): string =>
  ['.json', '.jsonc', '.toml'].includes(extname(path))
    ? `${path} has a server or command handoff that is not ours; ours is called ${OTHER_NAME} there`
    : `${path} is not ours: type /${OTHER_NAME} <goal>`

/** What was done. */
const changesOf = (plan: Plan, name: (path: string) => string): string[] =>
  plan.changes.map((change) => lineOf(change, name, 1))

/** Before it is done, and after. */
const VERBS = {
  create: ['Write', 'Wrote'],
  update: ['Change', 'Changed'],
  delete: ['Remove', 'Removed'],
} as const

function lineOf(change: Change, name: (path: string) => string, tense: 0 | 1): string {
  const { moved, path } = change
  if (moved !== undefined && 'from' in moved) return `Put back ${name(path)} from ${basename(moved.from)}`
  const kept =
    moved === undefined ? '' : `; the hook that was there is kept as ${basename(moved.to)} and runs first`
  return `${VERBS[moved === undefined ? kindOf(change) : 'create'][tense]} ${name(path)}${kept}`
}

const kindOf = ({ now, next }: Change): keyof typeof VERBS =>
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
    // What the person set for line ends is for the work tree, not for what is shown here.
    const settings = ['-c', 'core.autocrlf=false', '-c', 'core.safecrlf=false']
    const options = '--no-index --no-prefix --no-color --no-ext-diff --no-textconv'.split(' ')
    const diff = await repo.git([...settings, 'diff', ...options, 'a', 'b'], {
      cwd: folder,
      env: { GIT_ATTR_NOSYSTEM: '1' },
      answers: [1],
    })
    // Git names the side that is there twice.
    return diff.replace(/^diff --git ("?)[ab](\/.*) \1[ab]\2$/gm, 'diff --git $1a$2 $1b$2')
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
