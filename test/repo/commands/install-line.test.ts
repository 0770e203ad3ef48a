import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { canLoad, installLine } from '../../../src/workspace/program-name.ts'
import { makeFolder } from '../make-repo.ts'

const PACKAGES = ['ai', '@ai-sdk/google']

it('the line puts packages where the program finds them, however it was installed, and asks nothing of a checkout', () => {
  const root = makeFolder()
  const specs = 'ai@6 @ai-sdk/google@3'
  const line = (folder: string): string => installLine(PACKAGES, root, folder)
  expect(line('/usr/lib/node_modules/git-handoff')).toBe(`npm install --global ${specs}`)
  // Git finds that one afterwards.
  expect(line(join(root, 'node_modules/git-handoff'))).toBe(`npm install --global git-handoff ${specs}`)
  expect(line('/home/dev/.npm/_npx/0a1b/node_modules/git-handoff')).toBe(
    `cd / && npx --yes -p git-handoff -p ai@6 -p @ai-sdk/google@3 git-handoff --cwd ${root} create …`,
  )
  const copy = join(root, '.git/handoff/program/0.1.0-a1')
  expect(line(copy)).toBe(`npm install --prefix ${root}/.git/handoff ${specs}`)
  const put = (folder: string): void => {
    mkdirSync(join(folder, 'node_modules/ai'), { recursive: true })
    writeFileSync(join(folder, 'node_modules/ai/package.json'), '{"name":"ai","main":"index.js"}')
    writeFileSync(join(folder, 'node_modules/ai/index.js'), '')
  }
  put(root)
  expect([canLoad('ai', copy), canLoad('ai', join(root, 'node_modules/git-handoff'))]).toEqual([false, true])
  put(join(root, '.git/handoff'))
  expect(canLoad('ai', copy)).toBe(true)
})
