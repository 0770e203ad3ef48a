import type { CliOptions } from '../cli.ts'
import { AGENT } from '../usual.ts'

/** A call of each command that gets as far as it can here; null for those that are no call of a person about this checkout. */
export const CALLS: Readonly<Record<string, [string[], CliOptions?] | null>> = {
  create: [['finish the retry queue and document its limits', '--no-notes'], AGENT],
  note: [['--next-step', 'write the docs']],
  rule: [['Never edit the generated client.']],
  show: [[]],
  log: [[]],
  // It runs in hooks and in CI, and only looks: what is wrong with the copy is a finding.
  check: null,
  review: [['main~1..main']],
  diff: [[]],
  verify: [[]],
  resume: [['--to', 'codex', '--print']],
  push: [['--dry-run']],
  pull: [[]],
  open: [['main']],
  ask: [['what about the limits?']],
  receipt: [[]],
  why: [['a.txt']],
  request: [['--cancel', '20261122T000000-00000000']],
  await: [[]],
  switch: [['finish the retry queue', '--to', 'codex'], AGENT],
  status: [[]],
  off: [[]],
  sessions: [[]],
  done: [['shipped', '--no-commit']],
  prune: [['--keep', '9', '--dry-run']],
  trust: [[]],
  init: [['--agent', 'claude-code', '--git-hooks', 'none', '--yes']],
  // Called by programs, not by people: an agent is sent to the copy only when it is up to date.
  hook: null,
  mcp: null,
  // It prints a session, which need not be of this repository.
  export: null,
  // Not about this repository.
  completion: null,
  demo: null,
  // It writes nothing, and tells what is wrong with the copy.
  doctor: null,
}
