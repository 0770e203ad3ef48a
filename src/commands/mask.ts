import { createScanner } from '../secrets/scanner.ts'

/** A plain value as it may be printed in an error: what was typed may hold a key. */
export async function maskSecrets<T>(value: T): Promise<T> {
  return (await createScanner().redact(value)).value
}
