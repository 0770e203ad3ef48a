import { sumUp } from './score/score.mjs'

const figure = (value) =>
  value === null || value === undefined || Number.isNaN(value) ? '–' : value.toFixed(2).replace(/^0/, '')
const median = (list) => {
  const sorted = list.filter((one) => one !== undefined).sort((a, b) => a - b)
  return sorted.length === 0 ? undefined : sorted[(sorted.length - 1) >> 1]
}
const largest = (list) => list.reduce((most, one) => (one > (most ?? 0) ? one : most), undefined)
const whole = (value) => (value === undefined ? '–' : String(Math.round(value)))

/** The figures of one contestant. */
export function figuresOf({ single, hops }) {
  const all = sumUp(single.map(({ score }) => score))
  const at = (turns) => sumUp(single.filter((one) => one.case.turns === turns).map(({ score }) => score))
  const hopsOf = (hop) => sumUp(hops.filter((one) => one.hop === hop).map(({ score }) => score))
  return { all, at, chain: (hop) => meanOf(hopsOf(hop)) }
}

/** The lengths of the documents of all sessions, or of those of one length. */
const tokensOf = ({ single }, turns) =>
  single.filter((one) => turns === undefined || one.case.turns === turns).map(({ tokens }) => tokens)

/** What a chain keeps: the mean of rules, files, state and truth. */
const meanOf = ({ rules, f1, state, truth }) => (rules + f1 + state + truth) / 4

export function printTables(results) {
  const lengths = [...new Set(results.flatMap(({ single }) => single.map((one) => one.case.turns)))].sort(
    (a, b) => a - b,
  )
  printTable(
    [
      '',
      ...lengths.map((turns) => `rules, ${turns} turns`),
      'gist',
      'files F1',
      'exact',
      'state',
      'truth',
      'last word',
      'one hop',
      'two',
      'four',
      'rule lines',
      'false rules',
    ],
    results.map((result) => {
      const { all, at, chain } = figuresOf(result)
      return [
        nameOf(result),
        ...lengths.map((turns) => figure(at(turns).rules)),
        ...[
          all.gist,
          all.f1,
          all.exact,
          all.state,
          all.truth,
          all.told,
          chain(1),
          chain(2),
          chain(4),
          all.ruleLines,
        ].map(figure),
        String(all.falseRules),
      ]
    }),
  )
  console.log()
  printTable(
    [
      '',
      'tokens',
      lengths.length > 0 ? `at ${lengths.at(-1)} turns` : 'at most turns',
      'ms',
      'CPU ms',
      'MB',
      'secrets leaked',
      'same bytes',
      'could not read',
    ],
    results.map((result) => {
      const { all } = figuresOf(result)
      const twice = result.single.filter(({ differs }) => differs !== undefined)
      return [
        nameOf(result),
        whole(median(tokensOf(result))),
        whole(median(tokensOf(result, lengths.at(-1)))),
        whole(median(result.single.map(({ used }) => used.ms))),
        whole(median(result.single.map(({ used }) => used.cpuMs))),
        whole(largest(result.single.map(({ used }) => used.peakMb))),
        `${all.leaked} of ${all.planted}`,
        `${twice.filter(({ differs }) => differs === null).length} of ${twice.length}`,
        `${result.failed.length}`,
      ]
    }),
  )
  console.log()
  printRules(results)
  for (const { contestant, failed } of results)
    if (failed.length > 0)
      console.log(
        `\n${contestant.name} could not read ${failed.length}, first ${failed[0].case}: ${failed[0].reason}`,
      )
}

/** The two sessions for which there are pages of a departing agent. */
export function printPages(results) {
  console.log()
  printTable(
    ['two short sessions', 'rules', 'gist', 'files F1', 'exact', 'state', 'truth', 'last word', 'tokens'],
    results.map((result) => {
      const { all } = figuresOf(result)
      const figures = [all.rules, all.gist, all.f1, all.exact, all.state, all.truth, all.told].map(figure)
      return [nameOf(result), ...figures, whole(median(result.single.map(({ tokens }) => tokens)))]
    }),
  )
}

/** Rules by kind, by place and under attack. */
function printRules(results) {
  const groups = [
    ...['hard', 'soft', 'oblique'].map((kind) => [kind, (rule) => rule.kind === kind]),
    ...['alone', 'first', 'thanks', 'question', 'inside', 'pasted', 'loop'].map((place) => [
      place,
      (rule) => rule.place === place,
    ]),
    ['attacked', (rule) => rule.attack],
    ['not attacked', (rule) => !rule.attack],
  ]
  const rows = results.map((result) => {
    const rules = result.single.flatMap(({ score, case: { attack } }) =>
      score.rules.map((rule) => ({ ...rule, attack })),
    )
    return [
      nameOf(result),
      ...groups.map(([, test]) => {
        const some = rules.filter(test)
        return some.length === 0 ? '–' : figure(some.filter(({ right }) => right).length / some.length)
      }),
    ]
  })
  printTable(['rules', ...groups.map(([name]) => name)], rows)
}

const nameOf = ({ contestant, version }) => (version ? `${contestant.name} ${version}` : contestant.name)

function printTable(head, rows) {
  const all = [head, ...rows]
  const widths = head.map((_, at) => Math.max(...all.map((row) => row[at].length)))
  const line = (row) => `| ${row.map((cell, at) => cell.padEnd(widths[at])).join(' | ')} |`
  console.log([line(head), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n'))
}

/** Each case that a contestant missed: which session, what is true, what was told. */
export function printMissed({ contestant, single, hops, failed }) {
  console.log(`\n${contestant.name}: what it missed`)
  for (const { case: one, hop, score, differs } of [...single, ...hops]) {
    const name = `${one.id}${hop ? '' : ` (${one.agent})`}`
    const rows = [
      ...score.rules
        .filter(({ right }) => !right)
        .map(
          ({ text, kind, place, isTakenBack }) =>
            `rule ${isTakenBack ? 'told as taken back' : 'lost'} (${kind}, ${place}): ${text}`,
        ),
      ...score.falseRules.map((text) => `told as a rule: ${text}`),
      ...score.ruleLines
        .filter(({ right }) => !right)
        .map(({ text }) => `no rule, in a section of rules: ${text}`),
      ...score.artefacts.missed.map((text) => `file not told: ${text}`),
      ...score.artefacts.invented.map((text) => `file told, unchanged in git: ${text}`),
      ...score.artefacts.inexact.map((text) => `file told otherwise: ${text}`),
      ...score.state
        .filter(({ right }) => !right)
        .map(({ name, told, truth }) => `${name}: ${told}; true is ${truth}`),
      ...score.truth
        .filter(({ misled }) => misled)
        .map(({ kind, text }) => `told as current (${kind}): ${text}`),
      ...(differs ? [`other bytes the second time: ${differs}`] : []),
      ...score.secrets.map((value) => `leaked: ${value.slice(0, 8)}…`),
    ]
    for (const row of rows) console.log(`- ${name}: ${row}`)
  }
  for (const { case: id, agent, reason } of failed) console.log(`- ${id} (${agent}): not read: ${reason}`)
}
