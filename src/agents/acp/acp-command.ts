import { acpUnknown } from '../../errors/session.ts'

/** How agents speak ACP, where nobody configured another way: OpenCode 1.18.33, Gemini CLI 0.61.0, Qwen Code 0.24.4, Copilot CLI 1.0. */
const KNOWN: Readonly<Record<string, readonly string[]>> = {
  opencode: ['opencode', 'acp'],
  'gemini-cli': ['gemini', '--acp'],
  'qwen-code': ['qwen', '--acp'],
  'copilot-cli': ['copilot', '--acp'],
}

/** The program of an agent and its arguments. `own`: of the person's own configuration, and of nobody else's. Throws `acpUnknown`. */
export function acpCommand(
  name: string,
  own: Readonly<Record<string, readonly string[]>>,
): readonly string[] {
  const command = Object.hasOwn(own, name) ? own[name] : Object.hasOwn(KNOWN, name) ? KNOWN[name] : undefined
  if (command === undefined)
    throw acpUnknown(name, [...new Set([...Object.keys(own), ...Object.keys(KNOWN)])])
  return command
}
