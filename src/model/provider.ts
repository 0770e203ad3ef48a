import { modelFailed, modelPackageMissing } from '../errors.ts'
import type { Model } from './model.ts'
import type { ProviderName } from './provider-names.ts'

type Env = Readonly<Record<string, string | undefined>>

/** How each service is reached; keys and addresses stand in the variables that its package reads by itself. */
const OPEN = {
  anthropic: async (env: Env, id: string) => {
    const { createAnthropic } = await import('@ai-sdk/anthropic')
    const { ANTHROPIC_API_KEY: apiKey, ANTHROPIC_AUTH_TOKEN: authToken, ANTHROPIC_BASE_URL: base } = env
    return createAnthropic({
      ...(apiKey !== undefined || authToken === undefined ? given('apiKey', apiKey) : { authToken }),
      // Claude Code writes the same variable without the version.
      ...given('baseURL', base?.replace(/^(https?:\/\/[^/]+)\/?$/, '$1/v1')),
    })(id)
  },
  openai: async (env: Env, id: string) => {
    const { createOpenAI } = await import('@ai-sdk/openai')
    return createOpenAI({ ...given('apiKey', env.OPENAI_API_KEY), ...given('baseURL', env.OPENAI_BASE_URL) })(
      id,
    )
  },
  google: async (env: Env, id: string) => {
    const { createGoogleGenerativeAI } = await import('@ai-sdk/google')
    return createGoogleGenerativeAI({
      ...given('apiKey', env.GOOGLE_GENERATIVE_AI_API_KEY),
      ...given('baseURL', env.GOOGLE_GENERATIVE_AI_BASE_URL),
    })(id)
  },
} satisfies Record<ProviderName, unknown>

/** Variables that are read for each service: its keys, and its address, which may hold a password. */
const VARIABLES: Readonly<Record<ProviderName, readonly string[]>> = {
  anthropic: ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'ANTHROPIC_BASE_URL'],
  openai: ['OPENAI_API_KEY', 'OPENAI_BASE_URL'],
  google: ['GOOGLE_GENERATIVE_AI_API_KEY', 'GOOGLE_GENERATIVE_AI_BASE_URL'],
}

/** What is read of the environment for a service. */
export const loginsOf = (provider: ProviderName, env: Env): Env =>
  Object.fromEntries(VARIABLES[provider].map((name) => [name, env[name]]))

const given = <K extends string>(key: K, value: string | undefined): { [name in K]?: string } =>
  (value === undefined || value === '' ? {} : { [key]: value }) as { [name in K]?: string }

/**
 * A model behind a service, through the packages `ai` and `@ai-sdk/<provider>`, which are loaded here and nowhere else. One request
 * per question: nothing is tried again. `where`: how the program was installed. Throws `modelPackageMissing`.
 */
export async function providerModel(
  provider: ProviderName,
  id: string,
  { env, installLine }: { env: Env; installLine: (packages: string[]) => string },
): Promise<Model> {
  const name = `${provider}/${id}`
  const packages = ['ai', `@ai-sdk/${provider}`]
  const { generateText, jsonSchema, Output } = await import('ai').catch((cause) => {
    throw modelPackageMissing(name, packages, installLine(packages), cause)
  })
  // Before anything is asked, so that a missing package is told at once.
  await OPEN[provider](env, id).catch((cause) => {
    if (isMissing(cause)) throw modelPackageMissing(name, packages, installLine(packages), cause)
  })
  // It would write on standard error by itself.
  Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false })
  return {
    name,
    async ask({ prompt, signal, schema }) {
      try {
        const { text, finishReason } = await generateText({
          model: await OPEN[provider](env, id),
          prompt,
          maxRetries: 0,
          ...(signal === undefined ? {} : { abortSignal: signal }),
          ...(schema === undefined ? {} : { output: Output.object({ schema: jsonSchema(schema) }) }),
        })
        if (finishReason === 'content-filter') throw modelFailed(name, 'it refused to answer')
        if (text.trim() === '') throw modelFailed(name, 'it said nothing')
        return text
      } catch (error) {
        if (signal?.aborted) throw signal.reason
        const { name: kind, text, finishReason, code } = error as Partial<Record<string, unknown>>
        if (code === 'E_MODEL') throw error
        // What it said is no JSON: the caller says so to the model, once.
        if (
          kind === 'AI_NoObjectGeneratedError' &&
          finishReason !== 'content-filter' &&
          typeof text === 'string' &&
          text.trim() !== ''
        )
          return text
        throw modelFailed(name, kind === 'AI_NoObjectGeneratedError' ? 'it refused to answer' : error)
      }
    },
  }
}

const isMissing = (cause: unknown): boolean =>
  /^(?:ERR_MODULE_NOT_FOUND|MODULE_NOT_FOUND)$/.test(String((cause as { code?: unknown }).code))
