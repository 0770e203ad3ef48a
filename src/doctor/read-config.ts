import { join } from 'node:path'
import { callerOf } from '../agents/caller.ts'
import { defaultConfig, envName, keys } from '../config/keys.ts'
import { type LoadedConfig, loadConfig, ownFolder } from '../config/load.ts'
import { noOwnSettings } from '../config/own.ts'
import type { Config } from '../types/config.ts'
import type { Place } from '../types/place.ts'
import { asFinding } from './as-finding.ts'

/** One effective key. */
export interface ConfigRow {
  key: string
  value: unknown
  /** `default`, a file as people write it, a variable of the environment, or the command line. */
  from: string
  /** It holds for sessions of this agent alone. */
  only?: 'pi'
}

/** What is configured here and where each value came from. A configuration that cannot be used is a fact; then the defaults hold. */
export async function lookAtConfig(place: Place, root: string | null, name: (path: string) => string) {
  const isPi = callerOf(place.env)?.agent === 'pi'
  try {
    const loaded = await loadConfig(place, { root, isPi })
    const pi = isPi || root === null ? null : await loadConfig(place, { root, isPi: true })
    const facts = {
      problem: null as string | null,
      unknown: (pi ?? loaded).unknown.map((one) => ({ ...one, where: name(one.where) })),
      /** An executable file of the repository that was left alone. */
      refusedCode: loaded.refusedCode,
      /** The person's own file, as people write it. */
      ownFile: name(loaded.ownFile),
    }
    return { config: loaded.config, facts, rows: rowsOf(place, loaded, pi, name) }
  } catch (error) {
    const config = defaultConfig()
    // A message begins with the file that it is about.
    const problem = asFinding(error).message.replace(/^(\/[^:]+)(?=:)/, (path) => name(path))
    const ownFile = name(join(ownFolder(place), 'config.yaml'))
    return {
      config,
      facts: { problem, unknown: [], refusedCode: null, ownFile },
      rows: keys.map(({ path }) => ({ key: path, value: at(config, path), from: 'default' })),
    }
  }
}

function rowsOf(
  place: Place,
  loaded: LoadedConfig,
  pi: LoadedConfig | null,
  name: (path: string) => string,
): ConfigRow[] {
  const from = ({ origins }: LoadedConfig, path: string): string => {
    const origin = origins.get(path)?.where ?? 'default'
    return origin === 'environment' ? variableOf(place, path) : name(origin)
  }
  const rows = keys.flatMap(({ path }): ConfigRow[] => {
    const row: ConfigRow = { key: path, value: at(loaded.config, path), from: from(loaded, path) }
    const forPi = pi === null ? row.from : from(pi, path)
    return forPi === row.from || pi === null
      ? [row]
      : [row, { key: path, value: at(pi.config, path), from: forPi, only: 'pi' }]
  })
  const none = noOwnSettings()
  const own = Object.entries(loaded.own).map(([key, value]): ConfigRow => {
    const isSaid = JSON.stringify(value) !== JSON.stringify(none[key as keyof typeof none])
    return { key, value, from: isSaid ? name(loaded.ownFile) : 'default' }
  })
  return [...rows, ...own]
}

const at = (config: Config, path: string): unknown =>
  path.split('.').reduce<unknown>((value, part) => (value as Record<string, unknown>)[part], config)

/** The variable that decided: of several names of a key the last that is set. */
function variableOf({ env }: Place, path: string): string {
  const key = keys.find((one) => one.path === path)
  const names = [path, ...(key?.aliases ?? [])].map(envName)
  return names.findLast((name) => (env[name] ?? '') !== '') ?? 'environment'
}
