import { listPrivate, readPrivate, removePrivate, writePrivate } from './private.ts'

/** A brief that an agent drafted through the MCP server and that nobody has committed. */
export interface Draft {
  id: string
  /** Top of the worktree that it stands in. */
  root: string
  path: string
  /** Blob id of its text as it was written. */
  oid: string
  branch: string | null
}

const FOLDER = 'mcp-drafts'

/** Throws `writeFailed`. */
export async function recordDraft(commonDir: string, draft: Draft): Promise<void> {
  await writePrivate(commonDir, `${FOLDER}/${draft.id}.json`, `${JSON.stringify(draft)}\n`, { flush: false })
}

/** Oldest first; records that cannot be read are passed over. */
export async function listDrafts(commonDir: string): Promise<Draft[]> {
  const names = await listPrivate(commonDir, FOLDER)
  const texts = await Promise.all(names.map((name) => readPrivate(commonDir, `${FOLDER}/${name}`)))
  return texts.flatMap((text) => {
    try {
      const draft = JSON.parse(text ?? 'null') as Draft | null
      return typeof draft?.path === 'string' && typeof draft.oid === 'string' ? [draft] : []
    } catch {
      return []
    }
  })
}

export const forgetDraft = (commonDir: string, { id }: Draft): Promise<void> =>
  removePrivate(commonDir, `${FOLDER}/${id}.json`)
