import { cutAt, visible } from './safe-text.ts'

/** One pattern for all, since each that is compiled takes time. */
export const BLANK = /\s+/g
export const WORDS = /[\p{L}\p{N}]+/gu

/** Parts of a message short enough to choose among: paragraphs, and groups of list items. Whitespace is folded. */
export function blocksOf(text: string, max: number): string[] {
  const blocks: string[] = []
  let open: string[] = []
  let size = 0
  let isFenced = false
  const close = (): void => {
    const block = folded(open.join(' '))
    if (hasLetter(block)) blocks.push(clipSentence(block, max))
    open = []
    size = 0
  }
  let code: string[] = []
  for (const line of unwrapped(text)) {
    if (FENCE.test(line)) {
      isFenced = !isFenced
      if (isFenced) code = []
      // Code and output are long and seldom what a successor asks for first; what leads to it says that something is left out.
      else if (isLead(open.at(-1) ?? '')) {
        open.push(
          code.length === 1 && size + (code[0] ?? '').length <= max
            ? `\`${code[0]?.trim()}\``
            : '[code left out]',
        )
        close()
      } else if (open.length > 0) close()
      continue
    }
    if (isFenced) {
      if (line.trim() !== '') code.push(line)
      continue
    }
    // The names of the columns say nothing of the rows.
    if (line.includes('|') && MARKS_ONLY.test(line)) {
      open.pop()
      continue
    }
    // What leads to a list says what its items are: it stands with them.
    if (
      (line.trim() === '' && !isLead(open.at(-1) ?? '')) ||
      (size + line.length > max && (size >= max || !isLead(open.at(-1) ?? ''))) ||
      /^#{1,6}\s/.test(line)
    )
      close()
    if (MARKS_ONLY.test(line)) continue
    open.push(plainLine(line))
    size += line.length
  }
  close()
  return blocks
}

const MARKS_ONLY = /^[\s|:-]*$/

/** The lines of a text; in one of fixed width, what goes on in the middle of a sentence is one with the line before it. */
function unwrapped(text: string): string[] {
  const parts: string[][] = []
  let isFenced = false
  let before = ''
  for (const line of text.split(NEWLINE)) {
    if (FENCE.test(line)) isFenced = !isFenced
    const isNext = !isFenced && before.length >= LEAST_WIDTH && BREAKS_OFF.test(before) && GOES_ON.test(line)
    if (isNext) parts.at(-1)?.push(line.trim())
    else parts.push([line])
    before = line
  }
  return parts.map((lines) => lines.join(' '))
}

/** UTF-16 units of a line; who writes lines of fixed width, writes none that are shorter. */
const LEAST_WIDTH = 60
const BREAKS_OFF = /^(?!#{1,6}\s).*[^.!?:;|`~\s]\s*$/
const GOES_ON = /^\s*(?![-*•|#>+`~]|\d+[.)]\s)\S/

const NEWLINE = /\r?\n/
const FENCE = /^\s*(?:```|~~~)/

const isLead = (line: string): boolean => /[:：]\**\s*$/.test(line)

/** A block without a last sentence that only leads to what follows. */
export const withoutLead = (block: string): string =>
  isLead(block) ? block.slice(0, ([...block.matchAll(SENTENCE_END)].at(-1)?.index ?? -1) + 1) : block

/** A line without its list or heading mark; items are set apart by a dot. */
function plainLine(line: string): string {
  const heading = /^#{1,6}\s+(.*)$/.exec(line)?.[1]
  if (heading !== undefined) return /[.:!?]$/.test(heading) ? heading : `${heading}:`
  const cells = /^\s*\|(.*)\|\s*$/.exec(line)?.[1]
  if (cells !== undefined)
    return `· ${cells
      .split('|')
      .map((cell) => cell.trim())
      .join(' | ')}`
  const item = /^\s*[-*•]\s+(.*)$/.exec(line)?.[1]
  return item === undefined ? line : `· ${item}`
}

/**
 * As `clipSentence`, but a short last paragraph stays, where a person who pastes something says what for, and so does a question
 * at the end.
 */
export function clipMiddle(text: string, max: number): string {
  const paragraphs = visible(text)
    .trim()
    .split(/\n\s*\n/)
  let last = folded(paragraphs.pop() ?? '')
  if (last.length > max / 2) {
    const sentences = splitSentences(last)
    last = sentences.pop() ?? ''
    paragraphs.push(...sentences)
    // What says what to do is short.
    if (last.length > max / 3 && !'?？'.includes(last.slice(-1))) return clipSentence(text, max)
  }
  const head = clipSentence(paragraphs.join(' '), max - last.length)
  return last.length > max / 2 || head === '' || !head.endsWith('[…]')
    ? clipSentence(text, max)
    : `${head} ${last}`
}

/** A sentence may be so much longer than the limit that would cut it. */
const OVER = 1.4

/** The number of a list item ends none. */
const SENTENCE_END = /(?<!(?:^|\s)\d{1,2})[.!?](?=\s)|[。！？]/g

/** A request without what it forbids says the opposite. */
const PROHIBITS =
  /^\s*(?:(?:and|but|please)[ ,]+)*(?:do not|don['’]t|never|without|except|unless|leave|not|no)\b(?:[^.!?。！？]|[.!?](?=\S)){0,200}(?:[.!?](?!\S)|[。！？])/i

/** Whole sentences up to about `max` UTF-16 units, else whole words. */
export function clipSentence(text: string, max: number): string {
  const line = visible(folded(text)).trim()
  if (line.length <= max) return line
  const head = cutAt(line, max)
  const sentence = Math.max(-1, ...[...head.matchAll(SENTENCE_END)].map(({ index }) => index))
  const next = line.slice(max, max * OVER).search(SENTENCE_END)
  const end = sentence > max / 2 ? sentence + 1 : next !== -1 ? max + next + 1 : head.lastIndexOf(' ')
  const kept =
    (end > 0 ? line.slice(0, end) : head) + (PROHIBITS.exec(line.slice(Math.max(0, end)))?.[0] ?? '')
  return kept.length === line.length ? line : `${kept} […]`
}

/** A clipped text without its mark behind a whole sentence: that more was said is true of nearly every quote, a mark shows where a sentence breaks off. */
export const markBrokenOff = (clipped: string): string =>
  clipped.replace(/([.!?:;。！？…][)`*"”’]*) \[…\]$/, '$1')

/** A sentence that announces, looks into something or waits: what came of it stands behind. */
const ANNOUNCED =
  /(?<=^|[.!?—:]\s)(?:(?:(?:and|so|then|now|next|first|also|ok(?:ay)?|good|great|perfect|hmm),? ?[—-]? ?)*(?:let me|let['’]s|i['’]ll|i will|i need to|i['’]m (?:now |also |first |just )?(?:(?:going|about) to|\w+ing)|i should|i (?:now )?have (?:everything|[^.!?\n]{0,20}\b(?:picture|context|information))|(?<=\b(?:now|next|then),? )(?:add|build|check|commit|create|fix|implement|look|read|remove|run|step|test|update|verify|write))\b|[^.!?\n]{0,200}?\b(?:i['’]m (?:now |also )?(?:checking|confirming|looking|testing|tracing|verifying|waiting|watching)|still (?:building|churning|compiling|pending|queued|running))\b)(?:[^.!?\n]|[.!?](?=\S))*(?:[.!?](?=\s|$)|$)|^(?:perfect|great|excellent|awesome|nice|wonderful)!\s/gim

/** A text without the sentences that only say what comes next. */
export const withoutAnnounced = (text: string): string => text.replace(ANNOUNCED, '')

/** Whether a text tells at some length what was found or done. */
export const isReport = (text: string): boolean => withoutAnnounced(text).trim().length >= REPORT

/** UTF-16 units. */
const REPORT = 200

/** Function words say nothing about what a text tells. */
const EMPTY = new Set(
  `the a an to of in on at for with and or not no do it its is are be was were this that these those i you we they let me my now
  have has had will can could would should from by as if so then but there just all also what which when how than into out up
  about after before one two here been does did don t s ll ve re m der die das und ist nicht ein eine le la les et un une est el
  los las y en de que`.split(BLANK),
)

/** Words that tell something, in lower case. */
export const tellingWords = (text: string): string[] =>
  (text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? []).filter((word) => word.length > 1 && !EMPTY.has(word))

/** What a person wrote themselves, without what they pasted: fenced code, quotes, tagged blocks, logs, diffs, tables. */
export function proseLines(text: string): string[] {
  const lines: string[] = []
  let fence: string | null = null
  for (const line of withoutBlocks(text, TAGGED).split(NEWLINE)) {
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

/** The mark of a list item or heading. */
export const BULLET = /^\s*(?:[-*•–+]|\d{1,2}[.)]|\[[ x]\])\s+|^\s*#{1,6}\s+/

/** Sentences of the lines, verbatim but for folded whitespace and list marks; a line broken in the middle of a sentence is joined. */
export function sentencesOf(lines: readonly string[]): string[] {
  const blocks: string[] = []
  let open = false
  for (const line of lines) {
    const text = folded(line)
    const before = blocks.at(-1) ?? ''
    if (open && !BULLET.test(line) && goesOnWith(text) && before.length > 50)
      blocks.splice(-1, 1, `${before} ${text}`)
    else if (text !== '') blocks.push(text.replace(BULLET, '').trim())
    open = /[^.!?。！？:：]$/.test(text)
  }
  return blocks.flatMap(splitSentences)
}

/** On one line, with single blanks, as most texts are. */
export const folded = (text: string): string =>
  (/\s\s|[^\S ]/.test(text) ? text.replace(BLANK, ' ') : text).trim()

/** A line that begins so carries on with the sentence of the line before. */
const goesOnWith = (text: string): boolean => /^[(`"'/\d\p{Ll}\p{Lo}]/u.test(text)

export const hasLetter = (text: string): boolean => text.search(WORDS) !== -1

/** Letters and digits only, lower case: two texts that say the same are equal. */
export const squash = (text: string): string => (text.toLowerCase().match(WORDS) ?? []).join(' ')

/** UTF-16 units: what is longer is a message, not a placeholder. */
const MAX_PLACEHOLDER = 200
const PLACEHOLDERS = new Set(
  '|n a|na|none|todo|tbd|tba|null|undefined|placeholder|nothing|not applicable'.split('|'),
)

/** False for empty items, and for those that a person writes where there is none. */
export const isContent = (text: string): boolean =>
  text.length > MAX_PLACEHOLDER ? hasLetter(text) : !PLACEHOLDERS.has(squash(text))

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

const MAX_PARTS = 10
const MAX_PART = 90

const ACCEPTED = 'Plan accepted: '
/** How the decision for a plan is told. */
export const acceptedPlan = (outline: string): string => ACCEPTED + outline
export const isAcceptedPlan = (what: string): boolean => what.startsWith(ACCEPTED)

/** A plan in a line: its title, then its headings, or its numbered steps where it has none. */
export function outlineOf(text: string): string {
  const lines = text.trim().split(NEWLINE)
  const headings = lines.filter((line) => /^#{1,4}\s+\S/.test(line))
  const steps = lines.filter((line) => /^\s?\d{1,2}[.)]\s+\S/.test(line))
  const parts = headings.length > 1 ? headings : [headings[0] ?? lines[0] ?? '', ...steps]
  const plain = parts.map((line) =>
    cutAtWord(folded(line.replace(BULLET, '').replaceAll('**', '')), MAX_PART),
  )
  return [...new Set(plain)].slice(0, MAX_PARTS).join('; ')
}

// ---------------------------------------------------------------- words

/** Splits prose or code into words: lower case, camelCase and snake_case taken apart. */
const wordsOf = (text: string): string[] =>
  text
    .replace(/(?<=[a-z\d])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/g, ' ')
    .toLowerCase()
    .match(WORDS) ?? []

/** Words that say nothing of what a text is about. */
const STOP = new Set(
  `a an the and or but if then else so to of in on at by for from with without into onto over under as is are was were be been being do
  does did done it its this that these those i me my we our us you your he she they them their what which who when where why how can
  could should would will shall may might must not no yes please also just only some any all each every more most much many make
  makes made let lets get gets got need needs want wants like use uses used using now new next still again same other one two first
  last there here than too very up down out off about after before between run fix add change update implement continue ok okay
  sure work works working file files code thing things issue problem der die das und oder nicht ein eine ist mit auf für le la les
  et un une des est pour que el los las y en de por con`.split(BLANK),
)

/** Content words of a text or path: no stop words, plural and usual endings taken off. */
export const contentWords = (text: string): string[] => wordsOf(text).flatMap((word) => stemOf(word) ?? [])

/** Of a word in lower case; null for one that says nothing. */
export const stemOf = (word: string): string | null =>
  STOP.has(word) || (word.length < 3 && !/[^\p{Script=Latin}\d_]/u.test(word)) ? null : stem(word)

const stem = (word: string) =>
  word.length > 5
    ? word.replace(/(?:ing|edly|ed|ies|es|s|er|ion|ions)$/, '')
    : word.length > 3
      ? word.endsWith('s')
        ? word.slice(0, -1)
        : word
      : word

// ---------------------------------------------------------------- leave in the words of the ban

const BAN = /^(?:(?:please|and|but|so|also)[, ]+)*(?:never|do not|don['’]?t) (.+)/i
const LEAVE =
  /(?:^|[,;:–—] ?|\b(?:and|ok(?:ay)?|yes|now|so) )(?:you(?: may| can|['’]re free to| are (?:free|allowed) to)|feel free to|go ahead and)(?: now| also)? (.+)/i
/** A limit, another time or a doubt: what it allows then is for the model to read. */
const LIMITED =
  /\?$|\b(?:if|unless|until|till|once|when|while|before|after|later|long as|only|except|but|not|never|no|nothing|perhaps|maybe|might|soon|tomorrow|then|must|first|should|needs?|ha(?:s|ve) to|\w+n['’]?t)\b|(?:^|[,;:–—] ?)(?:in|on|for|with|at|during|within|under|to|just|as)\b/i
/** Words for any change to a file. */
const CHANGES = new Set(['touch', 'change', 'edit', 'modify', 'alter', 'update'])
const SMALL = new Set(['', 'the', 'a', 'an', 'any', 'now', 'again', 'too', 'please', 'file'])

/** Whether a sentence gives leave for what the rule forbids, in its very words: `You can touch a.js` for `Do not touch a.js, QA owns it`. */
export function givesLeave(rule: string, sentence: string): boolean {
  const leave = LEAVE.exec(sentence)
  if (leave === null || LIMITED.test(sentence)) return false
  const [banned, allowed] = [firstClause(BAN.exec(rule)?.[1]), firstClause(leave[1])]
  if (banned.what === '') return false
  const isChange = CHANGES.has(banned.verb) && CHANGES.has(allowed.verb)
  if (banned.verb !== allowed.verb && !isChange) return false
  // The decision that ends the rule quotes which one thing in the file it is.
  const [, file = allowed.what] = isChange ? (/^one (?:\S+ ){1,3}in (\S+)$/.exec(allowed.what) ?? []) : []
  return file === banned.what || (banned.what.includes('.') && file.endsWith(`/${banned.what}`))
}

/** Its verb, and what follows in the clause. */
function firstClause(text = ''): { verb: string; what: string } {
  const [clause = ''] = text
    .toLowerCase()
    .replaceAll('`', '')
    .split(/[,;:!.(–—](?: |$)/)
  const [verb = '', ...words] = clause.trim().split(' ')
  return { verb, what: words.filter((word) => !SMALL.has(word)).join(' ') }
}
