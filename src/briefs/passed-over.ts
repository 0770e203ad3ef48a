import { readBlobs } from '../git/objects.ts'
import type { Repo } from '../git/open-repo.ts'
import { listBriefsAtHead } from '../git/read-briefs.ts'
import type { Output } from '../output/output.ts'
import type { CurrentBrief } from './current.ts'
import { metaOf } from './read-metas.ts'

/** Newest files of HEAD that are looked at. */
const MOST = 64

/** Warns of HEAD's briefs that are newer than the current one and cannot be read: it may only be current because of that. */
export async function warnPassedOver(out: Output, repo: Repo, current: CurrentBrief | null): Promise<void> {
  for (const path of await passedOver(repo, current))
    out.warn(`${path} cannot be read as a brief and was passed over; \`handoff check\` says why`)
}

async function passedOver(repo: Repo, current: CurrentBrief | null): Promise<string[]> {
  const newer = (await listBriefsAtHead(repo))
    .filter(({ id }) => current === null || id > current.id)
    .slice(-MOST)
  const contents = await readBlobs(
    repo,
    newer.map(({ oid }) => oid),
  )
  return newer.filter(({ oid, path }) => metaOf(contents.get(oid), path) === null).map(({ path }) => path)
}
