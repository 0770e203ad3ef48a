import { openRecords } from './private.ts'

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

const drafts = openRecords<Draft>(
  'mcp-drafts',
  ({ path, oid }) => typeof path === 'string' && typeof oid === 'string',
)

/** Throws `writeFailed`. */
export const recordDraft = (commonDir: string, draft: Draft): Promise<string> =>
  drafts.write(commonDir, draft.id, draft, { flush: false })

/** Oldest first. */
export const listDrafts = drafts.list

export const forgetDraft = (commonDir: string, { id }: Draft): Promise<void> => drafts.remove(commonDir, id)
