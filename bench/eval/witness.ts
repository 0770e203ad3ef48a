import { plain } from './claims.ts'

/** What really happened, as text to look things up in. */
export interface Witness {
  /** Every string of the transcript, as texts are compared. */
  text: string
  /** Paths that git shows as changed since the base, or that never existed before. */
  changed: ReadonlySet<string>
  /** Every path of the repository. */
  paths: ReadonlySet<string>
  goal: string
}

/**
 * Every string of a transcript, whatever its format: JSON by line or whole, else the raw text. Strings that hold a script
 * are added once more without their escapes, because a command stands quoted in them.
 */
export function textOfTrace(raw: string): string {
  const whole = parsed(raw)
  const values =
    whole === undefined
      ? raw.split('\n').map((line) => (line.trim() === '' ? '' : (parsed(line) ?? line)))
      : [whole]
  const texts = values.flatMap(stringsOf)
  const unescaped = texts
    .filter((text) => text.includes('\\'))
    .map((text) =>
      text.replace(/\\(["'`\\/nt])/g, (_, c: string) => (c === 'n' ? '\n' : c === 't' ? '\t' : c)),
    )
  return plain([...texts, ...unescaped].join('\n'))
}

/** The path was named in the session or the goal, or git knows that it was worked on. */
export function knowsPath(witness: Witness, path: string): boolean {
  if (witness.changed.has(path)) return true
  const sought = path.toLowerCase()
  if (holdsName(witness.text, sought) || holdsName(plain(witness.goal), sought)) return true
  // Named by its last part alone, or relative to a subdirectory: enough when such a file is here.
  const name = sought.slice(sought.lastIndexOf('/') + 1)
  const here = witness.paths.has(path)
  return here && (holdsName(witness.text, name) || holdsName(plain(witness.goal), name))
}

/** The text stands in the session or the goal, but for spacing, case and quotation marks. */
export const knowsText = (witness: Witness, text: string): boolean =>
  witness.text.includes(plain(text)) || plain(witness.goal).includes(plain(text))

/** The name as a whole: `a.ts` does not stand in `data.ts` or `a.tsx`. */
function holdsName(text: string, name: string): boolean {
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1)) {
    const before = text[at - 1] ?? ' '
    const after = text.slice(at + name.length, at + name.length + 2)
    if (!/[\w-]/.test(before) && !/^(?:[\w-]|\.\w)/.test(after)) return true
  }
  return false
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function stringsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (Array.isArray(value)) return value.flatMap(stringsOf)
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) => [key, ...stringsOf(inner)])
}
