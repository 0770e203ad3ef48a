/** The stdio server: what the official library needs to know, and nothing of handoff. In a file of its own when built. */
import { McpServer, type StandardSchemaWithJSON, type ToolAnnotations } from '@modelcontextprotocol/server'
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio'

export interface McpTool {
  name: string
  title: string
  description: string
  /** A schema that checks the arguments and tells its own JSON Schema. */
  input: StandardSchemaWithJSON
  annotations: ToolAnnotations
  /** `meta` is the client's own word on the call (`_meta`). Whatever it throws is told to the model as an error. */
  call(args: unknown, meta: Readonly<Record<string, unknown>>): Promise<{ text: string; isError: boolean }>
}

export interface McpService {
  name: string
  title: string
  version: string
  /** What the client may tell its model about the server. */
  instructions: string
  tools: readonly McpTool[]
  /** What refuses a call, the library's own words too, as it may be sent: it quotes what was asked for. */
  clean<T>(message: T): Promise<T>
}

/** Serves until the client closes standard input. Calls run one after the other: two of them could write the same files. */
export async function serveMcp(service: McpService): Promise<void> {
  const { name, title, version, instructions } = service
  let before: Promise<unknown> = Promise.resolve()
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const turn = before.then(work, work)
    before = turn
    return turn
  }
  const transport = new StdioServerTransport()
  const send = transport.send.bind(transport)
  transport.send = async (message) => send(isRefusal(message) ? await service.clean(message) : message)
  const factory = (): McpServer => {
    const server = new McpServer({ name, title, version }, { instructions, capabilities: { tools: {} } })
    for (const tool of service.tools)
      server.registerTool(
        tool.name,
        {
          title: tool.title,
          description: tool.description,
          inputSchema: tool.input,
          annotations: tool.annotations,
        },
        async (args: unknown, { mcpReq }) => {
          const { text, isError } = await inTurn(() => tool.call(args, mcpReq._meta ?? {}))
          return { content: [{ type: 'text' as const, text }], isError }
        },
      )
    return server
  }
  const handle = serveStdio(factory, { transport })
  await new Promise<void>((resolve) => {
    process.stdin.once('end', resolve)
    process.stdin.once('close', resolve)
  })
  // A call that is under way ends what it writes; nobody is there any more to be answered.
  await before.catch(() => undefined)
  await handle.close()
}

const isRefusal = (message: object): boolean =>
  'error' in message ||
  ('result' in message && (message.result as { isError?: boolean } | null)?.isError === true)
