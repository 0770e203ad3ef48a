import { loadSource } from '../load-source.mjs'

const HEAD_BYTES = 65_536

/** Reads the events of a session file, whichever agent wrote it. `folder` holds the bundled readers and serves as home. */
export async function openReader(folder) {
  const { adapters } = await loadSource(folder, 'src/agents/table.ts')
  return async (path, text) => {
    for (const adapter of adapters) {
      const ref = await adapter.identify(path, text.slice(0, HEAD_BYTES))
      if (ref === null) continue
      const events = []
      for await (const batch of adapter.read(ref, { place: { home: folder, env: {} } })) events.push(...batch)
      return events
    }
    throw new Error(`no agent reads ${path}`)
  }
}
