import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Client, DUMMY_KEY } from './client.ts'

/** Pi; 0.74.2 is the newest that runs on Node 20. */
export const pi: Client = {
  id: 'pi',
  package: '@earendil-works/pi-coding-agent',
  version: '0.74.2',
  bin: 'pi',
  async prepare({ home }, url) {
    const folder = join(home, '.pi', 'agent')
    const provider = {
      baseUrl: `${url}/v1`,
      api: 'openai-completions',
      // Name of the variable that holds it.
      apiKey: 'SCRIPTED_API_KEY',
      compat: { supportsDeveloperRole: false, supportsReasoningEffort: false },
      models: [{ id: 'scripted', name: 'Scripted', contextWindow: 128000, maxTokens: 4096 }],
    }
    const settings = {
      defaultProvider: 'scripted',
      defaultModel: 'scripted',
      enableInstallTelemetry: false,
      defaultProjectTrust: 'always',
    }
    await mkdir(folder, { recursive: true })
    await writeFile(join(folder, 'models.json'), JSON.stringify({ providers: { scripted: provider } }))
    await writeFile(join(folder, 'settings.json'), JSON.stringify(settings))
  },
  env: () => ({
    SCRIPTED_API_KEY: DUMMY_KEY,
    PI_OFFLINE: '1',
    PI_TELEMETRY: '0',
    PI_SKIP_VERSION_CHECK: '1',
  }),
  screen: { args: [], ready: /scripted/ },
  turn: (prompt) => ['-p', prompt],
}
