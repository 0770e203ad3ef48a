import { randomBytes } from 'node:crypto'
import { isHandoffError, reasonOf } from '../errors/handoff-error.ts'

/**
 * Asks a model one thing and gets text back. Whoever asks does not know which model answers or how it is reached.
 */
export interface Model {
  /** As it is shown and recorded. */
  name: string
  /** The reply's text. Throws `modelFailed`, or the signal's reason. */
  ask(request: ModelRequest): Promise<string>
}

export interface ModelRequest {
  /** Data is fenced in it by whoever asks; nothing in it is expanded. */
  prompt: string
  signal?: AbortSignal
}

/** Why a model gave no answer, in a clause: what `ask` threw. */
export function whyNoAnswer(error: unknown): string {
  const isOfModel = isHandoffError(error) && error.code === 'E_MODEL'
  return reasonOf(isOfModel ? error.cause : error).replace(/\.$/, '')
}

/** A text as data, between marks with a word that it does not hold, so that nothing in it can end them. */
export function fenced(name: string, text: string): string {
  let word = ''
  do word = randomBytes(6).toString('hex')
  while (text.includes(word))
  return `<${name}-${word}>\n${text}\n</${name}-${word}>`
}
