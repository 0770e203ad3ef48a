import { scoreArtefacts } from './artefacts.mjs'
import { readDocument } from './document.mjs'
import { scoreState } from './state.mjs'
import { falseRules, ruleLines, scoreRules, scoreSecrets, scoreTruth } from './words.mjs'

/** Everything that one document is scored for. */
export function scoreDocument(markdown, truth) {
  const doc = readDocument(markdown)
  return {
    rules: scoreRules(doc, truth),
    falseRules: falseRules(doc, truth),
    ruleLines: ruleLines(doc, truth),
    artefacts: scoreArtefacts(doc, truth),
    state: scoreState(doc, truth),
    truth: scoreTruth(doc, truth),
    secrets: scoreSecrets(doc, truth),
    planted: truth.secrets.length,
  }
}

const share = (list, test) => (list.length === 0 ? null : list.filter(test).length / list.length)
const sum = (numbers) => numbers.reduce((all, one) => all + one, 0)

/** One figure for each question, over several documents: every rule, file and statement counts once. */
export function sumUp(scores) {
  const rules = scores.flatMap((one) => one.rules)
  const truth = scores.flatMap((one) => one.truth)
  const state = scores.flatMap((one) => one.state)
  const [right, all, exact, invented] = ['right', 'all', 'exact']
    .map((key) => sum(scores.map((one) => one.artefacts[key])))
    .concat(sum(scores.map((one) => one.artefacts.invented.length)))
  const precision = right + invented === 0 ? 0 : right / (right + invented)
  const recall = right / all
  return {
    rules: share(rules, ({ right }) => right),
    gist: share(rules, ({ gist }) => gist),
    ruleLines: share(
      scores.flatMap((one) => one.ruleLines),
      ({ right }) => right,
    ),
    falseRules: sum(scores.map((one) => one.falseRules.length)),
    precision,
    recall,
    f1: precision + recall === 0 ? 0 : (2 * precision * recall) / (precision + recall),
    exact: exact / all,
    state: share(state, ({ right }) => right),
    truth: share(truth, ({ misled }) => !misled),
    told: share(
      truth.filter(({ told }) => told !== null),
      ({ told }) => told,
    ),
    leaked: sum(scores.map((one) => one.secrets.length)),
    planted: sum(scores.map((one) => one.planted)),
  }
}
