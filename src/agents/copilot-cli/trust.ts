import { join } from 'node:path'
import type { HookTrust, SetupPlace } from '../../types/agent.ts'
import { fieldsOf, listOf } from '../fields.ts'
import { ancestorsOf, readSettings } from '../person-settings.ts'

/** Copilot CLI 1.0.102: `trustedFolders` of its `config.json`. */
export async function copilotTrust({ root, home, env }: SetupPlace): Promise<HookTrust> {
  const where = join(env.COPILOT_HOME || join(home, '.copilot'), 'config.json')
  const trusted = listOf(fieldsOf(readSettings(where)).trustedFolders)
  return { folder: ancestorsOf(root).some((path) => trusted.includes(path)), waiting: [], where }
}
