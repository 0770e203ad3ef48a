import { withAcp } from '../agents/acp/connect.ts'
import type { Invocation } from '../command.ts'
import { oneLine, visible } from '../text/safe-text.ts'
import { ask, mayAsk } from '../workspace/at-terminal.ts'
import type { RepoWorkspace } from '../workspace/workspace.ts'

/** One turn with an ACP agent: who, where, what it is told, and who hears it. */
export interface AcpTurn {
  name: string
  cwd: string
  env: Record<string, string>
  prompt: string
  /** Ms for the turn; absent: however long it takes. */
  timeout?: number | undefined
  /** Print what it says, as it says it. */
  isShown: boolean
  onStart(): void
}

/**
 * Gives the prompt to an ACP agent in a session of its own and waits for the end of its turn; exit status 0, 1 where it refused. It may do
 * what the person at the terminal allows, one by one; without one it may do nothing that it asks for. Throws `acpFailed`, `acpUnknown`.
 */
export async function startAcp(
  invocation: Invocation,
  { loaded }: Pick<RepoWorkspace, 'loaded'>,
  { name, cwd, env, prompt, timeout, isShown, onStart }: AcpTurn,
): Promise<{ output: string; exit: number }> {
  const { out, place } = invocation
  let output = ''
  const hear = (text: string): void => {
    output += text
    if (isShown) out.raw(text)
  }
  const exit = await withAcp(
    {
      ...{ name, own: loaded.own, cwd, env, signal: place.signal },
      // A model thinks, and a command runs, as long as they do.
      limit: 0,
      onUpdate(update) {
        if (update.sessionUpdate === 'agent_message_chunk' && update.content.type === 'text')
          hear(visible(update.content.text))
        else if (update.sessionUpdate === 'tool_call') out.say(`${name}: ${oneLine(update.title)}`)
      },
      async onPermission({ options, toolCall }) {
        if (!mayAsk(invocation)) return options.find(({ kind }) => kind === 'reject_once')?.optionId ?? null
        return ask(invocation, (questions) =>
          questions.one({
            message: `${name} asks: ${oneLine(toolCall.title ?? 'may it go on?')}`,
            choices: options.map(({ optionId, name: label }) => ({ value: optionId, label })),
          }),
        )
      },
    },
    async ({ agent, ask: wait, fail }) => {
      const { sessionId } = await wait(agent.request('session/new', { cwd, mcpServers: [] }))
      onStart()
      place.signal?.addEventListener('abort', () => void agent.notify('session/cancel', { sessionId }), {
        once: true,
      })
      const turn = wait(
        agent.request('session/prompt', { sessionId, prompt: [{ type: 'text', text: prompt }] }),
      )
      let timer: NodeJS.Timeout | undefined
      const late = new Promise<never>((_, reject) => {
        if (timeout !== undefined)
          timer = setTimeout(() => reject(fail(`its turn took longer than ${timeout / 1000} s`)), timeout)
      })
      const { stopReason } = await Promise.race([turn, late]).finally(() => clearTimeout(timer))
      return stopReason === 'end_turn' ? 0 : 1
    },
  )
  return { output, exit }
}
