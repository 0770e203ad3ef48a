import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { byShell, lineDiff, makeClock, numbered } from './clock.mjs'

/** Claude Code 2.1: `~/.claude/projects/<slug>/<id>.jsonl`, a record for each block. */
export function writeClaudeCode(events, { cwd, home, branch, dice, day }) {
  const sessionId = dice.uuid()
  const clock = makeClock(day)
  const lines = []
  let parentUuid = null
  const add = (record) => {
    const uuid = dice.uuid()
    lines.push({
      parentUuid,
      isSidechain: false,
      ...record,
      uuid,
      timestamp: clock().toISOString(),
      userType: 'external',
      entrypoint: 'cli',
      cwd,
      sessionId,
      version: '2.1.330',
      gitBranch: branch,
    })
    parentUuid = uuid
  }
  const assistant = (content, stop) =>
    add({
      message: {
        id: `msg_${dice.hex(20)}`,
        type: 'message',
        role: 'assistant',
        model: 'claude-sonnet-4-5',
        content: [content],
        stop_reason: stop,
        stop_sequence: null,
        usage: {
          input_tokens: 1200,
          cache_creation_input_tokens: 50,
          cache_read_input_tokens: 300,
          output_tokens: 80,
        },
      },
      type: 'assistant',
    })
  for (const event of events) {
    if (event.kind === 'prompt')
      add({
        promptId: dice.uuid(),
        type: 'user',
        message: { role: 'user', content: event.text },
        origin: { kind: 'human' },
        promptSource: 'typed',
      })
    else if (event.kind === 'reply') assistant({ type: 'text', text: event.text }, 'end_turn')
    else {
      const id = `toolu_${dice.hex(20)}`
      const { name, input, content, isError = false, toolUseResult } = toolOf(event, cwd)
      assistant({ type: 'tool_use', id, name, input }, 'tool_use')
      add({
        type: 'user',
        message: {
          role: 'user',
          content: [{ tool_use_id: id, type: 'tool_result', content, is_error: isError }],
        },
        toolUseResult,
        sourceToolAssistantUUID: parentUuid,
      })
    }
  }
  const path = join(home, '.claude/projects', cwd.replace(/[^a-zA-Z0-9]/g, '-'), `${sessionId}.jsonl`)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, `${lines.map((line) => JSON.stringify(line)).join('\n')}\n`)
  return { id: sessionId, path }
}

function toolOf(event, cwd) {
  const file = event.path && join(cwd, event.path)
  if (event.tool === 'read')
    return {
      name: 'Read',
      input: { file_path: file },
      content: numbered(event.text),
      toolUseResult: {
        type: 'text',
        file: { filePath: file, content: event.text, numLines: event.text.split('\n').length },
      },
    }
  if (event.tool === 'edit')
    return {
      name: 'Edit',
      input: { file_path: file, old_string: event.before, new_string: event.after, replace_all: false },
      content: `The file ${file} has been updated successfully.`,
      toolUseResult: {
        filePath: file,
        oldString: event.before,
        newString: event.after,
        structuredPatch: [
          {
            oldStart: event.at ?? 1,
            oldLines: event.before.split('\n').length,
            newStart: event.at ?? 1,
            newLines: event.after.split('\n').length,
            lines: lineDiff(event.before, event.after).split('\n').slice(1, -1),
          },
        ],
        userModified: false,
        replaceAll: false,
      },
    }
  if (event.tool === 'write')
    return {
      name: 'Write',
      input: { file_path: file, content: event.text },
      content: `File created successfully at: ${file}`,
      toolUseResult: {
        type: event.isNew ? 'create' : 'update',
        filePath: file,
        content: event.text,
        structuredPatch: [],
      },
    }
  if (event.tool !== 'shell') return toolOf(byShell(event), cwd)
  const content = event.exit === 0 ? event.output : `Exit code ${event.exit}\n${event.output}`
  return {
    name: 'Bash',
    input: { command: event.command, description: 'Run a command' },
    content,
    isError: event.exit !== 0,
    toolUseResult:
      event.exit === 0
        ? { stdout: event.output, stderr: '', interrupted: false, isImage: false }
        : `Error: ${content}`,
  }
}
