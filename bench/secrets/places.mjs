/** The forms in which a text reaches a brief. */
export const places = {
  'as it is': (text) => text,
  prompt: (text) => `Please mind this:\n\n${text}\n\nand go on with the queue.`,
  'reply, code block': (text) => `I changed it:\n\`\`\`\n${text}\n\`\`\`\nDone.`,
  'list item': (text) => `- ${text}`,
  command: (text) => `cd app && ${text}`,
  'tool result, coloured': (text) => `\u001b[32m${text}\u001b[0m\nexit 0`,
  'file with line numbers': (text) =>
    text
      .split('\n')
      .map((line, at) => `${String(at + 1).padStart(6)}\t${line}`)
      .join('\n'),
  diff: (text) => `@@ -1,2 +1,2 @@\n${text.replace(/^/gm, '+')}\n context`,
  'commit message': (text) => `fix: the queue\n\n${text}\n\nSigned-off-by: Jane <jane@example.org>`,
  'line of a transcript': (text) => JSON.stringify({ role: 'user', content: `it is\n${text}\n` }),
  'escaped twice': (text) => JSON.stringify(JSON.stringify({ out: `line\n${text}\n` })),
}
