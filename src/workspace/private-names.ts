import { basename } from 'node:path'
import type { Invocation } from '../command.ts'

/** Names that must not stand in a path: the home directory's and the login's. */
export function people({ place }: Invocation, gitName: string): { home: string | null; userNames: string[] } {
  const names = [basename(place.home), place.env.USER ?? '', place.env.LOGNAME ?? '', gitName]
  return {
    home: place.home,
    userNames: [...new Set(names.filter((name) => name.length > 2 && name !== 'root'))],
  }
}
