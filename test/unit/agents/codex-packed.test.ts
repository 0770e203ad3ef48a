import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as zlib from 'node:zlib'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { codex } from '../../../src/agents/codex/index.ts'
import { findSessions, identifyFile } from '../../../src/agents/find.ts'
import { canUnpack } from '../../../src/agents/packed.ts'
import type { SessionEvent, SessionRef } from '../../../src/types/session.ts'

const { zstdCompressSync } = zlib as { zstdCompressSync?: (bytes: Buffer) => Buffer }
/** What Node 20 cannot pack is some bytes of such a file. */
const pack = (bytes: Buffer): Buffer => zstdCompressSync?.(bytes) ?? Buffer.from('28b52ffd0458', 'hex')

const FIXTURES = join(import.meta.dirname, '../../fixtures/agents/codex')
const ID = '01a20097-77f9-7192-ba10-4fdedadc5e9b'
const NAME = `rollout-2026-11-01T00-10-56-${ID}.jsonl`

let home = ''
let day = ''
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'handoff-packed-'))
  day = join(home, '.codex', 'sessions', '2026', '11', '01')
  mkdirSync(day, { recursive: true })
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

/** Puts a recorded session there as Codex keeps it after seven days, and the same beside it as it was. */
function packed(fixture: string): { path: string; plain: string } {
  const plain = join(home, NAME)
  copyFileSync(join(FIXTURES, fixture, 'session.jsonl'), plain)
  const path = join(day, `${NAME}.zst`)
  writeFileSync(path, pack(readFileSync(plain)))
  utimesSync(path, new Date('2026-11-23'), new Date('2026-11-23'))
  return { path, plain }
}

const cwdOf = async (path: string) => (await identifyFile(path)).ref.cwd ?? ''

async function read(ref: SessionRef) {
  const events: SessionEvent[] = []
  let bytes = 0
  const onRaw = (block: Buffer): void => {
    bytes += block.length
  }
  for await (const batch of codex.read(ref, { onRaw })) events.push(...batch)
  return { events, bytes }
}

describe('C5: a rollout that Codex packed', () => {
  it.runIf(canUnpack()).each(['classic', 'code-mode', 'legacy-0.135', 'torn-last-line', 'rolled-back-0.135'])(
    'C5: is found and read as it was: %s',
    async (fixture) => {
      const { path, plain } = packed(fixture)
      const { ref } = await identifyFile(plain)
      const found = await codex.find({ home, env: {} }, [await cwdOf(plain)])
      expect(found).toEqual([{ ...ref, path }])
      expect((await identifyFile(path)).ref).toEqual({ ...ref, path })
      const was = await read(ref)
      expect(await read({ ...ref, path })).toEqual(was)
      expect(was.bytes).toBe(readFileSync(plain).length)
    },
  )

  it.runIf(canUnpack())('C5: is read in blocks when it is large', async () => {
    const { path, plain } = packed('classic')
    const text = readFileSync(plain, 'utf8')
    const reply = {
      type: 'message',
      role: 'assistant',
      content: [{ type: 'output_text', text: 'word '.repeat(300) }],
    }
    const line = JSON.stringify({
      timestamp: '2026-11-22T00:10:59.000Z',
      type: 'response_item',
      payload: reply,
    })
    writeFileSync(plain, `${text.trimEnd()}\n${`${line}\n`.repeat(2000)}`)
    writeFileSync(path, pack(readFileSync(plain)))
    const { ref } = await identifyFile(plain)
    expect(await read({ ...ref, path })).toEqual(await read(ref))
  })

  it.runIf(canUnpack())('C5: is passed over when it is damaged, and that is said', async () => {
    const { path, plain } = packed('classic')
    const cwd = await cwdOf(plain)
    const bytes = readFileSync(path)
    for (const damaged of [Buffer.from('no frame of zstd'), bytes.subarray(0, bytes.length - 9)]) {
      writeFileSync(path, damaged)
      const told: string[] = []
      const onMissed = ({ code }: { code: string }) => told.push(code)
      expect(await findSessions({ home, env: {} }, [cwd], undefined, { onMissed })).toEqual([])
      expect(told).toEqual(['E_SESSION_UNREADABLE'])
    }
  })

  it.runIf(!canUnpack())('C5: is told of where this Node cannot unpack it, with what to do', async () => {
    const { path } = packed('classic')
    const told: string[] = []
    const onMissed = ({ code, hint }: { code: string; hint: string }) => told.push(`${code} ${hint}`)
    expect(await findSessions({ home, env: {} }, ['/home/dev/repo'], undefined, { onMissed })).toEqual([])
    expect(told).toEqual([expect.stringMatching(/^E_SESSION_PACKED Use Node 22\.15 or newer, .*zstd -d/)])
    await expect(identifyFile(path)).rejects.toMatchObject({ code: 'E_SESSION_PACKED' })
  })
})
