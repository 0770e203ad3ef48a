import { type HandoffError, isHandoffError } from '../errors/handoff-error.ts'
import { modelFailed, modelPackageMissing, modelUnknown } from '../errors/writing.ts'
import type { Model } from './model.ts'

type Env = Readonly<Record<string, string | undefined>>

/** Services whose models can be named as `provider/model`. */
export const PROVIDERS = ['anthropic', 'openai', 'google'] as const

export type ProviderName = (typeof PROVIDERS)[number]

/** A name of a model as every service writes them; it never begins as an option of a program does. */
export const isModelId = (name: string): boolean => /^[A-Za-z0-9][\w.:/@-]{0,120}$/.test(name)

/** `provider/model`, taken apart; null when it is not of that form or the provider is none of ours. */
export function readModelName(name: string): { provider: ProviderName; id: string } | null {
  const [word, ...rest] = name.split('/')
  const id = rest.join('/')
  const provider = PROVIDERS.find((one) => one === word)
  return provider === undefined || !isModelId(id) ? null : { provider, id }
}

/** Variables of each service: its keys, its address, and where it is without one. */
const SERVICES = {
  anthropic: {
    keys: ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN'],
    address: 'ANTHROPIC_BASE_URL',
    base: 'https://api.anthropic.com/v1',
  },
  openai: { keys: ['OPENAI_API_KEY'], address: 'OPENAI_BASE_URL', base: 'https://api.openai.com/v1' },
  google: {
    keys: ['GOOGLE_GENERATIVE_AI_API_KEY'],
    address: 'GOOGLE_GENERATIVE_AI_BASE_URL',
    base: 'https://generativelanguage.googleapis.com/v1beta',
  },
} as const satisfies Record<ProviderName, { keys: readonly string[]; address: string; base: string }>

/** What is read of the environment for a service; a variable without a value is none. */
export function loginsOf(provider: ProviderName, env: Env): Env {
  const { keys, address } = SERVICES[provider]
  return Object.fromEntries(
    [...keys, address].map((name) => [name, env[name]?.trim() ? env[name] : undefined]),
  )
}

/**
 * How each service is reached. Key and address are always handed over: the packages read the variables by themselves, take an empty
 * one for a key, and know no place but the process. Anthropic's takes a version in the address; Claude Code, whose variable it is,
 * adds `/v1/messages` to it (both seen: 3.0.138, 2.1.330).
 */
const OPEN = {
  anthropic: async (logins: Env, id: string) => {
    const { createAnthropic } = await import('@ai-sdk/anthropic')
    const { ANTHROPIC_API_KEY: apiKey, ANTHROPIC_AUTH_TOKEN: authToken, ANTHROPIC_BASE_URL: given } = logins
    const address = (given ?? SERVICES.anthropic.base).trim().replace(/\/+$/, '')
    return createAnthropic({
      ...(apiKey === undefined && authToken !== undefined ? { authToken } : { apiKey: apiKey ?? '' }),
      baseURL: /\/v\d\w*$/.test(address) ? address : `${address}/v1`,
    })(id)
  },
  openai: async ({ OPENAI_API_KEY: apiKey = '', OPENAI_BASE_URL: given }: Env, id: string) => {
    const { createOpenAI } = await import('@ai-sdk/openai')
    return createOpenAI({ apiKey, baseURL: given ?? SERVICES.openai.base })(id)
  },
  google: async (logins: Env, id: string) => {
    const { createGoogleGenerativeAI } = await import('@ai-sdk/google')
    const { GOOGLE_GENERATIVE_AI_API_KEY: apiKey = '', GOOGLE_GENERATIVE_AI_BASE_URL: given } = logins
    return createGoogleGenerativeAI({ apiKey, baseURL: given ?? SERVICES.google.base })(id)
  },
} satisfies Record<ProviderName, unknown>

/**
 * A model behind a service, through the packages `ai` and `@ai-sdk/<provider>`, which are loaded here and nowhere else. One request
 * per question: nothing is tried again. `where`: how the program was installed. Throws `modelPackageMissing`.
 */
export async function providerModel(
  provider: ProviderName,
  id: string,
  {
    env,
    ...where
  }: { env: Env; installLine: (packages: string[]) => string; canLoad: (name: string) => boolean },
): Promise<Model> {
  const name = `${provider}/${id}`
  const { keys } = SERVICES[provider]
  const logins = loginsOf(provider, env)
  const packages = ['ai', `@ai-sdk/${provider}`]
  const missing = (cause: unknown): HandoffError =>
    modelPackageMissing(name, packages, where.installLine(packages), cause)
  if (!packages.every((one) => where.canLoad(one))) throw missing(null)
  const { generateText } = await import('ai').catch((cause) => Promise.reject(missing(cause)))
  // Before anything is asked, so that a missing package is told at once.
  await OPEN[provider](logins, id).catch((cause) => {
    if (String(fieldsOf(cause).code).endsWith('MODULE_NOT_FOUND')) throw missing(cause)
  })
  // It would write on standard error by itself.
  Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false })
  return {
    name,
    async ask({ prompt, signal }) {
      if (keys.every((key) => logins[key] === undefined))
        throw modelFailed(name, `no key is set, in ${keys.join(' or ')}`)
      try {
        const { text, finishReason } = await generateText({
          model: await OPEN[provider](logins, id),
          prompt,
          maxRetries: 0,
          ...(signal === undefined ? {} : { abortSignal: signal }),
        })
        if (finishReason === 'content-filter') throw modelFailed(name, 'it refused to answer')
        if (finishReason === 'length')
          throw modelFailed(name, 'its answer was cut; name a model that may write more')
        if (text.trim() === '') throw modelFailed(name, 'its answer was empty')
        return text
      } catch (error) {
        if (signal?.aborted) throw signal.reason
        throw isHandoffError(error) ? error : failureOf(error, provider, name)
      }
    },
  }
}

/** What the packages of version 6 (`ai`) and 3 (`@ai-sdk/…`) throw, as one sentence; a model that is not there is an error of its own. */
function failureOf(error: unknown, provider: ProviderName, name: string): HandoffError {
  const { keys, address } = SERVICES[provider]
  const { statusCode: status, message, data } = fieldsOf(error)
  const said = typeof message === 'string' ? message.trim() : String(error)
  if (typeof status !== 'number') return modelFailed(name, said)
  const words = said.startsWith(`${status}`) ? said : `${status}: ${said}`
  if (status === 404 || fieldsOf(fieldsOf(data).error).code === 'model_not_found')
    return modelUnknown(name, words)
  const advice =
    status === 401 || status === 403
      ? `; look at ${keys.join(' or ')}`
      : status < 300
        ? `; try again, or look at ${address}`
        : ''
  return modelFailed(name, advice === '' ? words : words.replace(/[.;\s]+$/, '') + advice)
}

const fieldsOf = (value: unknown): Partial<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? value : {}
