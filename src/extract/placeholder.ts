/** False for empty and placeholder items, which say nothing. */
export function isContent(text: string): boolean {
  // A message is none, and most of what is asked about are messages.
  if (text.length > MAX_LENGTH && /\w/.test(text)) return true
  // A run of such marks is tried once: from each of 40,000 dots it would take 3 s.
  const core = text.replace(/^[\s[(<*_]+/, '').replace(/(?<![\s\])>*_.])[\s\])>*_.]+$/, '')
  return !EMPTY.has(core.toLowerCase()) && !/^-+$/.test(core)
}

const MAX_LENGTH = 200
const EMPTY = new Set([
  '',
  ...['n/a', 'na', 'none', 'todo', 'tbd', 'tba', 'null', 'undefined', 'placeholder', '…', 'nothing'],
  'not applicable',
])
