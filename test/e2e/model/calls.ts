import { type Block, callId, type Step, type Tool, type View } from './scenario.ts'

/** A part of a reply before it takes a wire format. `input` is a string for a freeform tool. */
export type Part =
  | { type: 'text'; text: string }
  | {
      type: 'call'
      id: string
      name: string
      namespace?: string
      freeform: boolean
      input: string | Record<string, unknown>
    }

type Call = Pick<Extract<Part, { type: 'call' }>, 'name' | 'namespace' | 'freeform' | 'input'> &
  Pick<Tool, 'nested'>

/** The blocks of a step as calls of the tools that this request offers. Throws when the client has no tool for a block. */
export function partsOf(step: Step, view: View): Part[] {
  return step.map((block) =>
    'say' in block
      ? { type: 'text', text: block.say }
      : { type: 'call', id: callId(view.done), ...viaExec(callFor(block, view)) },
  )
}

function callFor(block: Exclude<Block, { say: string }>, view: View): Call {
  const tool = (...names: string[]) => view.tools.find(({ name }) => names.includes(name))
  const absolute = (path: string) => (view.cwd === null ? path : `${view.cwd}/${path}`)
  const call = (found: Tool | undefined, input: Call['input']): Call => {
    if (!found)
      throw new Error(
        `no tool for ${JSON.stringify(block)} among ${view.tools.map((t) => t.name).join(', ')}`,
      )
    const { name, namespace, freeform, nested } = found
    return { name, freeform, nested, input, ...(namespace === undefined ? {} : { namespace }) }
  }
  const run = (command: string): Call => {
    const shell = tool('Bash', 'bash', 'exec_command', 'run_shell_command', 'run_commands')
    if (shell?.name === 'run_commands') return call(shell, { commands: [command] })
    if (
      shell?.name === 'Bash' ||
      shell?.name === 'run_shell_command' ||
      shell?.takes?.includes('description')
    )
      return call(shell, { command, description: 'Run a command' })
    // Codex goes on after a few seconds with a command that still runs, and ends it with the turn.
    return call(shell, shell?.name === 'exec_command' ? { cmd: command, yield_time_ms: 30_000 } : { command })
  }
  const patch = (text: string): Call => {
    const found = tool('apply_patch')
    return call(found, found?.freeform ? text : { input: text })
  }

  if ('run' in block) return run(block.run)
  if ('use' in block)
    return call(
      view.tools.find(({ name }) => name.endsWith(block.use)) ?? unlisted(block.use, view),
      block.with,
    )
  if ('read' in block) {
    const found = tool('Read', 'read', 'read_file', 'read_files', 'view')
    if (!found) return run(`cat ${block.read}`)
    if (isOpenCode(found)) return call(found, { filePath: block.read })
    if (isContinue(found)) return call(found, { filepath: absolute(block.read) })
    if (found.name === 'read_file') return call(found, { file_path: absolute(block.read) })
    if (found.name === 'read_files') return call(found, { files: [{ path: absolute(block.read) }] })
    return call(found, found.name === 'Read' ? { file_path: absolute(block.read) } : { path: block.read })
  }
  if ('edit' in block) {
    const found = tool('Edit', 'edit', 'replace', 'editor')
    if (found?.name === 'editor') {
      return call(found, { path: absolute(block.edit), old_text: block.old, new_text: block.new })
    }
    // Claude Code, Continue and Qwen Code.
    if (found?.name === 'Edit' || (found?.name === 'edit' && found.takes?.includes('file_path'))) {
      return call(found, { file_path: absolute(block.edit), old_string: block.old, new_string: block.new })
    }
    if (found?.name === 'replace') {
      const instruction = 'Replace the line'
      return call(found, { file_path: block.edit, instruction, old_string: block.old, new_string: block.new })
    }
    if (isOpenCode(found))
      return call(found, { filePath: block.edit, oldString: block.old, newString: block.new })
    // Copilot CLI, and oh-my-pi when it replaces.
    const [old] = found?.takes?.filter((name) => /^old_str(?:ing)?$/.test(name)) ?? []
    if (old !== undefined) {
      return call(found, { path: block.edit, [old]: block.old, [old.replace('old', 'new')]: block.new })
    }
    if (found) return call(found, { path: block.edit, edits: [{ oldText: block.old, newText: block.new }] })
    return patch(
      `*** Begin Patch\n*** Update File: ${block.edit}\n@@\n-${block.old}\n+${block.new}\n*** End Patch`,
    )
  }
  const found = tool('Write', 'write', 'write_file', 'create', 'editor')
  if (isContinue(found)) return call(found, { filepath: absolute(block.write), content: block.content })
  if (found?.name === 'editor') return call(found, { path: absolute(block.write), new_text: block.content })
  if (found?.name === 'Write' || found?.name === 'write_file')
    return call(found, { file_path: absolute(block.write), content: block.content })
  if (isOpenCode(found)) return call(found, { filePath: block.write, content: block.content })
  if (found?.name === 'create') return call(found, { path: block.write, file_text: block.content })
  if (found) return call(found, { path: block.write, content: block.content })
  const lines = block.content.replace(/\n$/, '').split('\n')
  return patch(
    `*** Begin Patch\n*** Add File: ${block.write}\n${lines.map((l) => `+${l}`).join('\n')}\n*** End Patch`,
  )
}

/** Codex keeps tools of servers behind a search, and lists them nowhere in code mode (0.169.0); oh-my-pi lists them later than it can call them (18.2.3). */
function unlisted(use: string, view: View): Tool | undefined {
  const [, server = 'handoff', name = use] = /^mcp__(\w+?)__(\w+)$/.exec(use) ?? []
  if (view.tools.some((tool) => tool.name === 'tool_search'))
    return { name, namespace: `mcp__${server}`, freeform: false, nested: false }
  if (view.tools.some((tool) => tool.nested)) return { name: use, freeform: false, nested: true }
  return use.startsWith('mcp__') ? { name: use, freeform: false, nested: false } : undefined
}

/** OpenCode and Pi name their tools alike and the arguments differently. */
const isOpenCode = (tool: Tool | undefined): boolean => tool?.takes?.includes('filePath') === true

/** Continue names its tools as Claude Code does and the arguments differently. */
const isContinue = (tool: Tool | undefined): boolean => tool?.takes?.includes('filepath') === true

/** In Codex's code mode a tool is a function of the JavaScript that the one tool `exec` takes (seen in 0.169.0). */
function viaExec({ nested, ...call }: Call): Omit<Call, 'nested'> {
  if (!nested) return call
  const argument = JSON.stringify(call.input)
  const input =
    call.name === 'exec_command'
      ? `const r = await tools.exec_command(${argument});\ntext(r.output);\ntext("exit_code: " + r.exit_code);`
      : `text(await tools.${call.name}(${argument}));`
  return { name: 'exec', freeform: true, input }
}
