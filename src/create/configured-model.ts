import { relative } from 'node:path'
import { envName, keys } from '../config/keys.ts'
import type { LoadedConfig } from '../config/load.ts'
import { cannotAsk } from '../errors/model.ts'
import { usage } from '../errors/usage.ts'
import { isModelId } from '../model/provider-names.ts'
import type { Ask } from '../types/agent.ts'
import type { Config } from '../types/config.ts'

/** The model that the configuration wants asked instead of the session's; null when it wants none. Throws `usage`, `cannotAsk`. */
export function configuredModel(
  { model }: Config,
  label: string,
  { provider, needsProvider }: Ask,
): string | null {
  if (model.useCurrent) return null
  if (model.name === null)
    throw usage(
      '`useCurrentModel` is false, and `model` names none.',
      'Set `model: provider/model`, or name it here: --extract <provider/model>.',
    )
  const slash = model.name.indexOf('/')
  const [of, id] =
    slash === -1 ? [null, model.name] : [model.name.slice(0, slash), model.name.slice(slash + 1)]
  if (!isModelId(model.name) || !isModelId(id))
    throw cannotAsk(label, `${JSON.stringify(model.name)} is no name of a model.`)
  if (of === null && needsProvider)
    throw cannotAsk(
      label,
      `it takes a model as \`provider/model\`, and \`model\` says ${JSON.stringify(id)}.`,
    )
  if (provider === undefined) return model.name
  if (of !== null && of !== provider) throw cannotAsk(label, `it knows no model of ${of}.`)
  return id
}

/** Where the configuration names the model, for the person: a variable, or the key in a file. */
export function whereModelIsSet(
  { origins, config: loaded }: LoadedConfig,
  config: Config,
  { root, env }: { root: string; env: Readonly<Record<string, string | undefined>> },
): string {
  const key = keys.find(({ path }) => path === 'model.name')
  const origin = origins.get('model.name')
  if (key !== undefined && origin === 'environment') {
    // The last that is set counts.
    const name = [key.path, ...key.aliases].map(envName).findLast((one) => env[one])
    return `set in ${name ?? 'the environment'}`
  }
  // Sessions of Pi bring a layer of their own.
  if (origin === undefined || loaded.model.name !== config.model.name)
    return 'set as `model` in .pi/settings.json'
  const path = relative(root, origin)
  return `set as \`model\` in ${path.startsWith('..') ? origin : path}`
}

/** The model that a session names, where the agent takes such a name; else null. */
export const modelOfSession = (name: string | null, { needsProvider }: Ask): string | null =>
  name !== null && isModelId(name) && (needsProvider === undefined || name.includes('/')) ? name : null
