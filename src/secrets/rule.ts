/**
 * A secret with a recognisable shape: what the maintained preset does not know, or knows too narrowly.
 *
 * `shapes` are examples in a small notation, `{class:length}` for random characters and `{uuid}`, so that nothing that
 * looks like a secret stands in the source; tests make values from them.
 */
export interface SecretRule {
  id: string
  /** At most one capture group: the secret itself. Without a group the whole match is the secret. */
  pattern: RegExp
  shapes: readonly string[]
  /**
   * ASCII marks of which every match holds one, so that a text without them need not be searched; in lower case when the
   * pattern knows no case. Empty: none known.
   */
  needles: readonly string[]
  /** The marks are also looked for in the raw bytes of a transcript: those of the commonest keys, rare elsewhere. */
  raw: boolean
  /**
   * Where the format is described, last read on 2026-11-24. `npm run bench:secrets -- --gitleaks <file>` names what a newer table of
   * others finds and this one misses.
   */
  source: string
  /** The mark is short and stands in names, too: what reads as a name is none. */
  loose: boolean
  /** A person chose the value: it may be a stand-in, a name or a path. */
  chosen: boolean
  /** How many raw bytes behind the needle belong to one value at most; 400 when absent. */
  reach?: number
}

interface Options {
  flags?: 'i'
  raw?: true
  loose?: true
  chosen?: true
  reach?: number
}

/** A rule from its parts; `needles` are separated by spaces. */
export const rule = (
  id: string,
  pattern: string,
  needles: string,
  shapes: readonly string[],
  source: string,
  { flags, raw, loose, chosen, reach }: Options = {},
): SecretRule => ({
  id,
  pattern: new RegExp(pattern, `g${flags ?? ''}`),
  shapes,
  needles: needles === '' ? [] : needles.split(' '),
  raw: raw ?? false,
  loose: loose ?? false,
  chosen: chosen ?? false,
  source,
  ...(reach === undefined ? {} : { reach }),
})

/** A letter or digit before the mark means another word. */
export const START = '(?<![A-Za-z0-9])'

/** The form of most keys: a mark, a body, nothing of the same kind before or behind it. */
export const key = (
  id: string,
  pattern: string,
  needles: string,
  shapes: readonly string[],
  source: string,
  options: Options = {},
): SecretRule => rule(id, `${START}(?:${pattern})(?![A-Za-z0-9])`, needles, shapes, source, options)
