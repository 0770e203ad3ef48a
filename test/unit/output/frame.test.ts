import { Readable, Writable } from 'node:stream'
import { select } from '@clack/prompts'
import { describe, expect, it } from 'vitest'
import { openFrame } from '../../../src/output/frame.ts'
import { cells } from '../../../src/text/cells.ts'

const LABELS = ['Claude Code, 61 s ago: fix the retry queue', 'Codex, 4 min ago: write the changelog', 'Pi']

/** A question of the library on a screen of its own, and what the frame takes it for. */
function open(rows: number) {
  let columns = 80
  const frame = openFrame(() => rows)
  const output = Object.defineProperties(
    new Writable({
      write(chunk, _, done) {
        frame.write(String(chunk))
        done()
      },
    }),
    { isTTY: { value: true }, columns: { get: () => columns }, rows: { get: () => rows } },
  )
  const input = new Readable({ read: () => {} })
  const options = LABELS.map((label, i) => ({ value: i, label }))
  const answer = select({ message: 'Which session is handed over?', options, input, output })
  return {
    frame,
    answer,
    press: (key: string) => input.emit('data', key),
    resize(to: number): string {
      columns = to
      return frame.redrawn(to, () => output.emit('resize'))
    },
  }
}

/** Rows without colours. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: that is what colours begin with
const rowsOf = (text: string): string[] => text.replace(/\u001b\[[\d;]*m/g, '').split('\n')

describe('a frame', () => {
  for (const rows of [40, 12])
    it(`holds what the library has drawn, at every width, on ${rows} rows`, async () => {
      const { frame, answer, press, resize } = open(rows)
      for (const [columns, key, chosen] of [
        [80, '\u001b[B', 1],
        [60, '\u001b[B', 2],
        [80, '\u001b[A', 1],
        [24, '\u001b[A', 0],
        [100, '\u001b[B', 1],
      ] as const) {
        resize(columns)
        press(key)
        const shown = rowsOf(frame.whole())
        expect(shown.length).toBeLessThanOrEqual(rows)
        expect(Math.max(...shown.map(cells))).toBeLessThanOrEqual(columns)
        const words = shown.join(' ').replace(/[│\s]+/g, ' ')
        const label = LABELS[chosen] ?? ''
        if (rows === 40) {
          expect(words.match(/Which session is handed over\?/g)).toHaveLength(1)
          for (const one of LABELS) expect(words.split(one)).toHaveLength(2)
        }
        expect(words).toContain(rows === 40 ? `● ${label}` : '●')
      }
      press('\r')
      expect(await answer).toBe(1)
    })

  it('goes up over the rows that a narrower terminal has made of it, and no further', () => {
    const frame = openFrame(() => 24)
    frame.write(`first\n${'x'.repeat(50)}\n${'y'.repeat(20)}`)
    expect(frame.redrawn(20, () => {})).toContain('\r\u001b[4A\u001b[Jfirst\n')
    expect(frame.redrawn(100, () => {})).toContain('\r\u001b[2A\u001b[Jfirst\n')
  })
})
