import { writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileMode, makePrivate, refused, share } from '../private-folder.ts'
import { fileWord, openRecords, privateFolder } from './private.ts'

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

/** Whatever else stands in one is written back with it, or names a file. */
const nudges = openRecords<Nudge>(
  FOLDER,
  ({ kind, schemaVersion, sessionId, agent, at, thresholdPct, pct }) =>
    kind === 'handoff-prompt' &&
    schemaVersion === 1 &&
    [sessionId, agent, at].every((one) => typeof one === 'string') &&
    [thresholdPct, pct].every(Number.isFinite) &&
    /^[a-z-]+$/.test(agent ?? ''),
)

/** False when this session was told at this threshold already: of several hooks that run together one writes. Throws `writeFailed`. */
export async function addNudge(commonDir: string, nudge: Nudge): Promise<boolean> {
  const path = join(privateFolder(commonDir), FOLDER, `${nameOf(nudge)}.json`)
  try {
    makePrivate(commonDir, dirname(path))
    await writeFile(path, `${JSON.stringify(nudge)}\n`, { mode: fileMode(commonDir), flag: 'wx' })
    share(commonDir, path)
    return true
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw refused(commonDir, path, cause)
  }
}

/** Open nudges, oldest first. */
export const openNudges = async (commonDir: string): Promise<Nudge[]> =>
  (await nudges.list(commonDir))
    .filter(({ closed }) => closed !== true)
    .sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0))

/** Closes the nudges of a session, or the one given. */
export async function closeNudges(commonDir: string, which: (nudge: Nudge) => boolean): Promise<void> {
  for (const nudge of await openNudges(commonDir))
    if (which(nudge)) await nudges.write(commonDir, nameOf(nudge), { ...nudge, closed: true })
}

const nameOf = ({ agent, sessionId, thresholdPct }: Nudge): string =>
  `${agent}-${fileWord(sessionId)}-${thresholdPct}`
