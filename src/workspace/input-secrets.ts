import { readdirSync } from 'node:fs'
import { basename } from 'node:path'
import { adapters } from '../agents/table.ts'
import type { Invocation } from '../command.ts'
import { orNull } from '../errors/handoff-error.ts'
import { type SecretPlace, secretInInput } from '../errors/writing.ts'
import { namesSecret } from '../secrets/find.ts'
import { createScanner, type Scanner } from '../secrets/scanner.ts'
import { readPlain } from '../store/plain-file.ts'
import type { Config, Place } from '../types/config.ts'

const ENV_FILE = /^\.env(?:\.[\w-]+)*$/
const SAMPLE = /example|sample|template|dist$/

/** A scanner that knows the secret values of the environment and of the `.env` files at the top. */
export async function openScanner(place: Pick<Place, 'env'>, root: string, config: Config): Promise<Scanner> {
  return createScanner({
    values: [...secretValues(place.env), ...(await readEnvFiles(root))],
    allow: config.secrets.allow,
  })
}

/** By these an agent shows itself and its session to what it calls. */
const marks = new Set(adapters.flatMap((adapter) => adapter.marks))

/** Variables whose name says that their value is secret; the id of a session is none. */
export const secretValues = (env: Place['env']): { name: string; value: string }[] =>
  Object.entries(env).flatMap(([name, value]) =>
    value !== undefined && namesSecret(name) && !marks.has(name) ? [{ name, value }] : [],
  )

/**
 * A text a person or agent handed in. A secret in it is refused by rule and place, never by value; with `redact` it is replaced,
 * and the replaced text is the one that counts. Throws `secretInInput`.
 */
export async function checkInput<T>(scanner: Scanner, where: string, value: T, redact: boolean): Promise<T> {
  const { value: clean, counts } = await scanner.redact(value)
  if (Object.keys(counts).length === 0) return value
  if (redact) return clean
  throw secretInInput(where, await placesIn(scanner, value))
}

async function placesIn(scanner: Scanner, value: unknown): Promise<SecretPlace[]> {
  const places: SecretPlace[] = []
  for (const { name, text } of fieldsOf(value, '')) {
    // A name may be a secret too.
    const { value: field } = await scanner.redact(name)
    for (const { rule, fingerprint, line } of await scanner.find(text))
      places.push({
        rule,
        fingerprint,
        ...(field === '' ? {} : { field }),
        ...(text.trimEnd().includes('\n') ? { line } : {}),
      })
  }
  return places
}

/** The texts of a plain value with the names of the fields that hold them, as `openQuestions[0]`; a key belongs to what it is a key of. */
function fieldsOf(value: unknown, name: string): { name: string; text: string }[] {
  if (typeof value === 'string') return [{ name, text: value }]
  if (typeof value !== 'object' || value === null) return []
  if (Array.isArray(value)) return value.flatMap((item: unknown, at) => fieldsOf(item, `${name}[${at}]`))
  return Object.entries(value).flatMap(([key, item]) => [
    { name, text: key },
    ...fieldsOf(item, name === '' ? key : `${name}.${key}`),
  ])
}

async function readEnvFiles(root: string): Promise<{ name: string; value: string }[]> {
  const names = (orNull(() => readdirSync(root)) ?? []).filter(
    (name) => ENV_FILE.test(name) && !SAMPLE.test(name),
  )
  const texts = await Promise.all(
    // An odd `.env` (a link, a pipe, a huge file) is somebody else's business, not a reason to fail.
    names.sort().map((name) => readPlain(root, name).catch(() => null)),
  )
  return texts.flatMap((text) =>
    (text ?? '').split('\n').flatMap((line) => {
      const [, name, raw] = /^\s*(?:export\s+)?([A-Za-z_]\w*)\s*=\s*(.*?)\s*$/.exec(line) ?? []
      if (name === undefined || raw === undefined || !namesSecret(name)) return []
      return [{ name, value: raw.replace(/^(['"])(.*)\1$/, '$2') }]
    }),
  )
}

/** A plain value as it may be printed in an error: what was typed may hold a key, or the value of a variable that is one. */
export async function maskSecrets<T>(value: T, env: Place['env'] = {}): Promise<T> {
  return (await createScanner({ values: secretValues(env) }).redact(value)).value
}

/** A branch or ref as it may be told: a key in it is masked, as it is in the brief. */
export const maskName = async <T extends string | null>(name: T): Promise<T> =>
  name === null || !mayHoldKey(name) ? name : maskSecrets(name)

/** False for most names, for which nothing is loaded: every value that a rule knows has as long a run, or one with signs and a digit. */
const mayHoldKey = (name: string): boolean =>
  /[A-Za-z0-9]{10}|[=:]/.test(name) || (/\d/.test(name) && /[\w.-]{20}/.test(name))

/** Names that must not stand in a path: the home directory's and the login's. */
export function privateNames(
  { place }: Invocation,
  gitName: string,
): { home: string | null; userNames: string[] } {
  const names = [basename(place.home), place.env.USER ?? '', place.env.LOGNAME ?? '', gitName]
  return {
    home: place.home,
    userNames: [...new Set(names.filter((name) => name.length > 2 && name !== 'root'))],
  }
}
