import { describe, expect, it } from 'vitest'
import { pageProblem } from '../../../src/brief/notes.ts'

describe('C12: a page that says nothing', () => {
  it.each([
    'I did some stuff.',
    '## What I was working on\n- I did some stuff.\n',
    '# Handoff\n\n## Where it stands\nSome things.\n\n## Next step\nMore.\n',
    '## Where it stands\n\n## Next step\n',
  ])('C12: is refused, whatever headings it has: %j', (page) => {
    expect(pageProblem(page)).toMatch(/names nothing|is empty/)
  })

  it.each([
    '## Next step\nDrain it with `npm run drain`.',
    '## Next step\nDrain src/queue.ts.',
    '## Next step\nDrain it.',
    'The retry queue is ported, but one test still fails.',
    '## Next steps\n- document the limits\n- ask the owner about retries\n',
    '## Offen\n- 佇列還沒有寫完測試\n',
  ])('C12: is taken when it says something: %j', (page) => {
    expect(pageProblem(page)).toBeNull()
  })
})
