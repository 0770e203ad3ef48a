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

/**
 * The part of the runner that answers hooks of git, with `agent`, `event` and the arguments of the hook set: it ends there unless
 * briefs are concerned. Git calls its hooks at the top of the work tree. The framework pre-commit hands over in the environment
 * what git gives as arguments and on standard input (`PRE_COMMIT_*`, 4.6.2).
 */
export const GIT_PART = `
# A check that somebody counts on and that does not take place is told; everything else is silent.
unchecked() {
  case $agent-$event in
    git-pre-commit) echo "handoff: the briefs of this commit were not checked: $1" >&2 ;;
    git-pre-push) echo "handoff: the briefs of this push were not checked: $1" >&2 ;;
  esac
}
gone() {
  unchecked 'its copy in the git directory, or Node, is gone; \`npx git-handoff init\` mends that'
  exit 0
}

# True in the middle of a merge, rebase, pick, revert or bisect.
unfinished() {
  own=\${GIT_DIR:-.git}
  [ -d "$own" ] || own=$(git rev-parse --git-dir 2>/dev/null) || return 1
  for mark in rebase-merge rebase-apply MERGE_HEAD CHERRY_PICK_HEAD REVERT_HEAD sequencer BISECT_LOG; do
    any "$own/$mark" && return 0
  done
  return 1
}

# True when no brief can be here, and no copy of one.
bare() { ! any .handoff/latest.md && ! any .handoff/briefs && ! aside; }

# True when what two commits hold for us is the same.
same() { git diff --quiet --no-ext-diff "$1" "$2" -- .handoff 2>/dev/null; }

# True when a hook of git has nothing to do with briefs.
news=
idle() {
  case $event in
    pre-commit) git diff --cached --quiet --no-ext-diff -- .handoff 2>/dev/null ;;
    prepare-commit-msg)
      # Only what a person writes: no merge, no squash, no pick or revert, no amended or reused message.
      case \${2-} in
        '' | message | template | '{2}') unfinished || any "$own/MERGE_MSG" || bare ;;
      esac
      ;;
    # Files alone, or a step on the way.
    post-checkout) [ "\${3-}" != 1 ] || unfinished || bare ;;
    # A squash has made no commit yet.
    post-merge) [ "\${1-}" = 1 ] || same ORIG_HEAD HEAD ;;
    post-rewrite)
      # The last commit is the tip. Where somebody else has read the list, git remembers it.
      case \${1-} in
        amend) last=HEAD@{1} ;;
        *) last=ORIG_HEAD ;;
      esac
      while read -r old _; do
        case $old in
          '' | *[!0-9a-f]*) ;;
          *) last=$old ;;
        esac
      done
      same "$last" HEAD || return 1
      # What a rebase took away for a while comes back without its copy; that is no news.
      news=no
      [ "\${1-}" = amend ] || bare
      ;;
    *) false ;;
  esac
}

if [ "$agent" = git ]; then
  shift 2
  [ "\${HANDOFF-}" = 0 ] && exit 0
  case $event-$# in
    prepare-commit-msg-1) set -- "$1" "\${PRE_COMMIT_COMMIT_MSG_SOURCE-}" ;;
    post-checkout-0) set -- "\${PRE_COMMIT_FROM_REF-}" "\${PRE_COMMIT_TO_REF-}" "\${PRE_COMMIT_CHECKOUT_TYPE-}" ;;
    post-merge-0) set -- "\${PRE_COMMIT_IS_SQUASH_MERGE-}" ;;
    post-rewrite-0) set -- "\${PRE_COMMIT_REWRITE_COMMAND-}" ;;
    pre-push-0) set -- "\${PRE_COMMIT_REMOTE_NAME-}" "\${PRE_COMMIT_FROM_REF-}" "\${PRE_COMMIT_TO_REF-}" ;;
  esac
  idle "$@" && exit 0
fi
`
