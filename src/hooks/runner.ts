import template from '../../bin/hook.sh?raw'
import { plainWord, shellWord, typedWord } from '../text/safe-text.ts'
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

/** What every hook line of ours has in it: the alias that `init` sets, or the private runner that it calls. */
const MARK = /handoff-hook|\/handoff\/hook/

/** Its `handoff` is the private folder: git runs in the work tree, and no branch can write into its own. */
const COMMON_DIR = '$(git rev-parse --git-common-dir 2>/dev/null)'

/** A folder of the work tree that looks like a repository must not bring an alias or runner of its own. */
const GIT = ['git', '-c', 'safe.bareRepository=explicit']

/**
 * The line that an agent runs at `event`. It stands in settings that are committed, so it holds no path of this machine, no code, and
 * stays the same over versions: git runs the alias of this clone's configuration in `handoff.hooks`, and does nothing where `init` has
 * not set that, or where there is no repository. It means the same to every shell, also to PowerShell on Windows, where no `sh` is on PATH.
 */
export const hookLine = (agent: string, event: HookEvent): string =>
  [...GIT, 'for-each-repo', '--config=handoff.hooks', 'handoff-hook', agent, event].join(' ')

/** What a person is told whose clone has no runner; npm reads no `.npmrc` of a checkout for it. */
export const NOT_SET_UP =
  'handoff is not set up in this clone: npm install -g git-handoff, then git handoff init'

/**
 * The line that an agent runs beside it when a session starts: it says once in a clone without a private folder what to do, and calls
 * nothing of the checkout. The folder shows that it was said. `answer`: what the agent wants printed, with `TEXT` for the sentence. Git
 * prints the double quotes, which PowerShell 5 loses on the way to a program, and the blanks, which part words in the shell.
 */
export function notSetUpLine(agent: string, answer: string): string {
  const format = answer.trim().replaceAll('"', '%22').replaceAll(' ', '%20').replace('TEXT', '$3')
  const script = `IFS=; { d=$(git rev-parse --git-common-dir) && [ 0$HANDOFF != 00 ] && mkdir -m 700 $d/handoff && git for-each-ref --count=1 --format=${format}; } 2>/dev/null; :`
  return [...GIT, '-c', `alias.handoff-hook=!${script}`, 'handoff-hook', agent, 'not-set-up', NOT_SET_UP]
    .map(typedWord)
    .join(' ')
}

/** Words that call the runner in the shell that comes with git, at the top of the work tree; `otherwise`: shell for where there is none. */
const inShellOfGit = (call: string, otherwise: string): string[] => [
  ...GIT,
  ...[
    '-c',
    `alias.handoff-hook=!IFS=; h=${COMMON_DIR}/handoff/hook || exit 0; [ ! -f $h ] || exec sh $h ${call}${otherwise}`,
  ],
  'handoff-hook',
]

/**
 * The same for a hook of git, as hook managers call it: `args` are words of shell, put behind. Where there is no runner, it says once in a
 * clone what to do. Its status is that of the runner, or 0.
 */
export const gitHookLine = (event: GitEventName, args = ''): string => {
  const script = [
    `h="${COMMON_DIR}/handoff/hook" || exit 0`,
    `[ ! -f "$h" ] || exec sh "$h" git ${event} "$@"`,
  ]
  // There pre-commit would show to nobody what is said.
  if (event !== 'prepare-commit-msg')
    script.push(`[ "$HANDOFF" = 0 ] || ! mkdir -m 700 "\${h%/hook}" 2>/dev/null || echo "${NOT_SET_UP}" >&2`)
  return `sh -c '${script.join('; ')}' handoff ${args}`.trimEnd()
}

/** The same for the MCP server, which must not end as if it had served. */
export function mcpServer(agent: string): { command: string; args: string[] } {
  const [command = '', ...args] = inShellOfGit(`${agent} mcp`, `; echo ${NOT_SET_UP} >&2; exit 1`)
  return { command, args }
}

const LINE = /^(?:git -c|alias\.handoff-hook=|sh -c) ?.* (?:sh "?\$\S+|handoff-hook) ([\w-]+ [\w-]+)/

/** What a line of ours inside a value of settings calls, whichever version wrote it; null where there is none. */
export function hookLineOf(value: unknown): string | null {
  if (typeof value === 'string') return MARK.test(value) ? (LINE.exec(value)?.[1] ?? value) : null
  if (typeof value !== 'object' || value === null) return null
  for (const inner of Object.values(value)) {
    const line = hookLineOf(inner)
    if (line !== null) return line
  }
  return null
}

/** A value of settings with what each line of ours calls in place of it: the same in every version. */
export const withoutLines = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value), (_, inner) =>
    typeof inner === 'string' ? (hookLineOf(inner) ?? inner) : inner,
  )

/**
 * The runner, `<git-common-dir>/handoff/hook`, made of `bin/hook.sh`: POSIX sh, called as `sh hook <agent> <event>`, or
 * by hooks of git as `sh hook git <event> <arguments>`. `node` and `program` are absolute paths.
 */
export const runnerText = ({ node, program }: { node: string; program: string }): string =>
  template
    .replace("node=''", () => `node=${shellWord(node)}`)
    .replace("program=''", () => `program=${shellWord(program)}`)

/** The status with which the program refuses in a hook of git; the runner lets git go on after any other. */
export const REFUSED = 65

/** What a runner of this or another version calls; null for a text that is none. */
export function parseRunner(text: string): { node: string; program: string } | null {
  const lines = text.split('\n')
  const wordOf = (name: string): string | undefined =>
    lines.find((line) => line.startsWith(`${name}='`))?.slice(name.length + 1)
  const [node, program] = [wordOf('node'), wordOf('program')]
  return node === undefined || program === undefined
    ? null
    : { node: plainWord(node), program: plainWord(program) }
}
