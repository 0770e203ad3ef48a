import { briefToJson } from '../brief/json.ts'
import type { CommitOutcome } from '../git/commit-files.ts'
import type { Built } from './build-brief.ts'
import type { CreateRequest } from './create-request.ts'
import type { Gathered } from './gathered.ts'
import { ageSeconds } from './gather.ts'
import type { CreateResult } from '../briefs/results.ts'
import type { Invocation } from '../command.ts'

/** The object of `create --json`. */
export function createResult(
  invocation: Invocation,
  request: CreateRequest,
  gathered: Gathered,
  built: Built,
  made: { path: string; outcome: CommitOutcome | null; isRepeat: boolean },
): CreateResult {
  const { meta } = built.brief
  const { picked, resumed } = gathered
  const { outcome } = made
  return {
    ok: true,
    id: meta.id,
    path: made.path,
    commit: outcome?.state === 'parked' ? null : (outcome?.commit ?? null),
    parked: outcome?.state === 'parked' ? outcome.ref : null,
    repeat: made.isRepeat,
    branch: meta.branch,
    parent: meta.parent,
    ...(resumed === undefined
      ? {}
      : {
          resumedFrom: meta.resumedFrom ?? null,
          transcript: picked === null ? 'carried' : 'rebuilt',
          drift: resumed.drift,
        }),
    tokens: meta.tokens,
    mode: request.mode,
    session:
      picked === null
        ? null
        : {
            agent: picked.adapter.id,
            id: built.session?.id,
            path: built.session?.path,
            ageSeconds: ageSeconds(invocation, picked),
            bytes: picked.ref.bytes,
          },
    warnings: invocation.out.warnings,
    errors: [],
    dropped: built.brief.dropped ?? [],
    claims: built.claims,
    brief: briefToJson(built.brief),
    markdown: built.text,
  }
}
