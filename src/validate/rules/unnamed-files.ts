import type { Rule } from '../rule.ts'

/**
 * On one system or another this leads out of the repository, or begins at a home or drive. A hidden character is shown as `\u{…}` and
 * begins a name like any other.
 */
export const leadsAway = (path: string): boolean =>
  /^(?:[/~]|\\(?!u\{)|[A-Za-z]:)|(?:^|[/\\])\.\.(?:[/\\]|$)/.test(path)

/** Every listed file lies in the repository and is one that git knows, the session touched or somebody named. */
export const unnamedFiles: Rule = {
  id: 'unnamed-files',
  level: 'strict',
  over: 'brief',
  about: 'Every listed file lies in the repository and was named or touched by somebody.',
  check({ parsed, facts: { knownFiles, oddNames } }) {
    const section = parsed.sections.find(({ id }) => id === 'files')
    const lineOf = (path: string): number =>
      section?.items.find(({ text }) => text.includes(path))?.line ?? section?.line ?? 1
    return parsed.brief.files.flatMap(({ path, mark }) => {
      if (leadsAway(path) && oddNames?.has(path) !== true)
        return [{ line: lineOf(path), message: `${path} does not lie in this repository` }]
      // A marked file says itself that nothing confirms it, that it is gone, or still to be made.
      if (mark !== undefined || knownFiles === null || knownFiles.has(path)) return []
      return [{ line: lineOf(path), message: `${path} was never named or touched` }]
    })
  },
}
