import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { lookForAgents } from '../../../src/init/init-agents.ts'
import { makeRepo } from '../make-repo.ts'

it('takes no agent for another one that has a folder in its own', async () => {
  const { home, root } = makeRepo()
  for (const folder of [
    '.gemini/antigravity-cli/brain',
    '.copilot/jb',
    '.config/Code/User/globalStorage/github.copilot-chat',
  ])
    mkdirSync(join(home, folder), { recursive: true })
  const foundIn = async () =>
    (await lookForAgents({ home, env: { PATH: '' } }, root))
      .filter(({ isFound }) => isFound)
      .map(({ adapter }) => adapter.id)
  expect(await foundIn()).toEqual(['copilot-vscode', 'antigravity'])
  for (const folder of ['.gemini/tmp', '.copilot/session-state']) mkdirSync(join(home, folder))
  expect(await foundIn()).toEqual(['copilot-vscode', 'copilot-cli', 'gemini-cli', 'antigravity'])
})
