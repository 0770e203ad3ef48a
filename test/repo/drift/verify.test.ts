import { describe, expect, it } from 'vitest'
import { cli } from '../cli.ts'
import { made, usual } from '../usual.ts'

describe('verify', () => {
  it('right after the handoff nothing contradicts it', async () => {
    const repo = usual()
    await made(repo)
    const { code, stdout, json } = await cli(repo, ['verify', '--json'])
    expect(
      json.items.map(({ code }: { code: string }) => code),
      stdout,
    ).toEqual(['own-commits', 'not-verified'])
    expect(code).toBe(0)
  })
})
