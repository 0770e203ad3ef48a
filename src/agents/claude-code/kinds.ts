import { type Fields, wordSet } from '../fields.ts'

/** Record types up to 2.1.330. */
const TYPES =
  wordSet(`user assistant attachment queue-operation progress system ai-title custom-title tools-used
  agent-color agent-name agent-setting api-request api-request-blob api-request-shape atis-latch bridge-session cost-state
  file-history-delta file-history-snapshot last-prompt mode permission-mode pr-link summary tag`)

export const isClaudeRecord = ({ type }: Fields): boolean => typeof type === 'string' && TYPES.has(type)
