import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Client, DUMMY_KEY } from './client.ts'

/** Cline CLI; all settings seen to be needed offline in 3.0.65. */
export const cline: Client = {
  id: 'cline',
  package: 'cline',
  version: '3.0.65',
  bin: 'cline',
  async prepare({ home }, url) {
    const folder = join(home, '.cline', 'data', 'settings')
    const id = 'openai-compatible'
    const settings = { provider: id, apiKey: DUMMY_KEY, model: 'scripted', baseUrl: `${url}/v1` }
    const provider = { settings, updatedAt: new Date(0).toISOString(), tokenSource: 'manual' }
    await mkdir(folder, { recursive: true })
    await writeFile(
      join(folder, 'providers.json'),
      JSON.stringify({ version: 1, lastUsedProvider: id, modes: {}, providers: { [id]: provider } }),
    )
  },
  // Its hub would outlive the turn.
  env: () => ({ CLINE_SESSION_BACKEND_MODE: 'local' }),
  turn: (prompt) => [prompt],
}
