import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { adapterById } from '../../../src/agents/table.ts'
import { percentFull } from '../../../src/hook/hook-context.ts'
import type { Fullness } from '../../../src/types/agent.ts'
import type { Place } from '../../../src/types/config.ts'

let home = ''
beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'handoff-full-'))
})
afterAll(() => rmSync(home, { recursive: true, force: true }))

/** How full the agent says a session is whose file holds this record. */
function full(agent: string, record: object, env: Place['env'] = {}) {
  const path = join(home, `${agent}.jsonl`)
  writeFileSync(path, `${JSON.stringify(record)}\n`)
  return adapterById(agent)?.fullness?.({ id: 'x', path }, { home, env })
}
const claude = (model: string, input_tokens: number, env?: Place['env']) =>
  full('claude-code', { type: 'assistant', message: { model, usage: { input_tokens } } }, env)
const codex = (env?: Place['env']) => {
  const info = { last_token_usage: { total_tokens: 232_560 }, model_context_window: 258_400 }
  return full('codex', { type: 'event_msg', payload: { type: 'token_count', info } }, env)
}
const gemini = () =>
  full('gemini-cli', { id: '1', type: 'gemini', model: 'gemini-3-pro', tokens: { input: 500_000 } })

/** What an agent says by our own extension. */
const told = (agent: string, payload: object): Fullness | null | undefined =>
  adapterById(agent)?.hooks?.read(payload).fullness

describe('C4: where a client compacts', () => {
  it('C4: Claude Code, by window and by what its person set', async () => {
    const at = async (...args: Parameters<typeof claude>) => (await claude(...args))?.compactsAt
    expect(await at('claude-sonnet-4-5', 1000)).toBe(167_000)
    expect(await at('claude-opus-4-8', 1000, { ANTHROPIC_MODEL: 'claude-opus-4-8[1m]' })).toBe(967_000)
    expect(await at('claude-sonnet-4-5', 1000, { CLAUDE_CODE_AUTO_COMPACT_WINDOW: '100000' })).toBe(67_000)
    expect(await at('claude-sonnet-4-5', 1000, { CLAUDE_AUTOCOMPACT_PCT_OVERRIDE: '50' })).toBe(90_000)
    expect(await at('claude-sonnet-4-5', 1000, { CLAUDE_AUTOCOMPACT_PCT_OVERRIDE: '99' })).toBe(167_000)
    expect(await at('claude-sonnet-4-5', 1000, { DISABLE_AUTO_COMPACT: '1' })).toBeUndefined()
  })

  it('C4: Codex, at 90 % of the window of the model, or where its settings say', async () => {
    expect((await codex())?.compactsAt).toBe(244_800)
    mkdirSync(join(home, 'codex'))
    writeFileSync(
      join(home, 'codex', 'config.toml'),
      'model = "x"\nmodel_auto_compact_token_limit = 100_000\n',
    )
    expect((await codex({ CODEX_HOME: join(home, 'codex') }))?.compactsAt).toBe(100_000)
  })

  it('C4: Gemini CLI, at half of the window, or where its settings say', async () => {
    expect((await gemini())?.compactsAt).toBe(524_288)
    mkdirSync(join(home, '.gemini'))
    writeFileSync(join(home, '.gemini', 'settings.json'), '{"model": {"compressionThreshold": 0.7}}')
    expect((await gemini())?.compactsAt).toBe(734_003)
  })

  it.each([
    ['pi', { window: 128_000 }, 111_616],
    ['oh-my-pi', { window: 200_000 }, 170_000],
    ['opencode', { window: 200_000, output_limit: 64_000 }, 168_000],
    ['opencode', { window: 400_000, input_limit: 272_000, output_limit: 128_000 }, 252_000],
    // A window that is smaller than what is kept free tells nothing.
    ['pi', { window: 8000 }, undefined],
  ])('C4: %s by our own extension: %j', (agent, payload, at) => {
    expect(told(agent, { tokens: 1, ...payload })).toEqual({
      tokens: 1,
      window: payload.window,
      ...(at === undefined ? {} : { compactsAt: at }),
    })
  })

  it('C4: is where a context is full', () => {
    expect(percentFull({ tokens: 150_300, window: 200_000, compactsAt: 167_000 })).toBe(90)
    expect(percentFull({ tokens: 180_000, window: 200_000, compactsAt: 167_000 })).toBe(100)
    expect(percentFull({ tokens: 100_000, window: 200_000 })).toBe(50)
  })
})
