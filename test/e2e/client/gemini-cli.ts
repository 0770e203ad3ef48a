import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Client, DUMMY_KEY } from './client.ts'

/** Gemini CLI; all settings seen to be needed offline in 0.61.0. */
export const geminiCli: Client = {
  id: 'gemini-cli',
  package: '@google/gemini-cli',
  version: '0.61.0',
  bin: 'gemini',
  async prepare({ home }) {
    const settings = {
      security: { auth: { selectedType: 'gemini-api-key' }, folderTrust: { enabled: false } },
      general: {
        enableAutoUpdate: false,
        enableAutoUpdateNotification: false,
        // Where no flag allows all.
        defaultApprovalMode: 'auto_edit',
      },
      tools: { allowed: ['run_shell_command'] },
      privacy: { usageStatisticsEnabled: false },
      telemetry: { enabled: false },
      ui: { hideTips: true, hideBanner: true },
      model: { name: 'gemini-2.5-flash' },
    }
    await mkdir(join(home, '.gemini'), { recursive: true })
    await writeFile(join(home, '.gemini', 'settings.json'), JSON.stringify(settings))
  },
  env: (_bench, url) => ({
    GEMINI_API_KEY: DUMMY_KEY,
    GOOGLE_GEMINI_BASE_URL: url,
    GEMINI_CLI_TRUST_WORKSPACE: 'true',
  }),
  screen: { args: ['-y'], ready: /Type your message/ },
  // Headless it offers no tool that changes anything unless all are allowed.
  turn: (prompt) => ['-y', '-p', prompt],
}
