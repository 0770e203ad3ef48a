/** What short answers refer to: the options and the question in the agent's last message. */

/** `1. …`, `- **Option B**: …`, `(c) …` at the beginning of a line. */
const OPTION =
  /^\s*(?:[-*•]\s+)?(?:#{1,6}\s+)?\**\(?(?:(?:option|approach|variant|plan)\s+)?([A-Z]\d{0,2}|[a-h]|#?\d{1,2})\**[.):]+\**\s*(\S.*)$/i
const PICKED =
  /^(?:(?:ok(?:ay)?|yes|yeah|let['’]?s|go|with|for|i|we|choose|pick|take|prefer|want|do|implement|try|the|please)[\s,]+)*(?:(?:option|approach|variant|choice|number|plan)\s+)?#?([A-H]\d{0,2}|\d{1,2})(?![\w.-])/i
const LONGEST_PICK = 160

/** The option that an answer picks, and the ones it leaves; null for an answer that picks none. */
export function pickedOption(
  answer: string,
  lastReply: string,
): { label: string; text: string; others: string[] } | null {
  if (answer.length > LONGEST_PICK) return null
  const label = PICKED.exec(answer.trim())?.[1]
  if (label === undefined) return null
  const options = lastReply.split('\n').flatMap((line) => {
    const [, name, text] = OPTION.exec(line) ?? []
    return name === undefined || text === undefined ? [] : [{ label: name.replace('#', ''), text: plain(text) }]
  })
  const same = (other: string): boolean => other.toLowerCase() === label.toLowerCase()
  // The last list of a message is the one that was put up for choice.
  const picked = options.findLast((option) => same(option.label))
  if (picked === undefined) return null
  return { ...picked, others: options.filter((option) => !same(option.label)).map(({ text }) => text) }
}

const ASSENT =
  /^(?:y|yes|yep|yeah|yup|sure|ok|okay|k|go|go ahead|go for it|do it|do that|please do|sounds good|lgtm|perfect|great|agreed|exactly|correct|right|no|nope|not now|don['’]?t|ja|oui|sí|si|nein|non|はい|好的?|是的?)(?:[\s,.!]|$)/i
const LONGEST_ASSENT = 60

/** The question or offer that a short yes or no answers: the last one of the message; null for other answers. */
export function assentedTo(answer: string, lastReply: string): string | null {
  if (answer.length > LONGEST_ASSENT || !ASSENT.test(answer.trim())) return null
  const tail = lastReply.slice(-1500).split('\n').filter((line) => line.trim() !== '')
  const line = tail.slice(-4).findLast((one) => /[?？]/.test(one))
  if (line === undefined) return null
  return plain(/(?:^|[.!:]\s)([^.!?]*[?？])[^?？]*$/.exec(line)?.[1] ?? line)
}

const plain = (text: string): string => text.replace(/\*\*/g, '').replace(/\s+/g, ' ').trim()
