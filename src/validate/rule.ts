import type { ParsedBrief } from '../brief/parse.ts'
import type { Config, FrontMatter, SecretHit } from '../types.ts'

/** What the rules need to know besides the text; read by the caller, plain values only. */
export interface Facts {
  /** Repository-relative path of the brief. */
  path: string
  /** Every brief that is known, this one included: id → parent and path. */
  briefs: ReadonlyMap<string, { parent: string | null; path: string }>
  /** Files that git knows or the session touched; null where that is not known. */
  knownFiles: ReadonlySet<string> | null
  /** Home directory of this machine, absolute. */
  home: string | null
  /** Names that must not stand as a component of a path. */
  userNames: readonly string[]
  /** Secrets found in the text. */
  secrets: readonly SecretHit[]
  /** The goal that was asked for, when the brief is being made. */
  goal?: string
  /** Tokens of the whole file as measured. */
  tokens: number
  config: Config
}

export interface Options {
  mode: 'strict' | 'permissive'
  /** Lets size and missing sections pass in strict mode; nothing else. */
  force: boolean
}

/** A brief that could be read, for the rules that look inside. */
export interface Subject {
  text: string
  lines: readonly string[]
  meta: FrontMatter
  parsed: ParsedBrief
  isDone: boolean
  facts: Facts
}

export interface Problem {
  /** 1-based; 1 when the whole file is meant. */
  line: number
  message: string
  /** A warning in every mode, whatever the level of the rule. */
  isWarning?: boolean
}

/**
 * One rule, one file. `level`: `always` is an error in both modes and no flag passes it; `strict` is an error in strict
 * mode and a warning in permissive mode; `size` is the same and passed by `force`.
 */
export interface Rule {
  id: string
  level: 'always' | 'strict' | 'size'
  check(subject: Subject): Problem[]
}
