import { createHash } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { byShell, lineDiff, makeClock } from './clock.mjs'

/**
 * Gemini CLI 0.61: `~/.gemini/tmp/<slug>/chats/session-<time>-<id>.jsonl`, a log in which a later line with the same id replaces the earlier. For
 * readers that know only the form before it, one JSON value, the same session is beside it with the ending `.json`.
 */
export function writeGeminiCli(events, { cwd, home, dice, day }) {
  const sessionId = dice.uuid()
  const clock = makeClock(day)
  const projectHash = createHash('sha256').update(cwd).digest('hex')
  const startTime = clock().toISOString()
  const header = { sessionId, projectHash, startTime, lastUpdated: startTime, kind: 'main' }
  const context = {
    id: dice.hex(32),
    timestamp: startTime,
    type: 'user',
    content: [
      {
        text: `<session_context>\nThis is the Gemini CLI. We are setting up the context for our chat.\n- **Workspace Directories:**\n  - ${cwd}\n</session_context>`,
      },
    ],
  }
  const lines = [header, { $set: { messages: [context], lastUpdated: startTime } }]
  const messages = []
  const add = (record) => {
    const message = { id: dice.uuid(), timestamp: clock().toISOString(), ...record }
    lines.push(message)
    return message
  }
  for (const event of events) {
    if (event.kind === 'prompt') messages.push(add({ type: 'user', content: [{ text: event.text }] }))
    else if (event.kind === 'reply')
      messages.push(add({ type: 'gemini', content: event.text, thoughts: [], model: 'gemini-2.5-pro' }))
    else {
      const call = callOf(event, cwd, `call_${dice.hex(8)}`, clock().toISOString())
      messages.push(
        add({ type: 'gemini', content: '', thoughts: [], model: 'gemini-2.5-pro', toolCalls: [call] }),
      )
      add({ type: 'user', content: [{ functionResponse: call.result[0].functionResponse }] })
    }
  }
  const folder = join(home, '.gemini/tmp', basename(cwd), 'chats')
  mkdirSync(folder, { recursive: true })
  const slug = basename(cwd)
  writeFileSync(join(home, '.gemini/projects.json'), JSON.stringify({ projects: { [cwd]: slug } }))
  writeFileSync(join(home, '.gemini/tmp', slug, '.project_root'), cwd)
  const name = join(folder, `session-${startTime.slice(0, 16).replace(/:/g, '-')}-${sessionId.slice(0, 8)}`)
  writeFileSync(`${name}.jsonl`, `${lines.map((line) => JSON.stringify(line)).join('\n')}\n`)
  const old = messages.map(({ content, toolCalls, ...rest }) => ({
    ...rest,
    content: Array.isArray(content) ? content[0].text : content,
    // Readers of that form expect an object or nothing.
    ...(toolCalls && {
      toolCalls: toolCalls.map(({ resultDisplay, ...call }) =>
        typeof resultDisplay === 'object' ? { ...call, resultDisplay } : call,
      ),
    }),
  }))
  const lastUpdated = messages.at(-1).timestamp
  writeFileSync(
    `${name}.json`,
    JSON.stringify({ sessionId, projectHash, startTime, lastUpdated, messages: old }, null, 2),
  )
  return { id: sessionId, path: `${name}.jsonl` }
}

function callOf(event, cwd, id, timestamp) {
  const { name, args, output, resultDisplay = '' } = toolOf(event, cwd)
  const result = [{ functionResponse: { id, name, response: { output } } }]
  return {
    id,
    name,
    args,
    result,
    status: 'success',
    timestamp,
    resultDisplay,
    description: event.path ?? event.command,
    displayName: name,
  }
}

function toolOf(event, cwd) {
  const filePath = event.path && join(cwd, event.path)
  if (event.tool === 'read') return { name: 'read_file', args: { file_path: event.path }, output: event.text }
  if (event.tool === 'edit')
    return {
      name: 'replace',
      args: {
        file_path: event.path,
        instruction: 'Change one line',
        old_string: event.before,
        new_string: event.after,
      },
      output: `Successfully modified file: ${filePath} (1 replacements).`,
      resultDisplay: {
        fileDiff: lineDiff(event.before, event.after),
        fileName: event.path.split('/').at(-1),
        filePath,
        isNewFile: false,
        diffStat: { model_added_lines: 1, model_removed_lines: 1 },
      },
    }
  if (event.tool === 'write')
    return {
      name: 'write_file',
      args: { file_path: event.path, content: event.text },
      output: `Successfully created and wrote to new file: ${filePath}.`,
      resultDisplay: {
        fileDiff: event.text.replace(/^/gm, '+'),
        fileName: event.path.split('/').at(-1),
        filePath,
        isNewFile: true,
        originalContent: '',
        newContent: event.text,
      },
    }
  if (event.tool !== 'shell') return toolOf(byShell(event), cwd)
  const code = event.exit === 0 ? '' : `\nExit Code: ${event.exit}`
  return {
    name: 'run_shell_command',
    args: { command: event.command, description: 'Run a command' },
    output: `<untrusted_context>\nOutput: ${event.output || '(empty)'}${code}\n</untrusted_context>`,
    resultDisplay: event.output,
  }
}
