import { randomBytes } from 'node:crypto'
import { fillTemplate } from '../brief/template.ts'
import type { Limits } from '../types/config.ts'

/** What a model is asked about, cleaned of secrets. */
interface ExtractionInput {
  goal: string
  focus: string
  limits: Limits
  schema: Record<string, unknown>
  conversation: string
}

/**
 * The question. Goal, focus and conversation stand as data between marks that carry a random word, so that nothing in them can end
 * them; nothing in them is expanded. `override`: the repository's own template. Throws `badTemplate`.
 */
export function extractionPrompt(
  { goal, focus, limits, schema, conversation }: ExtractionInput,
  override: { text: string; place: string } | null,
): string {
  const word = freshWord([goal, focus, conversation])
  const fenced = (name: string, text: string): string => fence(word, name, text)
  const { $schema: _, $id: __, title: ___, ...shape } = schema
  return fillTemplate(
    'extraction',
    {
      goal: fenced('goal', goal),
      focus: focus === '' ? 'none' : fenced('focus', focus),
      limits: `${limits.files} files, ${limits.commands} commands, ${limits.information} pieces of information, ${limits.decisions} decisions, ${limits.openQuestions} open questions, best first; one sentence each`,
      schema: JSON.stringify(shape),
      conversation: fenced('conversation', conversation),
    },
    override,
  )
}

/** The same question, and what was wrong with the answer to it. */
export const retryPrompt = (prompt: string, errors: readonly string[]): string =>
  `${prompt}
Your last answer could not be used:
${errors.map((error) => `- ${error}`).join('\n')}
Answer the same question again, and output valid JSON only.
`

const fence = (word: string, name: string, text: string): string =>
  `<${name}-${word}>\n${text}\n</${name}-${word}>`

/** A text as data, between marks that nothing in it can end. */
export const fenced = (name: string, text: string): string => fence(freshWord([text]), name, text)

/** A word that none of the texts holds. */
function freshWord(texts: readonly string[]): string {
  for (;;) {
    const word = randomBytes(6).toString('hex')
    if (!texts.some((text) => text.includes(word))) return word
  }
}
