import { describe, expect, it } from 'vitest'
import { createReplay } from '../../../src/agents/acp/replay.ts'

/** How a command that ended so is told. */
function resultOf(rawOutput: unknown, text: string) {
  const replay = createReplay()
  const call = { toolCallId: 'c1', title: 'npm test', rawInput: { command: 'npm test' } }
  replay.add({ sessionUpdate: 'tool_call', kind: 'execute', status: 'pending', ...call })
  const content = [{ type: 'content' as const, content: { type: 'text' as const, text } }]
  replay.add({
    ...{ sessionUpdate: 'tool_call_update', toolCallId: 'c1', status: 'completed', rawOutput, content },
  })
  const { events } = replay.end()
  expect(events[0]).toMatchObject({ kind: 'call', action: { type: 'run', command: 'npm test' } })
  return events[1]
}

describe('the outcome of a command that an ACP agent replays', () => {
  it.each([
    ['OpenCode', { output: '', metadata: { exit: 1 } }, 'not ok 2', 1],
    ['Copilot CLI', { content: '' }, 'not ok 2\n<shellId: 0 completed with exit code 1>', 1],
    ['Qwen Code', '', 'Output: not ok 2\nError: (none)\nExit Code: 1\nSignal: 0\nProcess Group PGID: 9', 1],
    ['Qwen Code', '', 'prints "exit code 3"\nError: (none)\nExit Code: 0\nSignal: 0', 0],
    ['an agent that does not say', '', 'ok 1', null],
  ])('of %s: %j', (_, raw, text, exitCode) => {
    expect(resultOf(raw, text)).toMatchObject({ kind: 'result', exitCode, ok: exitCode !== 1 })
  })
})
