import { basename } from 'node:path'
import { readBlobs } from '../git/objects.ts'
import type { Repo } from '../git/open-repo.ts'
import { readHistory } from '../git/read-history.ts'
import { listBriefsAtHead } from '../git/read-selection.ts'
import type { Finding } from '../types.ts'
import { type Facts, validateBrief } from '../validate/validate-brief.ts'
import type { Built } from './build-brief.ts'
import type { CreateRequest } from './create-request.ts'
import type { CurrentBrief } from './current.ts'
import type { Gathered } from './gather.ts'
import { metaOf, readMetas } from './read-metas.ts'
import type { Invocation } from './table.ts'

type KnownBriefs = Map<string, { parent: string | null; path: string }>

/** The finished text against every rule; what is committed is what was judged. */
export async function judge(
  invocation: Invocation,
  request: CreateRequest,
  gathered: Gathered,
  built: Built,
  path: string,
): Promise<Finding[]> {
  const { git, config, scanner, current } = gathered
  const { meta, files } = built.brief
  const briefs = current === null ? new Map() : await lineOf(gathered, current)
  const facts: Facts = {
    path,
    briefs: new Map([...briefs, [meta.id, { parent: meta.parent, path }]]),
    knownFiles: git === null ? null : new Set([...git.files, ...files.map((file) => file.path)]),
    ...people(invocation, git?.identity.name ?? ''),
    secrets: await scanner.find(built.text),
    goal: meta.goal,
    tokens: meta.tokens,
    config,
  }
  return validateBrief(built.text, facts, { mode: request.mode, force: request.force })
}

/** The parent and those before it: only they can hold a cycle. All of history is asked where HEAD does not tell the next one. */
async function lineOf({ workspace, reading }: Gathered, current: CurrentBrief): Promise<KnownBriefs> {
  const { repo } = workspace
  const line: KnownBriefs = new Map([
    [current.id, { parent: current.parsed.meta.parent, path: current.path }],
  ])
  if (repo === null || current.parsed.meta.parent === null) return line
  const briefs = new Map((await listBriefsAtHead(repo, reading)).map((brief) => [brief.id, brief]))
  for (let id: string | null = current.parsed.meta.parent; id !== null && !line.has(id); ) {
    const blob = briefs.get(id)
    const text = blob?.mode === '100644' ? await readBlobs(repo, [blob.oid], reading?.objects) : new Map()
    const meta = blob === undefined ? null : metaOf(text.get(blob.oid), blob.path)
    if (blob === undefined || meta === null) return knownBriefs(repo)
    line.set(id, { parent: meta.parent, path: blob.path })
    id = meta.parent
  }
  return line
}

/** Names that must not stand in a path: the home directory's and the login's. */
export function people({ place }: Invocation, gitName: string): { home: string | null; userNames: string[] } {
  const names = [basename(place.home), place.env.USER ?? '', place.env.LOGNAME ?? '', gitName]
  return {
    home: place.home,
    userNames: [...new Set(names.filter((name) => name.length > 2 && name !== 'root'))],
  }
}

/** Every brief that history here knows, by id. */
export async function knownBriefs(repo: Repo | null): Promise<KnownBriefs> {
  if (repo === null) return new Map()
  return new Map(
    (await readMetas(repo, await readHistory(repo, { all: true }))).map(({ entry, meta }) => [
      entry.id,
      { parent: meta.parent, path: entry.path },
    ]),
  )
}
