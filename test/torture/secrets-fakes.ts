import { claimed } from '../unit/secrets/claimed.ts'
import { createFakes } from '../unit/secrets/fake.ts'

/** A fake secret, as it is put somewhere. */
export interface Fake {
  kind: string
  /** What is written down: the secret, with its surroundings where only they tell that it is one. */
  text: string
  /** Its random part, which nothing else holds. */
  cores: string[]
  /** It may stand in the name of a file or branch. */
  isName: boolean
}

/** Kinds that are told by what stands around them; `{…}` as in `claimed`. A line break stands in some. */
const AROUND = {
  'password behind a key word': 'DB_PASSWORD="{A-Za-z0-9:20}"',
  'secret in JSON': '"client_secret": "{A-Za-z0-9:32}"',
  'API key behind an option': '--api-key={A-Za-z0-9:32}',
  'session secret': 'SESSION_SECRET={0-9a-f:64}',
  'AWS secret key': 'aws_secret_access_key = {A-Za-z0-9/+:40}',
  'Azure storage key': 'AccountKey={A-Za-z0-9+/:86}==',
  'Azure shared access': 'https://acme.blob.example.net/c?sv=2024-01-01&sig={A-Za-z0-9:43}%3D',
  'password in an address': 'https://dev:{A-Za-z0-9:18}@git.example.org/acme/app.git',
  'data base address': 'postgres://app:{A-Za-z0-9:20}@db.internal:5432/app',
  'bearer header': 'Authorization: Bearer {A-Za-z0-9_-:40}',
  'basic header': 'Authorization: Basic {A-Za-z0-9+/:32}==',
  'curl user': 'curl -sS -u admin:{A-Za-z0-9:14} https://ci.example.org/job',
  'npmrc token': '//registry.example.org/:_authToken={A-Za-z0-9:40}',
  'Slack webhook': 'https://hooks.slack.com/services/T{A-Z0-9:10}/B{A-Z0-9:10}/{A-Za-z0-9:24}',
  'Discord webhook': 'https://discord.com/api/webhooks/{0-9:18}/{A-Za-z0-9_-:68}',
  'private key': [
    '-----BEGIN RSA PRIVATE',
    'KEY-----\nMI{A-Za-z0-9+/:62}\n{A-Za-z0-9+/:64}\n-----END RSA PRIVATE KEY-----',
  ].join(' '),
} as const

export const KINDS: readonly (readonly [kind: string, shape: string])[] = [
  ...Object.entries(claimed),
  ...Object.entries(AROUND),
]

/** A source of fakes: the same row for the same seed. */
export function createMint(seed: number): (kind: string, shape: string) => Fake {
  const { make } = createFakes(seed)
  return (kind, shape) => {
    const cores: string[] = []
    const text = shape.replace(/\{uuid\}|\{[^{}]+:\d+\}/g, (part) => {
      const made = make(part)
      // What is left of it when a name is made of it, or an address, or JSON.
      cores.push(...made.split(/[^A-Za-z0-9_-]/).filter((piece) => piece.length >= 8))
      return made
    })
    // One of short groups is known by all of them together, without what stands around them.
    const after = shape.length - shape.lastIndexOf('}') - 1
    if (cores.length === 0) cores.push(text.slice(shape.indexOf('{'), text.length - after))
    return { kind, text, cores, isName: /^[\w.-]+$/.test(text) && !text.includes('..') }
  }
}

/** Letters of a core that tell it from any other text. */
const WINDOW = 12

/** Looks for any 12 characters in a row of any core, in capitals or not. */
export function createDetector<T>(planted: Iterable<readonly [T, readonly string[]]>) {
  const owners = new Map<string, T>()
  const short = new Map<string, T>()
  for (const [owner, cores] of planted)
    for (const core of cores) {
      const lower = core.toLowerCase()
      if (lower.length < WINDOW) short.set(lower, owner)
      for (let at = 0; at + WINDOW <= lower.length; at++) owners.set(lower.slice(at, at + WINDOW), owner)
    }
  return (text: string): Set<T> => {
    const lower = text.toLowerCase()
    const found = new Set<T>()
    for (let at = 0; at + WINDOW <= lower.length; at++) {
      const owner = owners.get(lower.slice(at, at + WINDOW))
      if (owner !== undefined) found.add(owner)
    }
    for (const [core, owner] of short) if (lower.includes(core)) found.add(owner)
    return found
  }
}
