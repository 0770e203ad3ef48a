import { dirname, join } from 'node:path'
import type { HookTrust, SetupPlace } from '../../types/agent.ts'
import { fieldsOf } from '../fields.ts'
import { ancestorsOf, readSettings } from '../person-settings.ts'

/**
 * Gemini CLI 0.61: `trustedFolders.json` says of a folder whether it is trusted with all below it, or that above it; the setting
 * `security.folderTrust.enabled` turns the question off, `GEMINI_CLI_TRUST_WORKSPACE` answers it.
 */
export async function geminiTrust({ root, home, env }: SetupPlace): Promise<HookTrust> {
  const folder = join(env.GEMINI_CLI_HOME || home, '.gemini')
  const where = join(folder, 'trustedFolders.json')
  const { security } = fieldsOf(readSettings(join(folder, 'settings.json')))
  const isAsked = fieldsOf(fieldsOf(security).folderTrust).enabled !== false
  const said = fieldsOf(readSettings(where))
  const above = ancestorsOf(root)
  const isTrusted =
    said[root] !== 'DO_NOT_TRUST' &&
    Object.entries(said).some(
      ([path, answer]) =>
        (answer === 'TRUST_FOLDER' && above.includes(path)) ||
        (answer === 'TRUST_PARENT' && above.includes(dirname(path))),
    )
  return { folder: !isAsked || env.GEMINI_CLI_TRUST_WORKSPACE === 'true' || isTrusted, waiting: [], where }
}
