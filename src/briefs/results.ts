import type { ChainNode, Unreadable } from '../brief/chain.ts'
import type { Claim } from '../brief/claims.ts'
import type { BriefJson } from '../brief/render.ts'
import type { FrontMatter } from '../types/brief.ts'
import type { Finding } from '../types/checks.ts'
import type { AgentId } from '../types/session.ts'

/** What `--json` of four commands prints and the library returns; here once, so that both say what is true. */
export interface CreateResult {
  ok: true
  id: string
  /** Of the brief, relative to the repository. */
  path: string
  /** Commit id, or null when nothing was committed. */
  commit: string | null
  /** Full ref of a brief that waits for the end of a merge, rebase or the like, or null. */
  parked: string | null
  /** The brief was there already; nothing was made. */
  repeat: boolean
  branch: string | null
  parents: string[]
  tokens: number
  mode: 'strict' | 'permissive'
  session: {
    agent: AgentId
    id: string | undefined
    path: string | undefined
    ageSeconds: number
    bytes: number
  } | null
  warnings: string[]
  errors: []
  /** Always empty: what nothing proves is never listed. The contract has the key. */
  dropped: []
  /** What the notes claim, and whether it holds. */
  claims: Claim[]
  /** With `--preview`: what the session said and did, a line each. */
  brief: BriefJson
  /** The bytes of the file. */
  markdown: string
  /** Of `resume`: the brief it was made from, one line of drift, and where its facts come from. */
  resumedFrom?: NonNullable<FrontMatter['resumedFrom']> | null
  drift?: string | null
  transcript?: 'carried' | 'rebuilt'
}

export interface ReadResult {
  ok: true
  id: string
  path: string
  committed: boolean
  /** Made or trusted in this clone. What is not is a stranger's text: show it to a person, put it before no model. */
  trusted: boolean
  because: string
  /** Ids of briefs that wait for their branch. */
  parked: string[]
  /** The form that was asked for; the markdown of the brief unless told otherwise. */
  text: string
  brief: BriefJson
  warnings: string[]
}

export interface CheckResult {
  /** What the exit status of the command says. */
  ok: boolean
  /** Paths of the briefs that were looked at. */
  checked: string[]
  findings: Finding[]
  /** How many more findings there are. */
  unlisted?: number
  range?: string
  warnings: string[]
  errors: []
}

export interface ChainResult {
  ok: true
  /** Id of the brief of this checkout. */
  current: string | null
  /** Newest first. */
  briefs: ChainNode[]
  /** How many there were before any was left out. */
  total: number
  /** Ends of all lines of work. */
  heads: string[]
  parked: string[]
  /** Briefs with a parent that is not in the history that is here. */
  missing: { id: string; parent: string }[]
  cycles: string[][]
  unreadable: Unreadable[]
  /** What git said when it could not walk all of history. */
  broken: string | null
  warnings: string[]
}
