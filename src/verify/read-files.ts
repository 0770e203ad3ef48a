import type { Named } from '../git/compare-commits.ts'
import type { FileTruth } from '../types/checks.ts'
import type { FileFact } from '../types/evidence.ts'

/**
 * A path that git can be asked for: relative and without steps up, as a brief writes them. What a hostile text names instead is
 * left to its reader.
 */
export const isPlainPath = (path: string): boolean =>
  path !== '' &&
  // Of a name that is no UTF-8 a brief has U+FFFD, which git does not know.
  !/^\/|^[A-Za-z]:|\/$|[\0\ufffd]/.test(path) &&
  !path.split('/').some((part) => part === '' || part === '.' || part === '..' || part === '.git')

/** The path as git knows it: a brief shows hidden characters and line breaks as `\u{hex}`. */
export const readPath = (shown: string): string =>
  shown.replace(/\\u\{(10[0-9a-f]{4}|[0-9a-f]{1,5})\}/g, (_, hex: string) =>
    String.fromCodePoint(Number.parseInt(hex, 16)),
  )

/** What became of one file that a brief names. */
export function fileTruth({ path: shown, mark }: Pick<FileFact, 'path' | 'mark'>, named: Named): FileTruth {
  const isAsShown = [named.then, named.now, named.onDisk].some((paths) => paths.has(shown))
  const path = isAsShown ? shown : readPath(shown)
  const change = named.work.get(path)
  const isHere = isPathHere(path, named)
  const to = named.now.has(path) && isHere ? undefined : named.renamed.get(path)
  const lines = named.lines.get(to ?? path)
  const work = change === undefined ? undefined : workOf(change.state)
  const tell = (state: FileTruth['state']): FileTruth => ({
    path: shown,
    state,
    ...(to === undefined ? {} : { to }),
    ...(lines === undefined ? {} : { lines }),
    ...(work === undefined ? {} : { work }),
  })
  if (mark === 'planned') return tell(isHere ? 'made' : 'planned')
  if (mark === 'gone') return tell(isHere ? 'back' : 'same')
  if (to !== undefined) return tell('renamed')
  if (!isHere && (named.then.has(path) || named.now.has(path))) return tell('gone')
  if (!isHere) return tell(mark === 'unverified' ? 'never' : 'missing')
  if (!named.now.has(path)) return tell('same')
  if (named.changed === null) return tell('unknown')
  if (!named.then.has(path)) return tell('added')
  return tell(named.changed.changed.includes(path) ? 'changed' : 'same')
}

/** On disk, or in HEAD and only left out of this work tree (sparse checkout). */
export const isPathHere = (path: string, named: Named): boolean =>
  named.onDisk.has(path) || (named.now.has(path) && named.work.get(path)?.state !== 'deleted')

const workOf = (state: string): NonNullable<FileTruth['work']> =>
  state === 'deleted' || state === 'untracked' || state === 'conflicted' ? state : 'modified'
