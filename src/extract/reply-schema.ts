import * as z from 'zod/mini'

const texts = () => z.array(z.string())

/** What a model is asked for. Every key is there, and no other: services that hold their models to a schema want it so. */
export const replySchema = z.strictObject({
  relevantFiles: z.array(z.strictObject({ path: z.string(), reason: z.string() })),
  relevantCommands: texts(),
  relevantInformation: texts(),
  decisions: texts(),
  openQuestions: texts(),
})

export type Reply = z.infer<typeof replySchema>

/** JSON Schema (draft 2020-12) of a model's answer, as published in `docs/extraction.v1.schema.json`. */
export function replyJsonSchema(): Record<string, unknown> {
  const { $schema, ...rest } = z.toJSONSchema(replySchema) as Record<string, unknown>
  return {
    $schema,
    $id: 'https://unpkg.com/git-handoff/docs/extraction.v1.schema.json',
    title: 'What a model extracts from a session for a handoff brief, version 1',
    ...rest,
  }
}
