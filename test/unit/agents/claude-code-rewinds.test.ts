import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { claudeCode } from '../../../src/agents/claude-code/index.ts'

const folder = mkdtempSync(join(tmpdir(), 'rewinds-'))
afterAll(() => rmSync(folder, { recursive: true }))

const idOf = (name: string): string => `00000000-0000-4000-8000-${name.padStart(12, '0')}`
const envelope = (name: string, parent: string | null) => ({
  parentUuid: parent === null ? null : idOf(parent),
  sessionId: idOf('5'),
  uuid: idOf(name),
  timestamp: `2026-01-01T00:00:${name.padStart(2, '0')}.000Z`,
  cwd: '/home/dev/repo',
})
const says = (name: string, parent: string | null) => ({
  ...envelope(name, parent),
  type: 'user',
  message: { role: 'user', content: `words ${name}` },
})
const result = (name: string, parent: string, bytes = 1000) => ({
  ...envelope(name, parent),
  type: 'user',
  message: { role: 'user', content: [{ tool_use_id: 't', type: 'tool_result', content: 'x'.repeat(bytes) }] },
})
const boundary = (name: string) => ({
  ...envelope(name, null),
  type: 'system',
  subtype: 'compact_boundary',
})

async function prompts(records: readonly object[]): Promise<string[]> {
  const path = join(folder, 'session.jsonl')
  writeFileSync(path, records.map((record) => `${JSON.stringify(record)}\n`).join(''))
  const ref = await claudeCode.identify(path, readFileSync(path, 'utf8'))
  if (ref === null) throw new Error('no session')
  const found: string[] = []
  for await (const batch of claudeCode.read(ref, {}))
    for (const event of batch) if (event.kind === 'prompt') found.push(event.text)
  return found
}

describe('turns that the person took back', () => {
  it('leaves out all turns behind the one that a row goes on from', async () => {
    const records = [says('1', null), result('2', '1'), says('3', '2'), says('4', '3'), says('6', '2')]
    expect(await prompts(records)).toEqual(['words 1', 'words 6'])
  })
  it('knows a parent that stands megabytes before, and one that nobody wrote', async () => {
    const far = [says('1', null), says('2', '1'), result('3', '2', 2_000_000), result('4', '3', 2_000_000)]
    expect(await prompts([...far, says('6', '2')])).toEqual(['words 1', 'words 2', 'words 6'])
    expect(await prompts([...far, says('6', '1')])).toEqual(['words 1', 'words 6'])
    expect(await prompts([...far, says('6', '9')])).toEqual(['words 1', 'words 2', 'words 6'])
  })
  it('keeps what stands before a compaction', async () => {
    const before = [says('1', null), says('2', '1'), says('3', '2'), boundary('4')]
    expect(await prompts([...before, says('6', '1')])).toEqual(['words 1', 'words 2', 'words 3', 'words 6'])
    const kept = await prompts([...before, says('6', '4'), says('7', '6'), says('8', '6')])
    expect(kept).toEqual(['words 1', 'words 2', 'words 3', 'words 6', 'words 8'])
  })
})
