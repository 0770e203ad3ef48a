import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Client, DUMMY_KEY } from './client.ts'

/** OpenCode; all settings seen to be needed offline in 1.18.33. */
export const opencode: Client = {
  id: 'opencode',
  package: 'opencode-ai',
  version: '1.18.33',
  bin: 'opencode',
  async prepare({ home }, url) {
    const folder = join(home, '.config', 'opencode')
    const model = { name: 'Scripted', tool_call: true, limit: { context: 128_000, output: 4096 } }
    const provider = {
      npm: '@ai-sdk/openai-compatible',
      name: 'Scripted',
      options: { baseURL: `${url}/v1`, apiKey: '{env:SCRIPTED_API_KEY}' },
      models: { scripted: model },
    }
    const settings = {
      provider: { scripted: provider },
      model: 'scripted/scripted',
      small_model: 'scripted/scripted',
      autoupdate: false,
      share: 'disabled',
      permission: { '*': 'allow' },
    }
    await mkdir(folder, { recursive: true })
    await writeFile(join(folder, 'opencode.json'), JSON.stringify(settings))
    await skipInstall(folder)
  },
  env: () => ({
    SCRIPTED_API_KEY: DUMMY_KEY,
    OPENCODE_DISABLE_AUTOUPDATE: '1',
    OPENCODE_DISABLE_MODELS_FETCH: '1',
    OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
    OPENCODE_DISABLE_SHARE: '1',
    OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
  }),
  screen: { args: [], ready: /Ask anything/ },
  turn: (prompt) => {
    // A command in the prompt itself would be plain text.
    const [, command, words = ''] = /^\/(\w+) (.*)$/s.exec(prompt) ?? []
    return command === undefined ? ['run', prompt] : ['run', '--command', command, words]
  },
}

/** At every start OpenCode installs this package into each folder of settings; offline that holds the first turn up for 70 s. */
async function skipInstall(folder: string): Promise<void> {
  const dependencies = { '@opencode-ai/plugin': opencode.version }
  await mkdir(join(folder, 'node_modules'), { recursive: true })
  await writeFile(join(folder, 'package.json'), JSON.stringify({ dependencies }))
  const lock = { lockfileVersion: 3, packages: { '': { dependencies } } }
  await writeFile(join(folder, 'package-lock.json'), JSON.stringify(lock))
}
