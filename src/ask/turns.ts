import { pathTokens } from '../facts/paths.ts'

/** Lines of a brief: a request of the person with what came of it, or one line of another section. */
export interface Quote {
  brief: string
  section: string
  lines: string[]
  /** `commit`: it names the commit; `file`: only the file, perhaps for another change. */
  about: 'commit' | 'file'
}

/** A brief, as far as its words are asked. */
interface AskedBrief {
  id: string
  /** Id that it knows the commit by. */
  as: string
  parsed: {
    sections: readonly {
      id: string | null
      heading: string
      lines: readonly { text: string; fenced: boolean }[]
    }[]
  }
}

/** Turns that are quoted, and lines of one. */
const MOST = 3
export const MOST_LINES = 8
/** Digits in it of an id that texts name. */
const SHORT = 7
/** What the person demanded is no reason for a change. */
const SECTIONS = ['trail', 'decisions', 'memory', 'closing', 'questions']

/**
 * The turns of these briefs that name the commit, else those that name the file. `paths`: those that the file has and had;
 * `tracked`: all that git knows, by which a bare name means one file or several.
 */
export function turnsOn(
  briefs: readonly AskedBrief[],
  paths: readonly string[],
  tracked: readonly string[],
): Quote[] {
  const turns = briefs.flatMap((brief) => turnsOf(brief).map((turn) => ({ ...turn, as: brief.as })))
  const isFile = (word: string): boolean => {
    const ends = (path: string): boolean => path === word || path.endsWith(`/${word}`)
    const others = tracked.filter((path) => ends(path) && !paths.includes(path))
    return paths.some((path) => ends(path) || word.endsWith(`/${path}`)) && others.length === 0
  }
  const naming = (about: Quote['about'], names: (line: string, as: string) => boolean): Quote[] =>
    turns
      .filter(({ lines, as }) => lines.some((line) => names(line, as)))
      .map(({ brief, section, lines }) => ({ brief, section, lines, about }))
  const found = naming('commit', (line, as) => line.includes(as.slice(0, SHORT)))
  const quotes = found.length > 0 ? found : naming('file', (line) => pathTokens(line).some(isFile))
  // The brief that goes on hands down what it was handed.
  const unique = new Map(quotes.map((quote) => [quote.lines.join('\n'), quote]))
  return [...unique.values()].slice(0, MOST)
}

/** In the trail each request with what stands below it; elsewhere each line by itself. */
function turnsOf({ id, parsed }: AskedBrief): Omit<Quote, 'about'>[] {
  return SECTIONS.flatMap((wanted) => {
    const section = parsed.sections.find((one) => one.id === wanted)
    const turns: string[][] = []
    for (const { text, fenced } of section?.lines ?? []) {
      const words = text.replace(/^(?:> ?|\s*- )/, '').trim()
      if (fenced || words === '') continue
      const last = turns.at(-1)
      if (wanted === 'trail' && last !== undefined && text.startsWith(' ')) last.push(words)
      else turns.push([words])
    }
    return turns.map((lines) => ({
      brief: id,
      section: section?.heading ?? '',
      lines: lines.slice(0, MOST_LINES),
    }))
  })
}
