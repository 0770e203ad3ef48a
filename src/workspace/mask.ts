import { createScanner } from '../secrets/scanner.ts'
import type { Place } from '../types/place.ts'
import { secretValues } from './input-secrets.ts'

/** A plain value as it may be printed in an error: what was typed may hold a key, or the value of a variable that is one. */
export async function maskSecrets<T>(value: T, env: Place['env'] = {}): Promise<T> {
  return (await createScanner({ values: secretValues(env) }).redact(value)).value
}
