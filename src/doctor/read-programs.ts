import { delimiter } from 'node:path'
import { PROVIDERS } from '../model/provider-names.ts'
import type { Place } from '../types/place.ts'
import { findProgram, packageOf } from '../workspace/find-program.ts'
import { canLoad, installLine } from '../workspace/install-line.ts'
import { foldersOnPath } from '../workspace/program-name.ts'
import type { Installed } from './installed.ts'

type Where = Pick<Place, 'root' | 'home' | 'env'>

/** What both names of ours mean on PATH; null: nothing. */
export async function lookOnPath({ env }: Where) {
  const folders = foldersOnPath(env).join(delimiter)
  const find = async (name: string): Promise<Installed | null> => {
    const path = await findProgram(name, folders)
    return path === null ? null : installed(path)
  }
  return { handoff: await find('handoff'), gitHandoff: await find('git-handoff') }
}

function installed(path: string): Installed {
  const found = packageOf(path)
  return { path, name: found?.name ?? null, version: found?.version ?? null }
}

/** Packages that extraction by a model loads, when it is asked for. */
const MODEL_PACKAGES = ['ai', ...PROVIDERS.map((name) => `@ai-sdk/${name}`)]

/** Which of them can be loaded from here, and the command that installs the missing ones. Nothing is loaded. */
export function lookForModels(top: string): { found: string[]; missing: string[]; install: string } {
  const found = MODEL_PACKAGES.filter((name) => canLoad(name))
  const missing = MODEL_PACKAGES.filter((name) => !found.includes(name))
  return { found, missing, install: installLine(missing, top) }
}
