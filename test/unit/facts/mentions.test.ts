import { describe, expect, it } from 'vitest'
import { anchorPath, pathTokens } from '../../../src/facts/paths.ts'

describe('C11: a path with a space in it', () => {
  it.each([
    ['Update docs/tax notes.md please', []],
    ['Update `docs/tax notes.md` please', ['docs/tax notes.md']],
    ['see "docs/tax notes.md"', ['docs/tax notes.md']],
    ['Update notes.md please', ['notes.md']],
    ['move src/queue.ts notes.md there', ['src/queue.ts', 'notes.md']],
    ['compare docs/tax with notes.md', ['notes.md']],
    ['see docs/ notes.md', ['notes.md']],
    ['it passes: `git diff --check -- notes.md docs/use.md`', ['notes.md', 'docs/use.md']],
  ])('C11: names no file by its end alone: %j', (text, names) => {
    expect(pathTokens(text)).toEqual(names)
  })
})

it('takes no file for one of this repository that lies in the home of somebody else', () => {
  expect(anchorPath('~root/x', '/home/dev/repo', '/home/dev')).toBeNull()
  expect(anchorPath('~root', '/home/dev/repo', '/home/dev')).toBeNull()
  expect(anchorPath('~/x', '/home/dev/repo', '/home/dev')).toBe('/home/dev/x')
  expect(anchorPath('notes~', '/home/dev/repo', '/home/dev')).toBe('/home/dev/repo/notes~')
})
