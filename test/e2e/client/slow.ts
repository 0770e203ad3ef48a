import type { ClientId } from './client.ts'

const MINUTES = 60_000

/** Clients that take long under load, with the limits of a turn and of a test in ms: OpenCode starts a server and opens a database each time. */
const SLOW: ReadonlyMap<ClientId, { turn: number; test: number }> = new Map([
  ['opencode', { turn: 5 * MINUTES, test: 20 * MINUTES }],
])

/** Of a turn of a client, in ms. */
export const turnLimit = (id: ClientId): number => SLOW.get(id)?.turn ?? 2 * MINUTES

/** Of a test that needs these clients, in ms; null: that of the tier, and no second try. */
export const testLimit = (needs: readonly ClientId[]): number | null =>
  needs.map((id) => SLOW.get(id)?.test ?? null).find((limit) => limit !== null) ?? null

/** Tries once more what failed once, and says so: a client that needs it every time is to be seen. */
export async function twice(
  name: string,
  body: () => Promise<void>,
  tell: (text: string) => void = console.warn,
): Promise<void> {
  try {
    await body()
  } catch (error) {
    const [reason] = (error instanceof Error ? error.message : String(error)).split('\n', 1)
    tell(`${name}: failed once and is tried again: ${reason}`)
    await body()
  }
}
