import { basename, extname } from 'node:path'
import { atifVersion } from '../../errors/session.ts'
import type { Adapter } from '../../types/agent.ts'
import type { Batches, ReadOptions, SessionEvent, SessionRef } from '../../types/session.ts'
import { fieldsOf, itemsOf, listOf, textOf, timeOf } from '../fields.ts'
import { mergeByTime } from '../merge-by-time.ts'
import { fileRef, readEnds } from '../session-files.ts'
import { headerIn, readRecords } from '../whole-json.ts'

/** Agent Trajectory Interchange Format 1.0 to 1.8. Source: RFC 0001 of Harbor at 1.4, NVIDIA/NeMo-Flow#66, the Python package `atif` 1.8.0. */
export const atif: Adapter = {
  id: 'atif',
  label: 'ATIF transcript',
  basis: { is: 'documented', of: 'ATIF 1.0 to 1.8', source: 'Harbor, NeMo-Flow' },
  marks: [],
  isNamed: true,
  find: async () => [],
  identify: async (path, head) => refOf(path, head),
  read,
}

/** The newest that is known, as `1.<minor>`. */
const NEWEST = 8

const SIGN =
  /^\uFEFF?\s*\{(?:\s*"(?:trajectory_id|session_id)"\s*:\s*(?:"[^"\\]*"|null)\s*,)*\s*"schema_version"\s*:\s*"(ATIF-v(\d+)\.(\d+))/
const TIMES = /"timestamp"\s*:\s*"([^"]+)"/g

/** Throws `atifVersion` for a version that may say things in another way. */
function refOf(path: string, start: string): SessionRef | null {
  const [, version = '', major, minor] = SIGN.exec(start) ?? []
  const ends = version === '' ? null : readEnds(path)
  if (ends === null) return null
  if (Number(major) !== 1 || Number(minor) > NEWEST) throw atifVersion(path, version, `ATIF-v1.${NEWEST}`)
  const header = headerIn(start, 'steps')
  const { cwd, cwds } = fieldsOf(fieldsOf(header.agent).extra)
  const times = (text: string) => [...text.matchAll(TIMES)].map(([, time]) => timeOf(time))
  return fileRef('atif', path, ends, {
    id: textOf(header.session_id) || textOf(header.trajectory_id) || basename(path, extname(path)),
    cwd: textOf(cwd) || listOf(cwds)[0],
    from: times(start).find((time) => time !== null),
    to: times(ends.tail).findLast((time) => time !== null),
  })
}

async function* read(ref: SessionRef, options: ReadOptions): Batches {
  const { eventsOf } = await import('./read.ts')
  const { header, records } = await readRecords(ref.path, 'steps', options)
  const { model_name, version } = fieldsOf(header.agent)
  const [model, client] = [textOf(model_name), textOf(version)]
  const stamp = { at: null, sub: null, cwd: ref.cwd }
  const told: SessionEvent = { kind: 'setting', ...stamp, ...(model && { model }) }
  const agent = client === '' || client === 'unknown' ? told : { ...told, version: client }
  const main = [...(model || client ? [agent] : []), ...eventsOf(records, stamp, options)]
  const sides = itemsOf(header.subagent_trajectories).map(({ trajectory_id, session_id, steps }, at) => {
    const sub = textOf(trajectory_id) || textOf(session_id) || `subagent ${at + 1}`
    const events = eventsOf(itemsOf(steps), { ...stamp, sub }, options)
    // The first prompt is the task, which the agent gave.
    const startedAt = events.find((event) => event.at !== null)?.at ?? ''
    return { startedAt, events }
  })
  yield* mergeByTime(batch(main), sides, ({ events }) => batch(events))
}

async function* batch(events: SessionEvent[]): Batches {
  yield events
}
