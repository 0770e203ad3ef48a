import { isWithin, withFileIfThere } from './session-files.ts'

/** Bytes at the start of a session in which paths are looked for. */
const LOOKED_AT = 512 * 1024
/** An absolute path that is a whole value of JSON, or of JSON within a text. */
const PATH = /"(?:file:\/\/)?(\/[^"\\\n]+)\\?"/g

/**
 * The one of `roots` that holds most of the paths a session names, for formats that do not tell their directory; null where most lie
 * elsewhere, since a session may read one file of another repository.
 */
export function rootTouched(path: string, roots: readonly string[]): string | null {
  const text = withFileIfThere(path, (file) => file.at(0, LOOKED_AT).toString('utf8')) ?? ''
  const paths = [...text.matchAll(PATH)].map(([, found = '']) => found)
  const inside = roots.map((root) => paths.filter((found) => isWithin(found, [root])).length)
  const most = Math.max(0, ...inside)
  return most * 2 > paths.length ? (roots[inside.indexOf(most)] ?? null) : null
}
