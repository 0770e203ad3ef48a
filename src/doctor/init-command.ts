import type { Facts } from './facts.ts'

/** The call of `init` that mends what it did, for the agents that it was run for, asking nothing. */
export function initCommand({ call, repo, agents }: Facts, more: readonly string[] = []): string {
  const known = agents.map(({ id }) => id)
  const ids = new Set([...(repo?.setUp ?? []), ...more].filter((id) => known.includes(id)))
  const list = known.filter((id) => ids.has(id))
  return `${call} init${list.length === 0 ? '' : ` --agent ${list.join(',')}`} --yes`
}
