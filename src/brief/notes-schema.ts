import * as z from 'zod/mini'

/** UTF-16 units of one slot; an agent at 95 % of its context makes short statements, not summaries. */
const MAX_SLOT = 4000
const MAX_ITEM = 2000
/** UTF-16 units of markdown: more than 700 words, the length that is asked for. */
const MAX_TEXT = 16_000
const MAX_ITEMS = 50

const item = () => z.string().check(z.maxLength(MAX_ITEM))
const list = () => z._default(z.array(item()).check(z.maxLength(MAX_ITEMS)), [])
const slot = () => z._default(z.nullable(z.string().check(z.maxLength(MAX_SLOT))), null)
const many = <T extends z.ZodMiniType>(of: T) => z._default(z.array(of).check(z.maxLength(MAX_ITEMS)), [])

/** What an agent may give: the four slots and the optional lists. Unknown keys are an error, so that none is lost unseen. */
export const given = z.strictObject({
  schemaVersion: z.optional(z.literal(1)),
  currentLineOfAttack: slot(),
  activeHypothesis: slot(),
  abandonedApproaches: list(),
  openQuestions: list(),
  decisions: many(
    z.strictObject({ what: item(), why: z._default(z.nullable(item()), null), alternatives: list() }),
  ),
  blockers: list(),
  nextSteps: list(),
  information: list(),
  files: many(z.strictObject({ path: item(), reason: z._default(item(), '') })),
  progress: z.optional(z.array(item()).check(z.maxLength(MAX_ITEMS))),
  other: z._default(
    z.nullable(
      z
        .string()
        .check(
          z.maxLength(MAX_TEXT),
          z.describe('one page of markdown, as `notes` of handoff_create asks for it'),
        ),
    ),
    null,
  ),
})

/** What is kept privately: the same, with where and when. */
export const record = z.extend(given, {
  schemaVersion: z.literal(1),
  capturedAt: z.string().check(z.regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/)),
  capturedBySessionId: z._default(z.nullable(z.string()), null),
  branch: z._default(z.nullable(z.string()), null),
  head: z._default(z.nullable(z.string()), null),
})
