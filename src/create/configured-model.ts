import { relative, resolve } from 'node:path'
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

/** Where the configuration names the model, for the person. */
export function whereModelIsSet({ origins }: LoadedConfig, root: string): string {
  const origin = origins.get('model.name') ?? '.pi/settings.json'
  if (origin === 'environment') return 'set in the environment'
  const path = relative(root, resolve(root, origin))
  return `set as \`model\` in ${path.startsWith('..') ? origin : path}`
}

/** The model that a session names, where the agent takes such a name; else null. */
export const modelOfSession = (name: string | null, { needsProvider }: Ask): string | null =>
  name !== null && isModelId(name) && (needsProvider === undefined || name.includes('/')) ? name : null
