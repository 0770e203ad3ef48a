import { type Provider, providers } from './providers.ts'

/** One thing to do, in this order. */
export interface LeakStep {
  title: string
  detail: string
  /** For a shell at the top of the repository. */
  run: string[]
}

/** A rule and where its format is described. */
export interface RuleSource {
  id: string
  source: string
}

export interface LeakGuide {
  steps: LeakStep[]
  /** Where to revoke it: of the named rule, else of all. */
  providers: readonly Provider[]
}

/**
 * What to do about a secret that is in a commit. `call`: what handoff is called here; `table`: the rules, which name the source of each
 * format. Null for a rule that nobody knows.
 */
export function leakGuide(call: string, rule: string | null, table: readonly RuleSource[]): LeakGuide | null {
  const named = rule === null ? providers : allProviders(table).filter(({ rules }) => rules.includes(rule))
  if (named.length === 0) return null
  return { steps: stepsFor(call), providers: named }
}

/** Those of the list, then each other rule with what its format is described in. */
export function allProviders(table: readonly RuleSource[]): Provider[] {
  const listed = new Set(providers.flatMap(({ rules }) => rules))
  const others = new Map(table.filter(({ id }) => !listed.has(id)).map(({ id, source }) => [id, source]))
  return [...providers, ...[...others].map(([id, where]) => ({ who: id, where, rules: [id] }))]
}

const stepsFor = (call: string): LeakStep[] => [
  {
    title: 'Revoke it, before anything else',
    detail:
      'Once it was pushed, assume that it was read: bots find keys within minutes. Make a new one, put it where it is used, revoke the old one on the page of its provider below, and look there for use that was not yours.',
    run: [],
  },
  {
    title: 'Find every brief that holds it',
    detail:
      'The rules find what they know, in every commit. For any other value, put it into a file outside of the repository, so that it does not get into the history of your shell, and look for that.',
    run: [
      `${call} check --range "$(git rev-list --max-parents=0 HEAD | tail -n 1)..HEAD"`,
      'git rev-list --all -- .handoff | xargs -n 50 sh -c \'git grep -lFf ../secret.txt "$@" -- .handoff\' sh',
    ],
  },
  {
    title: 'Not pushed yet: take it out of the commits that hold it',
    detail:
      'With the brief in the last commit alone, undo that commit and hand over again: the value of a variable with such a name is replaced wherever it turns up. The old commit stays on this machine until git forgets it.',
    run: [
      'git reset --soft HEAD~1 && git restore --staged .handoff && git clean -f .handoff/briefs',
      `LEAKED_TOKEN="$(cat ../secret.txt)" ${call} create "<goal>" --redact`,
      'git reflog expire --expire=now --all && git gc --prune=now',
    ],
  },
  {
    title: 'Pushed: take it out of the tree, and rewrite history if you must',
    detail:
      '`prune` takes briefs out of the tree alone; history keeps them, which is enough for a secret that is revoked. To take the value out of every commit, all who work here must agree and clone anew: git-filter-repo (https://github.com/newren/git-filter-repo) in a fresh clone, ../secret.txt with one value a line, then push by force. The ids of all commits after it change.',
    run: [
      `${call} prune --keep 1`,
      'git filter-repo --replace-text ../secret.txt',
      'git push --force --all && git push --force --tags',
    ],
  },
  {
    title: 'Know what remains',
    detail:
      'Clones and forks keep the old commits, and so do pull requests: the server holds refs to them (refs/pull, refs/merge-requests) and cached pages, which only its support takes away. Here, look at parked briefs, at drafts in the private folder, at the copy in .handoff/latest.md, and at the transcript of the agent, where the value came from.',
    run: [
      'git for-each-ref refs/handoff',
      'ls "$(git rev-parse --git-common-dir)/handoff/drafts"',
      `${call} sessions`,
    ],
  },
  {
    title: 'See that it does not come again',
    detail:
      'A value that no rule knew is known from now on when it stands in a variable or a line of .env whose name says so (TOKEN, KEY, SECRET, PASS). Hooks and CI look through every brief before it is pushed.',
    run: [`${call} init --ci github --yes`],
  },
]
