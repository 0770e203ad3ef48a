import { claudeCode } from './claude-code.ts'
import type { Client, ClientId } from './client.ts'
import { codex } from './codex.ts'
import { geminiCli } from './gemini-cli.ts'
import { opencode } from './opencode.ts'
import { pi } from './pi.ts'

export const clients: Readonly<Record<ClientId, Client>> = {
  'claude-code': claudeCode,
  codex,
  'gemini-cli': geminiCli,
  opencode,
  pi,
}
