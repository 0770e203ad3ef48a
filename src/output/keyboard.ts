import { Readable } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'
import { holdCharacters } from './held-characters.ts'

/** How a terminal is asked to put brackets around what is pasted (xterm, mode 2004), and these brackets. */
const BRACKETS = {
  on: '\u001b[?2004h',
  off: '\u001b[?2004l',
  begin: '\u001b[200~',
  end: '\u001b[201~',
} as const
const CURSOR = { show: '\u001b[?25h', hide: '\u001b[?25l' } as const
/** What comes within this time, in ms, was not typed key by key. */
const TOGETHER_MS = 50
/** A slow line brings a key in pieces; as long as this, in ms, the rest is waited for. */
const KEY_MS = 500
/** Nothing of a paste for so long, in ms: it has no end. */
const SILENT_MS = 1000
/** In ms. What is not stopped by then cannot be: the system stops no group of processes that no shell could set going again. */
const STOPPED_MS = 100
const STOP = '\u001a'
const CANCEL = '\u0003'
/** Keys that are text where others come with them. */
const BREAKS = /\r\n?|[\n\t]/g
/** Alt-Enter, and Shift-Enter of some terminals. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: that is what the key sends
const ALT_ENTER = /\u001b(?:\r\n?|\n)/g
/** The beginning of a key, or of a bracket (ECMA-48, 5.4; `[[` on the console of Linux). */
// biome-ignore lint/suspicious/noControlCharactersInRegex: that is what keys begin with
const BEGUN_KEY = /\u001b(?:\[{1,2}[\d;:<=>?]*|O)?$/
/** A line that the terminal itself took before it was asked not to: it makes a line feed of Enter. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: a line with keys in it is no such line
const EARLY_LINE = /^[^\r\n\u001b]*\n$/
/** What is never a part of a text. */
const CONTROL = /[\p{Cc}\u2028\u2029]/u

export interface Keyboard {
  /** What the prompt library reads. */
  input: Readable
  close(): void
}

export interface KeyboardOptions {
  /** The question takes text: what is pasted is a part of it, with its line breaks. Otherwise it is no key. */
  takesText: boolean
  /** Nothing more can be typed. */
  onEnd: () => void
  /** Somebody else has had the terminal. */
  onReturn: () => void
}

/**
 * Standard input for one question. What is pasted is no keys, and neither are lines that arrive in one go where the terminal has no
 * brackets: their line breaks are held (`held-characters.ts`), and Enter alone sends. What comes behind the end of the question is left
 * for the next.
 */
export function openKeyboard(
  { takesText, onEnd, onReturn }: KeyboardOptions,
  { stdin, stderr }: Pick<NodeJS.Process, 'stdin' | 'stderr'> = process,
): Keyboard {
  const decoder = new StringDecoder('utf8')
  let isRaw = false
  let isClosed = false
  let isPasting = false
  /** Several lines have come, and the last just now. */
  let isBurst = false
  let isStopped = false
  let isFirst = true
  let isSilent = false
  /** What has come and is not understood yet. */
  let held = ''
  let left = ''
  let timer: NodeJS.Timeout | undefined
  let unstopped: NodeJS.Timeout | undefined
  const setRaw = (on: boolean): void => {
    if (on === isRaw) return
    isRaw = on
    if (!stdin.destroyed) stdin.setRawMode(on)
    stderr.write(on ? BRACKETS.on : BRACKETS.off)
  }
  const input = Object.assign(new Readable({ read: () => {} }), {
    isTTY: true,
    setRawMode: (on: boolean) => setRaw(on),
  })
  const goOn = (): void => {
    clearTimeout(unstopped)
    process.off('SIGCONT', onContinue)
    isStopped = false
    if (isClosed) return
    // First: a program in the background is stopped here, and the cursor is the shell's.
    setRaw(true)
    stderr.write(CURSOR.hide)
  }
  const onContinue = (): void => {
    goOn()
    onReturn()
  }
  const stop = (): void => {
    isStopped = true
    setRaw(false)
    stderr.write(CURSOR.show)
    process.on('SIGCONT', onContinue)
    // The whole group, as the terminal does.
    process.kill(0, 'SIGTSTP')
    // A signal that has come meanwhile is heard first.
    unstopped = setTimeout(() => setImmediate(() => isStopped && goOn()), STOPPED_MS)
  }
  /** Key by key, since a question may end with each; and the line editor puts keys that come together at the end of the line. */
  const press = (keys: string): void => {
    for (const key of keys) {
      if (!isRaw && !isStopped) left += key
      else if (key === STOP) stop()
      else input.emit('data', key)
    }
  }
  /** A text as one key, drawn once: each of 4,000 keys takes the library a millisecond. */
  const insert = (text: string): void => {
    // To the library the name of a key is that key.
    const first = text === 'escape' ? 1 : 0
    for (const part of [text.slice(0, first), text.slice(first)])
      if (part !== '') input.emit('keypress', part, {})
  }
  const paste = (text: string): void => {
    if (takesText) insert(holdCharacters(text))
  }
  const settle = (): void => {
    const [keys, wasBurst] = [held, isBurst]
    held = ''
    isBurst = false
    if (wasBurst && keys === '\r') paste(keys)
    else press(keys)
  }
  const type = (typed: string): void => {
    if (!takesText) {
      press(typed)
      return
    }
    const keys = typed.replace(ALT_ENTER, () => holdCharacters('\n'))
    const body = keys.endsWith('\r') ? keys.slice(0, -1) : keys
    if (/[\r\n]/.test(body)) isBurst = true
    // A key alone is one; with others beside it, it is text, unless one of them can only be a key.
    const text =
      isBurst || keys.length > 1 ? body.replace(BREAKS, holdCharacters) : body.replace('\n', holdCharacters)
    if (CONTROL.test(text)) press(text)
    else insert(text)
    if (body !== keys) held = '\r'
  }
  const onText = (text: string): void => {
    clearTimeout(timer)
    if (isPasting && isSilent && text === CANCEL) {
      isPasting = false
      held = ''
    }
    let rest = held + (isFirst && EARLY_LINE.test(text) ? text.replace('\n', '\r') : text)
    held = ''
    isFirst = false
    isSilent = false
    while (rest !== '') {
      const mark = isPasting ? BRACKETS.end : BRACKETS.begin
      const at = rest.indexOf(mark)
      const half = isPasting ? halfBreakOrMark(rest) : (BEGUN_KEY.exec(rest)?.[0].length ?? 0)
      const whole = rest.slice(0, at < 0 ? rest.length - half : at)
      const tail = at < 0 ? rest.slice(whole.length) : ''
      rest = at < 0 ? '' : rest.slice(at + mark.length)
      if (isPasting) {
        paste(held + whole)
        held = ''
      } else type(whole)
      held += tail
      if (at >= 0) isPasting = !isPasting
    }
    const isKey = held.length > 1 && held.startsWith('\u001b')
    timer = isPasting
      ? setTimeout(() => {
          isSilent = true
        }, SILENT_MS)
      : setTimeout(settle, isKey ? KEY_MS : TOGETHER_MS)
  }
  const onData = (bytes: Buffer | string): void =>
    onText(typeof bytes === 'string' ? bytes : decoder.write(bytes))
  const close = (): void => {
    if (isClosed) return
    isClosed = true
    clearTimeout(timer)
    clearTimeout(unstopped)
    process.off('SIGCONT', onContinue)
    setRaw(false)
    process.off('exit', close)
    stdin.off('data', onData).off('end', onEnd).off('close', onEnd).off('error', onEnd).pause()
    if (left + held !== '' && !stdin.destroyed) stdin.unshift(Buffer.from(left + held))
  }
  // The library is not told that its line editor has ended, as with Ctrl-D: only then does that let go of the input by itself.
  input.on('pause', () => setImmediate(() => isClosed || onEnd()))
  process.once('exit', close)
  stdin.on('data', onData).once('end', onEnd).once('close', onEnd).once('error', onEnd).resume()
  if (stdin.readableEnded || stdin.destroyed) setImmediate(onEnd)
  return { input, close }
}

/** How many characters at the end of what is pasted may be the beginning of a line break, or of the bracket behind it. */
function halfBreakOrMark(text: string): number {
  if (text.endsWith('\r')) return 1
  for (let length = Math.min(BRACKETS.end.length - 1, text.length); length > 0; length--)
    if (text.endsWith(BRACKETS.end.slice(0, length))) return length
  return 0
}
