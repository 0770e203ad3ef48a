import { createHash } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { byShell, lineDiff, makeClock } from './clock.mjs'

/**
 * OpenCode 1.18: what `opencode export <id>` prints, and the same session in the store of single files below
 * `~/.local/share/opencode/storage`, which versions before 1.2 kept and which some readers know.
 */
export function writeOpenCode(events, { cwd, home, dice, day }) {
  const clock = makeClock(day)
  const sessionID = `ses_${dice.hex(24)}`
  const projectID = createHash('sha1').update(cwd).digest('hex')
  const created = clock().getTime()
  const messages = []
  const begin = (role) => {
    const id = `msg_${String(messages.length).padStart(6, '0')}${dice.hex(18)}`
    const at = clock().getTime()
    const info =
      role === 'user'
        ? {
            id,
            sessionID,
            role,
            time: { created: at },
            agent: 'build',
            model: { providerID: 'anthropic', modelID: 'claude-sonnet-4-5' },
          }
        : {
            id,
            sessionID,
            role,
            mode: 'build',
            agent: 'build',
            path: { cwd, root: cwd },
            modelID: 'claude-sonnet-4-5',
            providerID: 'anthropic',
            time: { created: at, completed: at + 900 },
            finish: 'stop',
          }
    const message = { info, parts: [] }
    messages.push(message)
    return message
  }
  const put = (message, part) =>
    message.parts.push({
      ...part,
      id: `prt_${String(message.parts.length).padStart(4, '0')}${dice.hex(20)}`,
      sessionID,
      messageID: message.info.id,
    })
  for (const event of events) {
    if (event.kind === 'prompt') put(begin('user'), { type: 'text', text: event.text })
    else if (event.kind === 'reply') put(begin('assistant'), { type: 'text', text: event.text })
    else {
      const message = begin('assistant')
      message.info.finish = 'tool-calls'
      const { tool, input, output, metadata = {} } = toolOf(event, cwd)
      const start = message.info.time.created
      put(message, {
        type: 'tool',
        tool,
        callID: `call_${dice.hex(8)}`,
        state: {
          status: 'completed',
          input,
          output,
          metadata: { ...metadata, truncated: false },
          title: event.path ?? event.command,
          time: { start, end: start + 400 },
        },
      })
    }
  }
  const info = {
    id: sessionID,
    slug: 'quiet-harbour',
    projectID,
    directory: cwd,
    path: '',
    title: 'Session',
    agent: 'build',
    version: '1.18.33',
    time: { created, updated: messages.at(-1).info.time.created },
  }
  const path = join(home, 'opencode-export.json')
  writeFileSync(path, JSON.stringify({ info, messages }, null, 1))
  writeStore(join(home, '.local/share/opencode/storage'), { info, messages, cwd, projectID })
  return { id: sessionID, path }
}

function writeStore(folder, { info, messages, cwd, projectID }) {
  const put = (path, value) => {
    mkdirSync(join(folder, path, '..'), { recursive: true })
    writeFileSync(join(folder, path), JSON.stringify(value))
  }
  put(`project/${projectID}.json`, { id: projectID, worktree: cwd, vcs: 'git', time: info.time })
  put(`session/${projectID}/${info.id}.json`, info)
  for (const { info: message, parts } of messages) {
    put(`message/${info.id}/${message.id}.json`, message)
    for (const part of parts) put(`part/${message.id}/${part.id}.json`, part)
  }
}

function toolOf(event, cwd) {
  const filePath = event.path && join(cwd, event.path)
  if (event.tool === 'read')
    return {
      tool: 'read',
      input: { filePath },
      output: `<path>${filePath}</path>\n<type>file</type>\n<content>\n${event.text}</content>`,
    }
  if (event.tool === 'edit') {
    const diff = lineDiff(event.before, event.after)
    return {
      tool: 'edit',
      input: { filePath, oldString: event.before, newString: event.after },
      output: 'Edit applied successfully.',
      metadata: {
        diagnostics: {},
        diff,
        filediff: { file: filePath, patch: diff, additions: 1, deletions: 1 },
      },
    }
  }
  if (event.tool === 'write')
    return {
      tool: 'write',
      input: { filePath, content: event.text },
      output: 'Wrote file successfully.',
      metadata: { filepath: filePath, exists: false },
    }
  if (event.tool !== 'shell') return toolOf(byShell(event), cwd)
  return {
    tool: 'bash',
    input: { command: event.command, description: 'Run a command' },
    output: event.output,
    metadata: { output: event.output, exit: event.exit },
  }
}
