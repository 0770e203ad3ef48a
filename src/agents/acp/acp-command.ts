import { readFileSync } from 'node:fs'
import { orNull } from '../../errors/handoff-error.ts'
import { acpUnknown } from '../../errors/session.ts'
import { badConfig } from '../../errors/usage.ts'
import { fieldsOf, listOf, recordOf, textOf } from '../fields.ts'

/** How agents speak ACP, where nobody configured another way: OpenCode 1.18.33, Gemini CLI 0.61.0, Qwen Code 0.24.4, Copilot CLI 1.0. */
const KNOWN: Readonly<Record<string, readonly string[]>> = {
  opencode: ['opencode', 'acp'],
  'gemini-cli': ['gemini', '--acp'],
  'qwen-code': ['qwen', '--acp'],
  'copilot-cli': ['copilot', '--acp'],
}

/** What the person's own configuration says of ACP agents, and nobody else's. */
export interface OwnAcp {
  /** Name → program and arguments. */
  acp: Readonly<Record<string, readonly string[]>>
  /** The file of a registry, absolute; null: none. */
  acpRegistry: string | null
}

/** The program of an agent and its arguments: as configured, as known, or as the registry says. Throws `acpUnknown`, `badConfig`. */
export function acpCommand(name: string, { acp, acpRegistry }: OwnAcp): readonly string[] {
  const named = acpRegistry === null ? {} : registered(acpRegistry)
  const all: Readonly<Record<string, readonly string[]>> = { ...named, ...KNOWN, ...acp }
  const command = Object.hasOwn(all, name) ? all[name] : undefined
  if (command === undefined) throw acpUnknown(name, Object.keys(all).sort())
  return command
}

/** The agents of a registry that npm or uv starts (its `FORMAT.md`, November 2026); archives are left to the person. */
function registered(path: string): Record<string, string[]> {
  const unreadable = badConfig(path, 'it cannot be read as a registry of ACP agents')
  const { agents } = recordOf(orNull(() => readFileSync(path, 'utf8')) ?? '')
  if (!Array.isArray(agents)) throw unreadable
  const commands = agents.map(fieldsOf).flatMap(({ id, distribution }) => {
    const { npx, uvx } = fieldsOf(distribution)
    const command = runBy(['npx', '--yes'], '--package', npx) ?? runBy(['uvx'], '--from', uvx)
    return command === null ? [] : [[textOf(id), command] as const]
  })
  return Object.fromEntries(commands)
}

function runBy(runner: readonly string[], from: string, told: unknown): string[] | null {
  const { package: name, cmd, args } = fieldsOf(told)
  // What begins with a dash is an option.
  if (!/^[^-]/.test(textOf(name))) return null
  const what = textOf(cmd) === '' ? [textOf(name)] : [from, textOf(name), textOf(cmd)]
  return [...runner, ...what, ...listOf(args).map(textOf)]
}
