import { describe, expect, it } from 'vitest'
import { createScanner } from '../../../src/secrets/scanner.ts'
import { readSession } from '../../../src/session/read-session.ts'
import type { Adapter } from '../../../src/types/agent.ts'
import type { SessionEvent, SessionRef } from '../../../src/types/session.ts'
import { config, gitState, texts } from '../facts/session.ts'

const STAMP = { at: null, sub: null, cwd: '/home/dev/repo' }

describe('reading a session', () => {
  it('hears both ends of a prompt into which megabytes were pasted', async () => {
    const text = `Do not touch calc.test.js.\n${'a pasted line\n'.repeat(200_000)}Do not rename add.`
    const events: SessionEvent[] = [
      { ...STAMP, kind: 'prompt', text },
      { ...STAMP, kind: 'reply', text: 'Done.' },
    ]
    const adapter = {
      read: async function* () {
        yield events
      },
    } as unknown as Adapter
    const ref = { cwd: '/home/dev/repo' } as SessionRef
    const { digest } = await readSession(
      { adapter, ref, isOurs: true },
      { home: '/home/dev', env: {} },
      createScanner(),
    )
    const { constraints } = digest.finish({
      ...{ git: gitState([]), goal: 'carry the work on as described', focus: null, inherited: null },
      ...{ agent: { id: 'amp', label: 'Amp' }, sessionId: 's', config },
    })
    expect(texts(constraints)).toEqual(['Do not touch calc.test.js.', 'Do not rename add.'])
  })
})
