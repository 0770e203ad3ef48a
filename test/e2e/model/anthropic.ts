import { cwdIn, type Dialect, isJson, newId, objects, string, texts } from './dialect.ts'
import { stepsDone } from './scenario.ts'

const isReminder = (text: string) => /^\s*<system-reminder>[\s\S]*<\/system-reminder>\s*$/.test(text)

/** Anthropic Messages, as Claude Code 2.1.330 uses it. */
export const anthropic: Dialect = {
  path: '/v1/messages',
  view(body) {
    const messages = objects(body.messages)
    let at = -1
    let prompt = ''
    for (const [index, message] of messages.entries()) {
      if (message.role !== 'user') continue
      // A prompt may stand beside tool results, so the last text of its own counts.
      const own = texts(message.content).filter((text) => text.trim() && !isReminder(text))
      if (own.length === 0) continue
      at = index
      prompt = own.at(-1) ?? ''
    }
    const calls = messages.slice(at + 1).flatMap((message) => objects(message.content))
    const everything = [...texts(body.system), ...messages.flatMap((message) => texts(message.content))]
    return {
      prompt,
      done: stepsDone(calls.filter(({ type }) => type === 'tool_use').map(({ id }) => string(id))),
      tools: objects(body.tools).map(({ name }) => ({ name: string(name), freeform: false, nested: false })),
      cwd: cwdIn(everything.join('\n')),
    }
  },
  events(parts, model, used) {
    const usage = {
      input_tokens: used.input,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 0,
      output_tokens: 1,
    }
    const message = {
      id: newId('msg'),
      type: 'message',
      role: 'assistant',
      model,
      content: [],
      stop_reason: null,
      usage,
    }
    const stop = parts.some(({ type }) => type === 'call') ? 'tool_use' : 'end_turn'
    return [
      { type: 'message_start', message },
      ...parts.flatMap((part, index) => [
        {
          type: 'content_block_start',
          index,
          content_block:
            part.type === 'text'
              ? { type: 'text', text: '' }
              : { type: 'tool_use', id: `toolu_${part.id}`, name: part.name, input: {} },
        },
        {
          type: 'content_block_delta',
          index,
          delta:
            part.type === 'text'
              ? { type: 'text_delta', text: part.text }
              : {
                  type: 'input_json_delta',
                  partial_json: JSON.stringify(isJson(part.input) ? part.input : {}),
                },
        },
        { type: 'content_block_stop', index },
      ]),
      {
        type: 'message_delta',
        delta: { stop_reason: stop, stop_sequence: null },
        usage: { ...usage, output_tokens: used.output },
      },
      { type: 'message_stop' },
    ].map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
  },
}
