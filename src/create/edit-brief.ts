import { readFile } from 'node:fs/promises'
import { readEdited } from '../brief/edited.ts'
import { countTokens, estimateTokens, measured } from '../brief/measure.ts'
import { renderBrief } from '../brief/render.ts'
import type { Invocation } from '../command.ts'
import { type HandoffError, isHandoffError } from '../errors/handoff-error.ts'
import { editCancelled, editRefused, editUnreadable } from '../errors/writing.ts'
import { removePrivate, writePrivate } from '../store/private.ts'
import type { Brief } from '../types/brief.ts'
import { editDraft, editorOf } from '../workspace/editor.ts'
import { checkInput } from '../workspace/input-secrets.ts'
import type { Built } from './compose.ts'
import { isVagueGoal } from './create-request.ts'
import type { Input } from './gather.ts'
import { judge, refuse } from './judge.ts'

/**
 * The brief as the person left it in the editor: a changed goal is the goal, changed facts are the user's, and all of it is held
 * against the rules. Throws `editorFailed`, `editUnreadable`, `editRefused`, `editCancelled`, each with the draft, which is kept.
 */
export async function editBrief(invocation: Invocation, input: Input, built: Built): Promise<Built> {
  const { place } = invocation
  const { repo } = input.workspace
  if (repo === null) return built
  const name = `drafts/edit-${built.brief.meta.id}.md`
  const core = await repo.git(['config', '--get', 'core.editor'], { answers: [1] })
  const editor = editorOf(place.env, core.trim() || null)
  const keep = (text: string): Promise<string> => writePrivate(repo.commonDir, name, text)
  const draft = await keep(built.text)
  try {
    const typed = await editDraft(editor, draft, place)
    const edited = await settle(invocation, input, built, { typed, editor, draft })
    await removePrivate(repo.commonDir, name)
    return edited
  } catch (error) {
    const left = await readFile(draft, 'utf8').catch(() => null)
    const isCancelled = place.signal?.aborted === true
    if (left === built.text && isCancelled) await removePrivate(repo.commonDir, name)
    if (left === null || left === built.text) throw error
    // The edit is kept, a secret in it is not.
    const { value: clean, counts } = await input.scanner.redact(left)
    await keep(clean)
    if (isCancelled) throw editCancelled(draft)
    throw isHandoffError(error) && error.data.draft !== draft
      ? editRefused(error, draft, Object.keys(counts))
      : error
  }
}

/** What was typed as a brief that may be handed over. Throws what is wrong with it. */
async function settle(
  invocation: Invocation,
  input: Input,
  built: Built,
  { typed, editor, draft }: { typed: string; editor: string; draft: string },
): Promise<Built> {
  const { request, scanner, config } = input
  const text = await checkInput(scanner, 'edited brief', typed, request.redact === true)
  if (text === built.text) return built
  const brief = readText(text, built.brief, editor, draft)
  const { vague: _, ...meta } = brief.meta
  // Whether the goal is vague is told of the one that counts.
  if (isVagueGoal(meta.goal, config, request.allowVague)) Object.assign(meta, { vague: true })
  const rendered = measured(renderBrief({ ...brief, meta }))
  const tokens = request.exact ? await countTokens(rendered) : estimateTokens(rendered)
  const settled = { ...brief, meta: { ...meta, tokens } }
  const edited = { ...built, brief: settled, text: renderBrief(settled) }
  refuse(await judge(invocation, input, edited))
  return edited
}

function readText(text: string, made: Brief, editor: string, draft: string): Brief {
  const refused = (detail: string): HandoffError =>
    editUnreadable(editor, `left a file that is no brief (${detail})`, draft)
  try {
    const { brief, lost } = readEdited(text, made, draft)
    if (lost.length === 0) return brief
    const more = lost.length === 1 ? '' : ` and ${lost.length - 1} more`
    throw refused(`no section of a brief holds the line "${lost[0]}"${more}`)
  } catch (error) {
    if (!isHandoffError(error) || error.data.draft === draft) throw error
    throw refused(error.message)
  }
}
