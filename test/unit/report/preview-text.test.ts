import { describe, expect, it } from 'vitest'
import { previewText } from '../../../src/report/preview-text.ts'
import { widthOf } from '../../../src/text/cells.ts'
import type { Brief } from '../../../src/types/brief.ts'

const BRIEF = {
  meta: { tokens: 321 },
  constraints: [
    { text: `\u001b[31m${'公開 API は変更しないでください。'.repeat(6)}`, source: 'user', at: null },
  ],
  information: [],
  decisions: [],
  progress: { done: [], inProgress: [], pending: [] },
  files: [
    { path: 'src/a.ts', reason: 'edited once', evidence: ['edited', 'uncommitted'], source: 'transcript' },
  ],
  commands: [],
  questions: [],
  nextSteps: [],
  cuts: { files: '3 more files were left out' },
} as unknown as Brief
/** Cells of a text whose wide characters are those of this test. */
const cells = (text: string): number => [...text].length + (text.match(/[\u3000-\u9fff]/g)?.length ?? 0)

describe('the view of what is kept and cut', () => {
  it.each([
    [10, 30],
    [40, 40],
    [71, 71],
    [80, 80],
    [109, 109],
    [120, 120],
    [500, 120],
  ])('asked for %i columns it takes at most %i, whatever the texts', (asked, most) => {
    const rows = previewText(BRIEF, asked).split('\n')
    expect(Math.max(...rows.map(cells))).toBeLessThanOrEqual(most)
    expect(Math.max(...rows.map(cells))).toBeGreaterThan(most / 2)
  })

  it('says so when nothing was cut', () => {
    expect(previewText({ ...BRIEF, cuts: {} }, 40)).toMatch(/CUT to fit\n\nNothing\.\n/)
  })

  it('tells evidence and reasons, and obeys no escape of a session', () => {
    const text = previewText(BRIEF, 120)
    expect(text).toContain('- src/a.ts — edited once [edited, uncommitted]')
    expect(text.replace(/\s+/g, ' ')).toContain('3 more files were left out')
    expect(text).not.toContain('\u001b')
    expect(text).toMatch(/321 tokens$/)
  })

  it('shows as much as a person reads, and counts the rest', () => {
    const brief = {
      ...BRIEF,
      constraints: Array.from({ length: 40 }, (_, n) => ({
        text: `Rule ${n}.`,
        source: 'user' as const,
        at: null,
      })),
    }
    const text = previewText(brief, 80)
    expect(text.split('\n').length).toBeLessThan(80)
    expect(text).toMatch(/- Rule 9\. \[user\]\n… and 30 more\n/)
    expect(text).toMatch(/321 tokens; `--json` has all of it$/)
    expect(previewText(BRIEF, 80)).not.toContain('--json')
  })

  it('takes the width from COLUMNS, and 80 when that says nothing', () => {
    expect(widthOf({ COLUMNS: '132' })).toBe(132)
    for (const value of [undefined, '', 'wide', '-3', '0']) expect(widthOf({ COLUMNS: value })).toBe(80)
  })
})
