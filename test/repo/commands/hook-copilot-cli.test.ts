import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { cli } from '../cli.ts'
import type { TempRepo } from '../make-repo.ts'
import { usual, withBrief } from '../usual.ts'

const hook = (repo: TempRepo, event: string, payload: object) =>
  cli(repo, ['hook', event, '--agent', 'copilot-cli'], {
    stdin: JSON.stringify({ sessionId: 's', timestamp: 1_795_306_475_805, cwd: repo.root, ...payload }),
  })

/** A session file whose last request held so many of 100,000 tokens. */
function events(repo: TempRepo, inputTokens: number): string {
  const path = join(repo.home, 'events.jsonl')
  const usage = { inputTokens, outputTokens: 20, maxPromptTokens: 100_000 }
  writeFileSync(path, `${JSON.stringify({ type: 'session.usage_record', data: { usage }, id: 'a' })}\n{"torn`)
  return path
}

describe('hooks of Copilot CLI', () => {
  it('give a new session the pointer', async () => {
    const { repo } = await withBrief()
    const { stdout } = await hook(repo, 'session-start', { source: 'new', initialPrompt: 'Go on' })
    expect(JSON.parse(stdout)).toEqual({ additionalContext: expect.stringContaining('retry queue') })
  })

  it('keep the nudge for the next prompt, since nothing that is said at the end of a turn is shown', async () => {
    const repo = usual()
    const transcriptPath = events(repo, 75_000)
    expect((await hook(repo, 'stop', { transcriptPath, stopReason: 'end_turn' })).stdout).toBe('')
    // The payload of a prompt names no file.
    const { stdout } = await hook(repo, 'prompt', { prompt: 'Go on' })
    expect(JSON.parse(stdout).additionalContext).toMatch(/tell the user .* 93 % full/)
    expect((await hook(repo, 'prompt', { prompt: 'Go on' })).stdout).toBe('')
  })
})
