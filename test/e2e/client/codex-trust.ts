import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { isJson, type Json, objects, string } from '../model/dialect.ts'

/**
 * What the answer "Trust all" on Codex's screen writes into its configuration for the hooks of this file (0.169.0): the digest of
 * each hook in canonical JSON. Empty where the file is missing.
 */
export function trustIn(file: string): string {
  if (!existsSync(file)) return ''
  const { hooks } = JSON.parse(readFileSync(file, 'utf8')) as { hooks: Record<string, unknown> }
  return Object.entries(hooks)
    .flatMap(([event, groups]) =>
      objects(groups).flatMap((group, at) =>
        objects(group.hooks).map((hook, inner) => {
          const name = event.replace(/([a-z])([A-Z])/g, '$1_$2').toLowerCase()
          return `\n[hooks.state."${file}:${name}:${at}:${inner}"]\ntrusted_hash = "sha256:${digest(event, name, group, hook)}"\n`
        }),
      ),
    )
    .join('')
}

function digest(event: string, name: string, { matcher }: Json, { command, timeout }: Json): string {
  const seconds = typeof timeout === 'number' ? timeout : 600
  // More these two are not given.
  const most = event === 'SessionEnd' || event === 'Interrupt' ? 3 : seconds
  const identity = {
    event_name: name,
    ...(matcher === undefined ? {} : { matcher }),
    hooks: [{ type: 'command', command: string(command), timeout: Math.min(seconds, most), async: false }],
  }
  return createHash('sha256')
    .update(JSON.stringify(sorted(identity)))
    .digest('hex')
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (!isJson(value)) return value
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, sorted(value[key])]),
  )
}
