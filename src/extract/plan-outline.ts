/** An accepted plan as its headings and steps tell it. */
export interface AcceptedPlan {
  title: string
  /** Headings and numbered steps, in order; those that every plan has are left out. */
  parts: string[]
  /** The file it stands in, as the agent named it; null when no file is known. */
  path: string | null
  at: string | null
}

const MAX_PARTS = 14
const MAX_PART = 110
/** Headings that every plan may have. */
const PLAIN =
  /^(?:the )?(?:implementation |proposed |work |action )?(?:plan|context|overview|summary|goals?|background|steps|approach|problem|changes|tasks?|verification|testing|files? (?:to )?(?:modify|change|changed|modified))$/i

/** Whether a prompt is a plan or an issue that was pasted: several headings, or more lines than a person types. */
export const isOutlined = (text: string): boolean => (text.match(/^#{1,4}\s+\S/gm) ?? []).length > 1

/** Title and parts of a plan; a plan without headings gives its numbered steps. */
export function headingsOf(text: string): { title: string; parts: string[] } {
  const lines = withoutFences(text)
  const headings = lines.filter((line) => /^#{1,4}\s+\S/.test(line)).map(plain)
  const told = headings.filter((line) => !PLAIN.test(line))
  const first = lines.find((line) => line.trim() !== '' && !PLAIN.test(plain(line)))
  const title = told[0] ?? plain(first ?? '')
  const steps = lines.filter((line) => /^\s{0,1}\d{1,2}[.)]\s+\S/.test(line)).map(plain)
  const parts = (told.length > 2 ? told.slice(1) : [...told.slice(1), ...steps])
    .filter((part) => part !== title)
    .map((part) => (part.length <= MAX_PART ? part : `${part.slice(0, part.lastIndexOf(' ', MAX_PART))} […]`))
  return { title, parts: [...new Set(parts)].slice(0, MAX_PARTS) }
}

function withoutFences(text: string): string[] {
  let isFenced = false
  return text.split(/\r?\n/).filter((line) => {
    if (!/^\s*(?:```|~~~)/.test(line)) return !isFenced
    isFenced = !isFenced
    return false
  })
}

const plain = (line: string): string =>
  line
    .replace(/^\s*(?:#{1,6}|[-*•]|\d{1,2}[.)])\s+/, '')
    .replace(/\*\*/g, '')
    .replace(/^(?:Implementation )?Plan:\s+/i, '')
    .replace(/\s+/g, ' ')
    .replace(/:$/, '')
    .trim()
