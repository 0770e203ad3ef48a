import { describe, expect, it } from 'vitest'
import { estimateTokens } from '../../../src/brief/measure.ts'
import { leftOut, trailLines } from '../../../src/brief/trail.ts'
import type { Step, Turn } from '../../../src/types/evidence.ts'
import { expectLinear } from '../../growth.ts'

const step = (kind: Step['kind'], text: string): Step => ({ kind, text, at: null })
const turn = (request: string, ...steps: Step[]): Turn => ({ request, to: null, at: null, steps })
const trail = (turns: Turn[], { forgotten = 0, told = '', room = 2000 } = {}) =>
  trailLines(turns, forgotten, told, room)
/** Words that no two turns share. */
const words = (at: number, count: number) => Array.from({ length: count }, (_, n) => `w${at}x${n}`).join(' ')

describe('the turns of a session', () => {
  it('tell each request and what came of it, in order', () => {
    const turns = [
      turn(
        'Port the queue.',
        step('said', 'It runs on the wheel.'),
        step('commit', 'Port the queue to the wheel'),
      ),
      {
        ...turn('yes, 2', step('answer', 'Cap it → (2) before the jitter')),
        to: 'Cap it (1) behind or (2) before the jitter?',
      },
      turn('No timers.', step('refused', '`rm -rf dist`: keep the build')),
      turn(
        '',
        step('plan', '1. Measure the slots\n2. Write the guide'),
        step('summary', 'The gateway drops clients.'),
      ),
    ]
    expect(trail(turns)).toEqual([
      '- "Port the queue."',
      '  - It runs on the wheel.',
      '  - Committed: Port the queue to the wheel',
      '- "yes, 2" (to: "Cap it (1) behind or (2) before the jitter?")',
      '  - Answered: Cap it → (2) before the jitter',
      '- "No timers."',
      '  - Refused by the user: `rm -rf dist`: keep the build',
      '- (went on without a new request)',
      '  - From the plan: 1. Measure the slots 2. Write the guide',
      '  - From a summary of earlier turns: The gateway drops clients.',
    ])
    expect(trail([])).toEqual([])
  }) // prettier-ignore

  it('tell of no turn what was announced on the way', () => {
    const said = (at: number) => [
      step(
        'said',
        `The port of ${words(at, 6)} is busy. Let me look at src/port.ts first. It leaks. I'm about to edit it.`,
      ),
      step('said', `Done: ${words(at + 10, 2)}.`),
    ]
    const lines = trail(Array.from({ length: 5 }, (_, at) => turn(`Fix w${at}.`, ...said(at))))
    expect(lines.filter((line) => line.includes('port'))).toEqual(
      [0, 1, 2, 3, 4].map((at) => `  - The port of ${words(at, 6)} is busy. It leaks.`),
    )
    expect(lines.filter((line) => line.includes('Done')).length).toBe(5)
  })

  it.each([
    'I have the full picture.',
    'Now I have all the information I need.',
    'I have everything except the switch.',
    'I’m first reading the rules of the port.',
  ])('tell nothing of what only leads to the next step: %s', (words) => {
    const lines = trail([turn('Mend it.', step('said', `${words} The port leaks.`))])
    expect(lines).toEqual(['- "Mend it."', '  - The port leaks.'])
  })

  it('leave no mark of a list or of bold text alone', () => {
    const heading = step('said', 'Let me start.\n\n**1. Fix the cap + 2. Return the error:**')
    const lines = trail([turn('Mend both.', heading, step('said', 'The cap is in.'))])
    expect(lines).toEqual(['- "Mend both."', '  - The cap is in.'])
  })

  it('drop what a reply says is not committed once a later turn commits', () => {
    const done = step('said', 'The cap in src/cap.ts is in. The changes in src/cap.ts remain uncommitted.')
    const turns = [turn('Cap it.', done), turn('Commit it.', step('commit', '`1a2b3c4` Cap it'))]
    expect(trail(turns).join('\n')).toContain('The cap in src/cap.ts is in.')
    expect(trail(turns).join('\n')).not.toContain('remain')
    expect(trail(turns.slice(0, 1)).join('\n')).toContain('remain uncommitted.')
  })

  it('tell where the person interrupted a request', () => {
    const stop = step('interrupt', 'Interrupted by the user')
    const turns = [turn('Hoist the sails.', stop), turn('Mend the mast.', step('said', 'The mast holds.'))]
    expect(trail(turns)).toEqual([
      '- "Hoist the sails."',
      '  - Interrupted by the user',
      '- "Mend the mast."',
      '  - The mast holds.',
    ])
  })

  it('tell the newest requests and the first one whole, older ones shorter, and always the last five', () => {
    const lines = trail(
      Array.from({ length: 14 }, (_, at) => turn(words(at, 120))),
      { room: 99_999 },
    )
    const lengths = lines.map((line) => line.length)
    expect(
      lengths
        .slice(-3, -1)
        .concat(lengths[0] ?? 0)
        .every((length) => length > 550 && length < 650),
    ).toBe(true)
    expect(lengths.at(-1)).toBeGreaterThan(750)
    expect(lengths.slice(4, 11).every((length) => length > 350 && length < 430)).toBe(true)
    expect(lengths.slice(1, 4).every((length) => length > 200 && length < 270)).toBe(true)
    const few = trail(
      Array.from({ length: 14 }, (_, at) => turn(`do w${at}`)),
      { room: 33 },
    )
    expect(few.map((line) => /w\d+|\d+ more/.exec(line)?.[0])).toEqual([
      'w0',
      'w9',
      'w10',
      'w11',
      'w12',
      'w13',
      '8 more',
    ])
  }) // prettier-ignore

  it('tell what the agent first said to the last request', () => {
    const steps = [1, 2, 3, 4, 5].map((at) => step('said', `${words(at, 20)}.`))
    const lines = trail([turn('go', ...steps)], { room: 70 })
    expect(lines[1]).toContain('w1x0')
    expect(trail([turn('go', ...steps), turn('on')], { room: 70 }).join()).not.toContain('w1x0')
  })

  it('count what is left out', () => {
    const lines = trail([turn('a b', step('said', 'done'))], { forgotten: 7 })
    expect(lines.map(leftOut)).toEqual([null, null, 7])
    expect(lines[2]).toContain('`git handoff ask "<question>"` searches the session)')
    expect(trail([turn(words(1, 90)), turn(words(2, 90))], { room: 10 })).toEqual([])
  })

  it('say of a request that it was answered where the answer has no room', () => {
    const answer = step('said', `${words(1, 60)}.`)
    const turns = [turn('a b', answer), turn('Go on.'), turn('On.'), turn('And on.')]
    expect(trail(turns, { room: 40 }).slice(0, 3)).toEqual(['- "a b"', '  - (replied to)', '- "Go on."'])
    const last: Turn = { ...turn('Where are we?'), isUnderWay: true }
    expect(trail([turn('a b'), last])).toContain('  - (reply above)')
  })

  it('tell no sentence about what stands in a paragraph that is left out', () => {
    const said = `The cache was dropped.\n\n${words(1, 20)} ${words(1, 20)}.\n\nIt could go, but it is harmless. Nothing reads the root key.`
    const lines = trail([turn('go', step('said', said)), turn('on'), turn('on'), turn('on')], {
      told: words(1, 20),
      room: 60,
    })
    expect(lines.join('\n')).toContain('… Nothing reads the root key.')
    expect(lines.join('\n')).not.toContain('It could go')
  })

  it('do not need English', () => {
    const turns = [
      'キューを移植して',
      'ограничь задержку до тридцати секунд',
      'añade pruebas para la cola',
    ].map((request) => turn(request, step('said', `✓ ${request}: 完了しました。готово, listo.`)))
    expect(trail(turns).filter((line) => line.startsWith('  - '))).toHaveLength(3)
    const long = Array.from({ length: 40 }, (_, at) =>
      turn(`${at}番目の依頼`, step('said', `${at}回目の再試行は間隔を空けます。`.repeat(9))),
    )
    const size = estimateTokens(trail(long, { room: 800 }).join('\n'))
    expect([size > 500, size < 1100]).toEqual([true, true])
  }) // prettier-ignore

  it('of a session of 3,000 turns are told within the room, in time that grows with their number alone, the first and the last ones with them', async () => {
    const turns = Array.from({ length: 3000 }, (_, at) =>
      turn(
        `request ${at} ${words(at % 40, 30)}`,
        step('said', `${words(at % 50, 60)}\n\n${words(at % 30, 60)}`),
        step('commit', `Commit ${at}`),
      ),
    )
    await expectLinear(300, (n) => trail(turns.slice(0, n), { room: 1500 }))
    const lines = trail(turns, { room: 1500 })
    expect(estimateTokens(lines.join('\n'))).toBeLessThan(2000)
    expect(lines[0]).toContain('"request 0 ')
    expect(lines.some((line) => line.includes('"request 2999 '))).toBe(true)
    expect(leftOut(lines.at(-1) ?? '')).toBeGreaterThan(2900)
    expect(trail(turns, { room: 1500 })).toEqual(lines)
  }, 60_000) // prettier-ignore

  it('are safe and short whatever they say', () => {
    for (const evil of ['# x', '- y', '<b>', '```', '[a]: b', '\u200b', '👩', '"']) {
      const text = evil.repeat(5000)
      const kinds = ['said', 'answer', 'refused', 'plan', 'commit', 'summary'] as const
      const lines = trail(
        [{ ...turn(text, ...kinds.map((kind) => step(kind, `${text}\n\nword ${text}`))), to: text }],
        { room: 9000 },
      )
      for (const line of lines) {
        expect(line).toMatch(/^(?:- |[ ]{2}- |[ ]{4}[- ] )(?![#>-] )/)
        expect(line.length).toBeLessThanOrEqual(1500)
        expect(line).not.toMatch(/(?<!\\)<b|\u200b|[\ud800-\udbff](?![\udc00-\udfff])/)
      }
      expect(lines.length).toBeGreaterThan(2)
    }
  }) // prettier-ignore
})
