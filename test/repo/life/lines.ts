import { writeFrontMatter } from '../../../src/brief/front-matter.ts'
import { briefPath } from '../../../src/brief/id.ts'
import { type Checkout, readCheckout } from '../../../src/briefs/current.ts'
import { readWholeChain } from '../../../src/briefs/read-chain.ts'
import { openRepo, type Repo } from '../../../src/git/open-repo.ts'
import { readRefs } from '../../../src/git/refs.ts'
import { readBase } from '../../../src/life/trunk.ts'
import { recordCreated } from '../../../src/store/ledger.ts'
import type { TempRepo } from '../make-repo.ts'

/** Minutes after a fixed time: briefs are told apart and ordered by it. */
let minutes = 0

export interface Handed {
  id: string
  path: string
  parents: string[]
}

/** The repository as handoff sees it now. */
export const seen = (repo: TempRepo): Promise<Repo> => openRepo(repo.root, { env: repo.env })

export const checkout = async (repo: TempRepo): Promise<Checkout> => readCheckout(await seen(repo))

/** The ids of the open heads here, newest first; the first is what people and agents are told of. */
export const openHere = async (repo: TempRepo): Promise<string[]> =>
  (await checkout(repo)).heads.map(({ id }) => id)

/** What `log` says of each brief: of this branch, or of all there is. */
export async function states(repo: TempRepo, all = true): Promise<Map<string, string>> {
  const { nodes } = await readWholeChain(await seen(repo), { all })
  return new Map(nodes.map(({ id, state }) => [id, state]))
}

/** Commits a brief, or a record that closes, as `create` and `done` link them; quicker, as no session is read. */
export async function handOver(
  temp: TempRepo,
  { kind = 'handoff' }: { kind?: 'handoff' | 'done' } = {},
): Promise<Handed> {
  const repo = await seen(temp)
  const { heads, isOfTrunk } = await readCheckout(repo)
  const follows = kind === 'done' ? heads.slice(0, 1) : isOfTrunk ? [] : heads
  const branch = temp.tryGit(['symbolic-ref', '--short', '-q', 'HEAD']).stdout.trim() || null
  const base = await readBase(
    repo,
    await readRefs(repo, ['refs/heads', 'refs/remotes']),
    branch,
    upstreamOf(temp),
  )
  const at = new Date(Date.parse('2026-11-23T00:00:00Z') + ++minutes * 60_000)
  const id = `${at.toISOString().slice(0, 19).replace(/[-:]/g, '')}-${String(minutes).padStart(8, '0')}`
  const parents = follows.map((one) => one.id)
  const text = writeFrontMatter(
    {
      schemaVersion: 1,
      id,
      ...(kind === 'done' ? { kind } : {}),
      goal: `do work ${minutes} until its tests pass`,
      reason: 'manual',
      createdAt: at.toISOString(),
      branch,
      head: temp.git(['rev-parse', 'HEAD']),
      ...(base === null ? {} : { base: `${base.ref}@${temp.git(['rev-parse', base.rev])}` }),
      dirty: false,
      agent: { id: 'git', label: 'git' },
      parents,
      extraction: { mode: 'none', attempts: 0 },
      tokens: 0,
    },
    `# Handoff Context\n\n## Next Goal (verbatim)\n\ndo work ${minutes} until its tests pass\n`,
  )
  const path = briefPath(id, `work ${minutes}`)
  temp.write(path, text)
  temp.git(['add', path])
  temp.git(['commit', '-q', '-m', `chore(handoff): work ${minutes}\n\nHandoff-Id: ${id}`])
  await recordCreated(repo.commonDir, path, temp.git(['rev-parse', `HEAD:${path}`]))
  return { id, path, parents }
}

function upstreamOf(temp: TempRepo): { ref: string; rev: string } | null {
  const { status, stdout } = temp.tryGit(['rev-parse', '--abbrev-ref', '@{upstream}'])
  return status === 0 ? { ref: stdout.trim(), rev: '@{upstream}' } : null
}

/** Takes briefs out of the tree as `prune` does. */
export function pruneAll(temp: TempRepo): void {
  const paths = temp
    .tryGit(['ls-files', '.handoff/briefs'])
    .stdout.split('\n')
    .filter((path) => path !== '')
  if (paths.length === 0) return
  temp.git(['rm', '-q', ...paths])
  const ids = paths.map((path) => `Handoff-Pruned: ${/\d{8}T\d{6}-[0-9a-f]{8}/.exec(path)?.[0]}`)
  temp.git(['commit', '-q', '-m', `chore(handoff): take briefs out\n\n${ids.join('\n')}`])
}
