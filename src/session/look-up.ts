import { lookedUp } from '../brief/claims.ts'
import type { Repo } from '../git/open-repo.ts'
import { inTree } from '../git/status.ts'
import { squash } from '../text/blocks.ts'
import type { Notes } from '../types/brief.ts'
import type { Place } from '../types/config.ts'
import type { GitState } from '../types/git.ts'
import type { PickedSession } from './pick-session.ts'

/** Names asked git for, of those that the session does not hold. */
const MOST_ASKED = 200
/** Of the text that a page holds in long runs a line with so many is the page itself. */
const RUNS = 4
const LEAST_SAME = 3

/**
 * What notes name or quote and neither the session nor the repository holds; what notes say of themselves, in the call that
 * hands them over, does not count.
 */
export async function lookUp(
  notes: Notes,
  goal: string,
  {
    picked,
    place,
    repo,
    git,
  }: {
    picked: PickedSession | null
    place: Pick<Place, 'home' | 'env' | 'signal'>
    repo: Repo | null
    git: GitState | null
  },
): Promise<Set<string>> {
  const { names, quotes } = lookedUp(notes)
  const open = new Map(names.map((name) => [name, probesOf(name)]))
  const said = new Map(quotes.map((quote) => [quote, { pieces: piecesOf(quote), run: runOf(quote) }]))
  const drop = (has: (probe: string) => boolean): void => {
    for (const [name, probes] of open) {
      const left = probes.filter((probe) => !has(probe))
      if (left.length === 0) open.delete(name)
      else open.set(name, left)
    }
  }
  const hear = (text: string): void => {
    const words = squash(text)
    for (const [quote, { pieces }] of said)
      if (pieces.every((piece) => words.includes(piece))) said.delete(quote)
  }
  const known = [
    goal,
    ...(git === null
      ? []
      : [git.branch, git.upstream, git.head, ...git.commits.map(({ subject }) => subject), ...git.files]),
  ].join('\n')
  drop((probe) => known.includes(probe))
  hear(goal)
  if (picked !== null && open.size + said.size > 0) {
    const isPage = pageTest(notes)
    const look = (block: Buffer): void => {
      for (const line of block.toString('utf8').split('\n')) {
        if (open.size + said.size === 0) return
        if (isPage(line)) continue
        drop((probe) => line.includes(probe))
        const plain = said.size === 0 ? '' : line.replaceAll('**', '')
        for (const [quote, { run }] of said) if (plain.includes(run)) said.delete(quote)
      }
    }
    const { cut } = picked
    // The bytes hold what came after a cut.
    const options = { place, signal: place.signal, ...(cut === undefined ? { onRaw: look } : {}) }
    for await (const batch of picked.adapter.read(picked.ref, options)) {
      for (const event of batch) {
        if (cut !== undefined) look(Buffer.from(JSON.stringify(event)))
        if ('text' in event && event.sub === null) hear(event.text)
      }
      if (open.size + said.size === 0) break
    }
  }
  if (repo !== null && open.size + said.size > 0) {
    const asked = new Set([...open.values(), [...said.values()].map(({ run }) => run)].flat())
    // A document that became the page is no proof of itself.
    const itself = notes.by !== undefined && 'document' in notes.by ? notes.by.document : null
    const here = await inTree(repo, [...asked].slice(0, MOST_ASKED), itself)
    for (const [quote, { run }] of said) if (here.has(run)) said.delete(quote)
    drop((probe) => here.has(probe))
  }
  return new Set([...open.keys(), ...said.keys()])
}

/** What must stand somewhere for a name to be known: a path or commit whole, of an identifier like `Queue.add()` each word. */
function probesOf(name: string): string[] {
  const bare = name
    .replace(/\(\)$/, '')
    .replace(/(?::\d+(?:-\d+)?)$/, '')
    .replace(/^(?:\.\/|@)/, '')
    .replace(/[/.:]+$/, '')
  if (/^[0-9a-f]{7,64}$/.test(bare)) return [bare.slice(0, 7)]
  if (/\.[a-z]\w{0,4}$/i.test(bare)) return [bare]
  const words = bare.split(/[^\p{L}\p{N}_-]+/u).filter((word) => word.length > 2)
  return words.length === 0 ? [bare] : words
}

/** A quote without marks and blanks, in the pieces that are left where it leaves words out. */
const piecesOf = (quote: string): string[] =>
  quote
    .split(/\[…\]|…|\.{3}/)
    .map(squash)
    .filter((piece) => piece !== '')

/** The longest part of a quote that no file writes otherwise. */
const runOf = (quote: string): string =>
  (quote.match(/[\p{L}\p{N} ,]+/gu) ?? [])
    .reduce((longest, run) => (run.length > longest.length ? run : longest), '')
    .trim()

/** Whether a line of a transcript holds the page itself, in whatever quoting: several of its longest plain runs of words stand in it. */
function pageTest(notes: Notes): (line: string) => boolean {
  const runs = notes.page.match(/[A-Za-z0-9 ,.]{20,}/g) ?? []
  const longest = runs.toSorted((a, b) => b.length - a.length).slice(0, RUNS)
  const least = Math.min(LEAST_SAME, longest.length)
  return (line) => least > 0 && longest.filter((run) => line.includes(run)).length >= least
}
