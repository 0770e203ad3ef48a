import { checkGoal } from '../brief/goal.ts'
import { parseBrief } from '../brief/parse.ts'
import { goalText, renderBrief } from '../brief/render.ts'
import { estimateTokens, measured } from '../brief/tokens.ts'
import { badGoal, editorFailed, isHandoffError } from '../errors.ts'
import { removePrivate, writePrivate } from '../store/private.ts'
import type { Built } from './build-brief.ts'
import type { CreateRequest } from './create-request.ts'
import { editDraft, editorOf } from './edit-draft.ts'
import type { Gathered } from './gather.ts'
import { checkInput } from './input-secrets.ts'
import type { Invocation } from './table.ts'

/**
 * The brief as the person left it in the editor. A changed goal becomes the goal, in the front matter too, and is judged
 * again; what was typed is checked for secrets. Throws `editorFailed` (the draft is kept and named), `badGoal`,
 * `secretInInput`, `briefUnreadable`.
 */
export async function editBrief(
  invocation: Invocation,
  request: CreateRequest,
  gathered: Gathered,
  built: Built,
): Promise<Built> {
  const { repo } = gathered.workspace
  if (repo === null) return built
  const { place } = invocation
  const { meta } = built.brief
  const name = `drafts/${meta.id}.md`
  const draft = await writePrivate(repo.commonDir, name, built.text)
  const core = await repo.git(['config', '--get', 'core.editor'], { answers: [1] })
  const editor = editorOf(place.env, core.trim() || null)
  const typed = await editDraft(editor, draft, place)
  const text = await checkInput(gathered.scanner, 'edited brief', typed, request.redact).catch(
    async (error: unknown) => {
      // The edit is kept, the secret is not.
      await writePrivate(repo.commonDir, name, (await gathered.scanner.redact(typed)).value)
      invocation.out.say(`Your draft, with the secret replaced, is kept in ${draft}.`)
      throw error
    },
  )
  // A draft that is no brief stays, without what was replaced.
  if (text !== typed) await writePrivate(repo.commonDir, name, text)
  const settled = settle(text, meta, editor, draft)
  const verdict = checkGoal(settled.meta.goal, {
    minLength: gathered.config.goal.minLength,
    allowVague: request.allowVague,
  })
  if (!verdict.ok)
    throw badGoal(
      verdict.rule === 'too-long' ? 'too-short' : verdict.rule,
      `${verdict.detail}; your draft is kept in ${draft}`,
    )
  await removePrivate(repo.commonDir, name)
  return { ...built, brief: settled, text: renderBrief(settled) }
}

/** The edited text as a brief again: id, schema and what is not trusted stay, the goal follows its section, tokens are counted anew. */
function settle(text: string, meta: Built['brief']['meta'], editor: string, draft: string): Built['brief'] {
  try {
    const { brief, goal } = parseBrief(text, draft)
    const changed = goal !== null && goal.text !== goalText(meta.goal) ? goal.text : brief.meta.goal
    const { untrusted: _, ...typed } = brief.meta
    const { id, createdAt, parent, untrusted } = meta
    const settled = {
      ...brief,
      meta: {
        ...typed,
        id,
        createdAt,
        parent,
        goal: changed,
        ...(untrusted === undefined ? {} : { untrusted }),
      },
    }
    return { ...settled, meta: { ...settled.meta, tokens: estimateTokens(measured(renderBrief(settled))) } }
  } catch (error) {
    if (isHandoffError(error))
      throw editorFailed(editor, `left a file that is no brief (${error.message})`, draft)
    throw error
  }
}
