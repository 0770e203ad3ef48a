import type { Rule } from './rule.ts'
import { budget } from './rules/budget.ts'
import { encoding } from './rules/encoding.ts'
import { fenceForgery } from './rules/fence-forgery.ts'
import { goalQuality } from './rules/goal-quality.ts'
import { goalVerbatim } from './rules/goal-verbatim.ts'
import { hiddenText } from './rules/hidden-text.ts'
import { homePath } from './rules/home-path.ts'
import { idAndPath } from './rules/id-and-path.ts'
import { parentCycle } from './rules/parent-cycle.ts'
import { parentExists } from './rules/parent-exists.ts'
import { secrets } from './rules/secrets.ts'
import { sectionRule } from './rules/sections.ts'
import { unnamedFiles } from './rules/unnamed-files.ts'

/** Every rule, once. `schema` and `size` come before them: what breaks those cannot be looked into. */
export const rules: readonly Rule[] = [
  idAndPath,
  encoding,
  sectionRule,
  goalVerbatim,
  goalQuality,
  parentExists,
  parentCycle,
  budget,
  secrets,
  homePath,
  hiddenText,
  fenceForgery,
  unnamedFiles,
]
