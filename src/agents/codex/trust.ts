import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { HookTrust, SetupPlace } from '../../types/agent.ts'
import { type Fields, fieldsOf, listOf, textOf } from '../fields.ts'
import { readSettings } from '../person-settings.ts'

/**
 * Codex 0.169: `projects."<folder>".trust_level` of its `config.toml`, and for each hook the digest that its person has trusted
 * under `hooks.state."<file>:<event>:<group>:<hook>"`. A hook that was changed since waits anew.
 */
export async function codexTrust({ root, home, env, hookCommand }: SetupPlace): Promise<HookTrust> {
  const where = join(env.CODEX_HOME || join(home, '.codex'), 'config.toml')
  const config = await readToml(where)
  const state = fieldsOf(fieldsOf(config.hooks).state)
  const file = join(root, '.codex', 'hooks.json')
  const ours = hooksIn(fieldsOf(fieldsOf(readSettings(file)).hooks)).filter(({ hook }) =>
    EVENTS.some((event) => textOf(hook.command) === hookCommand(event)),
  )
  const waiting = ours
    .filter(
      ({ event, at, inner, group, hook }) =>
        fieldsOf(state[`${file}:${snake(event)}:${at}:${inner}`]).trusted_hash !==
        `sha256:${digestOf(event, group, hook)}`,
    )
    .map(({ event }) => event)
  return {
    folder: fieldsOf(fieldsOf(config.projects)[root]).trust_level === 'trusted',
    waiting,
    where,
  }
}

const EVENTS = ['session-start', 'prompt', 'stop', 'pre-compact', 'interrupt', 'session-end'] as const

/** Seconds that a hook has without a limit of its own, and the most that these two are given. */
const USUAL = 600
const SHORT: Readonly<Record<string, number>> = { SessionEnd: 3, Interrupt: 3 }

interface PlacedHook {
  event: string
  /** Place of the group in its list, and of the hook in its group. */
  at: number
  inner: number
  group: Fields
  hook: Fields
}

const hooksIn = (hooks: Fields): PlacedHook[] =>
  Object.entries(hooks).flatMap(([event, groups]) =>
    listOf(groups).flatMap((one, at) => {
      const group = fieldsOf(one)
      return listOf(group.hooks).map((hook, inner) => ({ event, at, inner, group, hook: fieldsOf(hook) }))
    }),
  )

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
