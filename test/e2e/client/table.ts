import { claudeCode } from './claude-code.ts'
import type { Client, ClientId } from './client.ts'
import { cline } from './cline.ts'
import { codex } from './codex.ts'
import { continueDev } from './continue.ts'
import { copilotCli } from './copilot-cli.ts'
import { geminiCli } from './gemini-cli.ts'
import { ohMyPi } from './oh-my-pi.ts'
import { opencode } from './opencode.ts'
import { pi } from './pi.ts'
import { qwenCode } from './qwen-code.ts'

export const clients: Readonly<Record<ClientId, Client>> = {
  'claude-code': claudeCode,
  cline,
  codex,
  continue: continueDev,
  'copilot-cli': copilotCli,
  'gemini-cli': geminiCli,
  'oh-my-pi': ohMyPi,
  opencode,
  pi,
  'qwen-code': qwenCode,
}
