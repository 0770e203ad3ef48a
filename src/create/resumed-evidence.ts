import { agentOf, type Carried, withoutTold } from '../brief/carry.ts'
import type { Extractor } from '../extract/extractor.ts'
import type { Inherited } from '../extract/inherit.ts'
import type { FrontMatter } from '../types/brief.ts'
import type { Evidence } from '../types/evidence.ts'
import type { Resumed } from './gathered.ts'

/**
 * The evidence of a resumed brief, and what it takes over besides. With the session everything is told by it again,
 * and only what it never told is taken over: notes, what a person wrote into the brief, what came from briefs before; demands
 * and questions of those as long as the session did not take them back. Without it everything is taken over.
 * `clean`: as the texts of the saved brief were cleaned.
 */
export async function resumedEvidence(
  { carried, earlier, meta }: Resumed & { meta: FrontMatter },
  session: Extractor,
  finish: (extractor: Extractor, inherited: Inherited | null) => Evidence,
  clean: (evidence: Evidence) => Promise<Evidence>,
): Promise<{ raw: Evidence; carried: Carried }> {
  if (earlier === null)
    return { raw: { ...finish(session, null), agent: agentOf(meta) }, carried: { ...carried, isAll: true } }
  const told = await clean(finish(earlier, null))
  const rest = withoutTold({ ...carried, isAll: false }, told)
  const { constraints, questions } = rest
  return {
    raw: finish(session, { id: meta.id, constraints, questions }),
    carried: { ...rest, constraints: [], questions: [] },
  }
}
