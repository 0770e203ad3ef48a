import type { DecisionFact, QuestionFact } from '../types/evidence.ts'

/** UTF-16 units: an answer to a question, and how much of the end of a reply an assent agrees to. */
const SHORT_ANSWER = 160
const CLOSING = 900
const AGREES =
  /^(?:(?:ok|okay|great|good|perfect|fine|nice|cool|thanks|right)\b\W*)*(?:y|yes|yep|yeah|yup|sure|agreed?|exactly|both|sounds good|go (?:ahead|for|with)|do (?:it|that|so|both|all)|let['’]?s|please do)\b/i
/** `2`, `option B`, `1+2`, `go with 2 please`: an item of a list by its name. `2 tests` is a count, `[Image 1]` stands for a picture. */
const PICK = /(?<![\w.#-])([a-h]|\d{1,2})(?=[^\w\]]*(?:$|please\b|and\b|[+,&]))/gi
const ITEM =
  /^\s*(?:[-*|]\s+|#{1,6}\s+)?(?:\*\*|__)?(?:(?:option|approach|variant|plan|step)\s+)?\(?([a-h]|\d{1,2})(?:[.):]|\*\*|\s+[—–|-]\s).*$/gim
/** Characters of a question that says nothing without the sentence before it: `Want me to do that?` */
const BARE = 25
/** Lines at the end of a reply that are looked at for a question. */
const LAST_LINES = 6

/** Whether a message may answer what the agent asked: a short one that is neither a question nor a command. */
export const mayAnswer = (message: string): boolean =>
  message.length <= SHORT_ANSWER && !/^\/|[?？]$/.test(message)

/** The question that a reply ends with, a bare one behind the sentence before it; null where it ends otherwise. */
export function questionIn(reply: string): string | null {
  const sentences = sentencesOf(reply.replace(/\*\*/g, '').trimEnd().split('\n').slice(-LAST_LINES))
  const asked = sentences.at(-1) ?? ''
  if (!/[?？]["')\]`]*$/.test(asked)) return null
  return asked.length < BARE ? sentences.slice(-2).join(' ') : asked
}

/** The items of the reply that a short message of one line picks by their number or letter. Several lines were pasted. */
export function picksOf(message: string, reply: string): string[] {
  const said = message.trim()
  if (!mayAnswer(said) || said.includes('\n') || reply === '') return []
  const items = [...reply.matchAll(ITEM)]
  const picked = [...said.matchAll(PICK)].flatMap(([, name = '']) => {
    const item = items.findLast(([, own = '']) => own.toUpperCase() === name.toUpperCase())
    return item === undefined ? [] : [item[0].trim()]
  })
  return [...new Set(picked)]
}

/** What a short message agrees to in the reply before it: the items that it picks, and the end of the reply. Null where it agrees to nothing. */
export function assentedTo(message: string, reply: string): string | null {
  const picked = picksOf(message, reply)
  if (reply.trim() === '') return null
  if (picked.length === 0 && (message.length > SHORT_ANSWER || !AGREES.test(message.trim()))) return null
  const end = reply.trim().slice(-CLOSING)
  // Whole paragraphs, at least one.
  const closing =
    reply.length <= CLOSING
      ? end
      : (reply
          .trim()
          .split(/\n\s*\n/)
          .at(-1) ?? '')
  return [...picked.filter((text) => !closing.includes(text)), closing].join('\n')
}

const MAX_DECISIONS = 50
const MAX_PICK = 240
/** Begins the question of a plan that nobody has agreed to yet; its title follows. */
export const PROPOSED = 'Plan proposed last, not approved in this session: '

interface Asked {
  text: string
  options: string[]
  at: string | null
}

/** What the person decided, with the question that it answers, and what the agent asked and nobody answered. */
export function createDecisions() {
  const decisions = new Map<string, DecisionFact>()
  const asked = new Map<string, Asked[]>()
  let proposed: { outline: string; at: string | null } | null = null
  const decide = (what: string, at: string | null, alternatives: string[] = []): void => {
    decisions.delete(what)
    decisions.set(what, { what, why: null, alternatives, by: 'user', source: 'user', at })
    if (decisions.size > MAX_DECISIONS) decisions.delete(decisions.keys().next().value ?? '')
  }
  return {
    question(id: string, text: string, options: readonly string[], at: string | null) {
      asked.set(id, [...(asked.get(id) ?? []), { text: oneLine(text), options: options.map(oneLine), at }])
    },
    /** The answer with its question, as it is told. */
    answer(id: string, text: string, at: string | null): string {
      const [question, ...rest] = asked.get(id) ?? []
      if (rest.length > 0) asked.set(id, rest)
      else asked.delete(id)
      const chosen = oneLine(text)
      if (question === undefined || chosen === '') return text
      const isIn = (option: string): boolean => chosen.toLowerCase().includes(option.toLowerCase())
      const others = question.options.some(isIn) ? question.options.filter((option) => !isIn(option)) : []
      const what = `${question.text} → ${chosen}`
      decide(what, at, others)
      return what
    },
    /** The call that asked failed: nobody saw its questions. */
    failed(call: string) {
      for (const id of asked.keys()) if (id === call || id.startsWith(`${call}#`)) asked.delete(id)
    },
    proposal(text: string, accepted: boolean | null, at: string | null) {
      if (text.trim() === '') return
      const outline = outlineOf(text)
      proposed = accepted ? null : { outline, at }
      if (accepted) decide(`Plan accepted: ${outline}`, at)
    },
    /** An agent that speaks again has its answer, or went on without one. */
    reply() {
      asked.clear()
    },
    /** `reply`: the message that the prompt may pick items of. */
    prompt(text: string, reply: string, at: string | null) {
      asked.clear()
      proposed = null
      const options = picksOf(text, reply).map((option) => cutAtWord(oneLine(option), MAX_PICK))
      if (options.length > 0) decide(`"${oneLine(text)}" → ${options.join(' + ')}`, at)
    },
    isProposed: (): boolean => proposed !== null,
    all: (): DecisionFact[] => [...decisions.values()],
    /** What nobody answered; a goal that holds the title of the proposed plan answers it. */
    open(goal: string): QuestionFact[] {
      const open = [...asked.values()].flat().map(
        ({ text, options, at }): QuestionFact => ({
          kind: 'question',
          text: options.length > 0 ? `${text} (options: ${options.join(' / ')})` : text,
          source: 'agent',
          at,
        }),
      )
      const title = proposed?.outline.split('; ')[0] ?? ''
      if (proposed === null || goal.includes(title)) return open
      const { outline, at } = proposed
      return [...open, { kind: 'question', text: `${PROPOSED}${outline}`, source: 'agent', at }]
    },
  }
}

/** What a person wrote themselves, without what they pasted: fenced code, quotes, tagged blocks, logs, diffs, tables. */
export function proseLines(text: string): string[] {
  const lines: string[] = []
  let fence: string | null = null
  for (const line of withoutBlocks(text, TAGGED).split(/\r?\n/)) {
    const mark = /^\s*(`{3,}|~{3,}|"""|''')/.exec(line)?.[1]
    if (fence !== null) {
      if (mark?.startsWith(fence)) fence = null
      continue
    }
    // A fence that opens and closes on one line holds no further lines.
    if (mark !== undefined && !line.trim().slice(mark.length).includes(mark)) {
      fence = mark
      continue
    }
    lines.push(isPasted(line) ? '' : line)
  }
  return lines
}

/** Blocks in XML-like tags are injected or pasted. */
const TAGGED = /<([a-z][\w-]*)(?:\s[^<>\n]*)?>\n/g

const BULLET = /^\s*(?:[-*•–+]|\d{1,2}[.)]|\[[ x]\])\s+|^\s*#{1,6}\s+/

/** Sentences of the lines, verbatim but for folded whitespace and list marks; a line broken in the middle of a sentence is joined. */
export function sentencesOf(lines: readonly string[]): string[] {
  const blocks: string[] = []
  let open = false
  for (const line of lines) {
    const text = oneLine(line)
    const before = blocks.at(-1) ?? ''
    if (open && !BULLET.test(line) && goesOnWith(text) && before.length > 50)
      blocks.splice(-1, 1, `${before} ${text}`)
    else if (text !== '') blocks.push(text.replace(BULLET, '').trim())
    open = /[^.!?。！？:：]$/.test(text)
  }
  return blocks.flatMap(splitSentences)
}

/** On one line, with single blanks. */
export const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim()

/** A line that begins so carries on with the sentence of the line before. */
const goesOnWith = (text: string): boolean => /^[(`"'/\d\p{Ll}\p{Lo}]/u.test(text)

const hasLetter = (text: string): boolean => /[\p{L}\p{N}]/u.test(text)

function splitSentences(block: string): string[] {
  const out: string[] = []
  let from = 0
  // Each run of marks is tried once, from its first: from every one of 40,000 dots it would take 20 s.
  for (const match of block.matchAll(/(?<![.!?])[.!?]+["')\]`*]*(?=\s)|[。！？]+["'）」』]*/g)) {
    const end = match.index + match[0].length
    const sentence = block.slice(from, end)
    if (/\b(?:e\.g|i\.e|vs)\.$|^\s*\d+\.$/i.test(sentence)) continue
    if (goesOn(sentence, block.slice(end), match[0])) continue
    out.push(sentence.trim())
    from = end
  }
  out.push(block.slice(from).trim())
  return out.filter(hasLetter)
}

/** Characters up to which a sentence may go on past a mark; bounds the time for pasted text. */
const LONGEST = 1_000

/** The mark stands inside a code span or at its end, or is an ellipsis, and the words behind it do not begin a sentence. */
function goesOn(sentence: string, rest: string, mark: string): boolean {
  if (sentence.length > LONGEST) return false
  const isOpen = sentence.includes('`') && (sentence.match(/`+/g) ?? []).length % 2 === 1
  if (isOpen) return rest.includes('`')
  return (mark.endsWith('`') || /^\.{2,}/.test(mark)) && /^\s+[^\p{Lu}\s]/u.test(rest)
}

/** Cut at a blank; a text without blanks stays whole: half a token could hide what must be removed later. */
export function cutAtWord(text: string, max: number): string {
  const end = text.length <= max ? 0 : text.lastIndexOf(' ', max)
  return end <= 0 ? text : `${text.slice(0, end)} […]`
}

/** Letters and digits only, lower case: two texts that say the same are equal. */
export const squash = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()

const MAX_PARTS = 10
const MAX_PART = 90

/** A plan in a line: its title, then its headings, or its numbered steps where it has none. */
export function outlineOf(text: string): string {
  const lines = text.trim().split(/\r?\n/)
  const headings = lines.filter((line) => /^#{1,4}\s+\S/.test(line))
  const steps = lines.filter((line) => /^\s?\d{1,2}[.)]\s+\S/.test(line))
  const parts = headings.length > 1 ? headings : [headings[0] ?? lines[0] ?? '', ...steps]
  const plain = parts.map((line) =>
    cutAtWord(oneLine(line.replace(BULLET, '').replaceAll('**', '')), MAX_PART),
  )
  return [...new Set(plain)].slice(0, MAX_PARTS).join('; ')
}

/** One pattern of several, since each that is compiled takes time. */
const PASTED = new RegExp(
  [
    // Quotes, tables, comments, shell prompts, diffs.
    /^\s*(?:>|\|.*\|\s*$|(?:[-+*]\s+)?(?:\/\/|\/\*|\*\/)|(?:\$|❯|➜|%|#!)\s+?\S)|^(?:\+{1,3}|-{3}|@@|diff --git|index [0-9a-f]{7})\s?\S/,
    // Stack frames, lines of compilers and logs.
    /^\s*(?:(?:at |File ")\S+.*[:(]\d+|\S+\.\w{1,5}:\d+(?::\d+)?:?\s|\[?(?:\d{4}-\d\d-\d\d[T ])?\d\d:\d\d:?|\[?(?:ERROR|WARN(?:ING)?|INFO|DEBUG|FATAL|TRACE)\b\]?[: ]|(?:Error|error|warning)(?:\[\w+\])?: )/,
    // Code.
    /[{};]\s*$|^\s*[{}[\]()]+[,;]?\s*$|^\s*"[^"]+"\s*:\s|=>\s*\{?$|^\s*<\/?[a-zA-Z][^>]*>\s*$/,
    /^\s*(?:import|export|const|let|var|function|class|def|return|public|private|package|func|fn|use|#include)\s+[\w{*.:"'<]+.*(?:[;{=(]|\bfrom\b)/,
  ]
    .map(({ source }) => source)
    .join('|'),
)

export const isPasted = (line: string): boolean => line.trim() !== '' && PASTED.test(line)

/** The text with each block, from a tag that `opening` finds, whose first group is its name, to the next end of that name, replaced by a line break. */
export function withoutBlocks(text: string, opening: RegExp): string {
  // A tag that nothing closes opens no block. Each name is looked for once: most are said often.
  const lastEnds = new Map<string, number>()
  let kept = ''
  let from = 0
  for (const { index, 1: name = '' } of text.matchAll(opening)) {
    if (index < from) continue
    const end = `</${name}>`
    const last = lastEnds.get(name) ?? text.lastIndexOf(end)
    lastEnds.set(name, last)
    if (last < index) continue
    kept += `${text.slice(from, index)}\n`
    from = text.indexOf(end, index) + end.length
  }
  return kept + text.slice(from)
}

/** UTF-16 units: what is longer is a message, not a placeholder. */
const MAX_PLACEHOLDER = 200
const PLACEHOLDER =
  /^[^\p{L}\p{N}]*(?:n\/?a|none|todo|tbd|tba|null|undefined|placeholder|nothing|not applicable)?[^\p{L}\p{N}]*$/iu

/** False for empty and placeholder items, which say nothing. */
export const isContent = (text: string): boolean =>
  text.length > MAX_PLACEHOLDER ? hasLetter(text) : !PLACEHOLDER.test(text)
