import { afterEach, expect, test } from 'vitest'
import type { Scenario } from './model/scenario.ts'
import { type Model, startModel } from './model/server.ts'

const scenario: Scenario = {
  turns: [
    { on: 'fix', steps: [[{ say: 'I look.' }, { read: 'a.js' }], [{ run: 'npm test' }], [{ say: 'Done.' }]] },
  ],
}
let model: Model
afterEach(() => model.close())

async function post(path: string, body: unknown): Promise<{ status: number; text: string }> {
  const response = await fetch(model.url + path, { method: 'POST', body: JSON.stringify(body) })
  return { status: response.status, text: await response.text() }
}

test('the same script speaks each wire format with the tools that format offers', async () => {
  model = await startModel(scenario)
  const anthropic = await post('/v1/messages', {
    system: 'Primary working directory: /home/dev/repo\n',
    messages: [{ role: 'user', content: 'please fix' }],
    tools: [{ name: 'Read' }, { name: 'Bash' }],
  })
  expect(anthropic.text).toContain('/home/dev/repo/a.js')
  const responses = await post('/v1/responses', {
    input: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'please fix' }] }],
    tools: [{ type: 'function', name: 'exec_command' }],
  })
  expect(responses.text).toContain('cat a.js')
  const chat = await post('/v1/chat/completions', {
    messages: [{ role: 'user', content: 'please fix' }],
    tools: [{ type: 'function', function: { name: 'read' } }],
  })
  expect(chat.text).toContain('a.js')
  const gemini = await post('/v1beta/models/scripted:streamGenerateContent?alt=sse', {
    contents: [
      { role: 'user', parts: [{ text: '<hook_context>no fix</hook_context>' }, { text: 'please fix' }] },
    ],
    tools: [{ functionDeclarations: [{ name: 'read_file' }] }],
  })
  expect(gemini.text).toContain('a.js')
  expect(model.requests).toHaveLength(4)
  expect(model.problems).toEqual([])
})

test('the step follows from the calls that stand in the request, not from what was asked before', async () => {
  model = await startModel(scenario)
  const body = {
    messages: [
      { role: 'user', content: 'please fix' },
      {
        role: 'assistant',
        content: [{ type: 'tool_use', id: 'toolu_mock_s0_0000', name: 'Read', input: {} }],
      },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_mock_s0_0000', content: 'x' }] },
    ],
    tools: [{ name: 'Read' }, { name: 'Bash' }],
  }
  for (const _ of [1, 2]) expect((await post('/v1/messages', body)).text).toContain('npm test')
})

test('code mode wraps a nested tool in JavaScript', async () => {
  model = await startModel(scenario)
  const description = 'declare const tools: { exec_command(args: object): Promise<object> };'
  const { text } = await post('/v1/responses', {
    input: 'please fix',
    tools: [{ type: 'custom', name: 'exec', description }],
  })
  expect(text).toContain('custom_tool_call')
  expect(text).toContain('tools.exec_command')
})

test('a step that the client has no tool for fails loudly', async () => {
  model = await startModel(scenario)
  const { status } = await post('/v1/messages', {
    messages: [{ role: 'user', content: 'fix' }],
    tools: [{ name: 'Grep' }],
  })
  expect(status).toBe(400)
  expect(model.problems).toEqual([expect.stringContaining('no tool for')])
})
