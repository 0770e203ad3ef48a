import { type HandoffError, isHandoffError } from '../errors/handoff-error.ts'
import { modelFailed, modelPackageMissing, modelUnknown } from '../errors/model.ts'
import type { Model } from './model.ts'
import { MAX_ANSWER } from './program.ts'
import type { ProviderName } from './provider-names.ts'

type Env = Readonly<Record<string, string | undefined>>

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

/** What a service sent does not end. */
class TooLarge extends Error {}

/** As `fetch`, but an answer that is too long, unpacked, is an error as soon as it is, and the connection is closed: the packages read any. */
const fetchAnswer: typeof fetch = async (input, init) => {
  const response = await fetch(input, init)
  let size = 0
  const counted = response.body?.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(part, controller) {
        size += part.byteLength
        if (size > MAX_ANSWER)
          controller.error(new TooLarge(`it answered with more than ${MAX_ANSWER >> 20} MB`))
        else controller.enqueue(part)
      },
    }),
  )
  return counted === undefined ? response : new Response(counted, response)
}

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
    const address = given?.trim().replace(/\/+$/, '')
    return createAnthropic({
      ...(apiKey === undefined && authToken !== undefined ? { authToken } : { apiKey: apiKey ?? '' }),
      baseURL:
        address === undefined
          ? SERVICES.anthropic.base
          : /\/v\d\w*$/.test(address)
            ? address
            : `${address}/v1`,
      fetch: fetchAnswer,
    })(id)
  },
  openai: async ({ OPENAI_API_KEY: apiKey = '', OPENAI_BASE_URL: given }: Env, id: string) => {
    const { createOpenAI } = await import('@ai-sdk/openai')
    const baseURL = given ?? SERVICES.openai.base
    return createOpenAI({ apiKey, baseURL, fetch: fetchAnswer })(id)
  },
  google: async (logins: Env, id: string) => {
    const { createGoogleGenerativeAI } = await import('@ai-sdk/google')
    const { GOOGLE_GENERATIVE_AI_API_KEY: apiKey = '', GOOGLE_GENERATIVE_AI_BASE_URL: given } = logins
    const baseURL = given ?? SERVICES.google.base
    return createGoogleGenerativeAI({ apiKey, baseURL, fetch: fetchAnswer })(id)
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
  const { keys, address, base } = SERVICES[provider]
  const logins = loginsOf(provider, env)
  const packages = ['ai', `@ai-sdk/${provider}`]
  const missing = (cause: unknown) => modelPackageMissing(name, packages, where.installLine(packages), cause)
  if (!packages.every(where.canLoad)) throw missing(null)
  const { generateText } = await import('ai').catch((cause) => {
    throw missing(cause)
  })
  // Before anything is asked, so that a missing package is told at once.
  await OPEN[provider](logins, id).catch((cause) => {
    if (isMissing(cause)) throw missing(cause)
  })
  // It would write on standard error by itself.
  Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false })
  return {
    name,
    async ask({ prompt, signal }) {
      if (keys.every((key) => logins[key] === undefined))
        throw modelFailed(name, `no key is set, in ${keys.join(' or ')}`)
      const wrong = wrongAddress(logins[address])
      if (wrong !== null)
        throw modelFailed(
          name,
          `${address} ${wrong}; it takes one such as ${base}, and the key goes into ${keys[0]}`,
        )
      try {
        const { text, finishReason, response } = await generateText({
          model: await OPEN[provider](logins, id),
          prompt,
          maxRetries: 0,
          ...(signal === undefined ? {} : { abortSignal: signal }),
        })
        return usable(name, { text, finishReason, response })
      } catch (error) {
        if (signal?.aborted) throw signal.reason
        if (isHandoffError(error)) throw error
        throw providerFailure(error, { name, keys, address })
      }
    },
  }
}

/**
 * Why nobody can be asked at an address; null: no reason. Told here, without the address: `fetch` takes none with a login in it, nor one
 * that it cannot read, and repeats the whole of it when it says so.
 */
function wrongAddress(address: string | undefined): string | null {
  if (address === undefined) return null
  if (!URL.canParse(address)) return 'holds no address'
  const { username, password } = new URL(address)
  return username === '' && password === '' ? null : 'holds a login, which cannot be sent that way'
}

interface Said {
  text: string
  finishReason: string
  response: { body?: unknown }
}

/** The text, unless nobody can use it: then asking again would cost the same and end the same. Throws `modelFailed`. */
function usable(name: string, { text = '', finishReason, response }: Partial<Said>): string {
  // OpenAI ends a refusal as it ends an answer; in what a model says the quotes would be escaped.
  const isRefusal = JSON.stringify(response?.body ?? '').includes('"type":"refusal"')
  if (finishReason === 'content-filter' || isRefusal) throw modelFailed(name, 'it refused to answer')
  if (finishReason === 'length')
    throw modelFailed(
      name,
      'its answer was cut where it had written all it may; a model that may write more is needed, or a smaller `limits`',
    )
  if (text.trim() === '') throw modelFailed(name, 'its answer was empty')
  return text
}

const isMissing = (cause: unknown): boolean =>
  /^(?:ERR_MODULE_NOT_FOUND|MODULE_NOT_FOUND)$/.test(String((cause as { code?: unknown }).code))

/** The variables of a service, for whoever has to mend something. */
interface ServiceWords {
  /** As `provider/model`. */
  name: string
  /** Those that hold a key. */
  keys: readonly string[]
  address: string
}

/**
 * What went wrong with a question, as one sentence with what to do: `error` is what the packages of version 6 (`ai`) and 3
 * (`@ai-sdk/…`) throw. A model that is not there is an error of its own, since asking again will not help.
 */
function providerFailure(error: unknown, service: ServiceWords): HandoffError {
  const { name } = service
  const large = causesOf(error).find((cause) => cause instanceof TooLarge)
  if (large !== undefined) return modelFailed(name, large)
  const { statusCode: status, message, responseHeaders: headers } = fieldsOf(error)
  const said = typeof message === 'string' ? message.trim() : String(error)
  if (typeof status !== 'number') return modelFailed(name, said)
  if (isOfModel(error, said, name)) return modelUnknown(name, `${status}: ${said}`)
  // What the packages say of an answer that broke off, or that is none.
  if (said.startsWith('Failed to process'))
    return modelFailed(name, 'the connection ended before the whole answer was there; try again')
  if (said === 'Invalid JSON response')
    return modelFailed(name, `what came back is no answer of such a service; look at ${service.address}`)
  const advice = adviceOn(status, fieldsOf(headers)['retry-after'], service)
  const words = said === '' ? `${status}` : said.startsWith(`${status}`) ? said : `${status}: ${said}`
  return modelFailed(name, advice === '' ? words : `${words.replace(/[.;\s]+$/, '')}; ${advice}`)
}

/** What each of the services says of a model that it has not; a 404 by itself may be one of the path. */
function isOfModel(error: unknown, said: string, name: string): boolean {
  const { statusCode, data } = fieldsOf(error)
  const { code, type, status } = fieldsOf(fieldsOf(data).error)
  if (code === 'model_not_found') return true
  const id = name.slice(name.indexOf('/') + 1)
  return statusCode === 404 && (type === 'not_found_error' || status === 'NOT_FOUND' || said.includes(id))
}

function adviceOn(status: number, retryAfter: unknown, { keys, address }: ServiceWords): string {
  if (status === 404) return `look at ${address}`
  if (status === 401 || status === 403) return `look at ${keys.join(' or ')}`
  if (status === 429)
    return typeof retryAfter === 'string' && /^\d{1,6}$/.test(retryAfter)
      ? `wait ${retryAfter} s and try again`
      : 'wait a little and try again, or look at the limits of your account'
  return status >= 500 ? 'the service is in trouble, try again later' : ''
}

const fieldsOf = (value: unknown): Partial<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? value : {}

function causesOf(error: unknown): unknown[] {
  const all: unknown[] = []
  for (let one = error; one !== undefined && all.length < 5; one = fieldsOf(one).cause) all.push(one)
  return all
}
