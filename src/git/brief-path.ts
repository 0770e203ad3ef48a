/** Folder of the briefs, relative to the root. */
export const BRIEFS = '.handoff/briefs'

/** The strict shape of an id and of the file that carries it. */
export const ID = /^\d{8}T\d{6}-[0-9a-f]{8}$/
const FILE = /^(\d{8}T\d{6}-[0-9a-f]{8})(?:-[a-z0-9-]+)?\.md$/

/** The id in the name of a brief file, or null when the path is none. */
export const idOfPath = (path: string): string | null =>
  path.startsWith(`${BRIEFS}/`) ? idOfName(path.slice(BRIEFS.length + 1)) : null

const idOfName = (name: string): string | null => FILE.exec(name)?.[1] ?? null

/** A brief as git holds it. */
export interface BriefBlob {
  path: string
  id: string
  oid: string
  /** Anything but `100644` must not be read. */
  mode: string
}

/** The briefs among the entries of the folder of briefs, as a tree view holds them (names in latin1), oldest id first. */
export function briefsIn(entries: readonly { mode: string; oid: string; name: string }[]): BriefBlob[] {
  const briefs = entries.flatMap(({ mode, oid, name }) => {
    const id = idOfName(name)
    // Folders and submodules are no blobs.
    return id === null || mode === '40000' || mode === '160000'
      ? []
      : [{ path: `${BRIEFS}/${name}`, id, oid, mode }]
  })
  return briefs.sort((a, b) => (a.path < b.path ? -1 : 1))
}
