/** Services whose models can be named as `provider/model`. */
export const PROVIDERS = ['anthropic', 'openai', 'google'] as const

export type ProviderName = (typeof PROVIDERS)[number]

/** `provider/model`, taken apart; null when it is not of that form or the provider is none of ours. */
export function readModelName(name: string): { provider: ProviderName; id: string } | null {
  const [, word, id] = MODEL.exec(name) ?? []
  const provider = PROVIDERS.find((one) => one === word)
  return provider === undefined || id === undefined ? null : { provider, id }
}

/** A name of a model as every service writes them; it never begins as an option of a program does. */
const MODEL = /^([a-z][a-z0-9-]*)\/([A-Za-z0-9][\w.:/@-]{0,120})$/
export const isModelId = (name: string): boolean => /^[A-Za-z0-9][\w.:/@-]{0,120}$/.test(name)
