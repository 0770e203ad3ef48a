/** What somebody does without any tool: the last eight turns, copied as they are, with the first lines of each output. */
const TURNS = 8
const LINES = 20

export const lastTurns = {
  id: 'last-turns',
  name: 'the last eight turns',
  version: () => '',
  make({ events }) {
    const starts = events.flatMap(({ kind }, n) => (kind === 'prompt' ? [n] : []))
    const parts = events.slice(starts.at(-TURNS) ?? 0).map(shown)
    return { markdown: `# The last ${TURNS} turns\n\n${parts.join('\n\n')}\n` }
  },
}

/** One event as markdown. */
export function shown(event) {
  if (event.kind === 'prompt') return `**User:** ${event.text}`
  if (event.kind === 'reply') return `**Agent:** ${event.text}`
  if (event.tool === 'shell')
    return `$ ${event.command}\n\n${fenced(event.output)}\n\nexit code ${event.exit}`
  if (event.tool === 'edit') return `Edit ${event.path}\n\n${fenced(`-${event.before}\n+${event.after}`)}`
  if (event.tool === 'move') return `Move ${event.path} to ${event.to}`
  if (event.tool === 'remove') return `Delete ${event.path}`
  return `${event.tool === 'write' ? 'Create' : 'Read'} ${event.path}\n\n${fenced(event.text)}`
}

const fenced = (text) => `\`\`\`\n${text.split('\n').slice(0, LINES).join('\n')}\n\`\`\``
