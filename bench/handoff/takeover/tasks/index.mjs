import { boltonsTable } from './boltons-table.mjs'
import { moreItertoolsRunning } from './more-itertools-running.mjs'
import { mriAlias } from './mri-alias.mjs'
import { picomatchBranches } from './picomatch-branches.mjs'
import { qsLimit } from './qs-limit.mjs'
import { schemaKeyError } from './schema-key-error.mjs'
import { sqlparseSplit } from './sqlparse-split.mjs'
import { xmltodictBytes } from './xmltodict-bytes.mjs'

/** README.md says what a task holds. */
export const TASKS = [
  boltonsTable,
  moreItertoolsRunning,
  mriAlias,
  picomatchBranches,
  qsLimit,
  schemaKeyError,
  sqlparseSplit,
  xmltodictBytes,
]
