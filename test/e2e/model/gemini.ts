import { cwdIn, type Dialect, newId, objects, string, texts } from './dialect.ts'
import { stepsDone } from './scenario.ts'

/** What Gemini CLI sends in the user's role although no person typed it; headless it stands before their words (seen in 0.61.0). */
const CONTEXT = /<(session_context|hook_context)>[\s\S]*?<\/\1>/g

/** Gemini's API, as Gemini CLI 0.61.0 uses it: always as a stream, the model in the path. */
export const gemini: Dialect = {
  path: /^\/v1beta\/models\/[^/]+:streamGenerateContent$/,
  view(body) {
    const contents = objects(body.contents)
    let at = -1
    let prompt = ''
    for (const [index, { role, parts }] of contents.entries()) {
      if (role !== 'user') continue
      const own = texts(parts)
        .map((text) => text.replace(CONTEXT, '').trim())
        .filter((text) => text !== '')
      if (own.length === 0) continue
      at = index
      prompt = own.join('\n')
    }
    const calls = contents
      .slice(at + 1)
      .flatMap(({ parts }) => objects(parts).map((part) => part.functionCall))
    return {
      prompt,
      done: stepsDone(objects(calls).map(({ id }) => string(id))),
      tools: objects(body.tools)
        .flatMap(({ functionDeclarations }) => objects(functionDeclarations))
        .map(({ name }) => ({ name: string(name), freeform: false, nested: false })),
      cwd: cwdIn(contents.flatMap(({ parts }) => texts(parts)).join('\n')),
    }
  },
  events(parts, model, used) {
    const said = parts.map((part) =>
      part.type === 'text'
        ? { text: part.text }
        : {
            functionCall: { id: part.id, name: part.name, args: part.input },
            // Without one the client takes the reply of a newer model for broken.
            thoughtSignature: 'c2NyaXB0ZWQ=',
          },
    )
    const reply = {
      candidates: [{ index: 0, content: { role: 'model', parts: said }, finishReason: 'STOP' }],
      usageMetadata: {
        promptTokenCount: used.input,
        candidatesTokenCount: used.output,
        totalTokenCount: used.input + used.output,
      },
      modelVersion: model || 'scripted',
      responseId: newId('resp'),
    }
    return [`data: ${JSON.stringify(reply)}\n\n`]
  },
}
