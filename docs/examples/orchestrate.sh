#!/bin/sh
# Hands the work of the agent in a tmux pane to another agent, and prints each step.
# Usage: orchestrate.sh <pane> <agent> "<goal>". HANDOFF is the command, by default `git handoff`.
set -eu
pane=$1 agent=$2 goal=$3
handoff=${HANDOFF:-git handoff}

# A value of one JSON object, read from standard input: field 'brief.id'
field() { node -p "JSON.parse(require('fs').readFileSync(0, 'utf8')).$1"; }

# 1. Look first: this writes nothing and asks nobody.
echo "tokens: $($handoff create "$goal" --dry-run --no-notes --json | field tokens)"

# 2. Ask the agent, commit, start the next one. All of that runs in another process.
answer=$($handoff switch "$goal" --to "$agent" --pane "$pane" --detach --json) || {
  printf '%s\n' "$answer" | field 'errors[0].message' >&2
  exit 1
}
request=$(printf '%s\n' "$answer" | field requestId)

# 3. Follow every step until the request is closed.
$handoff status --json --follow | while read -r line; do
  printf '%s\n' "$line" | field "requests.filter(({ requestId }) => requestId === '$request').map(({ state }) => state).join()"
done

# 4. What the next agent works on.
echo "open: $($handoff status --json | field brief.id)"
