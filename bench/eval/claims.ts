/**
 * What a brief claims, read from its markdown. Shares no code with the product on purpose: a fault of its writer or its
 * reader must not hide here.
 */
export interface Claims {
  files: string[]
  commands: string[]
  /** What is quoted as the user's demand. */
  quotes: string[]
  /** What is quoted as a request, up to where it is cut. */
  requests: string[]
  /** What is said to come next. */
  steps: string[]
  /** Code spans of the other sections that look like paths. */
  otherPaths: string[]
  /** All of the body but the goal block, without marks: lower case, single spaces. */
  plain: string
  /** The text of the goal block. */
  goal: string
}

export function readClaims(markdown: string): Claims {
  const body = markdown.replace(/^---\n[\s\S]*?\n---\n/, '')
  const at = body.lastIndexOf('\n## Next Goal (verbatim)')
  const facts = at < 0 ? body : body.slice(0, at)
  const sections = new Map<string, string>()
  for (const part of facts.split(/^## /m).slice(1)) {
    const end = part.indexOf('\n')
    sections.set(part.slice(0, end).trim(), part.slice(end))
  }
  const section = (name: string): string => sections.get(name) ?? ''
  const others = [...sections].filter(([name]) => name !== 'Relevant Files' && name !== 'Relevant Commands')
  return {
    files: items(section('Relevant Files')).flatMap(leadingCode),
    commands: items(section('Relevant Commands')).flatMap((item) => {
      const block = /\n *(`{3,}|~{3,})\w*\n([\s\S]*?)\n *\1/.exec(item)
      return block === null ? leadingCode(item) : [unindent(block[2] ?? '')]
    }),
    quotes: items(section('Constraints & Preferences')).flatMap((item) => {
      const quoted = /^"([\s\S]*)"(?: \[|(?: — from \S+)?$)/.exec(item)?.[1]
      return quoted === undefined ? [] : [quoted]
    }),
    requests: items(section('How it got here')).flatMap((item) => {
      const quoted = /^"(.*?)(?: \[…\].*)?"(?: \(to: ".*"\))?$/m.exec(item)?.[1]
      return quoted === undefined ? [] : [quoted]
    }),
    steps: items(section('Next Steps')).map((item) => item.replace(/(?: \[\w+\])?(?: — from \S+)?$/m, '')),
    otherPaths: others.flatMap(([, text]) =>
      [...text.matchAll(/`([^`\n]+)`/g)].flatMap(([, code = '']) =>
        /^[\w.@-]+(?:\/[\w.@-]+)+\.\w+$/.test(code) ? [code] : [],
      ),
    ),
    plain: plain(facts),
    goal: at < 0 ? '' : (/\n(`{3,}|~{3,})text\n([\s\S]*)\n\1\s*$/.exec(body.slice(at))?.[2] ?? ''),
  }
}

/** As texts are compared: escapes and code marks gone, lower case, single spaces. */
export const plain = (text: string): string =>
  text
    .replace(/\\([^\w\s])/g, '$1')
    .replace(/[`"“”]/g, '')
    .replace(/\s+/g, ' ')
    .trim()
    .toLowerCase()

const items = (section: string): string[] =>
  section
    .split(/^- /m)
    .slice(1)
    // What stands between two groups of items belongs to none.
    .map((item) => (item.split(/\n\n(?=\S)/, 1)[0] ?? '').trimEnd())

/** The code span an item begins with. */
function leadingCode(item: string): string[] {
  const mark = /^`+/.exec(item)?.[0]
  if (mark === undefined) return []
  const end = item.indexOf(mark, mark.length)
  if (end < 0) return []
  const inner = item.slice(mark.length, end)
  return [mark.length > 1 ? inner.replace(/^ (.*) $/, '$1') : inner]
}

const unindent = (block: string): string =>
  block
    .split('\n')
    .map((line) => line.replace(/^ {2}/, ''))
    .join('\n')
