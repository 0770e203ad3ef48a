import { expandedLatest, pointerText, readMarker } from '../brief/latest.ts'
import { refreshIndexStat } from '../git/latest-filter.ts'
import type { Repo } from '../git/open-repo.ts'
import { LATEST } from '../store/folder.ts'
import { readPlain, replacePlain } from '../store/plain-file.ts'
import { type CurrentBrief, readCurrent } from './current.ts'
import type { Invocation } from './table.ts'
import { verdictOn } from './verdict.ts'

/**
 * Brings the work-tree copy of `latest.md` in line with the current brief: pointer, and below it the brief when it is
 * trusted. Git does not see the difference (clean filter), and the index learns the new size. Never fails a command:
 * what could not be done is a warning. Does nothing where there is no `latest.md` of ours or the brief itself is
 * committed there (`latest: full`).
 */
export async function refreshLatest(
  invocation: Invocation,
  repo: Repo,
  current: CurrentBrief | null | undefined = undefined,
): Promise<void> {
  // Inside a hook of git the index is being committed from; the next command outside brings the copy up to date.
  if (repo.env.GIT_INDEX_FILE) return
  try {
    const now = await readPlain(repo.root, LATEST)
    if (now === null) return
    if (!now.startsWith(pointerText())) {
      // With `latest: full` it is a brief; anything else somebody changed, and agents are told to read it.
      if (!now.startsWith('---'))
        invocation.out.warn(`${LATEST} is not the pointer that handoff wrote; \`handoff check\` tells more`)
      return
    }
    const [filter, head, branch] = await Promise.all([
      repo.git(['config', '--get', 'filter.handoff.clean'], { answers: [1] }),
      repo.git(['rev-parse', '-q', '--verify', 'HEAD'], { answers: [1] }),
      repo.git(['symbolic-ref', '-q', '--short', 'HEAD'], { answers: [1] }),
    ])
    // Without the filter git would see the copy as a change.
    if (filter.trim() === '') return
    const brief = current === undefined ? await readCurrent(repo) : current
    const marker = readMarker(now)
    const place = { branch: branch.trim() || null, head: head.trim() || null }
    const text = expandedLatest({
      ...place,
      id: brief?.id ?? null,
      brief: brief?.text ?? null,
      trusted: brief !== null && (await verdictOn(repo, brief)).trusted,
    })
    if (text === now && marker?.branch === place.branch) return
    await replacePlain(repo.root, LATEST, text)
    const problem = await refreshIndexStat(repo, [LATEST])
    if (problem !== null)
      invocation.out.warn(`git status may show ${LATEST} until the index is free: ${problem}`)
  } catch (error) {
    repo.signal?.throwIfAborted()
    invocation.out.warn(
      `${LATEST} was not refreshed: ${error instanceof Error ? error.message : String(error)}`,
    )
  }
}
