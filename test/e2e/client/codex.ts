import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Client, DUMMY_KEY } from './client.ts'

/** Codex; all settings seen to be needed offline in 0.169.0. The model's name decides which tools it offers. */
export const codex: Client = {
  id: 'codex',
  package: '@openai/codex',
  version: '0.169.0',
  bin: 'codex',
  async prepare({ home, repo }, url, model) {
    await mkdir(join(home, '.codex'), { recursive: true })
    await writeFile(
      join(home, '.codex', 'config.toml'),
      `model = "${model ?? 'gpt-5.5'}"
model_provider = "scripted"
approval_policy = "never"
sandbox_mode = "danger-full-access"
check_for_update_on_startup = false

[model_providers.scripted]
name = "scripted"
base_url = "${url}/v1"
wire_api = "responses"
env_key = "SCRIPTED_API_KEY"
supports_websockets = false
request_max_retries = 0
stream_max_retries = 0

[analytics]
enabled = false

[features]
daemon_auto_start = false

[projects."${repo}"]
trust_level = "trusted"
`,
    )
  },
  env: ({ home }) => ({ CODEX_HOME: join(home, '.codex'), SCRIPTED_API_KEY: DUMMY_KEY }),
  // Trust is asked for on its screen only; without it hooks are skipped without a word.
  turn: (prompt) => ['exec', '--dangerously-bypass-hook-trust', prompt],
}
