import type { Adapter } from '../types/agent.ts'
import type { AgentId } from '../types/session.ts'
import { aider } from './aider.ts'
import { amp } from './amp.ts'
import { antigravity } from './antigravity.ts'
import { atif } from './atif/index.ts'
import { claudeCode } from './claude-code/index.ts'
import { cline } from './cline.ts'
import { codex } from './codex/index.ts'
import { continueDev } from './continue.ts'
import { copilotCli } from './copilot-cli/index.ts'
import { copilotJetbrains, copilotVscode } from './copilot-editors/index.ts'
import { cowork } from './cowork.ts'
import { crush } from './crush.ts'
import { cursor } from './cursor.ts'
import { devin } from './devin.ts'
import { droid } from './droid.ts'
import { geminiCli } from './gemini-cli/index.ts'
import { goose } from './goose.ts'
import { grokBuild } from './grok-build.ts'
import { junie } from './junie.ts'
import { kimiCode } from './kimi-code.ts'
import { kiro } from './kiro.ts'
import { mistralVibe } from './mistral-vibe.ts'
import { kilo, opencode } from './opencode/index.ts'
import { ohMyPi, pi } from './pi/index.ts'
import { plain } from './plain.ts'
import { qwenCode } from './qwen-code/index.ts'
import { rooCode } from './roo-code.ts'
import { specstory } from './specstory.ts'
import { zed } from './zed.ts'

/** Every agent that can be read; the first whose `identify` answers owns a file, most specific format first. */
export const adapters: readonly Adapter[] = [
  claudeCode,
  cowork,
  codex,
  pi,
  ohMyPi,
  copilotVscode,
  copilotJetbrains,
  copilotCli,
  geminiCli,
  kilo,
  opencode,
  qwenCode,
  cursor,
  antigravity,
  cline,
  rooCode,
  continueDev,
  kimiCode,
  mistralVibe,
  grokBuild,
  kiro,
  devin,
  droid,
  goose,
  crush,
  zed,
  junie,
  amp,
  aider,
  atif,
  specstory,
  plain,
]

/** In the order in which they are asked of a file: a session of Cowork is one of Claude Code in another folder. */
export const byFormat: readonly Adapter[] = [cowork, ...adapters]

/** What is known of an agent that only its protocol tells of. */
export const byProtocol: Omit<Adapter, 'id' | 'label' | 'read'> = {
  basis: { is: 'documented', of: 'Agent Client Protocol' },
  marks: [],
  find: async () => [],
  identify: async () => null,
}

export const adapterById = (id: AgentId): Adapter | null =>
  adapters.find((adapter) => adapter.id === id) ?? null

export const labelOf = (id: AgentId): string => adapterById(id)?.label ?? id
