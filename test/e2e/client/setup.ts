import type { TestProject } from 'vitest/node'
import build from '../build.ts'
import type { ClientId } from './client.ts'
import { type Installed, installClient } from './install.ts'
import { clients } from './table.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    clients: Record<ClientId, Installed>
  }
}

/** Global setup of the tests with real clients: the program is built and every client looked up once, one after the other. Those that cannot be had are named before and after. */
export default async function setup(project: TestProject): Promise<() => void> {
  build()
  const found: [ClientId, Installed][] = []
  const missing: string[] = []
  for (const client of Object.values(clients)) {
    const installed = await installClient(client)
    if ('missing' in installed) missing.push(`${client.id}@${client.version}: ${installed.missing}\n`)
    found.push([client.id, installed])
  }
  project.provide('clients', Object.fromEntries(found) as Record<ClientId, Installed>)
  const tell = () => {
    if (missing.length === 0) return
    const how = 'HANDOFF_E2E_REQUIRE=1 makes that a failure'
    process.stderr.write(`\nNOT TESTED, since they cannot be installed here (${how}):\n${missing.join('')}\n`)
  }
  tell()
  return tell
}
