import { fillTemplate } from './template.ts'

/** The last line of a finished document; a half-written one has none. */
const endLine = (requestId: string): string => `END OF HANDOFF ${requestId}`

/** The instruction for an agent that is to write down what it knows. `path` is absolute. Throws `badTemplate`. */
export function requestText(
  requestId: string,
  path: string,
  template: { text: string; place: string } | null = null,
): string {
  const delivery = `Write the answer to exactly this file:
${path}
Write it to ${path}.part first and rename that when it is whole. Its last line must be exactly:
${endLine(requestId)}
Then end your turn. Change nothing else, and go on with no other work.`
  return fillTemplate('request', { request: requestId, delivery }, template)
}

/** What a finished document says, without its last line; null when it is not finished. */
export function finishedText(text: string, requestId: string): string | null {
  const lines = text.replace(/\r\n/g, '\n').trimEnd().split('\n')
  // Agents like to set such a line apart.
  const last = lines.pop()?.replace(/^[\s*_`>#-]+|(?<![\s*_`])[\s*_`]+$/g, '')
  return last === endLine(requestId) ? lines.join('\n').trim() : null
}
