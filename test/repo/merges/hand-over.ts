import { draftBrief } from '../../../src/brief/draft.ts'
import { briefPath, makeBriefId } from '../../../src/brief/id.ts'
import { renderBrief } from '../../../src/brief/render.ts'
import { readCurrent } from '../../../src/briefs/current.ts'
import { refreshLatest } from '../../../src/briefs/latest-file.ts'
import { saveBrief } from '../../../src/briefs/save-brief.ts'
import type { Invocation } from '../../../src/command.ts'
import { defaultConfig } from '../../../src/config/keys.ts'
import { openRepo } from '../../../src/git/open-repo.ts'
import { branchName, readHead } from '../../../src/git/refs.ts'
import { openOutput } from '../../../src/output/output.ts'
import { sampleInput } from '../../unit/brief/sample.ts'
import type { TempRepo } from '../make-repo.ts'

const START = Date.parse('2026-11-22T10:00:00Z')
let handoffs = 0

export interface HandedOver {
  id: string
  path: string
  text: string
}

/** What commands are run with, in this process; `warnings` are those of this invocation. */
export function invocationFor({ root, home, env }: TempRepo, now: Date = new Date(START)): Invocation {
  const stream = { write: () => true }
  return {
    place: { root, home, env, now: () => now, newId: (parent) => makeBriefId(now, '00000', parent) },
    out: openOutput({ stdout: stream, stderr: stream, json: true, color: false, interactive: false }),
    stderr: stream,
    readStdin: async () => '',
    version: '0.0.0',
  }
}

/**
 * What `create` does with a finished brief: the current one is its parent, and it is saved, committed and copied. Where the
 * text of a brief comes from does not matter to a merge. `at`: minutes after the first handoff, else one more every time;
 * `branch`: where the brief is committed.
 */
export async function handOver(
  temp: TempRepo,
  { at, branch: where = 'current' }: { at?: number | undefined; branch?: 'current' | 'separate' } = {},
): Promise<HandedOver> {
  const repo = await openRepo(temp.root, { env: temp.env })
  const [{ ref }, current] = await Promise.all([readHead(repo), readCurrent(repo)])
  handoffs += 1
  const now = new Date(START + 60_000 * (at ?? handoffs))
  const id = makeBriefId(now, handoffs.toString(16).padStart(5, '0'), current?.id ?? null)
  const input = sampleInput()
  const branch = branchName(ref)
  const goal = `carry on with part ${handoffs} of the retry queue`
  const head = temp.tryGit(['rev-parse', '-q', '--verify', 'HEAD']).stdout || null
  const brief = draftBrief({ ...input, goal, id, createdAt: now.toISOString() })
  const meta = { ...brief.meta, id, branch, head, parents: current === null ? [] : [current.id] }
  const text = renderBrief({ ...brief, meta })
  const path = briefPath(id, goal)
  const invocation = invocationFor(temp, now)
  const usual = defaultConfig()
  const config = { ...usual, commit: { ...usual.commit, branch: where } }
  const saved = await saveBrief(invocation, repo, {
    meta,
    path,
    text,
    of: { branch, head },
    config,
    isOwn: true,
    isSaved: false,
  })
  if (saved?.state !== 'committed') throw new Error(`not committed: ${JSON.stringify(saved)}`)
  await refreshLatest(invocation, repo)
  return { id, path, text }
}
