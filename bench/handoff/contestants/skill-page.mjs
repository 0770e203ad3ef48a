import { readFileSync } from 'node:fs'

/** What an agent wrote when a skill asked it for a handoff document. Nobody checks it. */
export const skillPage = (kind, name) => ({
  id: `page-${kind}`,
  name,
  version: () => '',
  make: ({ pages }) => ({ markdown: readFileSync(pages[kind], 'utf8') }),
})
