/** Beginnings that refer to a value kept elsewhere, or blot it out. */
const REFERS =
  /^(?:\$|%[A-Za-z](?![A-Za-z0-9][^%]*$)|[<{](?=.*[>}]|[A-Za-z_ .-]*$)|#|@|\[redacted|x{3,}|\*{3,}|\.{3}|process\.env|os\.environ|import\.meta|(?:env|config|settings|secrets|vars?)\.)/i
/** Words that stand in for a secret, or are guessed at once: whoever reads them learns nothing. */
const WORD =
  /^(?:your|my|change_?-?(?:me|it)|dummy|fake|mock|sample|placeholder|todo|tbd|test|demo|foo|bar|insert|replace|enter|paste|some|none|null|nil|undefined|true|false|string|number|boolean|function|redacted|hidden|masked|disabled|enabled|required|optional|abc|123456|qwerty|letmein|pass(?:word|wd|phrase)?|secret|token|admin|root|user|guest|postgres|mysql|redis|mongo|minio|rabbitmq|localhost)/i
/** In one case, or with a capital: among letters drawn in both a word comes up a tenth as often so. The last one is the subject at jwt.io. */
const SAYS_SO =
  /^p@ssw0rd|[Ee]xample|EXAMPLE|[Pp]laceholder|PLACEHOLDER|[Cc]hange_?[Mm]e|CHANGE_?ME|(?:[Yy]our|YOUR)[_-]|[Rr]edacted|REDACTED|[Dd]ummy|DUMMY|abcdefgh|ABCDEFGH|x{6}|X{6}|\.\.\.|…|\*{4}|(?:^|[^0-9])0?1234567|([xX*0.-])\1{7}|<[A-Za-z][\w -]{0,40}>|eyJzdWIiOiIxMjM0NTY3ODkw/

/** True when a value only stands in for a secret: `$VAR`, `<token>`, `xxxx`, `changeme`, `…EXAMPLE`, our own mark. */
export function isStandIn(value: string): boolean {
  return REFERS.test(value) || SAYS_SO.test(value) || (WORD.test(value) && isNameLike(value))
}

const UUID = /^\{?[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\}?$/i
/** Of a brief, of a file's content, of a day. */
const ID_OR_DATE =
  /^(?:\d{8}T\d{6}-[0-9a-f]{8}|(?:sha(?:1|224|256|384|512)|md5)[-:]|\d{4}-\d{2}-\d{2}(?:[T ][\d:.,Z+-]*)?$)/i
const DOTTED = /^[A-Za-z_$][\w$]*(?:(?:\.|\?\.|::|->|!\.)[A-Za-z_$][\w$]*)+[!?]?$/
const LOCATION = /^(?:[a-z][a-z0-9+.-]*:)?(?:[A-Za-z]:[\\/]|~?\/|\.{0,2}\/|\/\/)/i

export const isUuid = (value: string): boolean => UUID.test(value)

/** True for values whose form says that they are something else: ids, hashes with a label, dates, dotted names, paths. */
export function isOtherThing(value: string): boolean {
  return (
    UUID.test(value) ||
    ID_OR_DATE.test(value) ||
    (DOTTED.test(value) && !looksRandom(value)) ||
    isPathLike(value)
  )
}

/** Base64 may begin with a slash; so long without a word in it, it is no path. */
const LONG_BASE64 = 40
const isPathLike = (value: string): boolean =>
  LOCATION.test(value) &&
  (value.length < LONG_BASE64 || value.split('/').some((part) => /[a-z]{3}/i.test(part) && isNameLike(part)))

/** A point stands in random values too. */
function looksRandom(value: string): boolean {
  const words = wordsOf(value)
  return words.join('').length >= LEAST_TELLING && (isShort(words) || looksDrawn(words))
}

/** Words in any of the usual spellings with a number or two: `session-v2`, `tokenCache`, `MAX_RETRIES_3`. */
export function isNameLike(text: string): boolean {
  const numbers = text.match(/\d+/g) ?? []
  if (numbers.length > 2 || numbers.some((number) => number.length > 4)) return false
  const words = wordsOf(text)
  return words.length > 0 && !isShort(words) && !looksDrawn(words)
}

/** Mean length of the words in a name, in letters; random letters of both cases come to about 2. */
const LEAST_WORD = 3
const isShort = (words: readonly string[]): boolean => words.join('').length < LEAST_WORD * words.length

/** `dbPassword2` is `db Password`. */
const wordsOf = (text: string): string[] => text.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+/g) ?? []

export function entropy(value: string): number {
  const counts = new Map<string, number>()
  for (const unit of value) counts.set(unit, (counts.get(unit) ?? 0) + 1)
  let bits = 0
  for (const count of counts.values()) bits -= (count / value.length) * Math.log2(count / value.length)
  return bits
}

/**
 * How common each two letters in a row are in names, 26 characters per first letter, one per second: 4 as by pure chance, each step
 * more or less twice or half as often. Counted in the 8,071 distinct words of the identifiers and comments of @types/node 20.19
 * and of the libraries of TypeScript 7.0; `scripts/letter-pairs.mjs` prints it.
 */
// biome-ignore format: a table
const PAIRS = [
  '266633505037570506674432414121401041261141034240002061426006505510721536410020',
  '522472216103224214424210206477554242265745488634353141115400500401500322400030',
  '421061344003243104323000106000600350012151032320002054655550001558751566050305',
  '100030000000001000102000001111510040020111003110100062237210601611620144420050',
  '630161006012315500314000006266647251333454036744202044552340403558450755645210',
  '611261045015106406454010100000000000000000000050000072548330603353630555432040',
  '515273156033325513675220406143821580043263066550215044434330400546140555000100',
  '400060105000103000010010004000400340010330044000010010203000300020130004000010',
  '0120210030022324003200101030004000200000100000000000',
].join('')
const CHANCE = 4
/** Fewer letters tell nothing: short names are abbreviations. */
export const LEAST_TELLING = 12
const LETTER_A = 0x61

/**
 * True when words, of letters alone, are rather drawn at random than written by somebody: all in all their letters follow one another
 * less often in names than pure chance has them. False for fewer than 12 letters. Of random letters of one case 1.2 % are missed at 16
 * letters, 0.2 % at 24 and 0.1 % at 32; of names in code 0.1 % are taken for drawn, of compounds of German, Spanish, French, Italian
 * and Dutch 0.7 %.
 */
export function looksDrawn(words: readonly string[]): boolean {
  const { letters, steps } = weigh(words)
  return letters >= LEAST_TELLING && steps < 0
}

/** True for 8 to 13 letters that a person or a program chose at random: capitals where no word begins, or letters that do not follow one another. */
export function isScrambled(value: string): boolean {
  if (!/^[A-Za-z]{8,13}$/.test(value)) return false
  const words = wordsOf(value)
  const { steps } = weigh(words)
  return steps < 0 && words.some((word) => word.length < LEAST_WORD)
}

/** How many letters there are, and how much more often than by chance they follow one another in names. */
function weigh(words: readonly string[]): { letters: number; steps: number } {
  let letters = 0
  let steps = 0
  for (const word of words) {
    const lower = word.toLowerCase()
    letters += lower.length
    for (let at = 1; at < lower.length; at++) {
      const pair = (lower.charCodeAt(at - 1) - LETTER_A) * 26 + lower.charCodeAt(at) - LETTER_A
      steps += Number(PAIRS[pair] ?? CHANCE) - CHANCE
    }
  }
  return { letters, steps }
}

/** What the name of a variable, field, header or option says of its value. */
export type Telling = 'password' | 'secret' | 'hint' | 'vendor' | null

const wordSet = (words: string): ReadonlySet<string> => new Set(words.split(' '))
/** Words after which a value may be chosen by a person. */
const PASSWORDS = wordSet(
  'pass password passwd passphrase passcode passwort kennwort contrasena senha pw psw pswd psk userpass dbpass',
)
/** Words that name a secret by themselves. */
const SECRETS = wordSet(
  'secret secrets token credential credentials cred creds apikey apikeys apitoken appkey appsecret authkey authtoken accesskey accesstoken secretkey clientsecret privatekey masterkey sessionkey signingkey bearer authorization jwt mnemonic otp totp authtok',
)
/** Names written as one word: `PGPASSWORD`, `clientsecret`. */
const ENDS_AS_PASSWORD =
  /(?:password|passwd|passphrase|passcode|pwd)$|^(?:store|key|db|root|admin|user|smtp|mail|my)pass$/
const ENDS_AS_SECRET = /(?:secret|token|apikey|accesskey|secretkey|privatekey)$/
/** Words before `key` that make it a secret one. */
const KEY_OF = wordSet(
  'api access auth account recovery backup private secret signing sign signature encryption encrypt decryption master service session shared storage admin server client ssh deploy license write root webhook hmac jwt aes rsa cipher cookie app application subscription consumer host',
)
/** Words that may hold a secret: the value must look drawn at random. */
const HINTS = wordSet(
  'auth cookie cookies session sessionid sid salt seed webhook dsn pat signature sig license licence pin hmac nonce csrf xsrf connect',
)
/** Words before `key` with which it leads to something. */
const OPEN_KEY = wordSet('public cache sort partition query object hash row idempotency map index storage')
/** Behind such a word a secret's place, kind or number stands, not the secret. */
const ABOUT = wordSet(
  'name names type types kind kinds count counts limit limits url urls uri uris endpoint endpoints path paths file files filename filenames dir dirs folder folders id ids identifier identifiers length len size index idx field fields prefix suffix hash hashes expires expiry expiration ttl at date time alg algorithm version policy policies rule rules manager provider store storage service class regex pattern format label placeholder hint input form prompt reset rotation strength usage budget window cost price ref arn scope scopes issuer audience owner status state error source header param params required enabled env var variable mode method socket sock profile author authors fingerprint fingerprints allow allowed ignore ignored',
)

/** Services whose name alone makes a random value behind it suspicious. */
const SERVICES = wordSet(
  'adafruit adobe airtable algolia alibaba aliyun amplitude anthropic artifactory asana atlassian auth0 azure beamer bintray bitbucket bittrex braintree bugsnag buildkite cloudflare cloudinary codecov cohere coinbase confluence confluent contentful coveralls crowdin datadog databricks deepgram deepseek digitalocean discord docusign doppler droneci dropbox duffel elastic etsy facebook fastly finicity finnhub firebase flickr freshbooks gemini gitea gitlab gitter gocardless grafana hasura heroku honeybadger hubspot huggingface infura intercom jenkins jfrog jira klaviyo kraken kucoin launchdarkly linear linkedin lob looker mailchimp mailgun mapbox mattermost meraki messagebird mistral mixpanel mux netlify newrelic notion nytimes okta openai openrouter opsgenie pagerduty paypal paystack pinecone plaid plivo postmark privateai pusher quicknode rapidapi razorpay replicate rollbar segment sendbird sendgrid sentry shopify slack snyk sonar sonarqube spotify squarespace stripe sumo sumologic supabase telegram telegr telnyx todoist travis travisci trello twilio twitch twitter typeform unsplash vercel vonage xray yandex zendesk zoom',
)

/** One of these stands in every name that tells anything. */
export const TELLING_WORDS = [...PASSWORDS, ...SECRETS, ...HINTS, ...SERVICES, 'key', 'pass', 'pwd']

/** How much a name tells; `spoken`: the word before it in a sentence, as `API` before `key`. */
export function tellingOf(name: string, spoken: string | null): Telling {
  // Folders.
  if (name === 'PWD' || name === 'OLDPWD') return null
  const words = wordsOf(name.replace(/(?:1|one)password/gi, '')).map((word) => word.toLowerCase())
  const last = words.at(-1) ?? ''
  if (words.length > 1 && ABOUT.has(last)) return null
  return telling(words, spoken) ?? serviceOf(words)
}

const serviceOf = (words: readonly string[]): Telling =>
  words.some((word) => SERVICES.has(word)) ? 'vendor' : null

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
