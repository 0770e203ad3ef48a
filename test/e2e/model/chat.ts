import { cwdIn, type Dialect, isJson, type Json, newId, objects, string, texts } from './dialect.ts'
import { stepsDone } from './scenario.ts'

/** What Copilot CLI sends in the user's role when its model loads a skill (1.0.102), and Kimi Code at any time (2.1.0). */
const isContext = (text: string) =>
  text.startsWith('<skill-context ') || /^<system-reminder>[\s\S]*<\/system-reminder>\s*$/.test(text)

/** OpenAI Chat Completions, as Pi 0.74.2 and OpenCode 1.18.33 use it. */
export const chat: Dialect = {
  path: '/v1/chat/completions',
  view(body) {
    const messages = objects(body.messages)
    const at = messages.findLastIndex(({ role, content }) => {
      const text = texts(content).join('')
      return role === 'user' && text.trim() !== '' && !isContext(text)
    })
    const calls = messages.slice(at + 1).flatMap((message) => objects(message.tool_calls))
    return {
      prompt: texts(messages[at]?.content).join('\n'),
      done: stepsDone(calls.map(({ id }) => string(id))),
      tools: objects(body.tools).map(({ function: own }) => ({
        name: isJson(own) ? string(own.name) : '',
        freeform: false,
        nested: false,
        takes:
          isJson(own) && isJson(own.parameters) && isJson(own.parameters.properties)
            ? Object.keys(own.parameters.properties)
            : [],
      })),
      cwd: cwdIn(messages.flatMap((message) => texts(message.content)).join('\n')),
    }
  },
  events(parts, model, used) {
    const base = { id: newId('chatcmpl'), object: 'chat.completion.chunk', created: 0, model }
    const text = parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n')
    const calls = parts
      .filter((part) => part.type === 'call')
      .map(({ id, name, input }, index) => ({
        index,
        id: `call_${id}`,
        type: 'function',
        function: { name, arguments: JSON.stringify(input) },
      }))
    const choice = (delta: Json, finish_reason: string | null = null) => ({
      ...base,
      choices: [{ index: 0, delta, finish_reason }],
    })
    const usage = {
      prompt_tokens: used.input,
      completion_tokens: used.output,
      total_tokens: used.input + used.output,
    }
    return [
      choice({ role: 'assistant', content: text }),
      ...calls.map((call) => choice({ tool_calls: [call] })),
      choice({}, calls.length > 0 ? 'tool_calls' : 'stop'),
      { ...base, choices: [], usage },
    ]
      .map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`)
      .concat('data: [DONE]\n\n')
  },
}
