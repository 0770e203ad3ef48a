import { plainWord, shellWord } from '../text/shell-word.ts'
import type { HookEvent } from '../types/agent.ts'
import { GIT_PART, type GitEventName } from './runner-git.ts'

/** What every hook line of ours has in it. */
const MARK = '/handoff/hook'

/**
 * The line of shell that an agent runs at `event`. It stands in settings that are committed, so it holds no path of this
 * machine and stays the same over versions: it looks for the runner in the git directory of the clone, and where there is
 * none, or no repository, it does nothing and says so with status 0. In a shell of its own, since some agents use the
 * person's, which may be fish.
 */
export const hookLine = (agent: string, event: HookEvent): string =>
  `sh -c 'd="$(${COMMON_DIR})" && [ -f "$d${MARK}" ] && exec sh "$d${MARK}" ${agent} ${event} || exit 0'`

/**
 * The same for a hook of git, as hook managers call it: `args` are words of shell, put behind. Its status is that of the
 * runner, and 0 where there is none.
 */
export const gitHookLine = (event: GitEventName, args = ''): string =>
  `sh -c 'd="$(${COMMON_DIR})" && [ -f "$d${MARK}" ] && exec sh "$d${MARK}" git ${event} "$@" || exit 0' handoff ${args}`.trimEnd()

/**
 * The same for the MCP server, which a colleague without the runner gets from the registry of npm: from the top folder, since npx
 * reads the `.npmrc` and the programs of a checkout.
 */
export const mcpServer = (agent: string): { command: string; args: string[] } => ({
  command: 'sh',
  args: [
    '-c',
    `d="$(${COMMON_DIR})" && [ -f "$d${MARK}" ] && exec sh "$d${MARK}" ${agent} mcp || p="$PWD" && cd / && exec npx --yes git-handoff --cwd "$p" mcp`,
  ],
})

/** A folder of the work tree that looks like a repository must not bring a runner of its own. */
const COMMON_DIR = 'git -c safe.bareRepository=explicit rev-parse --git-common-dir 2>/dev/null'

/** The hook line inside a value of settings, or null. */
export function hookLineOf(value: unknown): string | null {
  if (typeof value === 'string') return value.includes(MARK) ? value : null
  if (typeof value !== 'object' || value === null) return null
  for (const inner of Object.values(value)) {
    const line = hookLineOf(inner)
    if (line !== null) return line
  }
  return null
}

/** The status with which the program refuses in a hook of git: any other, as of a Node that cannot read it, refuses nothing. */
export const REFUSED = 65

/**
 * The runner, `<git-common-dir>/handoff/hook`: POSIX sh, called as `sh hook <agent> <event>`, or by hooks of git as
 * `sh hook git <event> <arguments>`. `node` and `program` are absolute paths. It starts no node at the start of a session when
 * no brief can be here, nor in a hook of git that has nothing to do with briefs. For agents its status is always 0: one that
 * is not stops the prompt or the turn in some of them.
 */
export const runnerText = ({ node, program }: { node: string; program: string }): string => `#!/bin/sh
# Written by \`handoff init\`, taken away by \`handoff init --remove\`. HANDOFF=0 turns it off.
agent=$1
event=$2
common=\${0%/handoff/hook}
node=${shellWord(node)}
program=${shellWord(program)}

# True when a file matches.
any() { [ -e "$1" ] || [ -L "$1" ]; }

# True when briefs are parked, or stand on a branch of their own.
aside() {
  [ -n "$(git for-each-ref --count=1 refs/handoff/ refs/heads/handoff/ 'refs/remotes/*/handoff/**' 2>/dev/null)" ]
}
${GIT_PART}
# Finds a node on PATH that lies outside of the work tree, where a checkout could change it.
elsewhere() {
  top=$(git rev-parse --show-toplevel 2>/dev/null) && top=$(cd "$top" && pwd -P)
  rest=$PATH:
  while [ -n "$rest" ]; do
    folder=$(cd "\${rest%%:*}/" 2>/dev/null && pwd -P)
    case $folder/ in
      / | "\${top:-none}"/* | */node_modules/*) ;;
      *) [ -x "$folder/node" ] && echo "$folder/node" && return ;;
    esac
    rest=\${rest#*:}
  done
  return 1
}
if [ ! -f "$program" ]; then
  gone
elif [ ! -x "$node" ]; then
  node=$(elsewhere) || gone
fi
if [ "$agent" = git ]; then
  NODE_EXTRA_CA_CERTS='' "$node" "$program" hook "$event" -- "$@" $news
  status=$?
  case $event-$status in
    pre-commit-${REFUSED} | pre-push-${REFUSED}) exit 1 ;;
    *-0) ;;
    *) unchecked "handoff ended with $status" ;;
  esac
  exit 0
elif [ "$event" = mcp ]; then
  exec "$node" "$program" mcp
elif [ "$event" = run ]; then
  # An extension of ours calls the program itself.
  shift 2
  exec "$node" "$program" "$@"
fi
[ "\${HANDOFF-}" = 0 ] && exit 0
# Copilot CLI runs the hooks of Claude Code's settings besides its own (1.0.102).
[ "$agent" = claude-code ] && [ -n "\${COPILOT_PROJECT_DIR-}" ] && exit 0

waits() {
  any "$common"/handoff/pending/* && return 0
  top=$(git rev-parse --show-toplevel 2>/dev/null) || return 1
  any "$top"/.handoff/briefs/*.md || aside
}

[ "$event" = session-start ] && ! waits && exit 0
# Node 20 reads the certificates that it names at every start, which takes longer than all of this.
NODE_EXTRA_CA_CERTS='' "$node" "$program" hook "$event" --agent "$agent"
exit 0
`

/** What a runner of this or another version calls; null for a text that is none. */
export function parseRunner(text: string): { node: string; program: string } | null {
  const wordOf = (name: string): string | undefined => new RegExp(`^${name}=('.*')$`, 'm').exec(text)?.[1]
  const [node, program] = [wordOf('node'), wordOf('program')]
  return node === undefined || program === undefined
    ? null
    : { node: plainWord(node), program: plainWord(program) }
}
