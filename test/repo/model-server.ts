import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'

/** One of each service. */
export const MODELS = ['anthropic/claude-haiku-4-5', 'openai/gpt-5-mini', 'google/gemini-2.5-flash'] as const

/** How the scripted service answers one request. */
export type Answer =
  | { text: string; isCut?: true }
  | { refuses: true }
  /** `message`: what the service says of it; it gets the key that came. `more`: further fields of the error. */
  | { status: number; message?: (key: string) => string; more?: object; headers?: Record<string, string> }
  | { hangs: true }
  /** The connection ends in the middle of the reply. */
  | { breaks: true }

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
    give(answer, request, response)
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

function give(answer: Answer, { url: path = '', headers }: IncomingMessage, response: ServerResponse): void {
  if ('hangs' in answer) return
  if ('breaks' in answer) {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' }).write('{"id":')
    setTimeout(() => response.destroy(), 50)
    return
  }
  const status = 'status' in answer ? answer.status : 200
  const key = String(headers['x-api-key'] ?? headers['x-goog-api-key'] ?? headers.authorization ?? '')
  const value =
    'status' in answer
      ? failed(status, answer.message?.(key.replace(/^Bearer /, '')) ?? `scripted ${status}`, answer.more)
      : said(path, 'text' in answer ? answer.text : null, 'isCut' in answer)
  response
    .writeHead(status, {
      'content-type': 'application/json',
      ...('status' in answer ? answer.headers : {}),
    })
    .end(JSON.stringify(value))
}

const failed = (status: number, message: string, more: object = {}): object => ({
  type: 'error',
  error: { type: 'rate_limit_error', code: status, message, status: 'FAILED', ...more },
})

/** A whole reply in the form of the API at that path; null: the model refused. */
function said(path: string, text: string | null, isCut: boolean): object {
  if (path.endsWith('/messages'))
    return {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'scripted',
      content: text === null ? [] : [{ type: 'text', text }],
      stop_reason: text === null ? 'refusal' : isCut ? 'max_tokens' : 'end_turn',
      stop_sequence: null,
      usage: { input_tokens: 10, output_tokens: 10 },
    }
  if (path.endsWith('/responses'))
    return {
      id: 'resp_1',
      object: 'response',
      created_at: 1,
      model: 'scripted',
      status: isCut ? 'incomplete' : 'completed',
      ...(isCut ? { incomplete_details: { reason: 'max_output_tokens' } } : {}),
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
        finishReason: text === null ? 'SAFETY' : isCut ? 'MAX_TOKENS' : 'STOP',
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
