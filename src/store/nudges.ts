import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { writeFailed } from '../errors/writing.ts'
import { fileWord, listPrivate, privateFolder, readPrivate, writePrivate } from './private.ts'

/** That a session was told once how full it is. */
export interface Nudge {
  kind: 'handoff-prompt'
  schemaVersion: 1
  sessionId: string
  agent: string
  thresholdPct: number
  pct: number
  /** ISO. */
  at: string
  /** `create`, the end of the session or the person closed it; the record stays, so that nobody is told twice. */
  closed?: true
}

const FOLDER = 'nudges'

/** False when this session was told at this threshold already: of several hooks that run together one writes. Throws `writeFailed`. */
export async function addNudge(commonDir: string, nudge: Nudge): Promise<boolean> {
  const path = join(privateFolder(commonDir), fileOf(nudge))
  try {
    await mkdir(join(path, '..'), { recursive: true, mode: 0o700 })
    await writeFile(path, `${JSON.stringify(nudge)}\n`, { mode: 0o600, flag: 'wx' })
    return true
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw writeFailed(path, cause)
  }
}

/** Open nudges, oldest first; records of another kind or version are passed over. */
export async function openNudges(commonDir: string): Promise<Nudge[]> {
  const names = await listPrivate(commonDir, FOLDER)
  const records = await Promise.all(names.map((name) => readPrivate(commonDir, `${FOLDER}/${name}`)))
  return records
    .map(parse)
    .filter((nudge) => nudge !== null && nudge.closed !== true)
    .map((nudge) => nudge as Nudge)
    .sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0))
}

/** Closes the nudges of a session, or the one given. */
export async function closeNudges(commonDir: string, which: (nudge: Nudge) => boolean): Promise<void> {
  for (const nudge of await openNudges(commonDir))
    if (which(nudge))
      await writePrivate(commonDir, fileOf(nudge), `${JSON.stringify({ ...nudge, closed: true })}\n`)
}

const fileOf = ({ agent, sessionId, thresholdPct }: Nudge): string =>
  `${FOLDER}/${agent}-${fileWord(sessionId)}-${thresholdPct}.json`

function parse(text: string | null): Nudge | null {
  try {
    const value = JSON.parse(text ?? 'null') as Nudge | null
    if (value?.kind !== 'handoff-prompt' || value.schemaVersion !== 1) return null
    // Whatever else stands there is written back with it, or names a file.
    const texts = [value.sessionId, value.agent, value.at]
    const counts = [value.thresholdPct, value.pct]
    const isSound = texts.every((one) => typeof one === 'string') && counts.every(Number.isFinite)
    return isSound && /^[a-z-]+$/.test(value.agent) ? value : null
  } catch {
    return null // Never a reason to break a reader.
  }
}
