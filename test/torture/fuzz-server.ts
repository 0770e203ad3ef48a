import fc from 'fast-check'
import { type Cut, cutUp, someCuts } from './fuzz-bytes.ts'
import { heldTo } from './fuzz-held.ts'
import type { Subject } from './fuzz-hunt.ts'
import type { Run } from './fuzz-program.ts'
import { type Edit, edited, edits, jsonOf } from './fuzz-values.ts'

const HELLO = {
  jsonrpc: '2.0',
  id: 'hello',
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'f', version: '1' } },
}
const MESSAGES: readonly object[] = [
  HELLO,
  { jsonrpc: '2.0', method: 'notifications/initialized' },
  { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} },
  {
    jsonrpc: '2.0',
    id: 2,
    method: 'tools/call',
    params: { name: 'handoff_read', arguments: { log: 'branch' }, _meta: { threadId: 't' } },
  },
  {
    jsonrpc: '2.0',
    id: 3,
    method: 'tools/call',
    params: { name: 'handoff_finalize', arguments: { information: ['x'] } },
  },
  { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 2 } },
]
const LAST = { jsonrpc: '2.0', id: 'last', method: 'ping' }

export const server = (run: Run): Subject => ({
  kind: 'MCP messages, 30 to a server',
  operation: 'built program: mcp',
  counts: [2, 40],
  inputs: fc.array(fc.record({ message: fc.nat(MESSAGES.length - 1), edits, cuts: someCuts }), {
    minLength: 30,
    maxLength: 30,
  }),
  async meets(input) {
    const all = input as { message: number; edits: Edit[]; cuts: Cut[] }[]
    const lines = all.map(({ message, edits: some, cuts: torn }) =>
      cutUp(Buffer.from(jsonOf(edited(MESSAGES[message], some))), torn),
    )
    const first = Buffer.from(`${JSON.stringify(HELLO)}\n${JSON.stringify(MESSAGES[1])}\n`)
    const body = lines.flatMap((line) => [line, Buffer.from('\n')])
    const ended = await run(
      ['mcp'],
      Buffer.concat([first, ...body, Buffer.from(`${JSON.stringify(LAST)}\n`)]),
    )
    const answers = ended.stdout
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as { id?: unknown })
    for (const id of ['hello', 'last'])
      if (!answers.some((answer) => answer.id === id))
        throw new Error(`no answer to ${id}: ${ended.stderr.slice(0, 500)}`)
    // An answer may repeat what the client itself has sent.
    return heldTo('mcp', { ...ended, stdout: '' }, [0])
  },
})
