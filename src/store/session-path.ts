import { readPrivate, writePrivate } from './private.ts'

const FOLDER = 'behind'

/** Keeps the absolute path of the session file that a brief was made of, for what nothing else leads back to. Throws `writeFailed`. */
export const recordSessionPath = (commonDir: string, briefId: string, path: string): Promise<string> =>
  writePrivate(commonDir, `${FOLDER}/${briefId}`, path, { flush: false })

/** The path that was kept for a brief made in this clone; null without one. */
export const readSessionPath = (commonDir: string, briefId: string): Promise<string | null> =>
  readPrivate(commonDir, `${FOLDER}/${briefId}`)
