import { createServer, type IncomingMessage } from 'node:http'
import { anthropic } from './anthropic.ts'
import { partsOf } from './calls.ts'
import { chat } from './chat.ts'
import { isJson, type Json, string, USAGE } from './dialect.ts'
import { gemini } from './gemini.ts'
import { responses } from './responses.ts'
import { pickStep, type Scenario } from './scenario.ts'

const dialects = [anthropic, responses, chat, gemini]

/** A model that listens on loopback and answers by the script. */
export interface Model {
  /** Base address without a path. */
  url: string
  /** Bodies of the model requests so far, in order; headers, and with them keys, are never kept. */
  requests: Json[]
  /** Requests that no wire format or script could answer. */
  problems: string[]
  close: () => Promise<void>
}

/** Starts the scripted model on a free port of 127.0.0.1. `key`: what each request must bring; absent: any or none. */
export async function startModel(scenario: Scenario, key?: string): Promise<Model> {
  const requests: Json[] = []
  const problems: string[] = []
  const server = createServer(async (request, response) => {
    const path = new URL(request.url ?? '/', 'http://127.0.0.1').pathname
    const dialect = dialects.find((one) =>
      typeof one.path === 'string' ? one.path === path : one.path.test(path),
    )
    try {
      const body = await readBody(request)
      if (request.method !== 'POST' || !dialect) {
        // Clients probe for models and token counts and go on without an answer.
        response
          .writeHead(404, { 'content-type': 'application/json' })
          .end('{"error":{"message":"not scripted"}}')
        return
      }
      if (key !== undefined && keyOf(request) !== key)
        throw new Error('the key is not the one that was given')
      requests.push(body)
      const view = dialect.view(body)
      const parts = partsOf(pickStep(scenario, view), view)
      const events = dialect.events(parts, string(body.model), scenario.usage ?? USAGE)
      response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' })
      response.end(events.join(''))
    } catch (error) {
      problems.push(`${request.method} ${path}: ${error instanceof Error ? error.message : String(error)}`)
      response
        .writeHead(400, { 'content-type': 'application/json' })
        .end('{"error":{"message":"the script failed"}}')
    }
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', resolve)
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the scripted model has no port')
  return {
    url: `http://127.0.0.1:${address.port}`,
    requests,
    problems,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}

/** The key in the header of whichever wire format. */
const keyOf = ({ headers }: IncomingMessage): unknown =>
  headers['x-api-key'] ??
  headers['x-goog-api-key'] ??
  headers['api-key'] ??
  headers.authorization?.replace(/^Bearer /, '')

async function readBody(request: IncomingMessage): Promise<Json> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const body: unknown = chunks.length === 0 ? {} : JSON.parse(Buffer.concat(chunks).toString('utf8'))
  if (!isJson(body)) throw new Error('the body is not a JSON object')
  return body
}
