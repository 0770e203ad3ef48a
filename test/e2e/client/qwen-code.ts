import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Client, DUMMY_KEY } from './client.ts'

/** Qwen Code; all settings seen to be needed offline in 0.24.4. */
export const qwenCode: Client = {
  id: 'qwen-code',
  package: '@qwen-code/qwen-code',
  version: '0.24.4',
  bin: 'qwen',
  async prepare({ home }) {
    const settings = {
      security: { auth: { selectedType: 'openai' }, folderTrust: { enabled: false } },
      general: { enableAutoUpdate: false },
      privacy: { usageStatisticsEnabled: false },
      telemetry: { enabled: false },
      model: { name: 'scripted' },
      // `resume --to` starts it with nothing that allows it more.
      tools: { approvalMode: 'yolo' },
    }
    await mkdir(join(home, '.qwen'), { recursive: true })
    await writeFile(join(home, '.qwen', 'settings.json'), JSON.stringify(settings))
  },
  env: (_bench, url) => ({
    OPENAI_API_KEY: DUMMY_KEY,
    OPENAI_BASE_URL: `${url}/v1`,
    OPENAI_MODEL: 'scripted',
  }),
  turn: (prompt) => ['-y', '-p', prompt],
}
