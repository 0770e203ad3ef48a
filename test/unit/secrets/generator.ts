/**
 * Texts with a key in them, put together at random: the shape of the key, what stands left and right of it, what surrounds it, and the
 * place by which the text comes in. A key with an unmistakable mark must be found in every one.
 */
import type { Scanner } from '../../../src/secrets/scanner.ts'
import { claimed } from './claimed.ts'
import type { createFakes } from './fake.ts'

type Fakes = ReturnType<typeof createFakes>
const ESC = '\u{1b}'

/** Marks that nobody writes for anything else. */
const UNMISTAKABLE =
  /^(?:AWS (?:access|temporary)|Google|DigitalOcean|Heroku|Netlify|Vercel|Tailscale|Doppler|Vault|Pulumi|Databricks|Supabase|PlanetScale|GitHub|GitLab|Atlassian|npm|PyPI|RubyGems|Docker|Sentry|Grafana|New Relic|Dynatrace|Postman|Linear|Figma|HubSpot|Anthropic|OpenAI|OpenRouter|Groq|xAI|Perplexity|Hugging|NVIDIA|LangSmith|Tavily|Stripe|Shopify|Slack|SendGrid|Brevo|age key|JSON web|Cloudflare user|Neon|Render|Buildkite|CircleCI|Sonar|Snyk|PostHog|Langfuse|Cerebras|Together|Jina|Pinecone|Weights|E2B|Context7)/

export const shapes = Object.entries(claimed).filter(([name]) => UNMISTAKABLE.test(name))

/** What stands right before a key: escapes in every notation that logs and programs have, marks of diffs and quotes, letters. */
export const neighbours: readonly string[] = [
  ...['', ' ', '\t', '\n', '\r\n', '\0', 'a\b', '\f'],
  ...[
    '[31m',
    '[38:5:1m',
    '[4:3m',
    '[>4;1m',
    '[2 q',
    '[!p',
    '(B',
    '[m(B',
    '7',
    'c',
    ']0;t\u{7}',
    ']8;;\u{1b}\\',
    '=',
  ].map((order) => ESC + order),
  ...[
    `${ESC}[m${ESC}(B`,
    `${ESC}[01;31m${ESC}[K`,
    '\u{9b}31m',
    '\\x9b31m',
    '^[[31m',
    '␛[31m',
    'ESC[31m',
    '<ESC>[31m',
  ],
  ...[
    '[31m',
    '[0m',
    '[1;32m',
    '[01;31m[K',
    '\\x1b[31m',
    '\\033[31m',
    '\\0033[31m',
    '\\27[31m',
    '\\e[1m',
    '\\u001b[31m',
  ],
  ...['\\u{1b}[31m', '&#27;[31m', '&#x1b;[31m', '%1b[31m', '%1B%5B31m', '\\\\u001b[31m'],
  ...[
    '\\n',
    '\\t',
    '\\a',
    '\\b',
    '\\v',
    '\\f',
    '\\0',
    '\\x00',
    '\\x0a',
    '\\x20',
    '\\012',
    '\\\\n',
    '\\\\\\n',
    '\\r\\n',
  ],
  ...[
    '\\u0000',
    '\\u0020',
    '\\u00a0',
    '\\u200b',
    '\\u003d',
    '\\u{20}',
    '\\"',
    '\\\\\\"',
    '\\/',
    '\\|',
    '\\d',
    '\\w',
    '\\',
  ],
  ...['20', '0A', '09', '0D%0A', '3A', '2F', '27', '2C', '3B', '7B', '5B', '60', '253A', '3D'].map(
    (hex) => `%${hex}`,
  ),
  ...['quot', 'nbsp', 'lt', 'gt', 'amp', '#39', '#x27', '#10', 'amp;quot'].map((name) => `&${name};`),
  ...[
    '<br>',
    '<b>',
    '\u{200b}',
    '\u{feff}',
    '\u{a0}',
    '\u{3000}',
    '•',
    '·',
    '—',
    'é',
    'Schlüssel',
    '密钥',
    'ключ',
    'ª',
  ],
  ...[
    '1',
    'a',
    'Z',
    '_',
    '__',
    'x_',
    'TOKEN_',
    '-',
    '--',
    '\n-',
    '\n+',
    '+',
    'v=',
    '=',
    ':',
    '@',
    '#',
    '$',
    '%',
    '%s',
    '~',
  ],
  ...[
    "'",
    '"',
    '`',
    "b'",
    'f"',
    '*',
    '**',
    '|',
    '>',
    '\n> ',
    '→',
    '│',
    '     1→',
    '     1\t',
    '1:',
    'L1:',
    '(',
    '[',
    '{',
  ],
  ...['a.', 'a/', 'a:', 'C:\\', '2026-11-29T09:00:00Z INFO ', 'app_1  | ', '[12:00:01] ', 'key.ts:12:'],
]

/** What stands right behind it: ends of colours, of strings, of addresses and sentences. */
const ends: readonly string[] = [
  ...[
    '',
    ' ',
    '\n',
    '.',
    ',',
    ';',
    ')',
    ']',
    '"',
    "'",
    '`',
    '**',
    '|',
    '\\n',
    '\\"',
    '\\\\n',
    '\\x0a',
    '\\u001b[0m',
    '\\033[0m',
  ],
  ...[
    `${ESC}[0m`,
    `${ESC}[m${ESC}[K`,
    '^[[0m',
    '[0m',
    '\\u{1b}[0m',
    '%40github.com',
    '%22',
    '%0A',
    '&quot;',
    '&lt;',
    '<br>',
    '@x.org',
  ],
]

const lines = (text: string, prefix: (at: number) => string): string =>
  ['before', text, 'behind']
    .join('\n')
    .split('\n')
    .map((line, at) => prefix(at + 1) + line)
    .join('\n')

/** What the key stands in. */
export const surroundings: readonly ((text: string) => string)[] = [
  (text) => text,
  (text) => `I used ${text} and it works.`,
  (text) => `The value is ${text} and it fails.`,
  (text) => `\`\`\`sh\n${text}\n\`\`\``,
  (text) => `see \`${text}\` there`,
  (text) => `- [x] ${text}`,
  (text) => `| name | value |\n| --- | --- |\n| ci | ${text} |`,
  (text) => `[link](https://x.example.org/${text})`,
  (text) => JSON.stringify({ a: [text, 1] }),
  (text) => JSON.stringify(JSON.stringify({ out: `line\n${text}\n` })),
  (text) => `{'repr': '${text}'}`,
  (text) => `https://x.example.org/v1?key=${text}&page=2`,
  (text) => `https%3A%2F%2Fme%3A${text}%40git.example.org`,
  (text) => `git remote add ci https://me:${text}@git.example.org/a.git`,
  (text) => `curl -H "X-Token: ${text}" https://x.example.org`,
  (text) => `export SERVICE_KEY=${text}`,
  (text) => `service:\n  key: ${text}\n  port: 80`,
  (text) => `key = "${text}"`,
  (text) => `<key>${text}</key>`,
  (text) => `<a title="${text}">x</a>`,
  (text) => `INSERT INTO t VALUES (1, '${text}');`,
  (text) => `@@ -1,2 +1,2 @@\n${lines(text, () => '-')}`,
  (text) => `@@ -1,2 +1,2 @@\n${lines(text, () => '+')}`,
  (text) => lines(text, () => '> '),
  (text) => lines(text, () => '# '),
  (text) => lines(text, () => ' * '),
  (text) => lines(text, (at) => `${String(at).padStart(6)}→`),
  (text) => lines(text, (at) => `${String(at).padStart(6)}\t`),
  (text) => lines(text, () => 'app_1  | '),
  (text) => lines(text, () => '2026-11-29T09:00:00.123Z ERROR '),
  (text) => lines(text, () => `${ESC}[2m│${ESC}[0m `),
  (text) => `Error: refused\n    at sub (src/calc.js:1:2) ${text}\n    at main`,
  (text) => `fix: the queue\n\nToken: ${text}\nSigned-off-by: Jane <jane@example.org>`,
]

/** The key as it is, or torn: by the colour of a search, or as markdown, HTML and addresses write its mark. */
const tears: readonly ((key: string) => string)[] = [
  (key) => key,
  (key) => key,
  (key) => key,
  (key) => key.replace(/[_-]/, `$&${ESC}[m${ESC}[K`),
  (key) => key.replace(/[_-]/, `$&[m[K`),
  (key) => `${key.slice(0, 12)}${ESC}[1m${key.slice(12, 16)}${ESC}[0m${key.slice(16)}`,
  (key) => key.replaceAll('_', '\\_'),
  (key) => key.replaceAll('_', '&#95;'),
  (key) => key.replaceAll('_', '%5F'),
  (key) => `${key.slice(0, 14)}\u{200b}${key.slice(14)}`,
  // What turns a line around, chooses a form or has no width; a page's marks in a word; a hyphen that does not break.
  (key) => `${key.slice(0, 14)}\u{202e}${key.slice(14, 18)}\u{2069}${key.slice(18)}`,
  (key) => `${key.slice(0, 14)}\u{fe0f}${key.slice(14)}`,
  (key) => key.replaceAll('-', '\u{2011}'),
  (key) => `**${key.slice(0, 9)}**${key.slice(9, 15)}**${key.slice(15)}`,
  (key) => `<mark>${key.slice(0, 9)}</mark>${key.slice(9, 15)}<wbr>${key.slice(15)}`,
  (key) => `<span class="hit">${key.slice(0, 9)}</span>${key.slice(9)}`,
]

/** How a text comes in; `left`: what of it is still there. */
export const places: Readonly<Record<string, (scanner: Scanner, text: string) => Promise<string>>> = {
  goal: asInput,
  note: asInput,
  'last reply': (scanner, text) =>
    asSession(scanner, { role: 'assistant', content: [{ type: 'text', text }] }, text),
  rule: (scanner, text) => asSession(scanner, { role: 'user', content: text }, `Never do this:\n${text}`),
  'tool output': (scanner, text) =>
    asSession(scanner, { role: 'user', content: [{ type: 'tool_result', content: text }] }, text),
}

/** A goal or a note with a secret is refused, and replaced where that is asked for. */
async function asInput(scanner: Scanner, text: string): Promise<string> {
  const hits = await scanner.find(text)
  return hits.length === 0 ? text : (await scanner.redact(text)).value
}

async function asSession(scanner: Scanner, row: unknown, quoted: string): Promise<string> {
  scanner.onRaw(Buffer.from(`${JSON.stringify(row)}\n`))
  return (await scanner.redact({ quoted })).value.quoted
}

export interface Drawn {
  what: string
  text: string
  key: string
  place: string
}

export function drawKey({ make, random }: Fakes): Drawn {
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T
  const [name, shape] = pick(shapes)
  const key = make(shape)
  const [neighbour, end] = [pick(neighbours), pick(ends)]
  // Behind a backslash the first letter of a mark may read as an escape.
  const written = neighbour.endsWith('\\') ? key : pick(tears)(key)
  const place = pick(Object.keys(places))
  const text = pick(surroundings)(`${neighbour}${written}${end}`)
  return { what: `${name} behind ${JSON.stringify(neighbour)} in the ${place}`, text, key, place }
}

/** Whether eight characters of the key, past its mark, can still be read, with or without what tears them. */
export function isLeft(left: string, key: string): boolean {
  const plain = left
    .replace(
      /\p{Cc}?\[[0-9;]*[mK]|\u{fe0f}|[\u{200b}\u{202e}\u{2069}]|\*\*|<\/?(?:mark|wbr|span)[^<>]*>/gu,
      '',
    )
    .replace(/\\+_|&#95;|%5F/g, '_')
    .replaceAll('\u{2011}', '-')
  return [0.4, 0.6, 0.8].some((part) => {
    const at = Math.min(key.length - 8, Math.floor(key.length * part))
    return plain.includes(key.slice(at, at + 8))
  })
}
