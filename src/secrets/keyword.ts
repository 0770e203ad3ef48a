import { entropy, isHashInContext, isNameLike, isOtherThing, isStandIn, isUuid } from './public-value.ts'

/** What the rule is called in findings and in `[REDACTED:…]`. */
export const KEYWORD_RULE = 'generic-secret'

/** The words before `=` or `:` that the raw filter looks for. */
export const KEYWORDS: readonly string[] =
  'password passwd passphrase secret token api_key api-key apikey access_key access-key accesskey auth_key private_key secret_key signing_key encryption_key credential credentials _key _pass _pwd'.split(
    ' ',
  )

/** Values behind a telling name that look like secrets, in order of place. */
export function* findKeywordSecrets(text: string): Generator<Assigned> {
  for (const one of assignedValues(text)) if (isSecret(one, text)) yield one
}

/** Fewest characters: of a password that a person chose, of a secret, of a value whose name only hints at one, or names a service. */
const LEAST = { password: 6, secret: 8, hint: 16, vendor: 14 }
/** Bits per character below which a text of that length is rather a word; random base62 of 12 has about 3.4. */
const LEAST_ENTROPY = 3
const LEAST_PASSWORD_ENTROPY = 2.5

function isSecret(one: Assigned, text: string): boolean {
  const { telling, value } = one
  // `PASS: parses a date`: the result of a test.
  if (one.name === 'PASS' && one.sign === 'colon') return false
  // The id of an agent's session, as in a brief; a cookie has `session=`.
  if (one.sign === 'colon' && one.name.toLowerCase() === 'session') return false
  if (value.length < LEAST[telling] || !/[A-Za-z0-9]/.test(value) || isStandIn(value) || isSample(value))
    return false
  if (telling === 'secret' && isUuid(value) && one.sign !== 'prose') return true
  if (isOtherThing(value)) return false
  if (telling === 'password' && one.sign !== 'prose') return looksChosen(value) || isLiteral(one, text)
  if (telling !== 'secret' && isHashInContext(value, text.slice(Math.max(0, one.from - 40), one.from)))
    return false
  if (telling === 'secret' && one.sign !== 'prose' && /^\d{15,20}$/.test(value)) return true
  // In a sentence a hash stands behind such a word as well.
  if (one.sign === 'prose' && HOLDS_HASH.test(value)) return false
  return looksDrawn(value) && ((telling === 'secret' && one.sign !== 'prose') || LONG_RUN.test(value))
}

const HOLDS_HASH = /(?<![A-Za-z0-9])[0-9a-f]{7,64}(?![A-Za-z0-9])/
/** Letters and digits in a row: a slug or a version has none so long. */
const LONG_RUN =
  /(?=[A-Za-z0-9]*\d)(?=[A-Za-z0-9]*[A-Za-z])[A-Za-z0-9]{14}|(?=[^A-Z]*[A-Z])(?=[^a-z]*[a-z])(?=\D*\d)[A-Za-z0-9+/]{20}/

/** `e2e-test-jwt-secret`: made up for a test. */
const isSample = (value: string): boolean =>
  /(?:^|[-_])(?:test|e2e|fake|sample)[-_]/i.test(value) && !LONG_RUN.test(value)

/** Letters with a sign of base64 or of a name here and there; no digit is among 24 random characters of base62 once in 67. */
const LETTERS_ALONE = /^(?:[+/_-]?[A-Za-z]){14,200}={0,2}$/
const hasDigitsOrLength = (value: string): boolean =>
  /[A-Za-z]/.test(value) && (/\d/.test(value) || LETTERS_ALONE.test(value))

const looksDrawn = (value: string): boolean =>
  hasDigitsOrLength(value) &&
  !isNameLike(value) &&
  entropy(value) >= (/^[0-9a-f]{20,}$/i.test(value) ? LEAST_PASSWORD_ENTROPY : LEAST_ENTROPY)

/** People choose a word and a number; programs name things in camel or snake case. */
const looksChosen = (value: string): boolean =>
  value.length >= 8 &&
  hasDigitsOrLength(value) &&
  (/\d/.test(value) || !isNameLike(value)) &&
  entropy(value) >= LEAST_PASSWORD_ENTROPY &&
  !/^[a-z]+(?:[A-Z][a-z]+|_[a-z]+)+\d?$/.test(value)

/** Words that follow `--password` in a sentence or in the help of a program. */
const PROSE =
  /^(?:option|argument|parameter|string|prompt|stdin|value|instead|because|without|should|cannot|before|itself|environment|variable|either|rather|switch|while|when|which|return|false)s?$|^[a-z]+(?:ed|ing|ly|tion|ment)$/
/** Names of constants and of other passwords: `NEW_PASSWORD`, `resetPassword`. */
const CONSTANT_NAME = /^[A-Z]+(?:_[A-Z]+)+$|pass(?:word|wd|phrase)|secret|token/i

/**
 * A word that a command or a setting is given as its password: `--password=…`, `DB_PASSWORD=…`, `password = '…'`. It need not look
 * random, since the name says what it is. Lower-case names take a bare word only from an option: in code it is a variable.
 */
function isLiteral({ name, sign, value, isQuoted, end }: Assigned, text: string): boolean {
  if (value.startsWith('-') || (CONSTANT_NAME.test(value) && isNameLike(value))) return false
  const isSetting = name === name.toUpperCase()
  if (sign === 'option') return isQuoted || !PROSE.test(value)
  if (sign === 'pair') return isSetting || /\d/.test(value)
  if (sign === 'prose') return false
  if (/^--?[a-z]/.test(name)) return true
  if (isQuoted) return isSetting || sign === 'equals'
  return isSetting && (sign === 'equals' || /^[ \t\r]*(?:\n|$)/.test(text.slice(end, end + 9)))
}

/** A value that a name is given: `NAME=value`, `"name": "value"`, `--name value`, `<name>value</name>`, `name is value`. */
export interface Assigned {
  name: string
  telling: Exclude<Telling, null>
  value: string
  start: number
  end: number
  /** Where the name begins; the whole ends with the value. */
  from: number
  isQuoted: boolean
  sign: 'equals' | 'colon' | 'option' | 'pair' | 'prose'
}

/** A name as it stands in code, in a header, in an option or in a sentence. */
const ANY_NAME = /[A-Za-z0-9_.-]{2,}/g
/** Longer ones are no names. */
const LONGEST_NAME = 100

const QUOTE = `\\\\{0,7}["'\`]`
const SCHEME = `(?:(?:Bearer|Basic|Token|ApiKey|Api-Key|Key|Digest|SSWS|Negotiate|OAuth|Splunk|GenieKey)[ \\t]+)?`
/** What may stand between a name and its value; the groups tell how the two are joined. */
const SIGN = new RegExp(
  [
    // A declared type may stand between: `api_key: &str =`.
    `(?:${QUOTE})?\\]?\\*{0,2}(?:[ \\t]?:[ \\t]?[&\\w.<>' ]{1,40}?(?=[ \\t]=[ \\t]))?[ \\t]{0,40}(?<equals>:=|\\?=|\\|\\|=|=>|={1,3})[ \\t]{0,40}`,
    `(?:${QUOTE})?\\]?\\*{0,2}(?:[ \\t](?:for|of|to)[ \\t][\\w \\t'-]{1,40})?[ \\t]{0,40}(?<colon>:-?(?!:))\\*{0,2}[ \\t]{0,40}`,
    `(?<pair>${QUOTE}[ \\t]{0,4},\\s{0,8}(?=\\\\{0,7}["'\`])|${QUOTE}[ \\t]+value[ \\t]{0,2}=[ \\t]{0,2}(?=\\\\{0,7}["'])|(?:${QUOTE})?>(?=[^<\\s]{6,})|</\\w{1,20}>[\\s\\d+\\\\nt]{0,20}<\\w{1,20}>)`,
    `(?<prose>\\*{0,2}[ \\t]+(?:is|was)[ \\t]+|[ \\t]{0,9}\\|[ \\t]{0,9})`,
    `(?<option>[ \\t]+(?!-))`,
  ].join('|'),
  'iy',
)
const VALUE = new RegExp(
  `${SCHEME}(?:\\\\{0,7}(["'\`])${SCHEME}([^\\s"'\`\\\\]{6,20000})\\\\{0,7}\\1|\\\\{0,7}["'\`]?${SCHEME}([^\\s"'\`,;<>\\\\]{6,20000}))`,
  'iy',
)
/** Every value in a text that stands at a telling name, in order of place. Takes time in proportion to the text. */
export function* assignedValues(text: string): Generator<Assigned> {
  let done = 0
  for (const { 0: name, index: from } of text.matchAll(ANY_NAME)) {
    if (from < done || name.length > LONGEST_NAME) continue
    const telling = tellingAt(text, name, from)
    if (telling === null || isMark(text, from)) continue
    const one = assignmentAt(text, from, from + name.length, name, telling)
    if (one === null) continue
    yield one
    // A short value may be the name of the next one: `<add key="Password" value="…">`.
    if (one.value.length > LONGEST_NAME) done = one.end
  }
}

function assignmentAt(
  text: string,
  from: number,
  end: number,
  name: string,
  telling: Assigned['telling'],
): Assigned | null {
  SIGN.lastIndex = end
  const sign = SIGN.exec(text)
  if (sign === null) return null
  const kind = kindOf(sign, name)
  VALUE.lastIndex = end + sign[0].length
  const found = VALUE.exec(text)
  if (found === null || isPlace(kind, found[0]) || (kind === 'option' && found[1] === '`')) return null
  const raw = found[2] ?? found[3] ?? ''
  const start = found.index + found[0].lastIndexOf(raw)
  const value = found[2] === undefined ? unquoted(raw, kind === 'equals' && name === name.toUpperCase()) : raw
  return {
    name,
    telling,
    value,
    start,
    end: start + value.length,
    from,
    isQuoted: found[2] !== undefined,
    sign: kind,
  }
}

/** Behind a blank stands the value of an option, or, as in a `.netrc`, of a word. */
function kindOf({ groups = {} }: RegExpExecArray, name: string): Assigned['sign'] {
  const kind = Object.keys(groups).find((one) => groups[one] !== undefined) as Assigned['sign']
  return kind === 'option' && !name.startsWith('-') ? 'prose' : kind
}

/**
 * A value without quotes ends before the next field of a query and before marks that end a sentence. A bracket is
 * part of it only in a setting; elsewhere it belongs to code.
 */
function unquoted(raw: string, isSetting: boolean): string {
  const value = raw.replace(/&(?:amp;)?[\w.%[\]-]{1,60}=.*$/s, '')
  return (isSetting ? value : value.replace(/[()[\]{}].*$/s, '')).replace(/(?<![.:!?&|*])[.:!?&|*]+$/, '')
}

/** Our own mark names a rule, which reads like a name. */
const isMark = (text: string, from: number): boolean => text.startsWith('[REDACTED:', from - 10)

/** `password-store.md:112:…`: a line of a file. */
const isPlace = (kind: Assigned['sign'], value: string): boolean =>
  kind === 'colon' && /^\d{1,6}:/.test(value)

/** What names tell, as far as they were met: the same come again and again. */
const met = new Map<string, Telling>()
const MOST_MET = 20_000

function tellingAt(text: string, name: string, from: number): Telling {
  // The word before a name in the same line, where one blank parts them: `API key`.
  if (name.toLowerCase() === 'key')
    return tellingOf(name, /([A-Za-z]{2,14}) $/.exec(text.slice(Math.max(0, from - 16), from))?.[1] ?? null)
  let telling = met.get(name)
  if (telling !== undefined) return telling
  telling = tellingOf(name, null)
  if (met.size >= MOST_MET) met.clear()
  met.set(name, telling)
  return telling
}

/** What the name of a variable, field, header or option says of its value. */
export type Telling = 'password' | 'secret' | 'hint' | 'vendor' | null

const wordSet = (words: string): ReadonlySet<string> => new Set(words.split(' '))

/** Words after which a value may be chosen by a person. */
const PASSWORDS = wordSet('pass password passwd passphrase passcode passwort pw psw pswd userpass dbpass')
/** Words that name a secret by themselves. */
const SECRETS = wordSet(
  'secret secrets token credential credentials cred creds apikey apikeys apitoken appkey appsecret authkey authtoken accesskey accesstoken secretkey clientsecret privatekey masterkey sessionkey signingkey bearer authorization jwt mnemonic otp totp',
)
/** Names written as one word: `PGPASSWORD`, `clientsecret`. */
const ENDS_AS_PASSWORD =
  /(?:password|passwd|passphrase|passcode|pwd)$|^(?:store|key|db|root|admin|user|smtp|mail|my)pass$/
const ENDS_AS_SECRET = /(?:secret|token|apikey|accesskey|secretkey|privatekey)$/
/** Words before `key` that make it a secret one. */
const KEY_OF = wordSet(
  'api access auth account private secret signing sign signature encryption encrypt decryption master service session shared storage admin server client ssh deploy license write root webhook hmac jwt aes rsa cipher cookie app application subscription consumer host',
)
/** Words that may hold a secret: the value must look drawn at random. */
const HINTS = wordSet(
  'auth cookie cookies session sessionid sid salt seed webhook dsn pat signature sig license licence pin hmac nonce csrf xsrf connect',
)
/** Words before `key` with which it leads to something. */
const OPEN_KEY = wordSet(
  'public primary foreign cache sort partition query storage index group object unique map hash row column lookup idempotency translation message i18n react item list node edge event state record entry data field property config option feature flag route path file menu hot short input tab arrow up down left right enter escape shift control meta alt space delete press composite candidate natural surrogate dedupe memo registry',
)
/** Behind such a word a secret's place, kind or number stands, not the secret. */
const ABOUT = wordSet(
  'name names type types kind kinds count counts limit limits url urls uri uris endpoint endpoints path paths file files filename filenames dir dirs folder folders id ids identifier identifiers length len size index idx field fields prefix suffix hash hashes expires expiry expiration ttl at date time alg algorithm version policy policies rule rules manager provider store storage service class regex pattern format label placeholder hint input form prompt reset rotation strength usage budget window cost price ref arn scope scopes issuer audience owner status state error source header param params required enabled env var variable mode method socket sock profile author authors fingerprint fingerprints allow allowed ignore ignored',
)

/** Services whose name alone makes a random value behind it suspicious. */
const SERVICES = wordSet(
  'adafruit adobe airtable algolia alibaba aliyun amplitude anthropic artifactory asana atlassian auth0 azure beamer bintray bitbucket bittrex braintree bugsnag buildkite cloudflare cloudinary codecov cohere coinbase confluence confluent contentful coveralls crowdin datadog databricks deepgram deepseek digitalocean discord docusign doppler droneci dropbox duffel elastic etsy facebook fastly finicity finnhub firebase flickr freshbooks gemini gitea gitlab gitter gocardless grafana hasura heroku honeybadger hubspot huggingface infura intercom jenkins jfrog jira klaviyo kraken kucoin launchdarkly linear linkedin lob looker mailchimp mailgun mapbox mattermost meraki messagebird mistral mixpanel mux netlify newrelic notion nytimes okta openai openrouter opsgenie pagerduty paypal paystack pinecone plaid plivo postmark privateai pusher quicknode rapidapi razorpay replicate rollbar segment sendbird sendgrid sentry shopify slack snyk sonar sonarqube spotify squarespace stripe sumo sumologic supabase telegram telegr telnyx todoist travis travisci trello twilio twitch twitter typeform unsplash vercel vonage xray yandex zendesk zoom',
)
const TWO_WORDS =
  /(?:^| )(?:new relic|linked in|message bird|private ai|hugging face|new york times|contribsys com)(?: |$)/

/** The words of a name, in lower case: `dbPassword2` is `db password`. */
export const wordsOfName = (name: string): string[] =>
  (name.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+/g) ?? []).map((word) => word.toLowerCase())

/** How much a name tells; `spoken`: the word before it in a sentence, as `API` before `key`. */
export function tellingOf(name: string, spoken: string | null): Telling {
  // Folders.
  if (name === 'PWD' || name === 'OLDPWD') return null
  const words = wordsOfName(name.replace(/(?:1|one)password/gi, ''))
  const last = words.at(-1) ?? ''
  if (words.length > 1 && ABOUT.has(last))
    return telling(words.slice(0, -1), spoken) === null ? null : serviceOf(words)
  return telling(words, spoken) ?? serviceOf(words)
}

const serviceOf = (words: readonly string[]): Telling =>
  words.some((word) => SERVICES.has(word)) || TWO_WORDS.test(words.join(' ')) ? 'vendor' : null

function telling(words: readonly string[], spoken: string | null): Telling {
  if (words.some((word) => PASSWORDS.has(word) || ENDS_AS_PASSWORD.test(word))) return 'password'
  if (words.some((word) => SECRETS.has(word) || ENDS_AS_SECRET.test(word))) return 'secret'
  const at = words.lastIndexOf('key')
  if (at > -1) {
    const before = words[at - 1]
    if (before === undefined) return KEY_OF.has(spoken?.toLowerCase() ?? '') ? 'secret' : null
    if (OPEN_KEY.has(before)) return null
    return KEY_OF.has(before) ? 'secret' : 'hint'
  }
  return words.some((word) => HINTS.has(word)) ? 'hint' : null
}
