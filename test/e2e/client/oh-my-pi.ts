import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Client, DUMMY_KEY } from './client.ts'

/** oh-my-pi; all settings seen to be needed offline in 18.2.3 (18.3.4 needs an `omp-stats` 18.3.4 that npm did not have on 2026-11-30). It runs on bun, which its package does not bring. */
export const ohMyPi: Client = {
  id: 'oh-my-pi',
  package: '@oh-my-pi/pi-coding-agent',
  version: '18.2.3',
  besides: ['bun@1.4.5'],
  bin: 'omp',
  async prepare({ home }, url) {
    const folder = join(home, '.omp', 'agent')
    const model = {
      id: 'scripted',
      name: 'Scripted',
      contextWindow: 128_000,
      maxTokens: 4096,
      input: ['text'],
      reasoning: false,
      cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
    }
    const provider = {
      baseUrl: `${url}/v1`,
      api: 'openai-completions',
      apiKey: DUMMY_KEY,
      models: [model],
    }
    const settings = {
      modelRoles: { default: 'scripted/scripted', smol: 'scripted/scripted' },
      // Its own language of patches needs a tag that only a model that has read the file can know.
      edit: { mode: 'replace' },
      startup: { setupWizard: false, checkUpdate: false, quiet: true },
    }
    await mkdir(folder, { recursive: true })
    // JSON is YAML.
    await writeFile(join(folder, 'models.yml'), JSON.stringify({ providers: { scripted: provider } }))
    await writeFile(join(folder, 'config.yml'), JSON.stringify(settings))
  },
  env: () => ({ PI_OFFLINE: '1', PI_NO_TITLE: '1' }),
  turn: (prompt) => ['--model', 'scripted/scripted', '--no-title', '-p', prompt],
}
