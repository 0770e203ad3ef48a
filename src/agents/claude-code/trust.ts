import { join } from 'node:path'
import type { HookTrust, SetupPlace } from '../../types/agent.ts'
import { fieldsOf } from '../fields.ts'
import { ancestorsOf, readSettings } from '../person-settings.ts'

/** Claude Code 2.1.330: `projects` of `.claude.json` says of each folder whether its person accepted the dialog; one above counts. */
export async function claudeTrust({ root, home, env }: SetupPlace): Promise<HookTrust> {
  const where = join(env.CLAUDE_CONFIG_DIR || home, '.claude.json')
  const projects = fieldsOf(fieldsOf(readSettings(where)).projects)
  const folder = ancestorsOf(root).some((path) => fieldsOf(projects[path]).hasTrustDialogAccepted === true)
  return { folder, waiting: [], where }
}
