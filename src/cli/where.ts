import { userInfo } from 'node:os'
import { isAbsolute, resolve } from 'node:path'
import { folderGone } from '../errors/git.ts'

/** The home directory, absolute; where the environment names none, the system does. */
export const homeOf = (env: Readonly<Record<string, string | undefined>>): string =>
  env.HOME || userInfo().homedir

/** The folder to work in, absolute: the one that `--cwd` names, else the current one. Throws `folderGone`. */
export function folderOf(cwd: () => string, wanted: string | null): string {
  if (wanted !== null && isAbsolute(wanted)) return resolve(wanted)
  try {
    return resolve(cwd(), wanted ?? '.')
  } catch {
    throw folderGone() // The only way it fails.
  }
}
