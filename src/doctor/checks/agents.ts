import { check, warning } from '../check.ts'

/** Agents answer when they are asked for their version, and their sessions can be had. */
export const agents = check({
  id: 'agents',
  about: 'agents on this machine answer',
  fine: ({ agents: all }) =>
    all
      .filter(({ program }) => program !== null)
      .map(({ label, version }) => `${label} ${version ?? ''}`.trim())
      .join(', ') || 'No program of an agent is on PATH.',
  look: ({ agents: all }) =>
    all.flatMap(({ label, program, version, why, sessionsProblem }) => [
      ...(program === null || version !== null
        ? []
        : [warning(`${label} does not answer`, `\`${program} --version\`: ${why ?? 'no version'}.`, null)]),
      ...(sessionsProblem === null
        ? []
        : [warning(`sessions of ${label} cannot be read`, sessionsProblem, null)]),
    ]),
})
