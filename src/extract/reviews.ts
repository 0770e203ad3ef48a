/** One finding of a review stands out by itself: its severity leads it, or is a line of its own. */
const SEVERITY =
  /^(?:[-*•]\s+)?(?:\d+[.)]\s+)?\**(?:high|medium|low|minor|nit|nitpick|p[0-4]|blocker)\**(?: severity)?(?:\**:\**| [–—-]) \S/i
const SEVERITY_ALONE = /^\**(?:critical|high|medium|low) severity\**$/i

/** What reviews hold and single wishes rarely do; two paragraphs with one of them make a review. */
const SIGNS: readonly RegExp[] = [
  /(?:^|[\s(`[/])[\w./-]+\.[a-z]{1,5}:\d+/i, // a file with its line
  /(?:^|[.!] )Consider (?:either\b|\w+ing\b)/,
  /^The (?:`?\w+[A-Z_(]\S* (?:function|method|test|comment|check|class|struct|field|variable|helper|loop|type|constant|handler)|(?:function|method|test|comment|check|class|struct|field|variable|helper|type|constant) `?\w+[A-Z_(])/,
]

/**
 * The lines of a prompt without the review that was pasted into it: what reviewers of code found, from the first paragraph
 * that shows it to the last. What stands before and behind is the person's own. The same array when there is none.
 */
export function withoutReview(lines: readonly string[]): readonly string[] {
  if (!lines.some((line) => MAY_BE.test(line))) return lines
  const paragraphs = paragraphsIn(lines)
  const severe = paragraphs.map(({ text }) => text.some((line) => SEVERITY.test(line.trim())))
  const alone = paragraphs.findIndex(({ text }) => text.some((line) => SEVERITY_ALONE.test(line.trim())))
  const signed = paragraphs.map(
    ({ text }, at) => severe[at] === true || at === alone || isSigned(text.join(' ').trim()),
  )
  const isReview = alone !== -1 || severe.includes(true) || signed.filter(Boolean).length > 1
  if (!isReview) return lines
  const first = paragraphs[signed.indexOf(true)]?.from ?? 0
  // A severity that stands alone is a heading: what it is about follows.
  const last = alone === -1 ? (paragraphs[signed.lastIndexOf(true)]?.to ?? 0) : lines.length
  return lines.map((line, at) => (at >= first && at < last ? '' : line))
}

/** What stands in every line that can be a sign. */
const MAY_BE =
  /\w:\d|consider |^the |severity|(?:high|medium|low|minor|nit|nitpick|p[0-4]|blocker)\**(?::|\** [–—-])/i

const isSigned = (text: string): boolean => SIGNS.some((sign) => sign.test(text))

/** Runs of lines between blank ones; an item of a list begins a new one. */
function paragraphsIn(lines: readonly string[]): { text: string[]; from: number; to: number }[] {
  const out: { text: string[]; from: number; to: number }[] = []
  let open = false
  lines.forEach((line, at) => {
    const isBlank = line.trim() === ''
    if (!isBlank && open && !/^\s*(?:[-*•]|\d{1,2}[.)])\s/.test(line)) {
      const held = out.at(-1)
      held?.text.push(line)
      if (held) held.to = at + 1
    } else if (!isBlank) out.push({ text: [line], from: at, to: at + 1 })
    open = !isBlank
  })
  return out
}
