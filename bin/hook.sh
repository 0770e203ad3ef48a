#!/bin/sh
# Written by `handoff init`, taken away by `handoff init --remove`. HANDOFF=0 turns it off.
# Called as `sh hook <agent> <event>`, `sh hook git <event> …`, and by the alias `git handoff` as `sh hook - run …`.
agent=$1
event=$2
common=${0%/handoff/hook}
node=''
program=''

# True when a file matches.
any() { [ -e "$1" ] || [ -L "$1" ]; }

# True when briefs are parked, or stand on a branch of their own.
aside() {
  [ -n "$(git for-each-ref --count=1 refs/handoff/ refs/heads/handoff/ 'refs/remotes/*/handoff/**' 2>/dev/null)" ]
}

# A check that somebody counts on and that does not take place is told; everything else is silent.
unchecked() {
  case $agent-$event in
    git-pre-commit) echo "handoff: the briefs of this commit were not checked: $1" >&2 ;;
    git-pre-push) echo "handoff: the briefs of this push were not checked: $1" >&2 ;;
  esac
}
gone() {
  # The copy lies in `<version>-<time>`. From the top folder npm reads nothing of a checkout.
  version=${program%-*}
  reason="its copy in the git directory, or Node, is gone. To mend it: cd / && npx --yes git-handoff@${version##*/} --cwd \"\$OLDPWD\" init"
  [ "$event" != run ] || { echo "handoff cannot run: $reason" >&2 && exit 1; }
  unchecked "$reason"
  exit 0
}

# True in the middle of a merge, rebase, pick, revert or bisect.
unfinished() {
  own=${GIT_DIR:-.git}
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
      case ${2-} in
        '' | message | template | '{2}') unfinished || any "$own/MERGE_MSG" || bare ;;
      esac
      ;;
    # Files alone, or a step on the way.
    post-checkout) [ "${3-}" != 1 ] || unfinished || bare ;;
    # A squash has made no commit yet.
    post-merge) [ "${1-}" = 1 ] || same ORIG_HEAD HEAD ;;
    post-rewrite)
      # The last commit is the tip. Where somebody else has read the list, git remembers it.
      case ${1-} in
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
      [ "${1-}" = amend ] || bare
      ;;
    *) false ;;
  esac
}

if [ "$agent" = git ]; then
  shift 2
  [ "${HANDOFF-}" = 0 ] && exit 0
  case $event-$# in
    prepare-commit-msg-1) set -- "$1" "${PRE_COMMIT_COMMIT_MSG_SOURCE-}" ;;
    post-checkout-0) set -- "${PRE_COMMIT_FROM_REF-}" "${PRE_COMMIT_TO_REF-}" "${PRE_COMMIT_CHECKOUT_TYPE-}" ;;
    post-merge-0) set -- "${PRE_COMMIT_IS_SQUASH_MERGE-}" ;;
    post-rewrite-0) set -- "${PRE_COMMIT_REWRITE_COMMAND-}" ;;
    pre-push-0) set -- "${PRE_COMMIT_REMOTE_NAME-}" "${PRE_COMMIT_FROM_REF-}" "${PRE_COMMIT_TO_REF-}" ;;
  esac
  idle "$@" && exit 0
fi

# Finds a node on PATH that lies outside of the work tree, where a checkout could change it.
elsewhere() {
  top=$(git rev-parse --show-toplevel 2>/dev/null) && top=$(cd "$top" && pwd -P)
  rest=$PATH:
  while [ -n "$rest" ]; do
    folder=$(cd "${rest%%:*}/" 2>/dev/null && pwd -P)
    case $folder/ in
      / | "${top:-none}"/* | */node_modules/*) ;;
      *) [ -x "$folder/node" ] && echo "$folder/node" && return ;;
    esac
    rest=${rest#*:}
  done
  return 1
}
if [ ! -f "$program" ]; then
  gone
elif [ ! -x "$node" ]; then
  node=$(elsewhere) || gone
fi
if [ "$agent" = git ]; then
  NODE_OPTIONS='' NODE_EXTRA_CA_CERTS='' "$node" "$program" hook "$event" -- "$@" $news
  status=$?
  case $event-$status in
    pre-commit-65 | pre-push-65) exit 1 ;;
    *-0) ;;
    *) unchecked "handoff ended with $status" ;;
  esac
  exit 0
fi
# Git tells an alias where it was called, and what repository that is in; the folder says both.
unset GIT_DIR GIT_CONFIG_PARAMETERS
if [ "$event" = mcp ]; then
  exec "$node" "$program" mcp
elif [ "$event" = run ]; then
  # The alias, or an extension of ours, calls the program itself.
  shift 2
  [ "$agent" != - ] || cd "./${GIT_PREFIX-}" || exit
  exec "$node" "$program" "$@"
fi
[ "${HANDOFF-}" = 0 ] && exit 0
# Copilot CLI runs the hooks of Claude Code's settings besides its own (1.0.102).
[ "$agent" = claude-code ] && [ -n "${COPILOT_PROJECT_DIR-}" ] && exit 0

waits() {
  any "$common"/handoff/pending/* && return 0
  top=$(git rev-parse --show-toplevel 2>/dev/null) || return 1
  any "$top"/.handoff/briefs/*.md || aside
}

[ "$event" = session-start ] && ! waits && exit 0
# Node 20 reads the certificates that it names at every start, which takes longer than all of this.
NODE_OPTIONS='' NODE_EXTRA_CA_CERTS='' "$node" "$program" hook "$event" --agent "$agent"
exit 0
