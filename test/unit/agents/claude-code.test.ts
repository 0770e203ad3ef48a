import { mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { claudeCode } from '../../../src/agents/claude-code/index.ts'
import type { ReadOptions, SessionEvent, SessionRef } from '../../../src/types/session.ts'

const folder = join(import.meta.dirname, '../../fixtures/agents/claude-code')

async function refOf(name: string): Promise<SessionRef> {
  const path = join(folder, name, 'session.jsonl')
  const ref = await claudeCode.identify(path, readFileSync(path, 'utf8'))
  if (!ref) throw new Error(`${path} is not a session`)
  return ref
}

async function readAll(ref: SessionRef, options: ReadOptions = {}): Promise<SessionEvent[]> {
  const events: SessionEvent[] = []
  for await (const batch of claudeCode.read(ref, options)) events.push(...batch)
  return events
}

function firstRecord(name: string): Record<string, unknown> {
  const lines = readFileSync(join(folder, name, 'session.jsonl'), 'utf8').split('\n')
  return JSON.parse(lines.find((line) => line.includes('isCompactSummary')) ?? '{}') as Record<
    string,
    unknown
  >
}

describe('reading a session of Claude Code', () => {
  it('shows every byte of the session and its subagents before anything is skipped', async () => {
    let seen = 0
    const onRaw = (block: Buffer) => {
      seen += block.length
    }
    await readAll(await refOf('subagent-2.1'), { onRaw })
    const files = ['session.jsonl', 'session/subagents/agent-a56bbc10982859b75.jsonl']
    expect(seen).toBe(
      files.map((file) => statSync(join(folder, 'subagent-2.1', file)).size).reduce((a, b) => a + b),
    )
  })

  it('shows every byte of every session once', async () => {
    for (const name of readdirSync(folder)) {
      const ref = await refOf(name)
      let seen = 0
      const onRaw = (block: Buffer, { path }: { path: string }) => {
        if (path === ref.path) seen += block.length
      }
      await readAll(ref, { onRaw })
      expect(seen).toBe(statSync(ref.path).size)
    }
  })

  it('gives the same events twice', async () => {
    const ref = await refOf('subagent-2.1')
    expect(await readAll(ref)).toEqual(await readAll(ref))
  })

  it("takes a summary without the client's words around it and the model's scratch before it", async () => {
    const folder = mkdtempSync(join(tmpdir(), 'claude-summary-'))
    const head = 'This session is being continued from a previous conversation that ran out of context.'
    const more =
      'If you need specific details from before compaction (like error messages), read the full transcript'
    const ends = [
      `\n\n${more} at: /home/dev/x.jsonl\nPlease continue the conversation from where we left off without asking.`,
      `\n\n${more} at: /home/dev/x.jsonl`,
      '\nContinue the conversation from where it left off without asking.\nResume directly.',
      '',
    ]
    const texts = ends.map(
      (end) => `${head}\n\nAnalysis:\nLet me look.\n\nSummary:\n1. The retry works.${end}`,
    )
    const record = { ...firstRecord('compaction'), type: 'user', isCompactSummary: true }
    const path = join(folder, 'session.jsonl')
    const lines = texts.map((content, at) =>
      JSON.stringify({
        ...record,
        uuid: `u${at}`,
        parentUuid: at > 0 ? `u${at - 1}` : null,
        message: { role: 'user', content },
      }),
    )
    writeFileSync(path, `${lines.join('\n')}\n`)
    const ref = await claudeCode.identify(path, lines[0] ?? '')
    const summaries = (await readAll(ref as SessionRef)).flatMap((event) =>
      event.kind === 'compaction' ? [event.summary] : [],
    )
    expect(summaries).toEqual(texts.map(() => 'Summary:\n1. The retry works.'))
  })

  it('stops with the reason of the signal', async () => {
    const reason = new Error('enough')
    await expect(readAll(await refOf('parallel-calls'), { signal: AbortSignal.abort(reason) })).rejects.toBe(
      reason,
    )
  })

  it('counts a reply once, though each of its blocks repeats the usage', async () => {
    const records = readFileSync(join(folder, 'parallel-calls', 'session.jsonl'), 'utf8')
    expect(records.match(/"input_tokens":1200/g)?.length).toBeGreaterThan(3)
    const usages = (await readAll(await refOf('parallel-calls'))).filter(({ kind }) => kind === 'usage')
    expect(usages).toHaveLength(3)
  })

  it('refuses a file that became something else', async () => {
    const path = join(folder, '..', '..', '..', '..', 'LICENSE')
    const ref = { ...(await refOf('parallel-calls')), path }
    await expect(readAll(ref)).rejects.toMatchObject({ code: 'E_SESSION_FORMAT' })
    await expect(readAll({ ...ref, path: `${path}.gone` })).rejects.toMatchObject({
      code: 'E_SESSION_UNREADABLE',
    })
  })
})
