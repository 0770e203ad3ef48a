import { randomBytes } from 'node:crypto'
import { realpathSync } from 'node:fs'
import { resolve } from 'node:path'
import { clipInjected, fencedBrief, untrustedLine } from '../brief/inject.ts'
import { pointerPrompt } from '../brief/prompt.ts'
import type { Repo } from '../git/open-repo.ts'
import { listParked } from '../git/parked.ts'
import { type Glance, startGlance } from '../git/reading.ts'
import type { Config, HookCall } from '../types.ts'
import { type CurrentBrief, inHeadOf, readCurrent } from './current.ts'
import { copyOfBrief, driftOf, fileOf } from './pointer.ts'
import { verdictOn } from './verdict.ts'

/** What a session is told at its start, and the id of the brief shown; the id is empty when none was. */
export interface Context {
  id: string
  text: string
}

/**
 * The pointer to the open brief of this line of work, or with `inject: full` its fenced text; one line without any of it when it is
 * not trusted; null when there is nothing to say: no brief, a closed chain, or the very session that wrote it.
 */
export async function contextFor(repo: Repo, config: Config, call: HookCall): Promise<Context | null> {
  const glance = startGlance(repo)
  try {
    return await tellAll(repo, config, call, glance)
  } finally {
    glance.objects.close()
  }
}

async function tellAll(repo: Repo, config: Config, call: HookCall, glance: Glance): Promise<Context | null> {
  const [brief, parked] = await Promise.all([
    readCurrent(repo, glance),
    glance.refs.then((refs) => listParked(repo, refs)),
  ])
  const waiting = parked.map(({ id, branch }) => {
    const name = branch.replace('refs/heads/', '')
    return `A handoff brief ${id} waits for the unfinished git operation on ${name}: \`npx git-handoff show ${id}\`.\n`
  })
  const main = brief === null ? null : await tell(repo, config, call, brief, glance)
  if (main === null && waiting.length === 0) return null
  return { id: main?.id ?? '', text: clipInjected([main?.text ?? '', ...waiting].join('')) }
}

async function tell(
  repo: Repo,
  config: Config,
  call: HookCall,
  brief: CurrentBrief,
  glance: Glance,
): Promise<Context | null> {
  const { meta } = brief.parsed
  if (meta.kind === 'done') return null
  // After a compaction or a resume the author is told nothing it has not written itself.
  if (call.sessionId !== null && meta.agent.session === call.sessionId) return null
  const [verdict, drift, here] = await Promise.all([
    verdictOn(repo, brief, inHeadOf(brief)),
    driftOf(repo, brief, glance),
    fileOf(repo, brief),
  ])
  if (!verdict.trusted) return { id: '', text: untrustedLine(brief.id, verdict.because) }
  const file = here ?? (await copyOfBrief(repo, brief))
  if (config.inject === 'full') {
    const nonce = randomBytes(8).toString('hex')
    const { text, id } = brief
    return { id, text: fencedBrief({ id, text, because: verdict.because, file, nonce }) }
  }
  // The built-in text: a template of the repository is a stranger's as much as a brief is.
  const there = isAtTop(repo, call.cwd) ? file : resolve(repo.root, file)
  return { id: brief.id, text: pointerPrompt({ meta, file: there, drift, start: [] }) }
}

/** An agent takes paths from the folder it was started in. */
function isAtTop({ root }: Repo, cwd: string | null): boolean {
  return cwd === null || cwd === root || realpathSync(cwd) === root
}
