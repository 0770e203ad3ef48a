import template from '../../bin/hook.sh?raw'
import { plainWord, shellWord, typedWord } from '../text/shell-word.ts'
import type { HookEvent } from '../types/agent.ts'

/** A hook of git that we take part in. */
interface GitEvent {
  name: string
  /** Only where the configuration says so (`gitHooks.<wish>`). */
  wish?: 'trailers' | 'prePush'
}

/** Every one, once: set-up, help and docs walk this list; each has its file in `hooks/`. */
export const GIT_EVENTS = [
  { name: 'pre-commit' },
  { name: 'prepare-commit-msg', wish: 'trailers' },
  { name: 'post-checkout' },
  { name: 'post-merge' },
  { name: 'post-rewrite' },
  { name: 'pre-push', wish: 'prePush' },
] as const satisfies readonly GitEvent[]

export type GitEventName = (typeof GIT_EVENTS)[number]['name']

/** What every hook line of ours has in it. */
const MARK = '/handoff/hook'
/** Where there is such a folder, somebody was told that hooks do nothing. */
const TOLD = '/handoff/told'

/**
 * The line that an agent runs at `event`. It stands in settings that are committed, so it holds no path of this machine and
 * stays the same over versions: it looks for the runner in the git directory of the clone, and where there is none, or no
 * repository, it does nothing and says so with status 0. Git runs an alias in a shell of its own: agents use that of the
 * person, which may be fish, or PowerShell on Windows, where no `sh` is on PATH and no double quote gets through.
 * `answer`: what it prints once in a clone without a runner, which is a constant: nothing of the checkout is called.
 */
export const hookLine = (agent: string, event: HookEvent, answer = ''): string =>
  inShellOfGit(callOf(`${agent} ${event}`, answer === '' ? undefined : sayOnce(answer)))
    .map(typedWord)
    .join(' ')

/** What a person is told whose clone has no runner. */
export const notSetUp = (hooks: string): string =>
  `handoff ${hooks} do nothing in this clone; run npx git-handoff init`

/** Git prints the bytes that no shell can be handed without quotes. */
const sayOnce = (text: string): string =>
  `{ [ $d ] && [ 0$HANDOFF != 00 ] && umask 077 && mkdir -p $d/handoff && mkdir $d${TOLD} && git for-each-ref --count=1 --format=${encodeURIComponent(text.trim())}; exit 0; } 2>/dev/null`

/** Words that run a script in the shell that comes with git, where they were called. */
const inShellOfGit = (script: string): string[] => [
  'git',
  // A folder of the work tree that looks like a repository must not bring a runner of its own.
  ...['-c', 'safe.bareRepository=explicit'],
  ...['-c', `alias.handoff-hook=!unset GIT_DIR; set -f; IFS=; cd ./$GIT_PREFIX; ${script}`],
  'handoff-hook',
]

/** Calls the runner where there is one; `args` are words of shell. */
const callOf = (args: string, otherwise = 'exit 0'): string =>
  `d=$(git rev-parse --git-common-dir 2>/dev/null) && unset GIT_CONFIG_PARAMETERS && [ -f $d${MARK} ] && exec sh $d${MARK} ${args} || ${otherwise}`

/**
 * The same for a hook of git, as hook managers call it: `args` are words of shell, put behind. Where there is no runner, it calls
 * the installed package, if no branch can have put that there: the index has nothing in `node_modules`, in any case of letters, and
 * no link leads out of it. Else it says once in a clone that it does nothing. Its status is that of the runner, or 0.
 */
export const gitHookLine = (event: GitEventName, args = ''): string => {
  const script = [
    `d="$(${COMMON_DIR})" || exit 0`,
    `h="$d${MARK}"`,
    // The index is that of the checkout: the one of a commit may hold less.
    '[ -f "$h" ] || { p="$(exec 2>&1; unset GIT_INDEX_FILE; GIT_DIR=.git git --icase-pathspecs ls-files node_modules; cd -P ./node_modules/git-handoff/bin && pwd)"',
    'case "$p" in "$(pwd -P)/node_modules/"*) h="$p/hook.sh"; esac; }',
    `[ ! -f "$h" ] || exec sh "$h" git ${event} "$@"`,
  ]
  // There pre-commit would show to nobody what is said.
  if (event !== 'prepare-commit-msg')
    script.push(
      'umask 077',
      `[ "$HANDOFF" = 0 ] || [ -d "$d${TOLD}" ] || { mkdir -p "$d${TOLD}"; echo "${notSetUp('hooks')}" >&2; }`,
    )
  return `sh -c '${script.join('; ')}' handoff ${args}`.trimEnd()
}

/**
 * The same for the MCP server, which a colleague without the runner gets from the registry of npm: from the top folder, since npx
 * reads the `.npmrc` and the programs of a checkout.
 */
export function mcpServer(agent: string): { command: string; args: string[] } {
  const [command = '', ...args] = inShellOfGit(
    callOf(`${agent} mcp`, 'p=$(pwd) && cd / && exec npx --yes git-handoff --cwd $p mcp'),
  )
  return { command, args }
}

/** A folder of the work tree that looks like a repository must not bring a runner of its own. */
const COMMON_DIR = 'git -c safe.bareRepository=explicit rev-parse --git-common-dir 2>/dev/null'

/** The hook line inside a value of settings, without what it answers in a clone that is not set up; null where there is none. */
export function hookLineOf(value: unknown): string | null {
  if (typeof value === 'string') return value.includes(MARK) ? withoutAnswer(value) : null
  if (typeof value !== 'object' || value === null) return null
  for (const inner of Object.values(value)) {
    const line = hookLineOf(inner)
    if (line !== null) return line
  }
  return null
}

function withoutAnswer(line: string): string {
  const [, agent, event] = /^git -c .* && exec sh \$d\/handoff\/hook ([\w-]+) ([\w-]+) \|\| /.exec(line) ?? []
  return agent === undefined ? line : hookLine(agent, event as HookEvent)
}

/**
 * The runner, `<git-common-dir>/handoff/hook`, made of `bin/hook.sh`: POSIX sh, called as `sh hook <agent> <event>`, or
 * by hooks of git as `sh hook git <event> <arguments>`. `node` and `program` are absolute paths.
 */
export const runnerText = ({ node, program }: { node: string; program: string }): string =>
  template
    .replace(/^node=''$/m, () => `node=${shellWord(node)}`)
    .replace(/^program=''$/m, () => `program=${shellWord(program)}`)

/** The status with which the program refuses in a hook of git; the runner lets git go on after any other. */
export const REFUSED = 65

/** What a runner of this or another version calls; null for a text that is none. */
export function parseRunner(text: string): { node: string; program: string } | null {
  const wordOf = (name: string): string | undefined => new RegExp(`^${name}=('.*')$`, 'm').exec(text)?.[1]
  const [node, program] = [wordOf('node'), wordOf('program')]
  return node === undefined || program === undefined
    ? null
    : { node: plainWord(node), program: plainWord(program) }
}
