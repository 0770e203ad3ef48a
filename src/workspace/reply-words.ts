import { createExactFilter, type Scanner } from '../secrets/scanner.ts'
import { clipLine, oneLine } from '../text/safe-text.ts'
import { loginValues } from './login-values.ts'

/** UTF-16 units that are shown of what went wrong, and how many of them are its end. */
const MOST = 300
const END = 100

/** A login in an address, of any length and whatever it looks like; slashes may be escaped, as JSON may have them. */
const LOGIN_IN_ADDRESS = /(?<=:(?:\\?\/){2})[^\s/?#\\]*@/g

/** What goes to a model or an agent and what comes back from it, made fit to be sent, used and shown. */
export interface ReplyWords {
  /** What is sent: a copy without the logins of this call, except those that are words or paths. */
  hidden<T>(value: T): T
  /** What comes back: a copy without any login and without whatever else looks like a secret; how many were replaced, by rule. */
  clean<T>(value: T): Promise<{ value: T; counts: Record<string, number> }>
  /**
   * What went wrong, clean, without headers of this call and without the login in any address, as one line of bounded length: its
   * beginning, and where it is long its end too.
   */
  line(text: string): Promise<string>
}

/** `env`: the variables that are read for this call, or handed on to the agent. `allow`: fingerprints of reviewed false alarms. */
export function openReplyWords(
  scanner: Scanner,
  env: Readonly<Record<string, string | undefined>>,
  allow: readonly string[],
): ReplyWords {
  const { sent, back, failure } = loginValues(env)
  const outgoing = createExactFilter(sent, allow)
  const incoming = createExactFilter([...sent, ...back], allow)
  const failing = createExactFilter([...sent, ...back, ...failure], allow)
  const clean: ReplyWords['clean'] = async (value) => {
    const hidden = incoming(value)
    const found = await scanner.redact(hidden.value)
    const counts = { ...found.counts }
    for (const [rule, count] of Object.entries(hidden.counts)) counts[rule] = (counts[rule] ?? 0) + count
    return { value: found.value, counts }
  }
  return {
    hidden: (value) => outgoing(value).value,
    clean,
    async line(text) {
      // Cut last: half a secret is not known for one.
      const { value } = await clean(failing(text).value)
      const line = oneLine(value).replace(LOGIN_IN_ADDRESS, '[REDACTED:url-credentials]@')
      if (line.length <= MOST) return line
      return `${clipLine(line, MOST - END)} ${line.slice(-END).replace(/^\S*\s*/, '')}`.trimEnd()
    },
  }
}
