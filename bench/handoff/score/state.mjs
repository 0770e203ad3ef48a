/** What a document tells of the state: the last check, the test that fails, what is not pushed and not committed. Each is right or not. */
import { wordsOf } from './document.mjs'

const PASSED =
  /\b(?:pass(?:es|ed|ing)?|green|succe(?:eds?|eded|ss)|exit(?:ed)?(?: (?:with )?code)?:? 0|ok|clean|no (?:problems|failures|errors))\b|✓|✅|✔|(?<!\d)0 fail/i
const FAILED =
  /\b(?:fail(?:s|ed|ing|ure|ures)?|red|exit(?:ed)?(?: (?:with )?code)?:? [1-9]\d*|error|broken)\b|✗|❌|✖/i
const NO_FAILURE = /\b(?:no failures|0 fail(?:ed|ures)?|fail(?:ed)? 0)\b/gi
const LATEST = /\b(?:last|latest|current(?:ly)?|now|most recent)\b/i

export function scoreState(doc, { check, unpushed, allUnpushed, uncommitted, known }) {
  const items = [
    ['last check', tellsCheck(doc, check), `${check.command} ${check.outcome}`],
    ['not pushed', tellsUnpushed(doc, unpushed, allUnpushed), `${unpushed.length} commits`],
    ['not committed', tellsUncommitted(doc, uncommitted, known), uncommitted.join(' ') || 'nothing'],
  ]
  if (check.test) items.push(['failing test', tellsFailing(doc, check.test), check.test])
  return items.map(([name, told, truth]) => ({
    name,
    right: told === true,
    told: told === true ? '' : String(told),
    truth,
  }))
}

const outcomeOf = (text) => {
  const rest = text.replace(NO_FAILURE, ' passed ')
  if (FAILED.test(rest)) return 'failed'
  return PASSED.test(rest) ? 'passed' : null
}

/**
 * The place that says it is the last one counts, a state section before any other; without such a place, the last that is told. The outcome is
 * in its line or in the lines below it, up to the next heading or command.
 */
function tellsCheck({ lines }, { command, outcome }) {
  const bare = wordsOf(command.replace(/ 2>&1 \|.*$/, ''))
  const isNamed = ({ words }) => ` ${words} `.includes(` ${bare} `)
  const places = lines.flatMap((line, n) => {
    if (!isNamed(line)) return []
    const rest = line.text.replace(/^.*?`[^`]*`/, '')
    let found = outcomeOf(rest)
    for (let next = n + 1; found === null && next < Math.min(n + 16, lines.length); next++) {
      if (lines[next].heading !== line.heading || isNamed(lines[next])) break
      found = outcomeOf(lines[next].text)
    }
    return found
      ? [{ found, isLatest: LATEST.test(line.text) || LATEST.test(line.lead) || line.section === 'state' }]
      : []
  })
  const place = places.find(({ isLatest }) => isLatest) ?? places.at(-1)
  return place === undefined ? 'not told' : place.found === outcome || `told as ${place.found}`
}

function tellsFailing({ lines }, test) {
  const name = ` ${wordsOf(test)} `
  return (
    lines.some(
      ({ words, text, lead, heading }) =>
        ` ${words} `.includes(name) && FAILED.test(`${text} ${lead} ${heading}`.replace(NO_FAILURE, '')),
    ) || 'not told'
  )
}

const NUMBERS = ['no', 'one', 'two', 'three', 'four', 'five', 'six']
const numberOf = (word) => (/^\d+$/.test(word) ? Number(word) : NUMBERS.indexOf(word.toLowerCase()))
const COUNTED = [
  /\b(\d+|no|one|two|three|four|five|six) (?:commits? )?ahead\b/i,
  /\bahead (?:of \S+ )?(?:by )?(\d+)\b/i,
  /\b(\d+|no|one|two|three|four|five|six) (?:\w+ )?commits? (?:\w+ ){0,3}(?:not (?:yet )?pushed|unpushed|to push)\b/i,
  /\b(\d+|no|one|two|three|four|five|six) (?:unpushed|local) commits?\b/i,
]
const EVEN = /\b(?:pushed|up[- ]to[- ]date|in sync|(?:level|even) with|nothing to push)\b/i

function tellsUnpushed({ lines, words }, unpushed, all) {
  for (const { text } of lines) {
    const match = COUNTED.map((pattern) => pattern.exec(text)).find(Boolean)
    if (match) {
      const told = numberOf(match[1])
      return told === unpushed.length || told === all || `told as ${told}`
    }
  }
  const listed = lines.filter(({ text, lead, heading }) =>
    /not (?:yet )?pushed|unpushed/i.test(`${text} ${lead} ${heading}`),
  )
  if (unpushed.length === 0 && listed.some(isNone)) return true
  if (unpushed.length > 0)
    return (
      (listed.length > 0 &&
        unpushed.every(([id, subject]) =>
          listed.some(
            (line) => line.text.includes(id) || ` ${line.words} `.includes(` ${wordsOf(subject)} `),
          ),
        )) ||
      'not told'
    )
  const last = lines.findLast(({ text }) => EVEN.test(text) && !/not (?:yet )?pushed|unpushed/i.test(text))
  return (last !== undefined && listed.length === 0) || (words.includes(' 0 ahead ') ? true : 'not told')
}

/** What stands below a heading, or behind its lead, of which there is nothing. */
const isNone = ({ text }) => /^\W*(?:[\w ]+: *)?(?:none|nothing)\W*$/i.test(text)

const UNCOMMITTED =
  /\buncommitted|\bunstaged|\bstaged|\buntracked|not (?:yet )?(?:committed|staged)|work(?:ing)?[- ]tree|^\s*(?:[-*]\s*)?`?(?:\?\?|[AMDR]{1,2})\s+\S/i
const CLEAN =
  /work(?:ing)?[- ]tree:? (?:is )?clean|nothing to commit|no uncommitted|nothing (?:is )?uncommitted|everything (?:is )?committed|all (?:is )?committed/i

function tellsUncommitted({ lines, markdown }, uncommitted, known) {
  const region = lines.filter(
    ({ text, lead, heading }) =>
      UNCOMMITTED.test(text) || UNCOMMITTED.test(lead) || UNCOMMITTED.test(heading),
  )
  if (uncommitted.length === 0) return CLEAN.test(markdown) || region.some(isNone) || 'not told'
  const told = [...new Set([...known, ...uncommitted])].filter((path) =>
    region.some(({ text }) => hasPath(text, path)),
  )
  const missing = uncommitted.filter((path) => !told.includes(path))
  const extra = told.filter((path) => !uncommitted.includes(path))
  return (
    (missing.length === 0 && extra.length === 0) ||
    `missing: ${missing.join(' ') || 'none'}; too many: ${extra.join(' ') || 'none'}`
  )
}

function hasPath(text, path) {
  const at = text.indexOf(path)
  return at !== -1 && !/[\w/-]/.test(text[at + path.length] ?? ' ') && !/[\w.-]/.test(text[at - 1] ?? ' ')
}
