import { findSessions } from '../agents/find.ts'
import { adapterById, adapters, labelOf } from '../agents/table.ts'
import { notesState } from '../brief/notes.ts'
import type { Invocation } from '../command.ts'
import { branchName, readHead } from '../git/refs.ts'
import { percentFull } from '../hook/hook-context.ts'
import { GIT, huskyOff } from '../init/init-git-hooks.ts'
import { readSetupRecord } from '../init/init-record.ts'
import { tellFinding } from '../session/pick-session.ts'
import { age, secondsSince } from '../session/session-list.ts'
import { openHere } from '../session/session-place.ts'
import { readNotesFiles } from '../store/notes.ts'
import { isOff, RUNNER, readPrivate } from '../store/private.ts'
import { ageText } from '../text/count.ts'
import type { Fullness } from '../types/agent.ts'
import { maskName } from '../workspace/input-secrets.ts'
import type { Workspace } from '../workspace/workspace.ts'

/** What `create` would find here, besides git. */
export interface Here {
  session: {
    agent: string
    id: string
    updatedAt: string
    ageSeconds: number
    bytes: number
    fullness: Fullness | null
  } | null
  /** The newest notes: would they go into a brief, and if not, why. */
  notes: { usable: boolean; ageSeconds: number | null; why: string | null } | null
  /** What `init` set up in this clone. */
  hooks: { agents: string[]; git: boolean; off: boolean; activate: string | null }
}

/** Reads it anew. Sessions of agents that are slow to ask are looked for only where they may be the newest. */
export async function readHere(
  invocation: Invocation,
  { repo, roots, loaded }: Pick<Workspace, 'roots' | 'loaded'> & { repo: NonNullable<Workspace['repo']> },
): Promise<Here> {
  const { place } = invocation
  const now = place.now().getTime()
  const here = openHere({ repo, roots })
  const [found, records, { ref }, { record }, runner] = await Promise.all([
    findSessions(place, roots, undefined, { within: 0, own: here.own, ...tellFinding(invocation) }).then(
      here.own,
    ),
    readNotesFiles(repo.commonDir),
    readHead(repo),
    readSetupRecord(repo.commonDir),
    readPrivate(repo.commonDir, RUNNER),
  ])
  const [newest] = found
  const owners = new Set(
    Object.values(record.files).flatMap(({ edits }) => edits.flatMap(({ owners: of }) => of)),
  )
  // Without the runner every hook is silent.
  const isLive = runner !== null
  const activate = isLive && owners.has(GIT) ? await huskyOff(repo, Object.keys(record.files)) : null
  return {
    session:
      newest === undefined
        ? null
        : {
            agent: newest.agent,
            id: newest.id,
            updatedAt: newest.updatedAt,
            ageSeconds: secondsSince(newest.updatedAt, place),
            bytes: newest.bytes,
            fullness:
              (await adapterById(newest.agent)?.fullness?.({ id: newest.id, path: newest.path }, place)) ??
              null,
          },
    notes: await notesOf(
      records.map(({ value }) => value),
      { now, session: newest?.id ?? null, branch: branchName(ref), maxAge: loaded.config.notes.maxAge },
    ),
    hooks: {
      agents: isLive ? adapters.flatMap(({ id }) => (owners.has(id) ? [id] : [])) : [],
      git: isLive && owners.has(GIT) && activate === null,
      off: isOff(repo.commonDir),
      activate,
    },
  }
}

async function notesOf(values: unknown[], at: Parameters<typeof notesState>[1]): Promise<Here['notes']> {
  const states = values.map((value) => notesState(value, at))
  const usable = states.find((state) => state.usable)
  if (usable?.usable) return { usable: true, ageSeconds: Math.round(usable.ageMs / 1000), why: null }
  const [first] = states
  if (first === undefined || first.usable) return null
  return { usable: false, ageSeconds: null, why: await maskName(first.why) }
}

/** `, 45 % full`. */
export const fill = (fullness: Fullness | null): string =>
  fullness === null ? '' : `, ${percentFull(fullness)} % full`

/**
 * The same for a person; the words say what to do where something is missing. A session of which hooks told is left out: it is told
 * already.
 */
export function hereLines({ session, notes, hooks }: Here, isTold: (id: string) => boolean): string[] {
  const set = [...hooks.agents.map(labelOf), ...(hooks.git ? ['git'] : [])]
  return [
    ...(session === null
      ? ['Session: none found here (`git handoff create "<goal>" --from git` needs none)']
      : isTold(session.id)
        ? []
        : [
            `Session ${session.id}: ${labelOf(session.agent)}, ${age(session.ageSeconds)} ago${fill(session.fullness)}`,
          ]),
    notes === null
      ? 'Notes: none (an agent leaves them with `git handoff note`)'
      : notes.usable
        ? `Notes: ${ageText((notes.ageSeconds ?? 0) * 1000)} old, for the next brief`
        : `Notes: not used, ${notes.why}`,
    hooks.off
      ? 'Hooks: off in this clone (`git handoff init` turns them on)'
      : set.length === 0 && hooks.activate === null
        ? 'Hooks: none in this clone (`git handoff init`)'
        : `Hooks: ${set.join(', ')}${hooks.activate === null ? '' : `; those of git once you run \`${hooks.activate}\``}`,
  ]
}
