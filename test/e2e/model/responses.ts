import type { Part } from './calls.ts'
import { cwdIn, type Dialect, isJson, type Json, newId, objects, string, texts } from './dialect.ts'
import { stepsDone, type Tool } from './scenario.ts'

/** Items that Codex sends in the user's role although no person typed them (seen in 0.169.0). */
const isContext = (text: string) =>
  /^\s*(<(environment_context|user_instructions|permissions instructions|skill|hook_prompt|recommended_plugins)|# AGENTS\.md)/.test(
    text,
  )

const hasForm = ({ text }: Json): boolean =>
  isJson(text) && isJson(text.format) && text.format.type === 'json_schema'

/** OpenAI Responses, as Codex 0.169.0 uses it: classic tools and code mode. */
export const responses: Dialect = {
  path: '/v1/responses',
  view(body) {
    const items =
      typeof body.input === 'string' ? [{ role: 'user', content: body.input }] : objects(body.input)
    let at = -1
    let prompt = ''
    for (const [index, item] of items.entries()) {
      if (item.role !== 'user') continue
      const own = texts(item.content).filter((text) => text && !isContext(text))
      if (own.length === 0) continue
      at = index
      prompt = own.join('\n')
    }
    const calls = items.slice(at + 1).filter((item: Json) => /_call$/.test(string(item.type)))
    const extra = items
      .filter((item: Json) => item.type === 'additional_tools')
      .flatMap((item: Json) => objects(item.tools))
    return {
      prompt,
      done: stepsDone(calls.map((item: Json) => string(item.call_id))),
      // An answer in a given form is asked for beside the turns, on the screen with a tool (titles).
      tools: hasForm(body) ? [] : [...objects(body.tools), ...extra].flatMap(toolsOf),
      cwd: cwdIn(items.flatMap((item) => texts(item.content)).join('\n')),
    }
  },
  events(parts, model, used) {
    const output = parts.map(itemOf)
    const base = { id: newId('resp'), object: 'response', model, status: 'in_progress', output: [] }
    const usage = {
      input_tokens: used.input,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: used.output,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: used.input + used.output,
    }
    return [
      { type: 'response.created', response: base },
      ...output.flatMap((item, output_index) => [
        { type: 'response.output_item.added', output_index, item },
        { type: 'response.output_item.done', output_index, item },
      ]),
      { type: 'response.completed', response: { ...base, status: 'completed', output, usage } },
    ].map(
      (event, sequence_number) =>
        `event: ${event.type}\ndata: ${JSON.stringify({ ...event, sequence_number })}\n\n`,
    )
  },
}

/** Namespaces unfolded; in code mode the functions that `exec` declares count as tools reached through it. */
function toolsOf(tool: Json): Tool[] {
  if (tool.type === 'namespace')
    return objects(tool.tools)
      .flatMap(toolsOf)
      .map((inner) => ({ ...inner, namespace: string(tool.name) }))
  const own: Tool = { name: string(tool.name ?? tool.type), freeform: tool.type === 'custom', nested: false }
  if (!own.freeform || own.name !== 'exec') return [own]
  const declared = [...string(tool.description).matchAll(/declare const tools: \{ (\w+)\((input: string)?/g)]
  return [
    own,
    ...declared.map(([, name = '', input]) => ({ name, freeform: input !== undefined, nested: true })),
  ]
}

function itemOf(part: Part): Json {
  if (part.type === 'text') {
    const content = [{ type: 'output_text', text: part.text, annotations: [] }]
    return { type: 'message', role: 'assistant', id: newId('msg'), status: 'completed', content }
  }
  const { name, namespace } = part
  const call = {
    ...{ status: 'completed', call_id: `call_${part.id}`, name },
    ...(namespace === undefined ? {} : { namespace }),
  }
  return part.freeform
    ? { type: 'custom_tool_call', id: newId('ctc'), ...call, input: part.input }
    : { type: 'function_call', id: newId('fc'), ...call, arguments: JSON.stringify(part.input) }
}
