import type { Rule } from '../rule.ts'

/** Every listed file is one that git knows, the session touched or somebody named. */
export const unnamedFiles: Rule = {
  id: 'unnamed-files',
  level: 'strict',
  check({ parsed, facts }) {
    const { knownFiles } = facts
    const section = parsed.sections.find(({ id }) => id === 'files')
    const unsafe = parsed.brief.files.filter(({ path }) =>
      /^(?:\/|~|[A-Za-z]:)|(?:^|\/)\.\.(?:\/|$)/.test(path),
    )
    const line = (path: string): number =>
      section?.items.find(({ text }) => text.includes(path))?.line ?? section?.line ?? 1
    return [
      ...unsafe.map(({ path }) => ({ line: line(path), message: `${path} does not lie in this repository` })),
      ...(knownFiles === null ? [] : parsed.brief.files)
        .filter(
          ({ path, mark }) =>
            mark === undefined &&
            !unsafe.some((file) => file.path === path) &&
            knownFiles?.has(path) === false,
        )
        .map(({ path }) => ({ line: line(path), message: `${path} was never named or touched` })),
    ]
  },
}
