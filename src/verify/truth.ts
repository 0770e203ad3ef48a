import type { ParsedBrief } from '../brief/parse.ts'
import { plural } from '../text/count.ts'
import {
  branchItems,
  commandItem,
  commitItems,
  fileItems,
  itselfItems,
  lackingItems,
  mergeItems,
  neverItems,
  type TruthFacts,
  type TruthItem,
  unverifiedItems,
} from './truth-items.ts'

/** Is the brief still true: everything found, findings first. */
export interface Truth extends TruthFacts {
  id: string
  stillTrue: boolean
  items: TruthItem[]
}

/** Judges what was found. */
export function judgeTruth(facts: TruthFacts, parsed: ParsedBrief): Truth {
  const items = [
    ...itselfItems(facts),
    ...lackingItems(facts),
    ...facts.files.flatMap(fileItems),
    ...neverItems(facts),
    ...facts.commands.map(commandItem),
    ...mergeItems(facts),
    ...commitItems(facts),
    ...branchItems(facts, parsed.meta.branch),
    ...unverifiedItems(parsed),
  ]
  const sorted = [
    ...items.filter(({ level }) => level === 'finding'),
    ...items.filter(({ level }) => level === 'note'),
  ]
  return { ...facts, id: parsed.meta.id, stillTrue: sorted[0]?.level !== 'finding', items: sorted }
}

/** How many things the brief states are no longer so. */
export const findingsIn = ({ items }: Pick<Truth, 'items'>): number =>
  items.filter(({ level }) => level === 'finding').length

/** The verdict in one safe line. */
export function verdictLine(truth: Pick<Truth, 'items'>): string {
  const found = findingsIn(truth)
  return found === 0
    ? 'Nothing that was checked contradicts it.'
    : `${plural(found, 'thing')} it states or relies on ${found === 1 ? 'is' : 'are'} no longer so.`
}
