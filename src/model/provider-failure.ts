import type { HandoffError } from '../errors/handoff-error.ts'
import { modelFailed, modelUnknown } from '../errors/model.ts'
import { TooLarge } from './provider-fetch.ts'

/** The variables of a service, for whoever has to mend something. */
export interface ServiceWords {
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
export function providerFailure(error: unknown, service: ServiceWords): HandoffError {
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
