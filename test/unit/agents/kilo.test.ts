import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { callerOf } from '../../../src/agents/caller.ts'
import { kilo } from '../../../src/agents/opencode/index.ts'

const ROOT = '/home/dev/repo'
const home = mkdtempSync(join(tmpdir(), 'kilo-'))
const folder = join(home, '.local/share/kilo')
mkdirSync(folder, { recursive: true })

describe('sessions of Kilo', () => {
  it('are none where it never ran, and where its file names none of the directories', async () => {
    expect(await kilo.find({ home: '/nowhere', env: {} }, [ROOT])).toEqual([])
    expect(await kilo.find({ home, env: { KILO_DB: ':memory:' } }, [ROOT])).toEqual([])
    expect(await kilo.lastWrite?.({ home: '/nowhere', env: {} })).toBeNull()
  })

  it('are not asked of the program of OpenCode, whose database it is not', async () => {
    writeFileSync(join(folder, 'kilo.db'), `no database, but it names ${ROOT} somewhere`)
    mkdirSync(join(home, 'bin'))
    writeFileSync(join(home, 'bin/opencode'), '#!/bin/sh\necho started\n', { mode: 0o755 })
    const place = { home, env: { PATH: join(home, 'bin') } }
    await expect(kilo.find(place, [ROOT])).rejects.toMatchObject({
      code: 'E_SESSION_UNREADABLE',
      hint: expect.stringMatching(/^Check that /),
    })
    await expect(
      kilo.find({ home: '/x', env: { XDG_DATA_HOME: join(home, '.local/share') } }, [ROOT]),
    ).rejects.toThrow("Kilo's sessions cannot be read")
  })

  it('are of the caller that has its mark, also where it has that of OpenCode', () => {
    expect(callerOf({ KILO: '1', OPENCODE: '1' })?.agent).toBe('kilo')
    const named = { KILO_PID: '7', OPENCODE: '1', HANDOFF_OPENCODE_SESSION: 'ses_1' }
    expect(callerOf(named)).toEqual({ agent: 'kilo', sessionId: 'ses_1', path: null })
    expect(callerOf({ OPENCODE: '1' })?.agent).toBe('opencode')
    expect(callerOf({ AI_AGENT: 'kilo-code' })?.agent).toBe('kilo')
  })
})
