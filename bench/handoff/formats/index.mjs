import { writeClaudeCode } from './claude-code.mjs'
import { writeCodex } from './codex.mjs'
import { writeGeminiCli } from './gemini-cli.mjs'
import { writeOpenCode } from './opencode.mjs'

/** The agents in whose formats a session can be written: each puts it where that agent keeps its sessions, below `home`. */
export const FORMATS = {
  'claude-code': writeClaudeCode,
  codex: writeCodex,
  'gemini-cli': writeGeminiCli,
  opencode: writeOpenCode,
}
