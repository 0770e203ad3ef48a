/** Of one text in a record, in UTF-16 units. */
const MOST_TEXT = 12_000
/** What a client writes for itself: ids, times, counts, and what stands a second time. */
const OWN =
  /^(?:uuid|parentUuid|parentId|timestamp|time|usage|tokens|cost|signature|thinkingSignature|textSignature|encrypted_content|sessionID|sessionId|messageID|requestId|callID|call_id|tool_use_id|toolCallId|id|version|userType|isSidechain|toolUseResult|snapshot|rate_limits|info)$/
const PICTURE = /^[\w+/=]{2000,}$/
/** Whether a record is a summary of what stood before; one that only the client can read is as good as the words that it stands for. */
const isSummary = (record) =>
  record.isCompactSummary === true ||
  (record.type === 'compacted' && Boolean(record.payload?.message)) ||
  (record.type === 'compaction' && Boolean(record.summary))

/** Records that hold what the model gets; all others (progress, hooks, titles) the client keeps for itself. */
const OF_MODEL =
  /^(?:user|assistant|attachment|summary|message|compaction|session_meta|response_item|compacted|(?:user|assistant|system)\.message|tool\.execution_\w+)$/

/** The records of a session as its client holds them, from the last compaction on, each as text: calls and outputs whole, without what the client notes for itself. */
export function transcriptOf(text, format) {
  const records =
    format === 'opencode' ? JSON.parse(text).messages : text.trimEnd().split('\n').flatMap(parsed)
  const start = records.findLastIndex(isSummary)
  return records.slice(Math.max(0, start)).flatMap((record) => {
    if (record.isSidechain === true || !OF_MODEL.test(record.type ?? 'message')) return []
    const told = JSON.stringify(pruned(record)) ?? ''
    return /[a-z]{3}/i.test(told) ? [told.replaceAll('\\n', '\n').replaceAll('\\"', '"')] : []
  })
}

/** A torn line is no record. */
function parsed(line) {
  try {
    return [JSON.parse(line)]
  } catch {
    return []
  }
}

function pruned(value) {
  if (typeof value === 'string' && PICTURE.test(value)) return '[picture]'
  if (typeof value === 'string')
    return value.length <= MOST_TEXT
      ? value
      : `${value.slice(0, MOST_TEXT / 2)}\n[…]\n${value.slice(-MOST_TEXT / 2)}`
  if (Array.isArray(value)) return value.map(pruned)
  if (typeof value !== 'object' || value === null) return value
  const role = value.info?.role
  return {
    ...(role === undefined ? {} : { role }),
    ...Object.fromEntries(
      Object.entries(value).flatMap(([key, held]) => (OWN.test(key) ? [] : [[key, pruned(held)]])),
    ),
  }
}
