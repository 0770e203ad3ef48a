import { execFile } from 'node:child_process'
import { access, mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Client } from './client.ts'

const run = promisify(execFile)

/** A client ready to run, or why it is not. */
export type Installed = { program: string } | { missing: string }

/** The folder that keeps the clients, 100 to 750 MB each, outside every repository. */
export const cacheFolder = (): string =>
  process.env.HANDOFF_E2E_CACHE ?? join(homedir(), '.cache', 'git-handoff-e2e')

/** Finds the client in the cache or installs it there. Never throws: what could not be had is told by name. */
export async function installClient(
  client: Pick<Client, 'version' | 'package' | 'bin' | 'besides'> & { id: string },
): Promise<Installed> {
  const folder = join(cacheFolder(), `${client.id}@${client.version}`)
  const program = join(folder, 'node_modules', '.bin', client.bin)
  if (await isWhole(folder, program)) return { program }
  try {
    await mkdir(cacheFolder(), { recursive: true })
    // Whole or not at all: installed beside the place, then renamed.
    const scratch = await mkdtemp(join(cacheFolder(), '.installing-'))
    try {
      await writeFile(join(scratch, 'package.json'), '{"private":true}')
      const specs = [`${client.package}@${client.version}`, ...(client.besides ?? [])]
      // Without a network npm would try for minutes.
      const args = [
        'install',
        '--no-audit',
        '--no-fund',
        '--fetch-retries=1',
        '--fetch-retry-mintimeout=2000',
      ]
      await run('npm', [...args, ...specs], { cwd: scratch, timeout: 600_000 })
      await rename(scratch, folder)
    } finally {
      await rm(scratch, { recursive: true, force: true })
    }
  } catch (error) {
    if (!(await isWhole(folder, program))) return { missing: reasonOf(error) }
  }
  return (await isWhole(folder, program))
    ? { program }
    : { missing: `its package has no program ${client.bin}` }
}

/** npm tells its reason on stderr, everyone else in the message. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const said = 'stderr' in error && typeof error.stderr === 'string' ? error.stderr.split('\n') : []
  return (
    said
      .filter((line) => line.startsWith('npm error'))
      .slice(0, 2)
      .join('; ') || error.message
  )
}

/** npm writes the hidden lock file last. */
async function isWhole(folder: string, program: string): Promise<boolean> {
  try {
    await access(join(folder, 'node_modules', '.package-lock.json'))
    await access(program)
    return true
  } catch {
    return false
  }
}
