import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { NOT_SET_UP } from '../../../src/hooks/runner.ts'
import type { ClientId } from '../client/client.ts'
import { clients } from '../client/table.ts'
import { git, handoff, type Lab } from '../lab.ts'
import { initialised } from './initialised.ts'
import { heardBy, onScreen, session } from './on-screen.ts'
import { GOAL, textsOf } from './work.ts'

/** Those whose settings hold two entries for the start of a session. */
const CLIENTS = ['claude-code', 'codex', 'copilot-cli', 'gemini-cli'] as const satisfies ClientId[]

/** Takes away what `init` leaves outside the files that are committed: what is left is the clone of somebody else. */
async function forgetSetUp(lab: Lab): Promise<void> {
  await rm(join(lab.repo, '.git/handoff'), { recursive: true, force: true })
  for (const key of ['alias.handoff-hook', 'alias.handoff', 'handoff.hooks'])
    await git(lab, 'config', '--unset-all', key).catch(() => '')
}

/** What a person types so that a session begins with a first prompt. */
const TYPED: Record<(typeof CLIENTS)[number], string[]> = {
  'claude-code': ['hello'],
  codex: ['hello'],
  'copilot-cli': ['-i', 'hello'],
  'gemini-cli': ['-i', 'hello'],
}
const ANSWER = 'Hello, I am the model.'

/** How often a new session was told, on its screen or in what its model heard. */
async function timesTold(lab: Lab, id: (typeof CLIENTS)[number]): Promise<number> {
  const { bin, screen } = clients[id]
  const { acts, screens } = await session(
    lab,
    id,
    [['hello', [[{ say: ANSWER }]]]],
    [{ shows: ANSWER }],
    [],
    [bin, ...(screen?.args ?? []), ...TYPED[id]],
  )
  const heard = acts.flatMap(({ requests }) => requests).flatMap(textsOf)
  const told = (text: string) => text.replace(/[\s│|]+/g, ' ').split(NOT_SET_UP.slice(0, 40)).length - 1
  // Copilot CLI asks its model to pass it on, and shows at every start what our server said before it ended.
  return (id === 'copilot-cli' ? 0 : told(screens.join('\n'))) + told(heard.join('\n'))
}

describe.each(CLIENTS)('the start of a session of %s', (id) => {
  onScreen(
    'says once in a clone without set-up what to do, and then tells of the brief alone',
    [id],
    async () => {
      const lab = await initialised(id)
      await forgetSetUp(lab)
      expect([await timesTold(lab, id), await timesTold(lab, id)]).toEqual([1, 0])
      const done = await handoff(lab, 'init', '--agent', id, '--yes')
      expect(done.code, done.stderr).toBe(0)
      const made = await handoff(lab, 'create', GOAL, '--from', 'git')
      expect(made.code, made.stderr).toBe(0)
      expect(await heardBy(lab, id)).toHaveLength(1)
      expect(await timesTold(lab, id)).toBe(0)
    },
  )
})
