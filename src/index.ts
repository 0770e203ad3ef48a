/** What other programs may call; docs/spec/library.md. Everything else in this package may change at any time. */

export type { ChainNode, Unreadable } from './brief/chain.ts'
export type { BriefJson } from './brief/render.ts'
export type { ChainResult, CheckResult, CreateResult, ReadResult } from './briefs/results.ts'
export { HandoffError, isHandoffError } from './errors/handoff-error.ts'
export type { Surroundings } from './lib/library.ts'
export {
  type ChainOptions,
  type CheckOptions,
  type CreateOptions,
  chain,
  checkBrief,
  createBrief,
  type GivenNotes,
  type ReadOptions,
  readBrief,
} from './lib/library.ts'
export type { FrontMatter, Reason } from './types/brief.ts'
export type { Finding } from './types/checks.ts'
export type { AgentId, AtifStep } from './types/session.ts'
