import * as briefs from '../src/errors/briefs.ts'
import * as cycle from '../src/errors/cycle.ts'
import * as start from '../src/errors/cycle.ts'
import * as git from '../src/errors/git.ts'
import * as remote from '../src/errors/remote.ts'
import * as session from '../src/errors/session.ts'
import * as goal from '../src/errors/usage.ts'
import * as usage from '../src/errors/usage.ts'
import * as work from '../src/errors/work.ts'
import * as model from '../src/errors/writing.ts'
import * as writing from '../src/errors/writing.ts'

/** Everything that the tables of errors export, by name. */
export const failures: Readonly<Record<string, unknown>> = {
  ...briefs,
  ...cycle,
  ...git,
  ...goal,
  ...model,
  ...remote,
  ...session,
  ...start,
  ...usage,
  ...work,
  ...writing,
}
