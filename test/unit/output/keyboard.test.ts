import { PassThrough } from 'node:stream'
import fc from 'fast-check'
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { freeCharacters, holdCharacters, showHeld, withoutKeys } from '../../../src/output/held-characters.ts'
import { openKeyboard } from '../../../src/output/keyboard.ts'

const [BEGIN, END] = ['\u001b[200~', '\u001b[201~']

/** A keyboard whose keys are written by the test. */
function open(takesText = true) {
  const written: string[] = []
  const stdin = Object.assign(new PassThrough(), {
    setRawMode: (on: boolean) => written.push(on ? 'raw' : 'lines'),
  })
  const stderr = { write: (text: string) => written.push(text) }
  const [onEnd, onReturn] = [vi.fn(), vi.fn()]
  const keyboard = openKeyboard({ takesText, onEnd, onReturn }, {
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
    onReturn,
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
    expect(keyboard.written).toEqual(['raw', '\u001b[?2004h', 'lines', '\u001b[?2004l'])
  })

  it.each([
    ['Alt-Enter', ['\u001b\r']],
    ['Alt-Enter in two pieces', ['\u001b', '\r']],
    ['Alt-Enter of a terminal that sends line feeds', ['\u001b\n']],
    ['Alt-Enter with both', ['\u001b\r\n']],
  ])('takes %s for a line break', (_, pieces) => {
    for (const behind of ['', 'two']) {
      const keyboard = open()
      keyboard.comes('one')
      for (const piece of pieces) keyboard.comes(piece)
      keyboard.comes(behind)
      vi.runAllTimers()
      expect(freeCharacters(keyboard.keys())).toBe(`one\n${behind}`)
      keyboard.comes('\r')
      vi.runAllTimers()
      expect(keyboard.keys().endsWith(`${behind}\r`)).toBe(true)
      keyboard.close()
    }
  })

  it('takes Esc for a key where Enter comes later', () => {
    const keyboard = open()
    keyboard.comes('\u001b')
    vi.advanceTimersByTime(100)
    expect(keyboard.keys()).toBe('\u001b')
    keyboard.comes('\r')
    vi.runAllTimers()
    expect(keyboard.keys()).toBe('\u001b\r')
    keyboard.close()
  })

  it.each([
    ['\u001b[', 'D'],
    ['\u001bO', 'D'],
    ['\u001b[1;', '5D'],
    ['\u001b[3', '~'],
  ])('has one key where its pieces come apart: %j and %j', (...pieces) => {
    for (const takesText of [true, false]) {
      const keyboard = open(takesText)
      const typed: string[] = []
      keyboard.input.on('keypress', (key) => typed.push(key))
      for (const piece of pieces) {
        keyboard.comes(piece)
        vi.advanceTimersByTime(100)
      }
      expect([keyboard.keys(), typed]).toEqual([pieces.join(''), []])
      keyboard.close()
    }
  })

  it('knows the bracket of a text on a slow line', () => {
    const keyboard = open()
    for (const piece of ['\u001b[2', `00~one\rtwo${END}`]) {
      keyboard.comes(piece)
      vi.advanceTimersByTime(100)
    }
    expect(freeCharacters(keyboard.keys())).toBe('one\ntwo')
    keyboard.close()
  })

  it.each([true, false])('takes a line from before the question with its Enter, text: %s', (takesText) => {
    for (const typed of ['jk', '']) {
      const keyboard = open(takesText)
      // The terminal itself has made it of the key.
      keyboard.comes(`${typed}\n`)
      vi.runAllTimers()
      expect(keyboard.keys()).toBe(`${typed}\r`)
      keyboard.close()
    }
  })

  it.each(['one\ntwo\n', 'one\n\n', `${BEGIN}one\n`])(
    'takes no Enter from what was pasted before the question: %j',
    (text) => {
      const keyboard = open()
      keyboard.comes(text)
      vi.runAllTimers()
      expect(keyboard.keys()).not.toMatch(/[\r\n]/)
      keyboard.close()
    },
  )

  it.each([true, false])('can be left where a paste has no end, text: %s', (takesText) => {
    const keyboard = open(takesText)
    keyboard.comes(`${BEGIN}one`)
    keyboard.comes('\u0003')
    vi.advanceTimersByTime(500)
    keyboard.comes('\u0003')
    expect(keyboard.keys()).not.toContain('\u0003')
    vi.advanceTimersByTime(1500)
    keyboard.comes('\u0003')
    expect(keyboard.keys().endsWith('\u0003')).toBe(true)
    keyboard.close()
  })
})

describe('the keyboard and Ctrl-Z', () => {
  const kill = vi.spyOn(process, 'kill')
  const stopped = () => {
    const keyboard = open()
    keyboard.written.length = 0
    keyboard.comes('\u001a')
    expect(kill).toHaveBeenCalledWith(0, 'SIGTSTP')
    expect(keyboard.written).toEqual(['lines', '\u001b[?2004l', '\u001b[?25h'])
    keyboard.written.length = 0
    return keyboard
  }
  // What a terminal has of its own before a program in the background is stopped for touching it.
  const BACK = ['raw', '\u001b[?2004h', '\u001b[?25l']
  beforeEach(() => {
    vi.useFakeTimers()
    kill.mockReset().mockReturnValue(true)
  })
  afterEach(() => vi.useRealTimers())
  afterAll(() => kill.mockRestore())

  it('goes on once, and touches the terminal before it writes to it', async () => {
    const keyboard = stopped()
    process.emit('SIGCONT', 'SIGCONT')
    expect(keyboard.written).toEqual(BACK)
    await vi.advanceTimersByTimeAsync(1000)
    process.emit('SIGCONT', 'SIGCONT')
    expect(keyboard.written).toEqual(BACK)
    expect(keyboard.onReturn).toHaveBeenCalledOnce()
    keyboard.comes('a')
    expect(keyboard.keys()).toBe('a')
    keyboard.close()
  })

  it('goes on by itself where nothing can stop it', async () => {
    const keyboard = stopped()
    await vi.advanceTimersByTimeAsync(1000)
    expect(keyboard.written).toEqual(BACK)
    // Nobody else has written there.
    expect(keyboard.onReturn).not.toHaveBeenCalled()
    keyboard.close()
  })

  it('leaves the terminal alone when the question is over', async () => {
    const keyboard = stopped()
    keyboard.close()
    process.emit('SIGCONT', 'SIGCONT')
    await vi.advanceTimersByTimeAsync(1000)
    expect(keyboard.written).toEqual([])
    expect(process.listenerCount('SIGCONT')).toBe(0)
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

  it('are no keys: those are taken out of what was typed', () => {
    for (const key of [
      '\u001b[D',
      '\u001b[1;5D',
      '\u001b[3~',
      '\u001bOH',
      '\u001b[[A',
      '\u0001',
      '\u007f',
      '\u009b',
      '\u001b',
    ])
      expect(withoutKeys(`port ${key}the\n\tqueue[D`)).toBe('port the\n\tqueue[D')
  })
})
