/** Every text in a plain value: strings, object keys, entries of arrays, sets and maps, however deep. */
export function textsOf(value: unknown): string[] {
  const texts: string[] = []
  mapTexts(value, (text) => {
    texts.push(text)
    return text
  })
  return texts
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
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
  if (!isPlain(value)) return value
  const copy: Record<string, unknown> = {}
  for (const name of Object.keys(value)) {
    const key = change(name)
    const item = mapTexts((value as Record<string, unknown>)[name], change)
    // Assigned, this one would not become a key.
    if (key === '__proto__')
      Object.defineProperty(copy, key, { value: item, enumerable: true, writable: true, configurable: true })
    else copy[key] = item
  }
  return copy
}
