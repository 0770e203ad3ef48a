import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Client, DUMMY_KEY } from './client.ts'

/** Continue CLI; all settings seen to be needed offline in 1.5.47. */
export const continueDev: Client = {
  id: 'continue',
  package: '@continuedev/cli',
  version: '1.5.47',
  bin: 'cn',
  async prepare({ home }, url) {
    const model = {
      name: 'scripted',
      provider: 'openai',
      model: 'scripted',
      apiBase: `${url}/v1`,
      apiKey: DUMMY_KEY,
      roles: ['chat', 'edit', 'apply'],
      capabilities: ['tool_use'],
    }
    await mkdir(join(home, '.continue'), { recursive: true })
    // Headless it offers no tool that would have to ask. JSON is YAML.
    const rights = { allow: ['Read', 'Edit', 'Write', 'Bash'], ask: [], exclude: [] }
    await writeFile(join(home, '.continue', 'permissions.yaml'), JSON.stringify(rights))
    await writeFile(
      join(home, '.continue', 'config.yaml'),
      JSON.stringify({ name: 'scripted', version: '1.0.0', schema: 'v1', models: [model] }),
    )
  },
  env: () => ({ CONTINUE_TELEMETRY_ENABLED: '0', CONTINUE_CLI_AUTO_UPDATED: '1' }),
  turn: (prompt) => ['-p', prompt],
}
