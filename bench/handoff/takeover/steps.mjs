/** What a step of an agent was aimed at, so that the steps of two agents can be compared. README.md says what counts as done again. */
import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'

const READERS = /^(?:cat|sed|head|tail|less|more|nl|grep|rg|awk|wc|bat)$/
const CHECKS = /\b(?:pytest|unittest|mocha|tape|node|npm|npx|python3?|make|tox)\b/
const SHORT = 20

/** Targets and seen lines of the events of a session. */
export function stepsOf(events, repo) {
  const targets = new Set()
  const lines = new Set()
  for (const event of events.filter(({ kind }) => kind === 'call')) {
    if (event.tool === 'shell') for (const target of targetsOf(event.command, repo)) targets.add(target)
    if (event.tool === 'read') targets.add(`read ${event.path}`)
    for (const line of linesOf(event.tool === 'shell' ? event.output : (event.text ?? ''))) lines.add(line)
  }
  return { targets: [...targets], lines: [...lines] }
}

/** `read <file>` for each file that a reading program names, `run <command>` for each check. */
export function targetsOf(command, repo) {
  const [shell, ...bodies] = command.split(/<<-?\s*['"]?\w+['"]?/)
  const targets = []
  for (const piece of shell.split(/&&|\|\||[;|\n]/)) {
    const words = (piece.match(/"[^"]*"|'[^']*'|\S+/g) ?? []).map((word) => word.replace(/^['"]|['"]$/g, ''))
    while (/^\w+=/.test(words[0] ?? '')) words.shift()
    if (words.length === 0) continue
    if (READERS.test(words[0])) {
      if (words[0] === 'sed' && words.some((word) => word.startsWith('-i'))) continue
      for (const word of words.slice(1))
        if (isFile(join(repo, word))) targets.push(`read ${word.replace(/^\.\//, '')}`)
    } else if (CHECKS.test(words[0]) || CHECKS.test(words.slice(0, 3).join(' '))) {
      const plain = words.filter((word) => !/^(?:\d?>|2>&1|-q+|-v+|-x)/.test(word)).join(' ')
      const body = bodies.join(' ').replace(/\s+/g, ' ').trim()
      targets.push(`run ${plain.replace(/\bpython3\b/, 'python')}${body ? ` ${body}` : ''}`)
    }
  }
  return targets
}

/** The lines of an output that say enough to be known again, without line numbers in front. */
export const linesOf = (text) =>
  text
    .split('\n')
    .map((line) => line.replace(/^(?:[\w./-]+[:-])?\s*\d+[:\t-]/, '').trim())
    .filter((line) => line.length >= SHORT)

const isFile = (path) => existsSync(path) && statSync(path).isFile()
