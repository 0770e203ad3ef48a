import { StringDecoder } from 'node:string_decoder'
import { cancelled } from '../errors/writing.ts'
import { withoutKeys } from './held-characters.ts'

const ESC = '\u001b'
/** What comes within this time, in ms, was not typed line by line. */
const TOGETHER_MS = 60

/**
 * What is typed up to Enter, as the terminal itself lets people edit it: one `line`, or all `lines` that arrive together and what is
 * begun behind them, without the last line break and without the keys that the terminal takes for text. What comes behind a line is left for the next question. Throws `cancelled`.
 */
export function readTyped(signal: AbortSignal | undefined, most: 'line' | 'lines'): Promise<string> {
  const { stdin } = process
  const decoder = new StringDecoder('utf8')
  let typed = ''
  let timer: NodeJS.Timeout | undefined
  return new Promise((resolve, reject) => {
    const close = (): void => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', leave)
      stdin.off('data', onData).off('end', leave).off('close', leave).off('error', leave).pause()
    }
    const leave = (): void => {
      close()
      process.stderr.write('\n')
      reject(cancelled())
    }
    const settle = (text: string): void => {
      close()
      if (text !== '' && text.replaceAll(ESC, '') === '') reject(cancelled())
      else resolve(most === 'lines' ? withoutKeys(text) : text)
    }
    const settleAll = (): void => {
      if (!typed.endsWith('\n')) process.stderr.write('\n')
      settle(typed.replace(/\n$/, ''))
    }
    /** A line that is begun is given out when a terminal stops to collect lines. */
    const pushBegun = (): void => {
      stdin.setRawMode(true)
      stdin.setRawMode(false)
      timer = setTimeout(settleAll, TOGETHER_MS)
    }
    const onData = (bytes: Buffer | string): void => {
      clearTimeout(timer)
      typed += (typeof bytes === 'string' ? bytes : decoder.write(bytes)).replace(/\r\n?/g, '\n')
      const end = typed.indexOf('\n')
      if (end >= 0 && most === 'lines') timer = setTimeout(pushBegun, TOGETHER_MS)
      else if (end >= 0) {
        const behind = typed.slice(end + 1)
        settle(typed.slice(0, end))
        if (behind !== '') stdin.unshift(Buffer.from(behind))
      }
    }
    signal?.addEventListener('abort', leave, { once: true })
    stdin.on('data', onData).once('end', leave).once('close', leave).once('error', leave).resume()
    if (signal?.aborted || stdin.readableEnded || stdin.destroyed) leave()
  })
}
