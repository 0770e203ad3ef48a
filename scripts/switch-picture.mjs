/**
 * Makes docs/images/switch.svg of docs/images/switch.cast: the lines of a real change from Claude Code to Codex that tell the story, one after the
 * other in ten seconds, once. Whoever asked for less motion sees the whole at once.
 *
 *   node scripts/switch-picture.mjs
 */
import { readFileSync, writeFileSync } from 'node:fs'

const images = new URL('../docs/images/', import.meta.url)
const text = readFileSync(new URL('switch.cast', images), 'utf8')
  .split('\n')
  .slice(1)
  .filter(Boolean)
  .map((line) => JSON.parse(line)[2])
  .join('')
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a terminal's colours
  .replace(/\x1b\[[0-9;?]*[A-Za-z]/g, '')
  .replaceAll('\r', '')

/** The line of the recording that holds this, from `from` on. */
function recorded(part, from = part) {
  const line = text.split('\n').find((one) => one.includes(part))
  if (line === undefined) throw new Error(`switch.cast has no line with ${part}`)
  return line.slice(line.indexOf(from))
}

/** A line, when it appears (seconds), and what it is: typed by the person, said, a line of the brief, a heading of the story. */
const STORY = [
  [0, 'typed', recorded('claude -p')],
  [0, 'said', recorded('The test of sub still fails', 'add is')],
  [0, 'gap', ''],
  [1.5, 'typed', `git ${recorded('handoff create')}`],
  [2, 'said', recorded('Asking Claude Code')],
  [2.5, 'said', 'Handed over:'],
  [2.5, 'said', `  ${recorded('-make-sub', '.handoff')}`],
  [2.5, 'said', `  ${recorded('not pushed)', '(commit')}`],
  [2.5, 'said', recorded('Tell the next agent')],
  [2.5, 'gap', ''],
  [3.5, 'head', 'The brief in the commit'],
  [4, 'brief', recorded('- Last check')],
  [5, 'brief', `- ${recorded('"fix add in', '"fix')}`],
  [5.5, 'brief', recorded('modified:', '- 1')],
  [6, 'brief', `Next goal: ${recorded('goal: make', 'make')}`],
  [6, 'gap', ''],
  [7, 'typed', `git ${recorded('handoff resume')}`],
  [8, 'said', `Codex: ${recorded('I read the brief')}`],
  [8.5, 'taken', recorded('-export')],
  [8.5, 'added', recorded('+export')],
  [9, 'said', recorded('# pass', '# pass')],
  [9.5, 'said', `Codex: ${recorded('sub is fixed')}`],
]

const [SIZE, LINE, LEFT, TOP] = [14, 21, 22, 54]
const COLORS = {
  typed: '#e6edf3',
  said: '#9da7b3',
  head: '#d29922',
  brief: '#a5d6ff',
  added: '#3fb950',
  taken: '#ff7b72',
}
const height = TOP + STORY.length * LINE + 8
const escaped = (line) => line.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
const rows = STORY.flatMap(([at, kind, line], row) => {
  if (kind === 'gap') return []
  const sign = kind === 'typed' ? '<tspan fill="#3fb950">$ </tspan>' : kind === 'brief' ? '│ ' : ''
  const shown = at === 0 ? '' : ` class="later" style="animation-delay:${at}s"`
  return `<text x="${LEFT}" y="${TOP + row * LINE}" fill="${COLORS[kind]}"${shown}>${sign}${escaped(line)}</text>`
})
const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="860" height="${height}" viewBox="0 0 860 ${height}" role="img" aria-label="Claude Code hands over to Codex">
<title>Claude Code hands over to Codex: the failing test, the brief, the fix</title>
<style>
text { font: ${SIZE}px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; white-space: pre }
.later { opacity: 0.65; animation: show 0.3s forwards }
@keyframes show { to { opacity: 1 } }
@media (prefers-reduced-motion: reduce) { .later { opacity: 1; animation: none } }
</style>
<rect width="860" height="${height}" rx="8" fill="#0d1117"/>
<circle cx="22" cy="20" r="6" fill="#ff5f58"/><circle cx="42" cy="20" r="6" fill="#ffbd2e"/><circle cx="62" cy="20" r="6" fill="#18c132"/>
${rows.join('\n')}
</svg>
`
writeFileSync(new URL('switch.svg', images), svg)
