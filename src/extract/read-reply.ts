import { jsonProblem } from '../errors/handoff-error.ts'
import { type Reply, replySchema } from './reply-schema.ts'

/** Errors that are told to the model, and UTF-16 units of an answer that is read. */
const MOST_ERRORS = 8
const MOST = 200_000

/** The answer as a value, or what is wrong with it: nothing but JSON of the schema counts, a fence around it is taken off. */
export function readReply(text: string): { reply: Reply } | { errors: string[] } {
  if (text.length > MOST) return { errors: [`longer than ${MOST} characters`] }
  let value: unknown
  try {
    value = JSON.parse(unfenced(text))
  } catch (error) {
    return { errors: [`not valid JSON: ${jsonProblem(error)}`] }
  }
  const parsed = replySchema.safeParse(value)
  if (parsed.success) return { reply: parsed.data }
  return {
    errors: parsed.error.issues
      .slice(0, MOST_ERRORS)
      .map(({ path, message }) => `${path.length === 0 ? 'the whole' : path.join('.')}: ${message}`),
  }
}

const unfenced = (text: string): string =>
  /^\s*```(?:json)?[ \t]*\r?\n([\s\S]*?)\r?\n```\s*$/.exec(text)?.[1] ?? text
