/** A sentence that announces: what came of it stands behind. */
const ANNOUNCED =
  /(^|[.!?—:]\s+)(?:(?:and|so|then|now|next|first|also|ok(?:ay)?|good|great|perfect|hmm),? ?[—-]? ?)*(?:let me|let['’]s|i['’]ll|i will|i need to|i['’]m (?:now )?(?:going to|\w+ing)|i should)\b(?:[^.!?\n]|[.!?](?=\S))*(?:[.!?](?=\s|$)|$)/gim

/** A text without the sentences that only say what comes next. */
export const withoutAnnounced = (text: string): string => text.replace(ANNOUNCED, '$1')

/** Whether a text tells at some length what was found or done. */
export const isReport = (text: string): boolean => withoutAnnounced(text).trim().length >= REPORT

/** UTF-16 units. */
const REPORT = 200
