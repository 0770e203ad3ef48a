import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'

/** Every different text of the recorded sessions below a folder. */
export function* textsOf(folder) {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /\.jsonl?\.gz$/.test(name),
  )
  for (const name of names) {
    const lines = gunzipSync(readFileSync(join(folder, name)))
      .toString('utf8')
      .split('\n')
    yield* new Set(lines.flatMap((line) => [...strings(parsed(line))]))
  }
}

function parsed(line) {
  try {
    return JSON.parse(line)
  } catch {
    return line // A cut or pretty-printed record is searched as it stands.
  }
}

function* strings(value) {
  if (typeof value === 'string') yield value
  else if (typeof value === 'object' && value !== null)
    for (const item of Object.values(value)) yield* strings(item)
}
