import { isNewer, metaIssues, splitFrontMatter } from '../brief/front-matter.ts'
import { GOAL_LEAD } from '../brief/render.ts'
import { sections } from '../brief/sections.ts'
import { isHandoffError } from '../errors/handoff-error.ts'
import { hiddenIn } from '../text/safe-text.ts'
import type { BriefSubject, Problem, TextSubject } from './rule.ts'

/** Bytes of a brief that any parser gets to see. */
const MAX_BYTES = 64 * 1024

export function size({ text }: TextSubject): Problem[] {
  const bytes = Buffer.byteLength(text)
  return bytes > MAX_BYTES ? [[1, `${bytes} bytes; a brief has at most ${MAX_BYTES}`]] : []
}

export function schema({ text, facts }: TextSubject): Problem[] {
  let data: Record<string, unknown>
  try {
    data = splitFrontMatter(text, facts.path).data
  } catch (error) {
    if (!isHandoffError(error)) throw error
    return [[1, error.message.replace(`${facts.path}: `, '')]]
  }
  if (isNewer(data))
    return [[1, `schema version ${String(data.schemaVersion)} is newer than this handoff; upgrade it`]]
  return metaIssues(data, text).map(({ line, message }) => [line, message])
}

/** The same brief is the same blob everywhere. */
export function encoding({ text, lines }: TextSubject): Problem[] {
  const lineWith = (character: string): number => lines.findIndex((line) => line.includes(character)) + 1
  const problems: Problem[] = []
  if (text.startsWith('\u{FEFF}')) problems.push([1, 'begins with a byte order mark'])
  if (text.includes('\r')) problems.push([lineWith('\r'), 'has carriage returns; line ends are LF'])
  // What a program printed may really hold one.
  if (text.includes('\u{FFFD}'))
    problems.push([lineWith('\u{FFFD}'), 'has a replacement character; was it UTF-8?', 'warning'])
  if (!text.endsWith('\n')) problems.push([lines.length, 'the last line has no line end'])
  return problems
}

/** Two versions of one brief, one after the other: a reader would take both for facts. */
export function conflictMarkers({ lines }: TextSubject): Problem[] {
  let fence = ''
  const open = lines.flatMap((line, at) => {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1] ?? ''
    if (fence === '') fence = mark
    // Inside, the texts of others may tell of a merge.
    else if (mark.startsWith(fence) && line.trim() === mark) fence = ''
    return fence === '' && /^(?:<{7}|>{7})(?: |\r?$)/.test(line) ? [{ line, number: at + 1 }] : []
  })
  const first = open.find(({ line }) => line.startsWith('<'))
  const isWhole = first !== undefined && open.some(({ line }) => line.startsWith('>'))
  return isWhole ? [[first.number, 'holds the markers of an unfinished merge']] : []
}

/** Told by rule and line, never by value. */
export function secrets({ facts }: TextSubject): Problem[] {
  return facts.secrets.map(({ rule, line, fingerprint }) => [
    line,
    `a secret (${rule}); if it is a false alarm, put ${fingerprint} into secrets.allow after a review`,
  ])
}

export function hiddenText({ text: whole, lines, parsed }: BriefSubject): Problem[] {
  const suspects = hiddenIn(whole).length === 0 ? [] : lines
  const characters = suspects.flatMap((text, index): Problem[] => {
    // Carriage returns are the business of `encoding`.
    const codes = new Set(hiddenIn(text.replace(/\r$/, '')).map(({ code }) => code))
    if (codes.size === 0) return []
    const names = [...codes].map((code) => `U+${code.toString(16).toUpperCase().padStart(4, '0')}`)
    return [[index + 1, `has the invisible character ${names.join(', ')}`]]
  })
  const bodyLines = parsed.sections.flatMap((section) => section.lines)
  const markup = bodyLines.flatMap(({ line, text, fenced }): Problem[] => {
    if (fenced) return []
    const tag = text.includes('<') ? HTML.exec(withoutCode(text))?.[0] : undefined
    if (tag !== undefined) return [[line, `may hide text in markup (${tag})`]]
    // A definition is never rendered; a link shows its words and not where it leads.
    if (/^ {0,3}\[(?:[^[\]\\]|\\.)+\]:/.test(text)) return [[line, 'a link definition is not rendered']]
    return []
  })
  return [...characters, ...markup]
}

/** A tag or comment that markdown lets through; briefs hold no HTML, and the renderer writes `\<`. */
const HTML = /(?<!\\)<(?:!--|!\[CDATA\[|!(?=[A-Za-z])|\?|\/?[A-Za-z][A-Za-z0-9-]{0,20}(?![A-Za-z0-9:@.-]))/

export function fenceForgery({ lines, parsed, isDone }: BriefSubject): Problem[] {
  const problems: Problem[] = []
  for (const [index, text] of lines.entries()) {
    // Also inside a fence: the filter knows no fences.
    if (text.startsWith('<') && /^<!--\s*handoff:(?:begin|end)/i.test(text))
      problems.push([index + 1, 'imitates the marker of latest.md'])
  }
  for (const section of parsed.sections) {
    for (const { line, closed } of section.blocks) {
      if (!closed) problems.push([line, 'a fence is not closed'])
    }
    let before = ''
    for (const { line, text, fenced } of section.lines) {
      if (!fenced && text.includes('<') && /(?<!\\)<[\s/]*handoff-context/i.test(withoutCode(text)))
        problems.push([line, 'imitates the wrapper in which a brief is handed over'])
      // Notes keep headings of their own, below those of a brief.
      const isOwnHeading = section.id === 'memory' && /^#{3,6}[ \t]/.test(text)
      if (!fenced && !isOwnHeading && isHeadingElsewhere(text, before))
        problems.push([line, 'reads as a heading elsewhere, but is none of the sections'])
      // Items keep their fences indented; goal and notes are quoted whole.
      if (fenced && section.id !== 'goal' && section.id !== 'memory' && isSection(text))
        problems.push([line, 'a fence swallows a section'])
      if (!fenced && section.id === 'goal' && text.trim() !== '')
        problems.push([line, 'is extra text beside the goal; its section holds the goal alone'])
      before = fenced ? '' : text
    }
    if (section.id === 'goal' && section.blocks.length > 1)
      problems.push([section.line, 'the goal section holds more than one fence'])
  }
  const last = parsed.sections.at(-1)
  if (!isDone && last !== undefined && last.id !== 'goal' && parsed.goal !== null)
    problems.push([last.line, 'a section follows the goal, which comes last'])
  return problems
}

const isSection = (text: string): boolean =>
  sections.some(({ level, heading }) => text.trimEnd() === `${'#'.repeat(level)} ${heading}`)

/** What CommonMark takes as a heading and our own scanner, which knows `#` and `##` at the margin, does not. */
function isHeadingElsewhere(text: string, before: string): boolean {
  if (!' #=-'.includes(text.charAt(0))) return false
  if (/^ {0,3}#{3,6}(?:[ \t]|$)|^ {1,3}#{1,2}(?:[ \t]|$)|^#{1,2}$/.test(text)) return true
  // An underline under a paragraph; under a blank line it is a rule.
  return /^ {0,3}(?:=+|-+)[ \t]*$/.test(text) && /^ {0,3}[^\s>#-]/.test(before)
}

/** `/home/x`, `/Users/x`, `C:\Users\x` in the spellings of shells, JSON and WSL; the name is the capture. */
const HOMES = [
  /(?<![\w.~-])\/(?:(?:private|var|export|mnt\/[a-z])\/)?(?:home|Users)\/([^\s/"'`()[\]{}<>|:;,*?\\]+)/g,
  /(?<![A-Za-z])[A-Za-z]:[\\/]{1,4}Users[\\/]{1,4}([^\s/"'`()[\]{}<>|:;,*?\\]+)/gi,
]
/** Names that belong to no person: containers, CI, templates, where a line was cut. */
const NOBODY =
  /^(?:runner|node|vscode|codespace|ubuntu|shared|public|default|app|user|username|you|me|name|dev|\$.*|%.*|\.+|…|~)$/i

/** First folders that every system has. */
const SYSTEM = /^(?:dev|bin|sbin|usr|etc|opt|var|tmp|proc|sys|run|lib\d*|mnt|media|srv|boot|data|app)$/

export function homePath({ lines, parsed, facts: { home, userNames }, lineOf }: BriefSubject): Problem[] {
  const people = new Set(userNames.map((name) => name.toLowerCase()))
  const goalStart = lineOf('goal')
  const goalSection = parsed.sections.find(({ id }) => id === 'goal')?.line ?? Number.POSITIVE_INFINITY
  return lines.flatMap((text, index): Problem[] => {
    const line = index + 1
    const what = complaint(text, home, people)
    if (what === null) return []
    const isGoal =
      line >= goalSection ||
      (line >= goalStart && line < parsed.bodyLine && keyOf(lines, index).includes('goal')) ||
      (text.startsWith(GOAL_LEAD) && lines[index - 2] === '# Handoff Context')
    return [isGoal ? [line, what, 'warning'] : [line, what]]
  })
}

function complaint(text: string, home: string | null, people: ReadonlySet<string>): string | null {
  // Most lines name no place at all; the expressions need not be compiled for them.
  if (!text.includes('/') && !text.includes('\\')) return null
  for (const pattern of /home|users/i.test(text) ? HOMES : []) {
    for (const [, name = ''] of text.matchAll(pattern)) {
      if (!NOBODY.test(name) || people.has(name.toLowerCase()))
        return 'names a home directory; write ~ instead'
    }
  }
  if (home !== null && home.split(/[/\\]/).length > 2 && text.includes(home))
    return 'names a home directory; write ~ instead'
  if (people.size === 0) return null
  // Inside the repository a folder may be called like its owner; only absolute paths tell who works where.
  for (const [path] of text.matchAll(/(?<![\w.~/\\-])(?:~|[A-Za-z]:)?[/\\][^\s"'`()[\]{}<>|;,*?]+/g)) {
    const parts = path.split(/[/\\]+/)
    // A user may be called like a folder of every system: `2>/dev/null` names nobody.
    const named = SYSTEM.test(parts[1] ?? '') ? parts.slice(2) : parts
    if (named.some((part) => people.has(part.toLowerCase()))) return 'has a user name in a path'
  }
  return null
}

/** The key of the front matter that a line belongs to; a block text goes on over indented lines. */
function keyOf(lines: readonly string[], index: number): string {
  for (let at = index; at > 0; at--) {
    const key = /^([A-Za-z]\w*):/.exec(lines[at] ?? '')?.[1]
    if (key !== undefined) return key
  }
  return ''
}

/** The line without its code spans, where a tag is just text. */
const withoutCode = (text: string): string =>
  text.includes('`') ? text.replace(/(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)/g, '') : text
