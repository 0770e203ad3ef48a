import { readFileSync } from 'node:fs'
import RandExp from 'randexp'
import { marked } from './marked.mjs'

/**
 * The rules of a gitleaks configuration (`config/gitleaks.toml` of its repository): what each finds, and examples of it. Paths and
 * allow lists are left out, so that gitleaks finds at least as much here as in use.
 */
export function readGitleaks(file) {
  const [, ...blocks] = readFileSync(file, 'utf8').split(/^\[\[rules\]\]$/m)
  return blocks.flatMap((block) => {
    const id = /^id = "(.*)"$/m.exec(block)?.[1]
    const source = /^regex = '''(.*)'''$/m.exec(block)?.[1]
    // Some rules look at file names only.
    if (id === undefined || source === undefined) return []
    const entropy = Number(/^entropy = ([\d.]+)$/m.exec(block)?.[1] ?? 0)
    const group = Number(/^secretGroup = (\d+)$/m.exec(block)?.[1] ?? 0)
    const keywords = [...(/^keywords = \[([^\]]*)\]/ms.exec(block)?.[1] ?? '').matchAll(/"([^"]+)"/g)]
    return [
      {
        id,
        entropy,
        group,
        keywords: keywords.map(([, word]) => word),
        source,
        pattern: new RegExp(translate(source), 'g'),
      },
    ]
  })
}

/** True when one of the rules finds a secret that overlaps `value` in the text. */
export function gitleaksFinds(rules, text, value) {
  const lower = text.toLowerCase()
  const from = text.indexOf(value)
  return rules.some(({ pattern, entropy, keywords, group }) => {
    if (keywords.length > 0 && !keywords.some((word) => lower.includes(word))) return false
    return [...text.matchAll(pattern)].some((match) => {
      const secret = match[group || match.length] ?? match.slice(1).find((group) => group) ?? match[0]
      const start = match.index + match[0].lastIndexOf(secret)
      return start < from + value.length && start + secret.length > from && bits(secret) >= entropy
    })
  })
}

export const needsName = ({ source }) => source.includes('{0,20})') && source.includes('{0,50}?')

/**
 * Rules that take any character, blanks and line breaks among them, so that what is drawn from them means nothing: examples in the
 * notation of the rule table, `«…»` around the secret.
 */
const WRITTEN = {
  'curl-auth-header': 'curl -H "Authorization: Bearer «{A-Za-z0-9:40}»" https://api.example.org',
  'curl-auth-user': 'curl --user "ci:«{A-Za-z0-9:16}»" https://api.example.org',
  'freemius-secret-key': "'secret_key' => 'sk_«{A-Za-z0-9:29}»'",
  jwt: '«eyJ{A-Za-z0-9:33}.eyJ{A-Za-z0-9_-:90}.{A-Za-z0-9_-:43}»',
  'jwt-base64': '«ZXlKaGJHY2lPaU{A-Za-z0-9+/:90}==»',
  'kubernetes-secret-yaml': 'kind: Secret\nmetadata:\n  name: app\ndata:\n  config: «{A-Za-z0-9+/:30}==»',
  'nuget-config-password': '<add key="ClearTextPassword" value="«{A-Za-z0-9:16}»" />',
  'private-key':
    '-----BEGIN RSA PRIVATE KEY-----\n«MI{A-Za-z0-9+/:62}»\n{A-Za-z0-9+/:64}\n-----END RSA PRIVATE KEY-----',
}

/** A text with an example of what a rule finds, which alone is its secret; null where none could be made. */
export function exampleOf(rule, fakes) {
  const { random } = fakes
  const written = WRITTEN[rule.id]
  if (written !== undefined) return marked(written, fakes)
  const source = rule.source.replace(/\(\?:\[\\x60'"\\s;\]\|\\\\\[nr\]\|\$\)$/, '')
  const isNamed = needsName(rule)
  const fold = source.startsWith('(?i)') && isNamed ? '(?i)' : ''
  const makeValue = maker(
    isNamed ? `${fold}(${source.slice(source.lastIndexOf('{0,5}(') + 6)}` : source,
    random,
  )
  const makeName = maker(isNamed ? namesIn(source) : '', random)
  for (let round = 0; round < 40; round++) {
    const value = makeValue().replace(/^[\\'"`\s>=:(,)]+/, '')
    const texts = isNamed
      ? ['_api_key', '_token', ''].map(
          (end) => `${makeName()}${end} = ${value.startsWith('"') ? value : `"${value}"`}`,
        )
      : [value, `${rule.keywords[0]}_token = "${value}"`]
    // Three points say that a value was cut short: no service gives out such a key.
    if (value.includes('...') || bits(value) <= 2.6) continue
    const text = texts.find((one) => gitleaksFinds([rule], one, value))
    if (text !== undefined) return { text, secrets: [value] }
  }
  return null
}

/** The expression of the service's names in a rule. */
const namesIn = (source) =>
  (/.*\{0,50\}\?(\(.*\))\(\?:\[ \\t\\w\.-\]\{0,20\}\)/.exec(source)?.[1] ?? '').replace(/\(\?-?i:/g, '(')

/** Draws texts that an expression matches; a point between letters is one, and bounds of words are left to chance. */
function maker(source, random) {
  const plain = translate(
    source
      .replace(/\.\*\??/g, ' ')
      .replace(/\\s[*+]/g, '\\s')
      .replace(/(?<=\w)\.(?=\w)/g, '\\.')
      .replace(/\\\\(?=_-\])/g, ''),
    true,
  )
    .replaceAll('\\b', '')
    .replace(/\(\?<?[=!][^()]*\)/g, '')
    .replace(/\(\?<\w+>/g, '(?:')
  const drawn = new RandExp(new RegExp(plain))
  drawn.max = 60
  drawn.randInt = (from, to) => from + Math.floor(random() * (to - from + 1))
  return () => drawn.gen()
}

/** Shannon entropy in bits per character. */
function bits(value) {
  const counts = new Map()
  for (const unit of value) counts.set(unit, (counts.get(unit) ?? 0) + 1)
  let sum = 0
  for (const count of counts.values()) sum -= (count / value.length) * Math.log2(count / value.length)
  return sum
}

/** What is drawn where a rule takes anything. */
const ANY = '[A-Za-z0-9]'
const PLAIN = { '\\S': ANY, '\\s': ' ' }

/**
 * An expression of Go's as one of JavaScript's: `(?i)` is written out letter by letter. `asWritten`: marks and hexadecimal digits keep
 * the case that the rule writes, since no service gives out `gHp_`; what may be anything is a letter or a digit.
 */
function translate(source, asWritten = false) {
  const folds = [false]
  let out = ''
  for (let at = 0; at < source.length; ) {
    const rest = source.slice(at)
    const fold = folds.at(-1)
    const flags = /^\(\?(-?[is]+)([:)])/.exec(rest)
    if (flags !== null) {
      const isOn = !flags[1].startsWith('-') && flags[1].includes('i')
      const next = flags[1].includes('i') ? isOn : fold
      if (flags[2] === ')') folds[folds.length - 1] = next
      else {
        folds.push(next)
        out += '(?:'
      }
      at += flags[0].length
    } else if (/^\(\?P</.test(rest)) {
      folds.push(fold)
      out += '(?<'
      at += 4
    } else if (rest.startsWith('(')) {
      folds.push(fold)
      const mark = /^\(\?[:<=!]*/.exec(rest)?.[0] ?? '('
      out += mark
      at += mark.length
    } else if (rest.startsWith(')')) {
      folds.pop()
      out += ')'
      at++
    } else if (rest.startsWith('[')) {
      const set = /^\[\^?\]?(?:\\.|\[:\w+:\]|[^\]\\])*\]/.exec(rest)[0]
      out +=
        asWritten && /^\[\^|\\S/.test(set)
          ? ANY
          : classOf(set, fold && !(asWritten && !/[g-z]-|-[g-z]/i.test(set)))
      at += set.length
    } else if (/^\\z/.test(rest)) {
      out += '$'
      at += 2
    } else if (rest.startsWith('\\')) {
      const escaped = /^\\(?:x[0-9a-fA-F]{2}|.)/.exec(rest)[0]
      out += asWritten ? (PLAIN[escaped] ?? escaped) : escaped
      at += escaped.length
    } else if (asWritten && rest[0] === '.') {
      out += ANY
      at++
    } else {
      const unit = rest[0]
      out += fold && !asWritten && /[a-z]/i.test(unit) ? `[${unit.toLowerCase()}${unit.toUpperCase()}]` : unit
      at++
    }
  }
  return out
}

function classOf(set, fold) {
  const plain = set.replaceAll('[:alnum:]', 'A-Za-z0-9')
  if (!fold) return plain
  const more = (plain.slice(1, -1).match(/\\.|[a-zA-Z]-[a-zA-Z]|./g) ?? [])
    .filter((part) => /^[a-zA-Z](?:-[a-zA-Z])?$/.test(part))
    .flatMap((part) => [part.toLowerCase(), part.toUpperCase()])
  const negated = plain.startsWith('[^')
  return `${negated ? '[^' : '['}${more.join('')}${plain.slice(negated ? 2 : 1)}`
}
