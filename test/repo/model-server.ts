import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'

/** How the scripted service answers one request. */
export type Answer = { text: string } | { refuses: true } | { status: number } | { hangs: true }

export interface ModelServer {
  /** Variables with which each of the three packages reaches it; the keys are dummies. */
  env: Record<string, string>
  /** Everything that arrived, request line, headers and body. */
  arrived: string[]
  /** The bodies alone. */
  bodies: string[]
  /** Resolves when so many requests have arrived. */
  reached(count: number): Promise<void>
  /** Connections that are open. */
  open(): number
  close(): Promise<void>
}

/** A service on loopback that speaks the three APIs without streams; the last answer is given again. */
export async function startModelServer(answers: readonly Answer[]): Promise<ModelServer> {
  const arrived: string[] = []
  const bodies: string[] = []
  let waiting: { count: number; resolve: () => void }[] = []
  const sockets = new Set<unknown>()
  const server = createServer(async (request, response) => {
    const body = await textOf(request)
    arrived.push(`${request.method} ${request.url}\n${JSON.stringify(request.headers)}\n${body}`)
    bodies.push(body)
    const answer = answers[Math.min(bodies.length, answers.length) - 1] ?? { status: 500 }
    for (const { count, resolve } of waiting) if (bodies.length >= count) resolve()
    waiting = waiting.filter(({ count }) => bodies.length < count)
    give(answer, request.url ?? '', response)
  })
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
  return {
    env: {
      ANTHROPIC_API_KEY: 'dummy',
      ANTHROPIC_BASE_URL: url,
      OPENAI_API_KEY: 'dummy',
      OPENAI_BASE_URL: `${url}/v1`,
      GOOGLE_GENERATIVE_AI_API_KEY: 'dummy',
      GOOGLE_GENERATIVE_AI_BASE_URL: `${url}/v1beta`,
    },
    arrived,
    bodies,
    reached: (count) =>
      bodies.length >= count ? Promise.resolve() : new Promise((resolve) => waiting.push({ count, resolve })),
    open: () => sockets.size,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}

function give(answer: Answer, path: string, response: ServerResponse): void {
  if ('hangs' in answer) return
  const status = 'status' in answer ? answer.status : 200
  const value = 'status' in answer ? failed(status) : said(path, 'text' in answer ? answer.text : null)
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
}

const failed = (status: number): object => ({
  type: 'error',
  error: { type: 'rate_limit_error', code: status, message: `scripted ${status}`, status: 'FAILED' },
})

/** A whole reply in the form of the API at that path; null: the model refused. */
function said(path: string, text: string | null): object {
  if (path.endsWith('/messages'))
    return {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'scripted',
      content: text === null ? [] : [{ type: 'text', text }],
      stop_reason: text === null ? 'refusal' : 'end_turn',
      stop_sequence: null,
      usage: { input_tokens: 10, output_tokens: 10 },
    }
  if (path.endsWith('/responses'))
    return {
      id: 'resp_1',
      object: 'response',
      created_at: 1,
      model: 'scripted',
      status: 'completed',
      output: [
        {
          type: 'message',
          id: 'item_1',
          role: 'assistant',
          status: 'completed',
          content: [
            text === null
              ? { type: 'refusal', refusal: 'I cannot.' }
              : { type: 'output_text', text, annotations: [] },
          ],
        },
      ],
      usage: { input_tokens: 10, output_tokens: 10 },
    }
  return {
    candidates: [
      {
        index: 0,
        content: { role: 'model', parts: text === null ? [] : [{ text }] },
        finishReason: text === null ? 'SAFETY' : 'STOP',
      },
    ],
    usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 10, totalTokenCount: 20 },
  }
}

async function textOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part as Buffer)
  return Buffer.concat(parts).toString('utf8')
}
