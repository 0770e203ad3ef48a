import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Adapter } from '../../types/agent.ts'
import type { Place } from '../../types/place.ts'
import { fieldsOf, numberOf } from '../fields.ts'
import { lastRecord } from '../last-record.ts'

/** The last `token_count` of a rollout tells the last request and the window (0.98 … 0.169). */
export const codexFullness: NonNullable<Adapter['fullness']> = ({ path }, place) =>
  lastRecord(path, '"token_count"', (record) => {
    const info = fieldsOf(fieldsOf(record.payload).info)
    const tokens = numberOf(fieldsOf(info.last_token_usage).total_tokens)
    const window = numberOf(info.model_context_window)
    return tokens === null || window === null || window <= 0
      ? null
      : { tokens, window, compactsAt: compactsAt(window, place) }
  })

/** The window that rollouts tell is 95 % of the model's, and Codex compacts at 90 % of the latter, or earlier where the person says so. */
function compactsAt(window: number, { home, env }: Pick<Place, 'home' | 'env'>): number {
  const usual = Math.floor((window * 90) / 95)
  const set = /^model_auto_compact_token_limit *= *([\d_]+)/m.exec(
    textOf(join(env.CODEX_HOME || join(home, '.codex'), 'config.toml')),
  )?.[1]
  const limit = Number(set?.replaceAll('_', ''))
  return limit > 0 ? Math.min(limit, usual) : usual
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return '' // Codex starts with its defaults too.
  }
}
