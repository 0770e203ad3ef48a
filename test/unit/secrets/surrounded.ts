import type { createFakes } from './fake.ts'

/** A text from a template of shapes with `«…»` around what is secret, and what that is; `{base64:…}` is the base64 of what it holds. */
export function drawEveryday(template: string, { make }: ReturnType<typeof createFakes>) {
  const text = make(template).replace(/\{base64:([^{}]*)\}/g, (_, plain: string) =>
    Buffer.from(plain).toString('base64'),
  )
  return {
    text: text.replace(/[«»]/g, ''),
    secrets: [...text.matchAll(/«(.*?)»/gs)].map(([, secret = '']) => secret),
  }
}

const each =
  (prefix: (at: number) => string, suffix = '') =>
  (key: string): string =>
    key
      .trimEnd()
      .split('\n')
      .map((line, at) => `${prefix(at + 1)}${line}${suffix}`)
      .join('\n')

/** How tools, logs, documents and programs print the file of a private key. */
export const keyFiles: Readonly<Record<string, (key: string) => string>> = {
  plain: (key) => key,
  'one line of JSON': (key) => JSON.stringify(key),
  'JSON in JSON': (key) => JSON.stringify(JSON.stringify({ key })),
  'CR LF': (key) => key.replaceAll('\n', '\r\n'),
  'CR LF in JSON': (key) => key.replaceAll('\n', '\\r\\n'),
  joined: (key) => key.replaceAll('\n', ''),
  quoted: each(() => '> '),
  'quoted twice': each(() => '> > '),
  'comment of a shell': each(() => '# '),
  'comment of a program': each(() => '// '),
  'comment in stars': each(() => ' * '),
  'added line of a diff': each(() => '+'),
  'removed line of a diff': each(() => '-'),
  'Read of an agent': each((at) => `${String(at).padStart(6)}→`),
  'cat -n': each((at) => `${String(at).padStart(6)}\t`),
  grep: each((at) => `key.pem:${at}:`),
  'grep in a deep folder': each((at) => `config/certificates/production/server.pem:${at}:`),
  log: each(() => '2026-11-29T09:00:00Z INFO '),
  'log of containers': each(() => 'app_1  | '),
  table: each(() => '│ ', ' │'),
  'list of markdown': each(() => '- '),
  'list of YAML': each(() => '  - "', '"'),
  'array of JSON': (key) => JSON.stringify(key.trimEnd().split('\n')),
  'joined strings': each(() => '  "', '\\n" +'),
  'continued string': (key) => key.trimEnd().split('\n').join('\\n\\\n'),
  'line breaks of HTML': (key) => key.replaceAll('\n', '<br>'),
  'entities of HTML': (key) => key.replaceAll('\n', '&#10;'),
  address: (key) => encodeURIComponent(key),
  'colours of a pager': each(() => '\u{1b}[32m', '\u{1b}[0m'),
  'without its header': (key) => key.split('\n').slice(1, -2).join('\n'),
  base64: (key) => Buffer.from(key).toString('base64'),
}

/** The lines of a key of which twenty characters can still be read. */
export function leftOfKey(left: string, key: string): string[] {
  const body = key.trimEnd().split('\n').slice(1, -1)
  const within = [left, left.replaceAll('%2B', '+').replaceAll('%2F', '/')]
  return body.filter((line) => within.some((text) => text.includes(line.slice(10, 30)) && line.length > 30))
}
