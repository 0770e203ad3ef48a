import { parse } from 'node:path'
import { adapters, labelOf } from '../agents/table.ts'
import { hideHomes } from '../secrets/scanner.ts'
import { plural } from '../text/count.ts'
import type { Adapter } from '../types/agent.ts'
import type { Place } from '../types/config.ts'
import type { AgentId, SessionRef } from '../types/session.ts'
import { maskSecrets } from '../workspace/input-secrets.ts'
import { age, secondsSince } from './session-list.ts'

/** Sessions of one agent that are not of this repository, for one reason. */
export interface PassedOver {
  agent: AgentId
  why: 'other folder' | 'no folder' | 'not read'
  count: number
  /** Of the newest: its time (ISO 8601), and its folder, or what is wrong with its file. */
  updatedAt: string
  of: string | null
}

/** What this machine holds besides the sessions `found`, the newest first. `isQuick` leaves out agents that take seconds to ask. */
export async function passedOver(
  place: Place,
  found: readonly SessionRef[],
  only: AgentId | undefined,
  { isQuick = false } = {},
): Promise<PassedOver[]> {
  const known = new Set(found.map(({ path }) => path))
  const asked = adapters.filter(
    ({ id, lastWrite }) => (only === undefined || id === only) && !(isQuick && lastWrite !== undefined),
  )
  const all = (await Promise.all(asked.map((adapter) => ofAgent(adapter, place, known)))).flat()
  return maskSecrets(
    all.sort((a, b) => Date.parse(b.updatedAt) - Date.parse(a.updatedAt)),
    place.env,
  )
}

async function ofAgent(adapter: Adapter, place: Place, known: ReadonlySet<string>): Promise<PassedOver[]> {
  const top = parse(place.root).root
  const unread: { of: string; updatedAt: string }[] = []
  const onUnread = ({ message }: Error, changedAt: number): void =>
    void unread.push({ of: message, updatedAt: new Date(changedAt).toISOString() })
  // An agent whose sessions cannot be had at all was told before.
  const all = await adapter.find(place, [top], onUnread).catch(() => [])
  const others = all.filter(({ path }) => !known.has(path))
  // Where a format tells no folder, every path lies in the topmost.
  const isPlaced = ({ cwd }: SessionRef): boolean => cwd !== null && cwd !== top
  const groups = {
    'other folder': others.filter(isPlaced).map(({ updatedAt, cwd }) => ({ updatedAt, of: cwd })),
    'no folder': others.filter((ref) => !isPlaced(ref)).map(({ updatedAt }) => ({ updatedAt, of: null })),
    'not read': unread,
  }
  return Object.entries(groups).flatMap(([why, group]) => {
    const [newest] = group.toSorted((a, b) => Date.parse(b.updatedAt) - Date.parse(a.updatedAt))
    if (newest === undefined) return []
    return [{ agent: adapter.id, why: why as PassedOver['why'], count: group.length, ...newest }]
  })
}

const REASONS = {
  'other folder': (count: number) => `${plural(count, 'session')} of other folders`,
  'no folder': (count: number) => `${plural(count, 'session')} without a file or folder of this repository`,
  'not read': (count: number) => `${plural(count, 'file')} that could not be read`,
} as const

/** `Codex: 12 sessions of other folders, the newest 5 min ago (~/code/other)`. */
export function passedOverLines(passed: readonly PassedOver[], place: Pick<Place, 'home' | 'now'>): string[] {
  return passed.map(({ agent, why, count, updatedAt, of }) => {
    const newest = `${count === 1 ? '' : 'the newest '}${age(secondsSince(updatedAt, place))} ago`
    return hideHomes(
      `${labelOf(agent)}: ${REASONS[why](count)}, ${newest}${of === null ? '' : ` (${of})`}`,
      place.home,
    )
  })
}
