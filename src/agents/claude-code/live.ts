import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Place } from '../../types/place.ts'
import { isAbsent } from '../absent.ts'
import { recordOf, textOf } from '../fields.ts'

/**
 * The session that Claude Code holds now, from the record that it keeps of each of its processes (2.1.330): `/clear` and `--continue`
 * change it under a server that was started before. Null where `process` is none of its own.
 */
export async function claudeLiveSession(
  { home, env }: Pick<Place, 'home' | 'env'>,
  process: number,
): Promise<string | null> {
  const path = join(env.CLAUDE_CONFIG_DIR || join(home, '.claude'), 'sessions', `${process}.json`)
  const text = await readFile(path, 'utf8').catch((cause: unknown) => {
    if (isAbsent(cause)) return ''
    throw cause
  })
  return textOf(recordOf(text).sessionId) || null
}
