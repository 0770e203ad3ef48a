import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { orNull } from '../errors/handoff-error.ts'
import type { Repo } from '../git/open-repo.ts'
import type { GitHookPlace } from '../hooks/git-managers.ts'
import { isWithin } from '../hooks/target.ts'
import { packageFolder } from './find-program.ts'

/** `says`: a clause on where hooks are looked for. */
export async function readPlace(repo: Repo): Promise<{ place: GitHookPlace; says: string }> {
  const { root, commonDir } = repo
  const [path, setting] = await Promise.all([
    repo.git(['rev-parse', '--git-path', 'hooks']),
    repo.git(['config', '--show-scope', '--get', 'core.hooksPath'], { answers: [1] }),
  ])
  // One line break is git's own.
  const folder = resolve(root, path.replace(/\r?\n$/, ''))
  const [, scope = '', value = ''] = /^(\w+)\t(.*)/s.exec(setting.trimEnd()) ?? []
  const at = /^(.*?)[/\\]?(\.husky)(?:[/\\]_)?[/\\]?$/.exec(relative(root, folder))
  return {
    place: {
      root,
      folder,
      kind: kindOf(folder, at !== null, repo),
      husky: at === null ? join(root, '.husky') : join(root, at[1] ?? '', '.husky'),
      has: (name) => existsSync(join(root, name)),
      packages: packagesOf(root),
      text: (event) => readFileSync(join(packageFolder(), 'hooks', event), 'utf8'),
    },
    says: `core.hooksPath of your ${scope || 'git'} configuration is ${value || relative(commonDir, folder)}`,
  }
}

function kindOf(folder: string, isHusky: boolean, { root, commonDir }: Repo): GitHookPlace['kind'] {
  const real = realOf(folder)
  if (isWithin(realOf(commonDir), real)) return 'own'
  if (!isWithin(realOf(root), real)) return 'foreign'
  return isHusky ? 'husky' : 'kept'
}

/** The real path, also of what is still to be made. */
function realOf(path: string): string {
  const real = orNull(() => realpathSync(path))
  if (real !== null || path === dirname(path)) return real ?? path
  return join(realOf(dirname(path)), basename(path))
}

function packagesOf(root: string): ReadonlySet<string> {
  const text = orNull(() => readFileSync(join(root, 'package.json'), 'utf8'))
  const value = orNull(() => JSON.parse(text ?? '{}') as Record<string, unknown>)
  return new Set([value?.dependencies, value?.devDependencies].flatMap((list) => Object.keys(list ?? {})))
}
