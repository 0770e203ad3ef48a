import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { parseRecord, renderRecord } from '../../src/hooks/record.ts'
import { readJournal } from '../../src/store/journal.ts'
import { readLedger, revokeOrigin, revokeTrusted } from '../../src/store/ledger.ts'
import { closeNudges, forgetLive, listLive, openNudges, readLive } from '../../src/store/live.ts'
import { readNotesFiles } from '../../src/store/notes.ts'
import { changePending, closePending, listPending } from '../../src/store/pending.ts'
import { privateFolder } from '../../src/store/private.ts'
import { type Cut, cutUp, someCuts } from './fuzz-bytes.ts'
import type { Subject } from './fuzz-hunt.ts'
import { type Edit, edited, edits, jsonOf } from './fuzz-values.ts'
import type { Context } from './part.ts'

/** Private state. */
export const stateSubjects = (context: Context): Subject[] =>
  [privateState(context.scratch('state'))] as Subject[]

const AT = '2026-11-22T09:00:00.000Z'
const ID = '20261122T090000-000abc00'
const REQUEST = '20261122T090000-1a2b'

const pending = {
  ...{
    schemaVersion: 1,
    requestId: REQUEST,
    agent: 'claude-code',
    sessionId: 's',
    root: '/r',
    branch: 'main',
    head: 'a'.repeat(40),
  },
  ...{
    reason: 'manual',
    file: '.handoff/x.md',
    path: '/r/.handoff/x.md',
    via: 'hook',
    pane: null,
    state: 'asked',
    askedAt: AT,
  },
  ...{ stoppedAt: null },
}
const record = {
  schemaVersion: 1,
  marks: ['trust-origin'],
  files: {
    '/r/.claude/settings.json': {
      ...{ before: 'e30=', after: 'f'.repeat(64), folders: ['/r/.claude'] },
      edits: [
        {
          owners: ['claude-code'],
          edit: { type: 'json-value', path: '/r/.claude/settings.json', at: ['a'], value: 1 },
        },
      ],
    },
  },
}

/** Every private file as it is when all is well: one JSON value, or lines of it. */
const PRIVATE: Readonly<Record<string, unknown>> = {
  journal: [
    { at: AT, kind: 'hook', agent: 'codex', event: 'stop', failed: 'x' },
    { at: AT, kind: 'pick-up', id: ID },
  ],
  [`pending/${REQUEST}.json`]: pending,
  'sessions/claude-code-s.json': {
    ...{
      schemaVersion: 1,
      agent: 'claude-code',
      sessionId: 's',
      path: '/x.jsonl',
      root: '/r',
      event: 'prompt',
      at: AT,
    },
    ...{ endedAt: null, fullness: { tokens: 10, window: 100 }, injected: ID },
  },
  'nudges/claude-code-s-90.json': {
    ...{
      kind: 'handoff-prompt',
      schemaVersion: 1,
      sessionId: 's',
      agent: 'claude-code',
      thresholdPct: 90,
      pct: 92,
      at: AT,
    },
  },
  'notes/0123456789abcdef.json': {
    schemaVersion: 1,
    capturedAt: AT,
    capturedBySessionId: null,
    branch: 'main',
    head: null,
  },
  'init.json': record,
  trusted: `${'a'.repeat(40)}\nremote:origin\thttps://example.org/x.git\n`,
  created: `.handoff/briefs/${ID}-x.md\t${'b'.repeat(40)}\n`,
}

export interface DamagedState {
  file: string
  edits: Edit[]
  cuts: Cut[]
}

export const damagedState: fc.Arbitrary<DamagedState> = fc.record({
  file: fc.constantFrom(...Object.keys(PRIVATE)),
  edits,
  cuts: someCuts,
})

/** Fills the private folder anew, one file of it damaged. */
export function writeState(commonDir: string, { file, edits, cuts: all }: DamagedState): void {
  const folder = privateFolder(commonDir)
  rmSync(folder, { recursive: true, force: true })
  for (const [name, whole] of Object.entries(PRIVATE)) {
    const value = name === file ? edited(whole, edits) : whole
    const text =
      typeof value === 'string'
        ? value
        : Array.isArray(value) && name === 'journal'
          ? value.map(jsonOf).join('\n')
          : jsonOf(value)
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), cutUp(Buffer.from(text), name === file ? all : []))
  }
}

const privateState = (commonDir: string): Subject<DamagedState> => ({
  kind: 'private state',
  operation: 'read it all',
  counts: [60, 2000],
  inputs: damagedState,
  async meets(input) {
    writeState(commonDir, input)
    await readJournal(commonDir)
    for (const one of await listPending(commonDir)) {
      await changePending(commonDir, one, () => ({ state: 'delivered' }))
      await closePending(commonDir, one)
    }
    await listLive(commonDir)
    await readLive(commonDir, 'claude-code', 's')
    await openNudges(commonDir)
    await closeNudges(commonDir, () => true)
    await readNotesFiles(commonDir)
    await readLedger(commonDir)
    await revokeTrusted(commonDir, 'a'.repeat(40))
    await revokeOrigin(commonDir)
    await forgetLive(commonDir, '2026-12-01T00:00:00.000Z')
    const kept = parseRecord(
      input.file === 'init.json' ? jsonOf(edited(record, input.edits)) : jsonOf(record),
    )
    if (kept !== null) renderRecord(kept)
    return 'read'
  },
})
