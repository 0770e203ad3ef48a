import type { Check } from './check.ts'
import { agentHooks } from './checks/agent-hooks.ts'
import { agentTrust } from './checks/agent-trust.ts'
import { agents } from './checks/agents.ts'
import { attributes } from './checks/attributes.ts'
import { configuration } from './checks/configuration.ts'
import { filter } from './checks/filter.ts'
import { folder } from './checks/folder.ts'
import { git } from './checks/git.ts'
import { gitHooks } from './checks/git-hooks.ts'
import { home } from './checks/home.ts'
import { identity } from './checks/identity.ts'
import { ignored } from './checks/ignored.ts'
import { latest } from './checks/latest.ts'
import { locks } from './checks/locks.ts'
import { models } from './checks/models.ts'
import { node } from './checks/node.ts'
import { npx } from './checks/npx.ts'
import { originTrust } from './checks/origin-trust.ts'
import { parked } from './checks/parked.ts'
import { program } from './checks/program.ts'
import { refspecs } from './checks/refspecs.ts'
import { repository } from './checks/repository.ts'
import { requests } from './checks/requests.ts'
import { runner } from './checks/runner.ts'
import { switchedOff } from './checks/switched-off.ts'
import { uncommitted } from './checks/uncommitted.ts'

/** Every check, once: from what everything stands on to what few need. The docs walk this table. */
export const checks: readonly Check[] = [
  git,
  node,
  home,
  repository,
  configuration,
  ignored,
  folder,
  locks,
  identity,
  program,
  npx,
  filter,
  attributes,
  latest,
  parked,
  uncommitted,
  requests,
  refspecs,
  originTrust,
  switchedOff,
  runner,
  gitHooks,
  agentHooks,
  agentTrust,
  agents,
  models,
]
