/** False for empty and placeholder items, which say nothing. */
export function isContent(text: string): boolean {
  // A run of such marks is tried once: from each of 40,000 dots it would take 3 s.
  const core = text.replace(/^[\s[(<*_]+/, '').replace(/(?<![\s\])>*_.])[\s\])>*_.]+$/, '')
  return !EMPTY.has(core.toLowerCase()) && !/^-+$/.test(core)
}

const EMPTY = new Set([
  '',
  ...['n/a', 'na', 'none', 'todo', 'tbd', 'tba', 'null', 'undefined', 'placeholder', '…', 'nothing'],
  'not applicable',
])
