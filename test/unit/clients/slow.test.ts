import { describe, expect, it } from 'vitest'
import { testLimit, turnLimit, twice } from '../../e2e/client/slow.ts'

describe('C13: tests of a client that is slow under load', () => {
  it('C13: have limits of their own, which leave room for two tries', () => {
    expect(turnLimit('opencode')).toBeGreaterThan(turnLimit('claude-code'))
    expect(testLimit(['claude-code', 'opencode'])).toBeGreaterThanOrEqual(4 * turnLimit('opencode'))
    expect(testLimit(['claude-code', 'codex'])).toBeNull()
  })

  it('C13: are tried once more, which is told; what fails twice fails', async () => {
    const told: string[] = []
    const failing = (times: number) => {
      let tries = 0
      return async () => {
        if (++tries <= times) throw new Error(`no answer ${tries}\nwith more`)
      }
    }
    await twice('a row', failing(0), (text) => told.push(text))
    expect(told).toEqual([])
    await twice('a row', failing(1), (text) => told.push(text))
    expect(told).toEqual(['a row: failed once and is tried again: no answer 1'])
    await expect(twice('a row', failing(2), () => {})).rejects.toThrow('no answer 2')
  })
})
