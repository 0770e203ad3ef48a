/** What the name of a variable, field, header or option says of its value. */
export type Telling = 'password' | 'secret' | 'hint' | 'vendor' | null

const wordSet = (words: string): ReadonlySet<string> => new Set(words.split(' '))

/** Words after which a value may be chosen by a person. */
const PASSWORDS = wordSet(
  'pass password passwd passphrase passcode passwort kennwort contrasena senha pw psw pswd psk userpass dbpass',
)
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
const wordsOfName = (name: string): string[] =>
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
