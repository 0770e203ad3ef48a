import { readFile } from 'node:fs/promises'
import { readEdited } from '../brief/edited.ts'
import { countTokens, estimateTokens, measured } from '../brief/measure.ts'
import { renderBrief } from '../brief/render.ts'
import type { Invocation } from '../command.ts'
import { type HandoffError, isHandoffError } from '../errors/handoff-error.ts'
import { editCancelled, editRefused, editUnreadable } from '../errors/writing.ts'
import { readConfig } from '../git/settings.ts'
import { isVagueGoal } from '../session/settle-goal.ts'
import { removePrivate, writePrivate } from '../store/private.ts'
import type { Brief } from '../types/brief.ts'
import { editDraft, editorOf } from '../workspace/editor.ts'
import { checkInput } from '../workspace/input-secrets.ts'
import type { Built } from './compose.ts'
import type { Input } from './gather.ts'
import { judge, refuse } from './judge.ts'

/** The end of the front matter. */
const FRONT_END = '\n---\n'

/**
 * The brief as the person left it in the editor: a changed goal is the goal, changed facts are the user's, and all of it is held
 * against the rules. Throws `editorFailed`, `editUnreadable`, `editRefused`, `editCancelled`, each with the draft, which is kept.
 */
export async function editBrief(invocation: Invocation, input: Input, built: Built): Promise<Built> {
  const { place } = invocation
  const { request, scanner, workspace } = input
  const { repo } = workspace
  if (repo === null) return built
  const name = `drafts/edit-${built.brief.meta.id}.md`
  const { last } = await readConfig(repo)
  const editor = editorOf(place.env, last('core.editor')?.trim() || null)
  const keep = (text: string): Promise<string> => writePrivate(repo.commonDir, name, text)
  // Nobody edits what the front matter tells of the making.
  const at = built.text.indexOf(FRONT_END) + FRONT_END.length
  const [front, body] = [built.text.slice(0, at), built.text.slice(at).trimStart()]
  const draft = await keep(body)
  try {
    const typed = await editDraft(editor, draft, place)
    const text = await checkInput(scanner, 'edited brief', typed, request.redact === true)
    const isChanged = text !== body
    const edited = isChanged
      ? await settle(input, built, readText(`${front}\n${text}`, built.brief, editor, draft))
      : built
    if (isChanged) refuse(await judge(invocation, input, edited))
    await removePrivate(repo.commonDir, name)
    return edited
  } catch (error) {
    const left = await readFile(draft, 'utf8').catch(() => null)
    const isCancelled = place.signal?.aborted === true
    if (left === body && isCancelled) await removePrivate(repo.commonDir, name)
    if (left === null || left === body) throw error
    // The edit is kept, a secret in it is not.
    const { value: clean, counts } = await scanner.redact(left)
    await keep(clean)
    if (isCancelled) throw editCancelled(draft)
    throw isHandoffError(error) && error.data.draft !== draft
      ? editRefused(error, draft, Object.keys(counts))
      : error
  }
}

/** The goal is judged again, and whether it is vague is told of the one that counts. */
async function settle({ request, config }: Input, built: Built, brief: Brief): Promise<Built> {
  const { vague: _, ...meta } = brief.meta
  if (isVagueGoal(meta.goal, config, request.allowVague)) Object.assign(meta, { vague: true })
  const rendered = measured(renderBrief({ ...brief, meta }))
  const tokens = request.exact ? await countTokens(rendered) : estimateTokens(rendered)
  const settled = { ...brief, meta: { ...meta, tokens } }
  return { ...built, brief: settled, text: renderBrief(settled) }
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
