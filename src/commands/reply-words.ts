import { clipLine, oneLine } from '../brief/safe-text.ts'
import { createExactFilter } from '../secrets/exact-values.ts'
import type { Scanner } from '../secrets/scanner.ts'
import { secretValues } from './input-secrets.ts'

/** UTF-16 units that are shown of what went wrong, and how many of them are its end. */
const MOST = 300
const END = 100

/** Variables whose name says that they hold a secret, and which name the file where it stands. */
const NAMES_A_FILE = /(?:_FILE|_PATH|_DIR|APPLICATION_CREDENTIALS)$/

/** What comes back from a model or an agent, made fit to be used and shown. */
export interface ReplyWords {
  /** A copy without the logins of this call. */
  hidden<T>(value: T): T
  /** A copy without logins and without whatever else looks like a secret; how many were replaced, by rule. */
  clean<T>(value: T): Promise<{ value: T; counts: Record<string, number> }>
  /** What went wrong, clean and as one line of bounded length: its beginning, and where it is long its end too. */
  line(text: string): Promise<string>
}

/** `env`: the variables that are read for this call, or handed on to the agent. `allow`: fingerprints of reviewed false alarms. */
export function openReplyWords(
  scanner: Scanner,
  env: Readonly<Record<string, string | undefined>>,
  allow: readonly string[],
): ReplyWords {
  const exact = createExactFilter(loginValues(env), allow)
  const clean: ReplyWords['clean'] = async (value) => {
    const hidden = exact(value)
    const found = await scanner.redact(hidden.value)
    const counts = { ...found.counts }
    for (const [rule, count] of Object.entries(hidden.counts)) counts[rule] = (counts[rule] ?? 0) + count
    return { value: found.value, counts }
  }
  return {
    hidden: (value) => exact(value).value,
    clean,
    async line(text) {
      // Cut last: half a secret is not known for one.
      const line = oneLine((await clean(text)).value)
      if (line.length <= MOST) return line
      return `${clipLine(line, MOST - END)} ${line.slice(-END).replace(/^\S*\s*/, '')}`.trimEnd()
    },
  }
}

/** Values that let somebody in: of variables whose name says so, of headers of a person's own, and passwords in addresses. */
function loginValues(env: Readonly<Record<string, string | undefined>>): string[] {
  const named = secretValues(env).filter(({ name }) => !NAMES_A_FILE.test(name))
  const others = Object.entries(env).flatMap(([name, value = '']) => {
    if (/HEADERS$/.test(name)) return value.split('\n').map((line) => line.replace(/^[^:=]*[:=]\s*/, ''))
    const password = /_(?:URL|BASE|ENDPOINT|HOST|PROXY)$/i.test(name) ? passwordIn(value) : ''
    return password === '' ? [] : [password]
  })
  return [...named.map(({ value }) => value), ...others]
}

const passwordIn = (address: string): string => /^\w+:\/\/[^/?#@]*?:([^/?#]*)@/.exec(address)?.[1] ?? ''
