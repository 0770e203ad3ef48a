import { orNull } from '../errors/handoff-error.ts'
import { isNameLike } from '../secrets/classify.ts'
import { createExactFilter, type Scanner } from '../secrets/scanner.ts'
import { clipLine, oneLine } from '../text/safe-text.ts'
import { secretValues } from './input-secrets.ts'

type Env = Readonly<Record<string, string | undefined>>

/** The values that a call may give away, by where each is replaced; a value of a list is meant by those below it too. */
export interface LoginValues {
  /** In what is sent, in what comes back, and in what is told of a failure. */
  sent: string[]
  /** In what comes back. */
  back: string[]
  /** In what is told of a failure. */
  failure: string[]
}

/** Variables whose name says that they hold a secret, and which name the file where it stands. */
const NAMES_A_FILE = /(?:_FILE|_PATH|_DIR|APPLICATION_CREDENTIALS)$/
const HOLDS_AN_ADDRESS = /_(?:URL|BASE|ENDPOINT|HOST|PROXY)$/i
/** Headers that let somebody in, besides those whose name says so as that of a variable would; Honeycomb's key is called a team. */
const LOGIN_HEADER = /cookie|honeycomb-team/i
/** Before a login in a header (RFC 9110, 11.4; `Token` and `ApiKey` are GitHub's and Elastic's). */
const SCHEME = /^\s*(Bearer|Basic|Token|ApiKey)\s+(?=\S)/i

/**
 * What of these variables lets somebody in: values of variables and headers whose name says so, and logins in addresses. Words and
 * paths among them (`development`, `corp-gateway-login`; no digits in words) stay in what is sent, else a conversation that speaks of
 * them could not be understood and its files not be found; who gets them reads them as words. In what comes back they are replaced. Any
 * other header may be a login too (`x-team`): it is replaced in what comes back, but where it is words, as `X-Env: development` is,
 * only in what is told of a failure.
 */
export function loginValues(env: Env): LoginValues {
  const all: LoginValues = { sent: [], back: [], failure: [] }
  const add = (isLogin: boolean, values: readonly string[]): void => {
    for (const value of values.flatMap(formsOf)) {
      const isWord = isWords(value)
      all[isLogin && !isWord ? 'sent' : isLogin || !isWord ? 'back' : 'failure'].push(value)
    }
  }
  for (const { name, value } of secretValues(env)) if (!NAMES_A_FILE.test(name)) add(true, [value])
  for (const [name, value = ''] of Object.entries(env)) {
    if (/HEADERS$/.test(name))
      for (const header of headersIn(value)) add(isLoginHeader(header), [header.value])
    if (!HOLDS_AN_ADDRESS.test(name)) continue
    const { user, logins } = loginsIn(
      /PROXY$/i.test(name) && !value.includes('://') ? `http://${value}` : value,
    )
    add(true, logins)
    add(false, [user])
  }
  return all
}

/** Words, or a path, which may have numbers in it. */
const isWords = (value: string): boolean => isNameLike(value) && (!/\d/.test(value) || value.includes('/'))

interface Header {
  name: string
  value: string
}

const isLoginHeader = ({ name, value }: Header): boolean =>
  LOGIN_HEADER.test(name) || secretValues({ [name]: value }).length > 0

/**
 * Headers one a line, as Claude Code takes them, or behind commas, as Gemini CLI (`Name: value`) and OpenTelemetry (`name=value`) do. A
 * comma may belong to the value as well, so each line also counts as one header.
 */
function headersIn(text: string): Header[] {
  return text.split(/[\r\n]+/).flatMap((line) => {
    const parts = line.split(/,(?=\s*[^\s,:=]+\s*[:=])/)
    return (parts.length > 1 ? [line, ...parts] : parts).flatMap((part) => {
      const [, name = '', value = ''] = /^([^:=]*)[:=]\s*(.*)$/.exec(part) ?? ['', '', part]
      // A cookie names each of its values.
      const cookies = /cookie/i.test(name) ? value.split(/[;=]/) : []
      return [value, ...cookies].map((one) => ({ name, value: one.trim() }))
    })
  })
}

/** A value as it is, as it is read in an address, without its scheme, and what `Basic` writes in base64. */
function formsOf(value: string): string[] {
  return [...new Set([value, decoded(value)])].flatMap((form) => {
    const scheme = SCHEME.exec(form)
    if (scheme === null) return [form]
    const login = form.slice(scheme[0].length).trim()
    if (scheme[1]?.toLowerCase() !== 'basic') return [form, login]
    const pair = Buffer.from(login, 'base64').toString()
    return [form, login, pair, pair.slice(pair.indexOf(':') + 1)]
  })
}

/** The login in an address, also as a header carries it: the password, or what stands in its place without one. */
function loginsIn(address: string): { user: string; logins: string[] } {
  const [, scheme = '', user = '', password = ''] =
    /^\s*([a-z][a-z0-9+.-]*):\/\/([^\s/?#:]*)(?::([^\s/?#]*))?@/i.exec(address) ?? []
  // Elsewhere a name alone is that of an account: `ssh://git@…`.
  if (password === '' && !/^(?:https?|wss?)$/i.test(scheme)) return { user, logins: [] }
  if (user === '' && password === '') return { user, logins: [] }
  const pairs = [`${user}:${password}`, `${decoded(user)}:${decoded(password)}`]
  return {
    user,
    logins: [password || user, ...pairs, ...pairs.map((pair) => Buffer.from(pair).toString('base64'))],
  }
}

/** A percent sign may stand for itself. */
const decoded = (text: string): string => orNull(() => decodeURIComponent(text)) ?? text

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
