import type { Part } from './calls.ts'
import type { Usage, View } from './scenario.ts'

/** A request or message body of unknown shape: every field is looked at before it is used. */
export type Json = { readonly [key: string]: unknown }

/** One wire format of model APIs. */
export interface Dialect {
  /** Path of its POST endpoint. */
  path: string | RegExp
  view(body: Json): View
  /** Server-sent events of a streamed reply, each ready to be written. */
  events(parts: Part[], model: string, usage: Usage): string[]
}

export const isJson = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The objects of a list, or none. */
export const objects = (value: unknown): Json[] => (Array.isArray(value) ? value.filter(isJson) : [])

export const string = (value: unknown): string => (typeof value === 'string' ? value : '')

/** The separate texts of a message's content, whatever its shape. */
export const texts = (content: unknown): string[] =>
  typeof content === 'string' ? [content] : objects(content).map((block) => string(block.text))

/** The working directory as one of the clients words it. */
export const cwdIn = (text: string): string | null =>
  /(?:working (?:in the )?directory: |<cwd>)([^\n<]+)/i.exec(text)?.[1]?.trim() ?? null

let serial = 0
export const newId = (prefix: string): string => `${prefix}_mock_${(serial++).toString(36).padStart(6, '0')}`

export const USAGE: Usage = { input: 1200, output: 80 }
