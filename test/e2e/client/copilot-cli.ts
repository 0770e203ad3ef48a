import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Client, DUMMY_KEY } from './client.ts'

/** GitHub Copilot CLI; all settings seen to be needed offline and without an account in 1.0.102. */
export const copilotCli: Client = {
  id: 'copilot-cli',
  package: '@github/copilot',
  version: '1.0.102',
  bin: 'copilot',
  async prepare({ home, repo }) {
    await mkdir(join(home, '.copilot'), { recursive: true })
    // Without trust it reads no hooks and no servers of the project.
    await writeFile(join(home, '.copilot', 'config.json'), JSON.stringify({ trustedFolders: [repo] }))
  },
  env: (_bench, url) => ({
    COPILOT_OFFLINE: 'true',
    COPILOT_AUTO_UPDATE: 'false',
    COPILOT_PROVIDER_BASE_URL: `${url}/v1`,
    COPILOT_PROVIDER_API_KEY: DUMMY_KEY,
    COPILOT_MODEL: 'scripted',
    COPILOT_PROVIDER_MAX_PROMPT_TOKENS: '100000',
    COPILOT_PROVIDER_MAX_OUTPUT_TOKENS: '4096',
  }),
  screen: { args: ['--allow-all-tools'], ready: /\? help/ },
  // Headless it may do nothing but read unless all is allowed.
  turn: (prompt) => ['-p', prompt, '--allow-all-tools'],
}
