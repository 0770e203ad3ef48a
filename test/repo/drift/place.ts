import { briefPath } from '../../../src/brief/id.ts'
import { renderBrief } from '../../../src/brief/render.ts'
import type { Brief, FrontMatter } from '../../../src/types/brief.ts'
import type { FileFact } from '../../../src/types/evidence.ts'
import { sampleBrief } from '../../unit/report/sample-brief.ts'
import { type CliResult, cli } from '../cli.ts'
import type { TempRepo } from '../make-repo.ts'

export const ID = '20261121T100000-01c40e9b'

export const file = (path: string, more: Partial<FileFact> = {}): FileFact => ({
  path,
  reason: 'edited once',
  evidence: ['edited'],
  source: 'transcript',
  ...more,
})

/** Writes a brief as it would have been made at HEAD and commits it alone; returns its path. */
export function hand(
  repo: TempRepo,
  change: Partial<Omit<Brief, 'meta'>> & { meta?: Partial<FrontMatter> } = {},
  { commit = true } = {},
): string {
  const { meta, ...rest } = change
  const head = repo.tryGit(['rev-parse', '-q', '--verify', 'HEAD']).stdout
  const branch = repo.tryGit(['symbolic-ref', '-q', '--short', 'HEAD']).stdout
  const brief = sampleBrief(
    {
      id: ID,
      goal: 'cap the retry backoff at 30 s including jitter, make the queue tests pass, document it',
      createdAt: '2026-11-21T10:00:00.000Z',
      head: head === '' ? null : head,
      branch: branch === '' ? null : branch,
      ...meta,
    },
    rest,
  )
  const path = briefPath(brief.meta.id, brief.meta.goal)
  repo.write(path, renderBrief(brief))
  if (commit) {
    repo.git(['add', '-f', path])
    repo.git(['commit', '-q', '-m', 'chore(handoff): x', '--', path])
  }
  return path
}

export const verify = (repo: TempRepo, args: string[] = []): Promise<CliResult> =>
  cli(repo, ['verify', '--json', ...args])

/** `code path` of each item, but for what is told of every brief. */
export async function told(repo: TempRepo, args: string[] = []): Promise<string[]> {
  const { json } = await verify(repo, args)
  const items: { code: string; path?: string; to?: string }[] = json.items ?? json.errors
  return items
    .filter(({ code }) => !['own-commits', 'commits-since'].includes(code))
    .map(({ code, path, to }) => [code, path, to].filter((part) => part !== undefined).join(' '))
}
