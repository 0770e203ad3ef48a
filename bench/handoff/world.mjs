/**
 * The work behind a session, played in memory: files that are edited, created, removed and renamed, commits and pushes. `repository.mjs`
 * makes a real git repository of it; what is true is then asked of git, never of this file.
 */
import { firstText } from './language/projects.mjs'

export function makeWorld(project, branch) {
  const files = new Map(project.files.map((path) => [path, firstText(project, path)]))
  // `outside` holds files that git ignores.
  return {
    project,
    branch,
    files,
    head: new Map(files),
    outside: new Map(),
    commits: [],
    pushed: 0,
    edits: 0,
  }
}

/** Changes one line of a file; gives the line before and after. */
export function editFile(world, path, dice) {
  const text = world.files.get(path)
  const lines = text.split('\n')
  const at = dice.between(0, lines.length - 2)
  const before = lines[at]
  // Each edit leaves a line that no other edit made, so that nothing becomes as it was by chance.
  const after = `${before.replace(/ (?:#|\/\/) step \d+$/, '')}${world.project.ending === 'py' ? ' #' : ' //'} step ${++world.edits}`
  lines[at] = after
  world.files.set(path, lines.join('\n'))
  return { before, after }
}

export const writeFile = (world, path, text) => world.files.set(path, text)

export const removeFile = (world, path) => world.files.delete(path)

export function renameFile(world, from, to) {
  world.files.set(to, world.files.get(from))
  world.files.delete(from)
}

/** What the work tree has and the last commit has not. */
export function uncommitted(world) {
  const changed = [...world.files].filter(([path, text]) => world.head.get(path) !== text)
  const gone = [...world.head.keys()].filter((path) => !world.files.has(path))
  return { changed, gone }
}

/** Commits all that is uncommitted. Gives the number of the commit, or null when there is nothing. */
export function commitAll(world, subject) {
  const { changed, gone } = uncommitted(world)
  if (changed.length + gone.length === 0) return null
  world.commits.push({ subject, changed, gone })
  world.head = new Map(world.files)
  return world.commits.length - 1
}

export const pushAll = (world) => {
  world.pushed = world.commits.length
}
