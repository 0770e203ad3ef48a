import {
  type BriefChange,
  changeLists,
  changeValues,
  isEmpty,
  isUnchanged,
  type ListChange,
} from './compare.ts'
import {
  type BriefLink,
  commandItem,
  decisionItem,
  inline,
  questionItem,
  quoteItem,
  textItem,
} from './html-items.ts'
import { html, type Markup } from './html-markup.ts'
import type { MemoryItem } from './memory-items.ts'

type Kind = 'added' | 'changed' | 'gone'

const SIGNS: Readonly<Record<Kind, string>> = { added: '+', changed: '~', gone: '−' }

/** What changed since the brief before, group by group; one sentence when nothing did. */
export function changesMarkup(change: BriefChange, link: BriefLink): Markup {
  if (isUnchanged(change)) return html`<p class="note">It says the same.</p>\n`
  const lists: Readonly<Record<(typeof changeLists)[number], Markup | false>> = {
    constraints: group('Constraints', change.constraints, (fact) => quoteItem(fact, link), 'dropped'),
    decisions: group('Decisions', change.decisions, (fact) => decisionItem(fact, link)),
    questions: group(
      'Questions',
      change.questions,
      (fact) => questionItem(fact, link),
      'answered or dropped',
    ),
    commits: group('Commits', change.commits, (fact) => textItem(fact, link)),
    nextSteps: group('Next steps', change.nextSteps, (fact) => textItem(fact, link)),
    notes: group('Working memory', change.notes, noteItem),
  }
  const checks = group('Checks', { added: [], gone: [], reworded: change.checks }, (fact) =>
    commandItem(fact, link),
  )
  return html`<dl class="changes">
${closing(change)}${value('Goal', change.goal)}${changeLists.map((name) => lists[name])}${checks}${value('Branch', change.branch, '(detached)')}</dl>
`
}

/** How much changed, in a few words: `2 added, 1 gone`. */
export function changeCount(change: BriefChange): string {
  const count = (kind: keyof ListChange<unknown>): number =>
    changeLists.reduce((sum, name) => sum + change[name][kind].length, 0)
  const values = changeValues.filter((name) => change[name] !== null).length
  const changed = count('reworded') + change.checks.length + values
  return [
    [count('added'), 'added'],
    [changed, 'changed'],
    [count('gone'), 'gone'],
  ]
    .filter(([number]) => number !== 0)
    .map((words) => words.join(' '))
    .join(', ')
}

function group<T>(
  name: string,
  list: ListChange<T>,
  show: (item: T) => Markup,
  goneWord = 'gone',
): Markup | false {
  if (isEmpty(list)) return false
  return html`<div><dt>${name}</dt>
${list.added.map((item) => line('added', 'added', show(item)))}${list.reworded.map(({ before, after }) =>
  line('changed', 'changed', html`<del>${show(before)}</del> <ins>${show(after)}</ins>`),
)}${list.gone.map((item) => line('gone', goneWord, show(item)))}</div>
`
}

function value(
  name: string,
  change: { before: string | null; after: string | null } | null,
  none: string | null = null,
): Markup | false {
  if (change === null) return false
  const text = (side: string): Markup => html`<span class="say" dir="auto">${inline(side)}</span>`
  const { before, after } = change
  // Without a word for nothing, something came or went.
  const what =
    none === null && before === null
      ? line('added', 'added', text(after ?? ''))
      : none === null && after === null
        ? line('gone', 'dropped', text(before ?? ''))
        : line(
            'changed',
            'changed',
            html`<del>${text(before ?? none ?? '')}</del> <ins>${text(after ?? none ?? '')}</ins>`,
          )
  return html`<div><dt>${name}</dt>
${what}</div>
`
}

function closing({ kind, closed }: BriefChange): Markup | false {
  if (kind === null) return false
  const words = kind.after === 'done' ? `Closed: ${closed ?? 'nothing is open'}` : 'Opened again'
  return html`<div><dt>Chain</dt>
${line('changed', 'changed', html`<span class="say" dir="auto">${inline(words)}</span>`)}</div>
`
}

/** The sign is read out as its word. */
const line = (kind: Kind, word: string, what: Markup): Markup =>
  html`<dd class="${kind}"><span class="sign" aria-hidden="true">${SIGNS[kind]}</span><span class="sr">${word}: </span>${what}</dd>
`

const noteItem = ({ heading, text }: MemoryItem): Markup =>
  html`<b>${heading}</b> <span class="say" dir="auto">${inline(text)}</span>`
