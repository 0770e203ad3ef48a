/** What other programs may call; docs/library.md. Everything else in this package may change at any time. */

export type { ChainNode, Unreadable } from './brief/chain-nodes.ts'
export type { BriefJson } from './brief/json.ts'
export type { ChainResult, CheckResult, CreateResult, ReadResult } from './commands/results.ts'
export { HandoffError, isHandoffError } from './errors.ts'
export type { Surroundings } from './lib/call.ts'
export { type ChainOptions, chain } from './lib/chain.ts'
export { type CheckOptions, checkBrief } from './lib/check-brief.ts'
export { type CreateOptions, createBrief, type GivenNotes } from './lib/create-brief.ts'
export { type ReadOptions, readBrief } from './lib/read-brief.ts'
export type { AgentId, Dropped, Finding, FrontMatter, Reason } from './types.ts'
