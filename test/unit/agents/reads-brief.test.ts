import { expect, it } from 'vitest'
import { readsBrief } from '../../../src/agents/tools.ts'
import type { Action } from '../../../src/types/session.ts'

const run = (command: string): [string, Action] => ['Bash', { type: 'run', command }]
const read = (path: string): [string, Action] => ['Read', { type: 'read', paths: [path] }]
const use = (tool: string): [string, Action] => [tool, { type: 'other', paths: [] }]

// Names as Claude Code 2.1.330 and Codex 0.169, Gemini CLI 0.61, OpenCode 1.18 and Copilot CLI 1.0 record them, and the bare one.
it.each([
  use('mcp__handoff__handoff_read'),
  use('mcp_handoff_handoff_read'),
  use('handoff_handoff_read'),
  use('handoff-handoff_read'),
  use('handoff_read'),
  read('.handoff/latest.md'),
  read('C:\\repo\\.handoff\\briefs\\20261122T100000-0000abcd.md'),
  run('cat .handoff/latest.md'),
  run('git handoff show'),
])('%s %j looks into a brief', (tool, action) => {
  expect(readsBrief({ tool, action })).toBe(true)
})

it.each([
  use('mcp__handoff__handoff_create'),
  use('mcp__handoff__handoff_finalize'),
  use('mcp__notes__read'),
  read('.handoff/config.yaml'),
  run('git handoff status'),
  run('git show'),
])('%s %j does not', (tool, action) => {
  expect(readsBrief({ tool, action })).toBe(false)
})
