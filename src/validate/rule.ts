import type { ScannedBrief } from '../brief/parse.ts'
import type { Brief } from '../types/brief.ts'
import type { SecretHit } from '../types/checks.ts'
import type { Config } from '../types/config.ts'

/** What the rules need to know besides the text; read by the caller, plain values only. */
export interface Facts {
  /** Repository-relative path of the brief. */
  path: string
  /** Every brief that is known, this one included: id → path. */
  briefs: ReadonlyMap<string, string>
  /** It was committed before with another content. */
  isEdited?: boolean
  /** Files that git knows or the session touched or somebody named; null where that is not known. */
  knownFiles: Pick<ReadonlySet<string>, 'has'> | null
  /** Listed files that look as if they led elsewhere and are names of git's here: one may begin with a backslash. */
  oddNames?: ReadonlySet<string>
  /** Home directory of this machine, absolute. */
  home: string | null
  /** Names that must not stand as a component of an absolute path. */
  userNames: readonly string[]
  /** Secrets found in the text. */
  secrets: readonly SecretHit[]
  /** The goal that was asked for, when the brief is being made. */
  goal?: string
  /** What the text was rendered from; a text without it is read back. */
  made?: Brief
  /** Tokens of the whole file as measured. */
  tokens: number
  config: Config
}

export interface Options {
  mode: 'strict' | 'permissive'
  /** Lets size and missing sections pass as warnings in strict mode; nothing else. */
  force: boolean
}

/** Any text, before it is known to be a brief. */
export interface TextSubject {
  text: string
  lines: readonly string[]
  facts: Facts
}

/** A brief that could be read. */
export interface BriefSubject extends TextSubject {
  parsed: ScannedBrief
  brief: Brief
  isDone: boolean
  /** 1-based line of a key of the front matter, or 1. */
  lineOf: (key: string) => number
}

/** Line, 1 when the whole file is meant; a `warning` in every mode; `forcible`: `force` makes it a warning. */
export type Problem = readonly [line: number, message: string, kind?: 'warning' | 'forcible']

/** A rule over briefs runs only on a text that could be read as one, one over the unreadable only on others. */
export type Rule = {
  /** How configuration, findings and docs name it. */
  id: string
  /** `always`: an error in both modes; `strict`: an error in strict mode, a warning in permissive mode. */
  level: 'always' | 'strict'
  /** One sentence for help and docs. */
  about: string
} & (
  | { over: 'text' | 'unreadable'; check(subject: TextSubject): Problem[] }
  | { over: 'brief'; check(subject: BriefSubject): Problem[] }
)
