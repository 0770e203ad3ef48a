import { createHash } from 'node:crypto'
import { masked } from '../brief/measure.ts'
import { readPrivate, writePrivate } from '../store/private.ts'
import type { Built } from './build-brief.ts'
import type { CreateRequest } from './create-request.ts'
import type { CurrentBrief } from '../briefs/current.ts'
import type { Gathered } from './gathered.ts'
import { builtAgain } from './repeat.ts'
import type { Invocation } from '../command.ts'

/** Which brief a model had a part in, who was asked, and what it would have been without: asked again it would say it otherwise. */
interface Record {
  id: string
  by: string
  input: string
}

const FILE = 'extracted.json'

/**
 * The current brief, when it was made from this input with the help of the one who would be asked now; null when it was not. Nobody
 * needs to be asked then.
 */
export async function findExtracted(
  invocation: Invocation,
  request: CreateRequest,
  gathered: Gathered,
  plain: Built,
  vague: boolean,
): Promise<CurrentBrief | null> {
  const { current, workspace } = gathered
  if (workspace.repo === null || current === null) return null
  const known = recordOf(await readPrivate(workspace.repo.commonDir, FILE))
  if (known?.id !== current.id || known.by !== nameOf(request)) return null
  const again = await builtAgain(invocation, request, gathered, plain.brief.meta.id, vague)
  return again !== null && digest(again) === known.input ? current : null
}

/** Keeps what `findExtracted` needs. */
export async function rememberExtracted(
  request: CreateRequest,
  { workspace }: Gathered,
  plain: Built,
  built: Built,
): Promise<void> {
  if (workspace.repo === null) return
  const record: Record = { id: built.brief.meta.id, by: nameOf(request), input: digest(plain) }
  await writePrivate(workspace.repo.commonDir, FILE, JSON.stringify(record), { flush: false })
}

const nameOf = ({ extract }: CreateRequest): string => JSON.stringify(extract)
const digest = ({ text }: Built): string => createHash('sha256').update(masked(text)).digest('hex')

function recordOf(text: string | null): Partial<Record> | null {
  try {
    const value: unknown = JSON.parse(text ?? 'null')
    return typeof value === 'object' ? value : null
  } catch {
    return null // Somebody else's: the model is asked again.
  }
}
