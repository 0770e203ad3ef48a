import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { makeClock } from './clock.mjs'

/** Codex CLI 0.169: `~/.codex/sessions/<year>/<month>/<day>/rollout-<time>-<id>.jsonl`. */
export function writeCodex(events, { cwd, home, branch, dice, day }) {
  const id = dice.uuid()
  const clock = makeClock(day)
  const lines = []
  let turn = dice.uuid()
  const add = (type, payload) =>
    lines.push({ timestamp: clock().toISOString(), ordinal: lines.length, type, payload })
  const item = (payload) => add('response_item', payload)
  const told = (one) => add('event_msg', { type: 'item_completed', thread_id: id, turn_id: turn, item: one })
  const began = clock()
  add('session_meta', {
    session_id: id,
    id,
    timestamp: began.toISOString(),
    cwd,
    runtime_workspace_roots: [cwd],
    originator: 'codex_cli',
    cli_version: '0.169.0',
    source: 'cli',
    thread_source: 'user',
    model_provider: 'openai',
    base_instructions: { text: 'You are Codex.' },
    history_mode: 'paginated',
    git: { commit_hash: '0'.repeat(40), branch },
  })
  for (const event of events) {
    if (event.kind === 'prompt') {
      if (lines.length > 1)
        add('event_msg', { type: 'task_complete', turn_id: turn, last_agent_message: null })
      turn = dice.uuid()
      add('event_msg', {
        type: 'task_started',
        turn_id: turn,
        started_at: Math.floor(began / 1000),
        model_context_window: 258400,
      })
      add('turn_context', { turn_id: turn, cwd, approval_policy: 'never', model: 'gpt-5.5', summary: 'none' })
      item({
        type: 'message',
        id: `msg_${dice.hex(16)}`,
        role: 'user',
        content: [{ type: 'input_text', text: event.text }],
      })
      told({
        type: 'UserMessage',
        id: dice.uuid(),
        content: [{ type: 'text', text: event.text, text_elements: [] }],
      })
    } else if (event.kind === 'reply') {
      const name = `msg_${dice.hex(16)}`
      told({ type: 'AgentMessage', id: name, content: [{ type: 'Text', text: event.text }] })
      item({
        type: 'message',
        status: 'completed',
        id: name,
        role: 'assistant',
        content: [{ type: 'output_text', text: event.text, annotations: [] }],
      })
    } else addCall(event, { cwd, dice, item, told })
  }
  const time = began.toISOString().slice(0, 19).replace(/:/g, '-')
  const path = join(
    home,
    '.codex/sessions',
    time.slice(0, 10).replace(/-/g, '/'),
    `rollout-${time}-${id}.jsonl`,
  )
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, `${lines.map((line) => JSON.stringify(line)).join('\n')}\n`)
  return { id, path }
}

function addCall(event, { cwd, dice, item, told }) {
  const call_id = `call_${dice.hex(16)}`
  const patch = patchOf(event, cwd)
  if (patch) {
    item({
      type: 'custom_tool_call',
      status: 'completed',
      id: `ctc_${dice.hex(16)}`,
      call_id,
      name: 'apply_patch',
      input: patch.text,
    })
    const stdout = `Success. Updated the following files:\n${patch.done}\n`
    told({ type: 'FileChange', id: call_id, changes: patch.changes, status: 'completed', stdout, stderr: '' })
    return item({
      type: 'custom_tool_call_output',
      id: `ctco_${dice.uuid()}`,
      call_id,
      output: `Exit code: 0\nWall time: 0 seconds\nOutput:\n${stdout}`,
    })
  }
  const isRead = event.tool === 'read'
  const cmd = isRead ? `cat ${event.path}` : event.command
  const output = isRead ? event.text : event.output
  item({
    type: 'function_call',
    status: 'completed',
    id: `fc_${dice.hex(16)}`,
    name: 'exec_command',
    arguments: JSON.stringify({ cmd }),
    call_id,
  })
  told({
    type: 'CommandExecution',
    id: call_id,
    process_id: String(dice.between(2000, 30000)),
    command: ['/bin/bash', '-lc', cmd],
    cwd: `file://${cwd}`,
    parsed_cmd: [
      isRead
        ? { type: 'read', cmd, name: event.path.split('/').at(-1), path: event.path }
        : { type: 'unknown', cmd },
    ],
    source: 'unified_exec_startup',
    status: event.exit === 0 ? 'completed' : 'failed',
    aggregated_output: output,
    exit_code: event.exit,
    duration: { secs: 0, nanos: 10024 },
  })
  item({
    type: 'function_call_output',
    id: `fco_${dice.uuid()}`,
    call_id,
    output: `Chunk ID: ${dice.hex(6)}\nWall time: 0.4 seconds\nProcess exited with code ${event.exit}\nOriginal token count: 60\nOutput:\n${output}`,
  })
}

function patchOf(event, cwd) {
  const file = event.path && join(cwd, event.path)
  const wrap = (body) => `*** Begin Patch\n${body}\n*** End Patch`
  if (event.tool === 'edit')
    return {
      text: wrap(`*** Update File: ${event.path}\n@@\n-${event.before}\n+${event.after}`),
      done: `M ${event.path}`,
      changes: {
        [file]: {
          type: 'update',
          unified_diff: `@@ -1,1 +1,1 @@\n-${event.before}\n+${event.after}\n`,
          move_path: null,
        },
      },
    }
  if (event.tool === 'write')
    return {
      text: wrap(`*** Add File: ${event.path}\n${event.text.replace(/\n$/, '').replace(/^/gm, '+')}`),
      done: `A ${event.path}`,
      changes: { [file]: { type: 'add', content: event.text } },
    }
  if (event.tool === 'remove')
    return {
      text: wrap(`*** Delete File: ${event.path}`),
      done: `D ${event.path}`,
      changes: { [file]: { type: 'delete', content: event.text } },
    }
  if (event.tool === 'move') {
    const line = event.text.split('\n')[0]
    return {
      text: wrap(`*** Update File: ${event.path}\n*** Move to: ${event.to}\n@@\n ${line}`),
      done: `M ${event.to}`,
      changes: { [file]: { type: 'update', unified_diff: '', move_path: join(cwd, event.to) } },
    }
  }
  return null
}
