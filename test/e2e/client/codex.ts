import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Client, DUMMY_KEY } from './client.ts'
import { trustIn } from './codex-trust.ts'

/**
 * Codex; all settings seen to be needed offline in 0.171.0. The model's name decides which tools it offers. Hooks that nobody trusted
 * are skipped without a word, so those of the repository are trusted here as a person would on its screen.
 */
export const codex: Client = {
  id: 'codex',
  package: '@openai/codex',
  version: '0.171.0',
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

[tui]
screen_reader_detection_done = true

[notice.model_migrations]
"gpt-5.5" = "gpt-6-sol"

[features]
daemon_auto_start = false

[projects."${repo}"]
trust_level = "trusted"
${trustIn(join(repo, '.codex', 'hooks.json'))}`,
    )
  },
  env: ({ home }) => ({ CODEX_HOME: join(home, '.codex'), SCRIPTED_API_KEY: DUMMY_KEY }),
  screen: { args: [], ready: /Ask Codex to do anything/ },
  turn: (prompt) => ['exec', prompt],
}
