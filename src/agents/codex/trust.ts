import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { HookEvent, HookTrust, SetupPlace } from '../../types/agent.ts'
import { type Fields, fieldsOf, listOf, textOf } from '../fields.ts'
import { readSettings } from '../setup.ts'
import { codexFolder } from './files.ts'

/** SessionEnd comes only when the program ends in order, so each Stop counts; more than 3 s it gives no last hook. */
export const EVENTS: readonly [string, HookEvent, number][] = [
  ['SessionStart', 'session-start', 10],
  ['UserPromptSubmit', 'prompt', 10],
  ['Stop', 'stop', 10],
  ['PreCompact', 'pre-compact', 10],
  ['Interrupt', 'interrupt', 3],
  ['SessionEnd', 'session-end', 3],
]

/**
 * Codex 0.169: `projects."<folder>".trust_level` of its `config.toml`, and for each hook the digest that its person has trusted
 * under `hooks.state."<file>:<event>:<group>:<hook>"`. A hook that was changed since waits anew.
 */
export const codexTrust = async ({ root, hookCommand, ...place }: SetupPlace): Promise<HookTrust> => {
  const where = join(codexFolder(place), 'config.toml')
  const config = await readToml(where)
  const state = fieldsOf(fieldsOf(config.hooks).state)
  const file = join(root, '.codex', 'hooks.json')
  const ours = EVENTS.map(([, event]) => hookCommand(event))
  const waiting = Object.entries(fieldsOf(fieldsOf(readSettings(file)).hooks)).flatMap(([event, groups]) =>
    listOf(groups)
      .map(fieldsOf)
      .flatMap((group, at) =>
        listOf(group.hooks)
          .map(fieldsOf)
          .flatMap((hook, inner) => {
            if (!ours.includes(textOf(hook.command))) return []
            const { trusted_hash } = fieldsOf(state[`${file}:${snake(event)}:${at}:${inner}`])
            return trusted_hash === `sha256:${digestOf(event, group, hook)}` ? [] : [event]
          }),
      ),
  )
  return { folder: fieldsOf(fieldsOf(config.projects)[root]).trust_level === 'trusted', waiting, where }
}

/** Seconds that a hook has without a limit of its own, and the most that these two are given. */
const USUAL = 600
const SHORT: Readonly<Record<string, number>> = { SessionEnd: 3, Interrupt: 3 }

const snake = (event: string): string => event.replace(/([a-z])([A-Z])/g, '$1_$2').toLowerCase()

/** Sha-256 of the hook as JSON with sorted names and no spaces, the time limit as it is kept. */
function digestOf(event: string, { matcher }: Fields, { command, timeout }: Fields): string {
  const seconds = Math.min(
    typeof timeout === 'number' ? timeout : USUAL,
    SHORT[event] ?? Number.POSITIVE_INFINITY,
  )
  const identity = {
    event_name: snake(event),
    hooks: [{ async: false, command, timeout: seconds, type: 'command' }],
    ...(matcher === undefined ? {} : { matcher }),
  }
  return createHash('sha256').update(JSON.stringify(identity)).digest('hex')
}

async function readToml(path: string): Promise<Fields> {
  const { parse } = await import('smol-toml')
  try {
    return fieldsOf(parse(readFileSync(path, 'utf8')))
  } catch {
    return {} // Missing, or nothing that Codex could read either.
  }
}
