import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

export interface Comment {
  id: number
  body: string
  author: string
}

/** A loopback server that plays the part of the comments of GitHub and the notes of GitLab. */
export interface CommentsApi {
  url: string
  comments: Comment[]
  /** Method and path of every request, in order. */
  requests: string[]
  /** Requests that write are answered with this status instead. */
  refuse: number | null
  /** The token that is known. */
  token: string
}

/** Whose comments the token writes, on both. */
const BOT = { login: 'github-actions[bot]', id: 7 }

export async function openApi(): Promise<CommentsApi> {
  const api: CommentsApi = { url: '', comments: [], requests: [], refuse: null, token: 'a-token-for-tests' }
  const server = createServer((request, response) => {
    read(request).then(
      (body) => {
        const [status, value] = answer(api, request, body)
        response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
      },
      (error: unknown) => response.writeHead(500).end(String(error)),
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => new Promise<void>((resolve) => void server.close(() => resolve())))
  api.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return api
}

function answer(api: CommentsApi, request: IncomingMessage, body: string): [number, unknown] {
  const { method = '', headers } = request
  const url = new URL(request.url ?? '/', api.url)
  api.requests.push(`${method} ${url.pathname}`)
  const given = headers['private-token'] ?? headers.authorization?.replace(/^Bearer /, '')
  if (given !== api.token) return [401, { message: 'Bad credentials' }]
  if (url.pathname === '/user') return [200, { id: BOT.id, username: BOT.login }]
  const list = /^\/(?:repos\/org\/repo\/issues\/1\/comments|projects\/5\/merge_requests\/1\/notes)$/
  const one = /^\/(?:repos\/org\/repo\/issues\/comments|projects\/5\/merge_requests\/1\/notes)\/(\d+)$/
  if (method === 'GET' && list.test(url.pathname)) {
    const [size, page] = [Number(url.searchParams.get('per_page')), Number(url.searchParams.get('page'))]
    return [200, api.comments.slice((page - 1) * size, page * size).map(shown)]
  }
  if (api.refuse !== null) return [api.refuse, { message: 'Resource not accessible by integration' }]
  const text = (JSON.parse(body) as { body: string }).body
  if (text.length > 65_536) return [422, { message: 'body is too long (maximum is 65536 characters)' }]
  if (method === 'POST' && list.test(url.pathname)) {
    const comment = { id: 1000 + api.comments.length, body: text, author: BOT.login }
    api.comments.push(comment)
    return [201, shown(comment)]
  }
  const found = api.comments.find(({ id }) => id === Number(one.exec(url.pathname)?.[1]))
  if ((method !== 'PATCH' && method !== 'PUT') || found === undefined) return [404, { message: 'Not Found' }]
  found.body = text
  return [200, shown(found)]
}

const shown = ({ id, body, author }: Comment) => ({
  id,
  body,
  user: { login: author },
  author: { id: author === BOT.login ? BOT.id : 99, username: author },
})

async function read(request: IncomingMessage): Promise<string> {
  const blocks: Buffer[] = []
  for await (const block of request) blocks.push(block as Buffer)
  return Buffer.concat(blocks).toString('utf8')
}
