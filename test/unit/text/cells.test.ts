import { describe, expect, it } from 'vitest'
import { cells, clipCells } from '../../../src/text/rows.ts'

describe('cells', () => {
  it.each([
    ['plain', 5],
    ['Grüße — “so”', 12],
    ['再試行', 6],
    ['재시도', 6],
    ['ｆｕｌｌ', 8],
    ['e\u0301a', 2],
    ['✅ done', 7],
    ['⚠ careful', 9],
    ['⚠\ufe0f careful', 10],
    ['👩\u200d💻', 2],
    ['👍🏽', 2],
    ['🇩🇪', 2],
    ['1\ufe0f\u20e3', 2],
    ['├─● ', 4],
    ['', 0],
  ])('%s takes %i', (text, count) => {
    expect(cells(text)).toBe(count)
  })

  it('cuts before the character that does not fit', () => {
    expect(clipCells('再試行の上限', 7, '…')).toBe('再試行…')
    expect(clipCells('再試行の上限', 12, '…')).toBe('再試行の上限')
  })
})
