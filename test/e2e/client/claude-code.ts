import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Client, DUMMY_KEY } from './client.ts'

/** Claude Code; all settings seen to be needed offline in 2.1.330. */
export const claudeCode: Client = {
  id: 'claude-code',
  package: '@anthropic-ai/claude-code',
  version: '2.1.332',
  bin: 'claude',
  async prepare({ home, repo }) {
    const answers = {
      // Without this it looks for the internet and exits.
      hasCompletedOnboarding: true,
      customApiKeyResponses: { approved: [DUMMY_KEY.slice(-20)], rejected: [] },
      projects: { [repo]: { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true } },
    }
    // What started by somebody else without flags may do: a person's own settings.
    const settings = {
      permissions: { defaultMode: 'acceptEdits', allow: ['Bash', 'mcp__handoff'] },
      // On its screen it asks about the server of the project.
      enableAllProjectMcpServers: true,
    }
    await mkdir(join(home, '.claude'), { recursive: true })
    await writeFile(join(home, '.claude', 'settings.json'), JSON.stringify(settings))
    await writeFile(join(home, '.claude.json'), JSON.stringify(answers))
  },
  env: (_bench, url) => ({
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: DUMMY_KEY,
    ANTHROPIC_MODEL: 'claude-sonnet-4-5',
    DISABLE_TELEMETRY: '1',
    DISABLE_ERROR_REPORTING: '1',
    DISABLE_AUTOUPDATER: '1',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    CLAUDE_CODE_DISABLE_OFFICIAL_MARKETPLACE_AUTOINSTALL: '1',
    // Lists every tool in the request instead of behind a search.
    ENABLE_TOOL_SEARCH: 'false',
    // Lets root run without permission prompts.
    IS_SANDBOX: '1',
  }),
  screen: { args: [], ready: /accept edits on/ },
  turn: (prompt) => ['-p', prompt, '--permission-mode', 'bypassPermissions'],
}
