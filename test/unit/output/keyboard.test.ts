import { PassThrough } from 'node:stream'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { freeCharacters, holdCharacters, showHeld } from '../../../src/output/held-characters.ts'
import { openKeyboard } from '../../../src/output/keyboard.ts'

const [BEGIN, END] = ['\u001b[200~', '\u001b[201~']

/** A keyboard whose keys are written by the test. */
function open(takesText = true) {
  const stdin = Object.assign(new PassThrough(), { setRawMode: () => {} })
  const written: string[] = []
  const stderr = { write: (text: string) => written.push(text) }
  const onEnd = vi.fn()
  const keyboard = openKeyboard({ takesText, onEnd, onReturn: () => {} }, {
    stdin,
    stderr,
  } as unknown as Pick<NodeJS.Process, 'stdin' | 'stderr'>)
  const keys: string[] = []
  for (const event of ['data', 'keypress']) keyboard.input.on(event, (key) => keys.push(String(key)))
  const { setRawMode } = keyboard.input as unknown as { setRawMode: (on: boolean) => void }
  setRawMode(true)
  return {
    ...keyboard,
    setRawMode,
    onEnd,
    written,
    keys: () => keys.join(''),
    comes: (bytes: Buffer | string) => stdin.emit('data', Buffer.from(bytes)),
    left: () => String(stdin.read() ?? ''),
  }
}

/** Bytes cut at these places. */
function* pieces(text: string, cuts: readonly number[]): Generator<Buffer> {
  const bytes = Buffer.from(text)
  let from = 0
  for (const to of [...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length]) {
    yield bytes.subarray(from, to)
    from = to
  }
}

const anyText = fc
  .array(
    fc.constantFrom('a', 'Ü', '漢', '🙂', ' ', '\n', '\r\n', '\t', '\u0003', '\u0004', '\u001b[', '\u2028'),
    {
      maxLength: 30,
    },
  )
  .map((parts) => parts.join(''))
const anyCuts = fc.array(fc.nat(), { maxLength: 8 })

describe('the keyboard', () => {
  beforeEach(() => vi.useFakeTimers())
  afterEach(() => vi.useRealTimers())

  it('takes what is pasted in brackets as text, wherever it is cut', () => {
    fc.assert(
      fc.property(anyText, anyCuts, (text, cuts) => {
        const keyboard = open()
        for (const piece of pieces(BEGIN + text + END, cuts)) keyboard.comes(piece)
        vi.runAllTimers()
        expect(freeCharacters(keyboard.keys())).toBe(text.replaceAll('\r\n', '\n'))
        // Nothing in it is a key.
        expect(keyboard.keys()).not.toMatch(/\p{Cc}/u)
        keyboard.close()
      }),
    )
  })

  it('takes lines that come together as text, and Enter behind them as a key', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('one', '- two', ''), { minLength: 1, maxLength: 6 }),
        anyCuts,
        (before, cuts) => {
          const lines = [...before, 'last']
          const keyboard = open()
          for (const piece of pieces(lines.join('\r'), cuts)) keyboard.comes(piece)
          vi.runAllTimers()
          expect(freeCharacters(keyboard.keys())).toBe(lines.join('\n'))
          keyboard.comes('\r')
          vi.runAllTimers()
          expect(keyboard.keys().endsWith('\r')).toBe(true)
          keyboard.close()
        },
      ),
    )
  })

  it('sends a line that comes with its Enter', () => {
    const keyboard = open()
    keyboard.comes('port the queue\r')
    vi.runAllTimers()
    expect(keyboard.keys()).toBe('port the queue\r')
    keyboard.close()
  })

  it('has no keys in what is pasted where no text is asked for', () => {
    const keyboard = open(false)
    keyboard.comes(`${BEGIN}j\rj\r${END}`)
    keyboard.comes('\u001b[B')
    vi.runAllTimers()
    expect(keyboard.keys()).toBe('\u001b[B')
    keyboard.close()
  })

  it('takes the name of a key for a text', () => {
    const keyboard = open()
    const pieces: string[] = []
    keyboard.input.on('keypress', (key) => pieces.push(key))
    keyboard.comes(`${BEGIN}escape${END}`)
    expect(pieces).toEqual(['e', 'scape'])
    keyboard.close()
  })

  it('leaves what comes behind the end of a question for the next', () => {
    const keyboard = open(false)
    keyboard.input.on('data', (key) => {
      if (String(key) === '\r') keyboard.setRawMode(false)
    })
    keyboard.comes('j\rkk\r')
    keyboard.close()
    expect([keyboard.keys(), keyboard.left()]).toEqual(['j\r', 'kk\r'])
  })

  it('asks for brackets while it is open, and no longer', () => {
    const keyboard = open()
    keyboard.close()
    keyboard.close()
    expect(keyboard.written).toEqual(['\u001b[?2004h', '\u001b[?2004l'])
  })
})

describe('held characters', () => {
  it('are given back, and shown as one character each', () => {
    const keys = `${Array.from({ length: 31 }, (_, i) => String.fromCharCode(i + 1)).join('')}\u007f\u2028\u2029`
    const text = `a${keys.replaceAll('\r', '')}b`
    const held = holdCharacters(text)
    expect(freeCharacters(held)).toBe(text)
    expect(held).not.toMatch(/[\p{Cc}\u2028\u2029]/u)
    expect(showHeld(held)).toHaveLength(text.length)
    expect(showHeld(holdCharacters('a\r\n\tb'))).toBe('a↵→b')
  })
})
