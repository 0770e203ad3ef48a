#!/bin/sh
# Hands the work of the agent in a tmux pane to another agent.
# Usage: orchestrate.sh <pane> <agent> "<goal>". HANDOFF is the command, by default `git handoff`.
set -eu
pane=$1 agent=$2 goal=$3
handoff=${HANDOFF:-git handoff}

# A value of one JSON object, read from standard input: field 'brief.id'
field() { node -p "JSON.parse(require('fs').readFileSync(0, 'utf8')).$1"; }

# 1. Look first: this writes nothing and asks nobody.
echo "tokens: $($handoff create "$goal" --dry-run --no-notes --json | field tokens)"

# 2. Ask the agent, commit, start the next one in a window of its own.
answer=$($handoff switch "$goal" --to "$agent" --pane "$pane" --json) || {
  printf '%s\n' "$answer" | field 'errors[0].message' >&2
  exit 1
}

# 3. Where the next agent works, and on what.
echo "pane: $(printf '%s\n' "$answer" | field successor.pane)"
echo "open: $($handoff status --json | field brief.id)"
