import type { HookEvent, SetupEdit, SetupPlace } from '../types/agent.ts'

/**
 * The hooks of an agent in the shape that Claude Code began and others took over: under `hooks` a list per event, in it groups,
 * in them commands. `events`: the agent's own name, ours, the time limit in the unit of the agent. The order of the members is
 * part of what Codex asks to be trusted.
 */
export const hookGroups = (
  path: string,
  place: Pick<SetupPlace, 'hookCommand'>,
  events: readonly (readonly [string, HookEvent, number])[],
): SetupEdit[] =>
  events.map(([name, event, timeout]) => ({
    type: 'json-item',
    path,
    at: ['hooks', name],
    value: { hooks: [{ type: 'command', command: place.hookCommand(event), timeout }] },
  }))
