import type { Invocation } from '../command.ts'
import { blobId } from '../git/files.ts'
import type { Repo } from '../git/open-repo.ts'
import { removeBriefFile } from '../store/briefs.ts'
import { forgetDraft, listDrafts } from '../store/drafts.ts'
import { readPlain } from '../store/plain-file.ts'
import type { FrontMatter } from '../types/brief.ts'

/**
 * Takes away the drafts of the MCP server that a newer brief of the same branch replaces. One that was committed meanwhile, by hand or
 * as this brief, stays; one that somebody changed stays too, which is said.
 */
export async function dropDrafts(
  { out }: Pick<Invocation, 'out'>,
  repo: Repo,
  { id, branch }: Pick<FrontMatter, 'id' | 'branch'>,
): Promise<void> {
  for (const draft of await listDrafts(repo.commonDir)) {
    if (draft.root !== repo.root || draft.branch !== branch) continue
    await forgetDraft(repo.commonDir, draft)
    const text = draft.id === id ? null : await readPlain(repo.root, draft.path)
    if (text === null || (await repo.git(['ls-files', '-z', '--', draft.path])) !== '') continue
    if (blobId(repo, text) === draft.oid) await removeBriefFile(repo.root, draft.path)
    else out.warn(`the draft ${draft.path} was changed since it was made, so it stays; it is not committed`)
  }
}
