/** A sentence that announces: what came of it stands behind. */
const ANNOUNCED =
  /(^|[.!?—:]\s+)(?:(?:and|so|then|now|next|first|also|ok(?:ay)?|good|great|perfect|hmm),? ?[—-]? ?)*(?:let me|let['’]s|i['’]ll|i will|i need to|i['’]m (?:now )?(?:going to|\w+ing)|i should)\b(?:[^.!?\n]|[.!?](?=\S))*(?:[.!?](?=\s|$)|$)/gim

/** A text without the sentences that only say what comes next. */
export const withoutAnnounced = (text: string): string => text.replace(ANNOUNCED, '$1')

/** Whether a text says hardly more than what comes next ("Good. Now let me lint."). */
export function isAnnouncement(text: string): boolean {
  const rest = withoutAnnounced(text)
  return rest !== text && rest.trim().length < LEAST
}

/** Whether a text tells at some length what was found or done. */
export const isReport = (text: string): boolean => withoutAnnounced(text).trim().length >= REPORT

/** UTF-16 units. */
const LEAST = 40
const REPORT = 200

/** A summary without the section that lists what was pending when it was written: the agent went on with that. */
export function withoutPending(summary: string): string {
  let isPending = false
  const lines = summary.split('\n').filter((line) => {
    if (/^(?:#{1,4} |\d{1,2}\. )/.test(line)) isPending = /^[#\d.* ]+pending\b/i.test(line)
    return !isPending
  })
  return lines.join('\n')
}
