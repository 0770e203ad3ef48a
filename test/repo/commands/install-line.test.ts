import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { installLine } from '../../../src/workspace/install-line.ts'
import { makeFolder } from '../make-repo.ts'

const PACKAGES = ['ai', '@ai-sdk/google']

it('the line puts packages where the program finds them, however it was installed', () => {
  const root = makeFolder()
  const own = join(root, 'node_modules/git-handoff')
  const specs = 'ai@6 @ai-sdk/google@3'
  expect(installLine(PACKAGES, root, own)).toBe(`npm install --save-dev ${specs}`)
  expect(installLine(PACKAGES, root, '/usr/lib/node_modules/git-handoff')).toBe(
    `npm install --global ${specs}`,
  )
  expect(installLine(PACKAGES, root, '/home/dev/.npm/_npx/0a1b/node_modules/git-handoff')).toBe(
    `cd / && npx --yes -p git-handoff -p ai@6 -p @ai-sdk/google@3 git-handoff --cwd ${root} create …`,
  )
  writeFileSync(join(root, 'yarn.lock'), '')
  expect(installLine(PACKAGES, root, own)).toBe(`yarn add -D ${specs}`)
  writeFileSync(join(root, 'pnpm-lock.yaml'), '')
  expect(installLine(PACKAGES, root, own)).toBe(`pnpm add -D ${specs}`)
})
