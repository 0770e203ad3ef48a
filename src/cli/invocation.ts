import { userInfo } from 'node:os'
import { isAbsolute, resolve } from 'node:path'
import { makeBriefId } from '../brief/id.ts'
import type { Invocation } from '../command.ts'
import { folderGone } from '../errors/git.ts'

declare const __VERSION__: string | undefined
export const VERSION = typeof __VERSION__ === 'string' ? __VERSION__ : '0.0.0-source'

/** What a process hands in; tests pass their own. */
export interface Surroundings {
  env: Readonly<Record<string, string | undefined>>
  cwd: () => string
  home?: string | undefined
  now?: (() => Date) | undefined
  entropy?: (() => string) | undefined
  signal?: AbortSignal | undefined
  onReader?: ((agent: string) => void) | undefined
}

/** What a command is run with. `folder`: the one that was named, else the current one. Throws `folderGone`. */
export function invocationIn(
  { env, cwd, home, now = () => new Date(), entropy = dice, signal, onReader }: Surroundings,
  folder: string | null,
  streams: Pick<Invocation, 'out' | 'stderr' | 'readStdin'>,
): Invocation {
  return {
    place: {
      root: folderOf(cwd, folder),
      home: home ?? homeOf(env),
      env,
      now,
      newId: (parent) => makeBriefId(now(), entropy(), parent),
      signal,
    },
    ...streams,
    version: VERSION,
    ...(onReader === undefined ? {} : { onReader }),
  }
}

/** An id must be unlike others, not hard to guess; the generator is seeded by the system. */
const dice = (): string =>
  Math.floor(Math.random() * 16 ** 5)
    .toString(16)
    .padStart(5, '0')

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
