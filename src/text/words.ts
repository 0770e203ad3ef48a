/** Function words say nothing about what a text tells. */
const EMPTY = new Set(
  `the a an to of in on at for with and or not no do it its is are be was were this that these those i you we they let me my now
  have has had will can could would should from by as if so then but there just all also what which when how than into out up
  about after before one two here been does did don t s ll ve re m der die das und ist nicht ein eine le la les et un une est el
  los las y en de que`.split(/\s+/),
)

/** Words that tell something, in lower case. */
export const tellingWords = (text: string): string[] =>
  (text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? []).filter((word) => word.length > 1 && !EMPTY.has(word))
