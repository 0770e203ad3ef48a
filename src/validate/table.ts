import type { Rule } from './rule.ts'
import { budget } from './rules/budget.ts'
import { conflictMarkers } from './rules/conflict-markers.ts'
import { duplicateId } from './rules/duplicate-id.ts'
import { encoding } from './rules/encoding.ts'
import { fenceForgery } from './rules/fence-forgery.ts'
import { goalQuality } from './rules/goal-quality.ts'
import { goalVerbatim } from './rules/goal-verbatim.ts'
import { hiddenText } from './rules/hidden-text.ts'
import { homePath } from './rules/home-path.ts'
import { idAndPath } from './rules/id-and-path.ts'
import { immutable } from './rules/immutable.ts'
import { parentCycle } from './rules/parent-cycle.ts'
import { parentExists } from './rules/parent-exists.ts'
import { schema } from './rules/schema.ts'
import { secrets } from './rules/secrets.ts'
import { sectionRule } from './rules/sections.ts'
import { size } from './rules/size.ts'
import { unnamedFiles } from './rules/unnamed-files.ts'
import { unproven } from './rules/unproven.ts'

/** Every rule, in the order of the findings. `size` and `schema` come first: what breaks them cannot be looked into. */
export const rules: readonly Rule[] = [
  size,
  schema,
  encoding,
  conflictMarkers,
  secrets,
  hiddenText,
  idAndPath,
  duplicateId,
  immutable,
  parentExists,
  parentCycle,
  sectionRule,
  goalVerbatim,
  goalQuality,
  fenceForgery,
  budget,
  homePath,
  unnamedFiles,
  unproven,
]
