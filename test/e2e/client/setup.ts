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

/** Global setup of the tests with real clients: the program is built and every client looked up once, one after the other. */
export default async function setup(project: TestProject): Promise<void> {
  build()
  const found: [ClientId, Installed][] = []
  for (const client of Object.values(clients)) {
    const installed = await installClient(client)
    if ('missing' in installed) {
      process.stderr.write(`${client.id}@${client.version} cannot be installed here: ${installed.missing}\n`)
    }
    found.push([client.id, installed])
  }
  project.provide('clients', Object.fromEntries(found) as Record<ClientId, Installed>)
}
