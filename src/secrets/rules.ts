import type { SecretRule } from './rule.ts'
import { cloudRules } from './rules/clouds.ts'
import { codeRules } from './rules/code.ts'
import { commandRules, formRules } from './rules/forms.ts'
import { modelRules } from './rules/models.ts'
import { serviceRules } from './rules/services.ts'

/** All rules of ours, in order of precedence: where two find the same text, the first names it. */
export const secretRules: readonly SecretRule[] = [
  ...cloudRules,
  ...codeRules,
  ...modelRules,
  ...serviceRules,
  ...commandRules,
  ...formRules,
]
