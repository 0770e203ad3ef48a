import { join, relative } from 'node:path'
import type { Place } from '../../types/place.ts'
import { fromHome, piNames } from '../pi/files.ts'

/**
 * Folders oh-my-pi 18.2.3 keeps sessions in (`pi-utils/src/dirs.ts`): below its agent folder, that of a profile, or where data
 * of the desktop goes once the person has moved it there; or side by side in the one the environment names.
 */
export function ohMyPiSessionFolders({ home, env }: Pick<Place, 'home' | 'env'>): string[] {
  if (env.PI_CODING_AGENT_SESSION_DIR) return [fromHome(env.PI_CODING_AGENT_SESSION_DIR, home)]
  const profile = env.OMP_PROFILE ?? env.PI_PROFILE ?? ''
  const below = profile === '' ? [] : ['profiles', profile]
  const root = join(home, env.PI_CONFIG_DIR || '.omp', ...below)
  const agent = (profile === '' && env.PI_CODING_AGENT_DIR) || join(root, 'agent')
  const moved = env.XDG_DATA_HOME ? [join(env.XDG_DATA_HOME, 'omp', ...below, 'sessions')] : []
  return [...moved, join(fromHome(agent, home), 'sessions')]
}

/**
 * How the names of oh-my-pi's folders may begin for sessions in `roots`: `-` and the path below the home, `-tmp` and the one
 * below the temporary folder, else as in Pi.
 */
export function ohMyPiNames(home: string, roots: readonly string[]): string[] {
  const below = roots.flatMap((root) => {
    const path = relative(home, root)
    if (path.startsWith('..')) return relative(root, home).startsWith('..') ? [] : ['-']
    return [`-${path.replace(/[/\\:]/g, '-')}`]
  })
  return [...below, '-tmp', ...piNames(roots)]
}
