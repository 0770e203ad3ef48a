import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { writeFrontMatter } from '../../../src/brief/front-matter.ts'
import { briefPath } from '../../../src/brief/id.ts'
import { type Checkout, readCheckout } from '../../../src/briefs/current.ts'
import { readWholeChain } from '../../../src/briefs/read-chain.ts'
import { openRepo, type Repo } from '../../../src/git/open-repo.ts'
import { readRefs } from '../../../src/git/refs.ts'
import { readBase } from '../../../src/life/trunk.ts'
import { recordCreated } from '../../../src/store/ledger.ts'
import { branchOfHead, idOfHead, type TempRepo } from '../make-repo.ts'

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

/** Both, read in one go as a command does. */
export async function look(temp: TempRepo): Promise<{ open: string[]; states: Map<string, string> }> {
  const repo = await seen(temp)
  const { heads } = await readCheckout(repo)
  const { nodes } = await readWholeChain(repo, { all: true })
  return {
    open: heads.map(({ id }) => id),
    states: new Map(nodes.map(({ id, state }) => [id, state])),
  }
}

/** Commits a brief, or a record that closes, as `create` and `done` link them; quicker, as no session is read. */
export async function handOver(
  temp: TempRepo,
  { kind = 'handoff' }: { kind?: 'handoff' | 'done' } = {},
): Promise<Handed> {
  const repo = await seen(temp)
  const { heads, isOfTrunk } = await readCheckout(repo)
  const follows = kind === 'done' ? heads.slice(0, 1) : isOfTrunk ? [] : heads
  const branch = branchOfHead(temp)
  const refs = await readRefs(repo, ['refs/heads', 'refs/remotes'])
  const base = await readBase(repo, refs, branch, upstreamOf(temp, branch))
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
      head: idOfHead(temp.root) ?? temp.git(['rev-parse', 'HEAD']),
      ...(base === null ? {} : { base: `${base.ref}@${commitOf(temp, base.rev)}` }),
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
  const blob = createHash('sha1')
    .update(`blob ${Buffer.byteLength(text)}\0${text}`)
    .digest('hex')
  await recordCreated(repo.commonDir, path, blob)
  return { id, path, parents }
}

const commitOf = (temp: TempRepo, rev: string): string =>
  /^[0-9a-f]{40}$/.test(rev) ? rev : temp.git(['rev-parse', rev])

/** Git is asked only where something is configured. */
function upstreamOf(temp: TempRepo, branch: string | null): { ref: string; rev: string } | null {
  if (
    existsSync(join(temp.root, '.git/config')) &&
    !temp.read('.git/config').includes(`[branch "${branch}"]`)
  )
    return null
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
