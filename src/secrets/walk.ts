/** Every text in a plain value: strings, object keys, entries of arrays, sets and maps, however deep. */
export function textsOf(value: unknown): string[] {
  const texts: string[] = []
  mapTexts(value, (text) => {
    texts.push(text)
    return text
  })
  return texts
}

/** A copy of a plain value with every text replaced; other values (numbers, dates …) are taken over as they are. */
export function mapTexts<T>(value: T, change: (text: string) => string): T
export function mapTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((item: unknown) => mapTexts(item, change))
  if (value instanceof Set) return new Set([...value].map((item: unknown) => mapTexts(item, change)))
  if (value instanceof Map) {
    return new Map(
      [...value].map(([name, item]) => [mapTexts<unknown>(name, change), mapTexts<unknown>(item, change)]),
    )
  }
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== null) return value
  const entries = Object.entries(value).map(([name, item]): [string, unknown] => [
    change(name),
    mapTexts(item, change),
  ])
  return Object.fromEntries(entries)
}
