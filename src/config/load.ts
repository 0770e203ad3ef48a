import { existsSync, readdirSync } from 'node:fs'
import { isAbsolute, join } from 'node:path'
import { orNull } from '../errors/handoff-error.ts'
import type { Config, Home, Place } from '../types/config.ts'
import { findRepositoryConfig, readConfigFile, textOf } from './files.ts'
import { defaultConfig, envName, keys } from './keys.ts'
import { mergeLayer, type Origins, type Whose } from './merge.ts'
import { isOwn, noOwnSettings, type OwnSettings, splitOwn } from './own.ts'

export interface LoadedConfig {
  config: Config
  /** Where each value that is not a default came from. */
  origins: Origins
  /** What only the person's own configuration can say. */
  own: OwnSettings
  warnings: string[]
  /** The same in parts: keys that nothing reads there, `isOwn` if the person's own configuration would. */
  unknown: { name: string; where: string; isOwn: boolean }[]
  /** Where the person's own configuration stands, or would. */
  ownFile: string
  /** The person's own text in place of a built-in one; null: there is none. Throws `badConfig`. */
  templateOf: TemplateOf
}

/** A text of the person's own and its file. */
export type OwnTemplate = { text: string; place: string }
export type TemplateOf = (name: 'preamble' | 'pointer-prompt' | 'request') => OwnTemplate | null

/**
 * Layers, each over the one before: defaults, user, repository, `.pi/settings.json#handoff` (sessions of Pi only),
 * `HANDOFF_*`, flags. Throws `badConfig`. Unknown keys are warned about and ignored.
 */
export async function loadConfig(
  place: Home,
  options: { root: string | null; isPi?: boolean; flags?: Record<string, unknown> },
): Promise<LoadedConfig> {
  const config = defaultConfig()
  const origins: Origins = new Map()
  const warnings: string[] = []
  const unknown: LoadedConfig['unknown'] = []
  const user = await readUserConfig(place)
  const ownFile = user?.path ?? join(ownFolder(place), 'config.yaml')
  const templates = join(ownFolder(place), 'templates')
  const templateOf: TemplateOf = (name) => {
    const file = join(templates, `${name}.txt`)
    const text = textOf(file)
    return text === null ? null : { text, place: file }
  }
  const add = (layer: unknown, where: string, whose: Whose = 'person'): void => {
    for (const name of mergeLayer(config, origins, layer, { where, whose })) {
      unknown.push({ name, where, isOwn: isOwn(name) })
      warnings.push(
        isOwn(name)
          ? `${where}: \`${name}\` ignored: it counts only in your own configuration, ${ownFile}`
          : `${where}: unknown key \`${name}\` ignored`,
      )
    }
  }

  const { own, rest } = user === null ? { own: noOwnSettings(), rest: {} } : splitOwn(user.value, user.path)
  if (user !== null) add(rest, user.path)
  if (options.root !== null) {
    const file = await findRepositoryConfig(options.root)
    if (file !== null) add(file.value, file.path, 'repository')
    // Agents would read them as their person's words.
    for (const name of orNull(() => readdirSync(join(options.root ?? '', TEMPLATES))) ?? [])
      if (name !== OF_REVIEWS)
        warnings.push(`${TEMPLATES}/${name} ignored: it counts only in your own folder, ${templates}`)
    if (options.isPi === true) {
      const path = join(options.root, '.pi', 'settings.json')
      const settings = (await readConfigFile(path, options.root)) as { handoff?: unknown } | null
      add(settings?.handoff, `${path}#handoff`, 'repository')
    }
  }
  add(environmentLayer(place.env), 'environment')
  add(options.flags, 'command line')
  return { config, origins, own, warnings, unknown, ownFile, templateOf }
}

const TEMPLATES = '.handoff/templates'
/** The comment on a pull request, which its base branch may word. */
const OF_REVIEWS = 'pr-comment.txt'

async function readUserConfig(place: Home): Promise<{ path: string; value: Record<string, unknown> } | null> {
  const folder = ownFolder(place)
  // Nearly nobody has one, and three failures to read take a millisecond.
  if (!existsSync(folder)) return null
  for (const name of ['config.yaml', 'config.yml', 'config.json']) {
    const path = join(folder, name)
    const value = await readConfigFile(path)
    if (value !== null && typeof value === 'object') return { path, value: value as Record<string, unknown> }
  }
  return null
}

/**
 * Folder of the person's own configuration. An empty or relative XDG_CONFIG_HOME is none, as its specification says: it would lie in
 * the repository, which could then speak for its person.
 */
export function ownFolder({ home, env }: Home): string {
  const named = env.XDG_CONFIG_HOME ?? ''
  return join(isAbsolute(named) ? named : join(home, '.config'), 'handoff')
}

function environmentLayer(env: Place['env']): Record<string, string> {
  const layer: Record<string, string> = {}
  // Names are made from a hundred keys only where one of them can be meant.
  if (!Object.keys(env).some((name) => name.toUpperCase().startsWith('HANDOFF_'))) return layer
  for (const key of keys)
    for (const name of [key.path, ...key.aliases]) {
      const value = env[envName(name)]
      if (value !== undefined && value !== '') layer[key.path] = value
    }
  return layer
}
