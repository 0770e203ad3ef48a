/** Every word of the person: no rule is missing, and the document grows with the session. */
export const prompts = {
  id: 'prompts',
  name: 'all prompts, nothing else',
  version: () => '',
  make({ events }) {
    const texts = events.filter(({ kind }) => kind === 'prompt').map(({ text }) => text)
    return { markdown: `${texts.join('\n\n')}\n` }
  },
}
