import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

/** A registry of npm on this machine that has one package, and what it was asked for. */
export interface Registry {
  url: string
  asked: string[]
  /** As npm writes it into lock files. */
  integrity: string
}

export async function openRegistry(tarball: string, version: string): Promise<Registry> {
  const bytes = readFileSync(tarball)
  const integrity = `sha512-${createHash('sha512').update(bytes).digest('base64')}`
  const asked: string[] = []
  const server = createServer((request, response) => {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
    asked.push(request.url ?? '')
    if (request.url?.endsWith('.tgz')) return response.end(bytes)
    const name = 'git-handoff'
    const dist = { integrity, tarball: `${url}git-handoff/-/git-handoff-${version}.tgz` }
    const manifest = { name, version, bin: { [name]: 'bin/handoff.cjs' }, dist }
    response.setHeader('content-type', 'application/json')
    return response.end(
      JSON.stringify({ name, 'dist-tags': { latest: version }, versions: { [version]: manifest } }),
    )
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  onTestFinished(() => void server.close())
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, asked, integrity }
}
