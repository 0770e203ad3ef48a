import { type Fields, fieldsOf, recordOf, textOf } from './fields.ts'

/** The records among the lines that an agent printed; what is no JSON is an empty one. */
export const printedRecords = (stdout: string): Fields[] => stdout.split('\n').map(recordOf)

/** What a text says of a failure: where it carries the answer of a service as JSON, the message in there. */
export function sentenceIn(text: string): string {
  const at = text.indexOf('{')
  const inner = at === -1 ? {} : recordOf(text.slice(at))
  const said = textOf(fieldsOf(inner.error).message) || textOf(inner.message)
  return said === '' ? text.trim() : `${text.slice(0, at)}${said}`.trim()
}

/** The option for a model; none where the agent takes its own. */
export const modelArgs = (model: string | null): string[] => (model === null ? [] : ['--model', model])

/** Variables with which agents that talk to any provider of models log in (Pi 1.5, OpenCode 1.18); a trailing `*` as in `Launch.passEnv`. */
export const PROVIDER_LOGINS: readonly string[] = [
  'ANTHROPIC_*',
  'OPENAI_*',
  'GEMINI_API_KEY',
  'GOOGLE_*',
  'OPENROUTER_API_KEY',
  'GROQ_API_KEY',
  'MISTRAL_API_KEY',
  'XAI_API_KEY',
  'AWS_*',
]
