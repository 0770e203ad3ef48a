import { describe, expect, it } from 'vitest'
import { cli } from '../cli.ts'
import type { TempRepo } from '../make-repo.ts'
import { withBrief } from '../usual.ts'

const hook = (repo: TempRepo, event: string, payload: object, agent = 'qwen-code') =>
  cli(repo, ['hook', event, '--agent', agent], {
    stdin: JSON.stringify({ session_id: 's', cwd: repo.root, ...payload }),
  })
const pointer = {
  hookSpecificOutput: {
    hookEventName: 'UserPromptSubmit',
    additionalContext: expect.stringContaining('retry queue'),
  },
}

describe('hooks of Qwen Code', () => {
  it('give a session the pointer with its first prompt, once', async () => {
    const { repo } = await withBrief()
    expect((await hook(repo, 'session-start', { source: 'startup' })).stdout).toBe('')
    expect(JSON.parse((await hook(repo, 'prompt', { prompt: 'Go on' })).stdout)).toEqual(pointer)
    expect((await hook(repo, 'prompt', { prompt: 'And now?' })).stdout).toBe('')
  })

  it('give nothing without a terminal, where no start is told', async () => {
    const { repo } = await withBrief()
    expect((await hook(repo, 'prompt', { prompt: 'Go on' })).stdout).toBe('')
    expect((await hook(repo, 'prompt', { prompt: '' })).stdout).toBe('')
    // An agent that hears at its start has been told there.
    expect((await hook(repo, 'prompt', { prompt: 'Go on' }, 'gemini-cli')).stdout).toBe('')
  })
})
