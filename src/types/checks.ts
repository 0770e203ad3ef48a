/** One outcome of a check. `rule` is the rule's file name. */
export interface Finding {
  rule: string
  level: 'error' | 'warning'
  /** Repository-relative file. */
  path: string
  /** 1-based. */
  line: number
  message: string
  /** A warning only because the mode is permissive: `handoff check` refuses it. */
  refused?: true
}

/** A secret found in a text: where, never what. Offsets in UTF-16 units. */
export interface SecretHit {
  rule: string
  start: number
  end: number
  /** 1-based. */
  line: number
  /** First 12 hex of sha256 of rule and value: for the allow-list. */
  fingerprint: string
}

/** What became of a file that a brief names. */
export interface FileTruth {
  /** As the brief names it. */
  path: string
  /**
   * `made`: to be made then, here now; `back`: gone then, here now; `added`: in git only since; `missing`: neither in git
   * then nor here now; `never`: the same, and the brief itself says that nothing confirmed it; `unknown`: what stood there then is not known here.
   */
  state:
    | 'same'
    | 'changed'
    | 'renamed'
    | 'gone'
    | 'made'
    | 'planned'
    | 'back'
    | 'added'
    | 'missing'
    | 'never'
    | 'unknown'
  /** Where a renamed one is now. */
  to?: string
  /** Lines added and deleted since; absent for what is not text. */
  lines?: { added: number; deleted: number }
  /** How it stands in the work tree, when that is not HEAD. */
  work?: 'modified' | 'deleted' | 'untracked' | 'conflicted'
}
