/** Deals with every item, so many of them at a time; in their order as far as they begin. */
export async function sideBySide<T>(
  lanes: number,
  items: readonly T[],
  deal: (item: T) => Promise<void>,
): Promise<void> {
  const waiting = [...items]
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await deal(next)
  }
  await Promise.all(Array.from({ length: lanes }, work))
}
