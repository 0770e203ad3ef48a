import type { Batches, ReadOptions, SessionRef } from '../../types/session.ts'
import { createSettings, type Draft, promptOf, replyOf, stamped } from '../draft.ts'
import { type Fields, fieldsOf, listOf, numberOf, textOf, timeOf } from '../fields.ts'
import { type Translator, translate } from '../lines.ts'
import { antigravityModel, antigravityPrompt, createAntigravityCalls } from './calls.ts'

export const readAntigravitySession = (ref: SessionRef, options: ReadOptions): Batches =>
  translate(ref.path, options, createAntigravityTranslator(ref.cwd))

/** Steps of the client that say nothing of the work. */
const IDLE = new Set(['CONVERSATION_HISTORY', 'SYSTEM_MESSAGE', 'CHECKPOINT', 'EPHEMERAL_MESSAGE'])

/** Turns the steps of a session into events. */
export function createAntigravityTranslator(folder: string | null): Translator {
  const calls = createAntigravityCalls()
  const settings = createSettings()

  function drafts(step: Fields): Draft[] | null {
    const type = textOf(step.type)
    const content = textOf(step.content)
    if (IDLE.has(type)) return []
    if (type === 'USER_INPUT') {
      calls.begin()
      return [...settings({ model: antigravityModel(content) }), ...promptOf(antigravityPrompt(content))]
    }
    if (type === 'PLANNER_RESPONSE') {
      const place = numberOf(step.step_index) ?? 0
      const made = listOf(step.tool_calls).map(fieldsOf)
      return [
        ...replyOf(content),
        ...made.flatMap((call, index) => calls.call(`${place}:${index}`, call, place)),
      ]
    }
    // Every other step of the model is the result of a tool.
    return type !== '' && step.source === 'MODEL' ? calls.result(type, step) : null
  }

  return {
    add(step) {
      const at = timeOf(step.created_at)
      return drafts(step)?.map((draft) => stamped(draft, { at, sub: null, cwd: folder })) ?? null
    },
  }
}
