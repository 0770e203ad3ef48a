import { existsSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { sessionFormat } from '../../errors/session.ts'
import type { Adapter, Launch, SetupEdit, SetupPlace } from '../../types/agent.ts'
import type { Batches, ReadOptions, SessionRef } from '../../types/session.ts'
import { wordsIn } from '../content.ts'
import { type Fields, fieldsOf, listOf, numberOf, textOf } from '../fields.ts'
import { ownHooks } from '../hooks.ts'
import { fileRef } from '../session-files.ts'
import { jsonValue, modelArgs, PROVIDER_LOGINS, printedRecords, sentenceIn, xdgFolders } from '../setup.ts'
import { lastWrite } from '../sqlite.ts'
import { headerIn, readWhole } from '../whole-json.ts'
import {
  databasePath,
  KILO,
  OPENCODE,
  openCodeCompactsAt,
  openCodeFullness,
  type Product,
  splitSessionPath,
} from './database.ts'

const PLUGIN = '.agents/opencode/handoff.js'

/**
 * One plugin brings hooks, command and MCP server. The project's settings name it. OpenCode 1.18 would install a package
 * from the registry into `.opencode/` at every start, which takes 70 s without a network.
 */
export const openCodeSetup = (
  place: SetupPlace,
  name = 'opencode',
  schema = 'https://opencode.ai',
): SetupEdit[] => {
  const { root, mcp } = place
  const commented = join(root, `${name}.jsonc`)
  const path = existsSync(commented) ? commented : join(root, `${name}.json`)
  return [
    { type: 'file', path: join(place.root, PLUGIN), content: place.template('opencode-plugin.js') },
    // OpenCode adds it by itself at its next start, and a committed file would differ.
    jsonValue(path, ['$schema'], `${schema}/config.json`),
    { type: 'json-item', path, at: ['plugin'], value: `./${PLUGIN}` },
    jsonValue(path, ['command', 'handoff'], {
      description: 'Hand the work of this session over: /handoff <what the next session must achieve>',
      template: `${withoutHead(place.template('SKILL.md'))}\nThe goal: $ARGUMENTS`,
    }),
    jsonValue(path, ['mcp', 'handoff'], {
      type: 'local',
      command: [mcp.command, ...mcp.args],
      enabled: true,
    }),
  ]
}

const withoutHead = (text: string): string => text.replace(/^---\n[\s\S]*?\n---\n+/, '')

export const openCodeHooks = ownHooks((window, { input_limit, output_limit }) =>
  openCodeCompactsAt(window, numberOf(input_limit), numberOf(output_limit)),
)

const ASKED = ['run', '--format', 'json', '--title', 'handoff']

/** How OpenCode 1.18.33 is started. `run` stores quotes around a prompt given as an argument, so it goes on standard input. */
export const openCodeLaunch: Launch = {
  program: 'opencode',
  interactive: (prompt) => ({ args: ['--prompt', prompt] }),
  headless: (prompt) => ({ args: ['run'], stdin: prompt }),
  passEnv: [
    ...wordsIn(`OPENCODE_CONFIG OPENCODE_CONFIG_CONTENT OPENCODE_CONFIG_DIR OPENCODE_DB OPENCODE_DISABLE_*
      OPENCODE_ENABLE_* OPENCODE_EXPERIMENTAL* OPENCODE_MODELS_* OPENCODE_PERMISSION OPENCODE_API_KEY XDG_*`),
    ...[...PROVIDER_LOGINS, 'GITHUB_TOKEN', 'AZURE_*', 'CLOUDFLARE_*'],
  ],
  skillLine: (name) => `/${name}`,
  ready: /Ask anything/,
  fork: {
    args: ({ id }, model) => [...ASKED, '--session', id, '--fork', ...modelArgs(model)],
    inPlace: true,
    // It keeps every fork, which would be the newest session of this folder.
    undo: (stdout) => {
      const id = textOf(printedRecords(stdout)[0]?.sessionID)
      return /^ses_\w+$/.test(id) ? ['session', 'delete', id] : null
    },
  },
  ask: {
    args: (model) => [...ASKED, ...modelArgs(model)],
    // With every permission refused it offers its model no tool.
    env: { OPENCODE_PERMISSION: '{"*":"deny"}' },
    needsProvider: true,
    expands: '@',
    failure: ({ stdout }) => {
      const { error } = printedRecords(stdout).findLast(({ type }) => type === 'error') ?? {}
      const { name, data } = fieldsOf(error)
      const said = sentenceIn(textOf(fieldsOf(data).message)) || textOf(name)
      return said === '' ? null : { said }
    },
    blocks: (stdout) =>
      printedRecords(stdout)
        .filter(({ type }) => type === 'text')
        .map(({ part }) => textOf(fieldsOf(part).text)),
  },
}

/** OpenCode 1.18: sessions in one SQLite database, read by Node (22.13) or by its program, and the output of `opencode export <id>`. */
export const opencode: Adapter = {
  id: 'opencode',
  label: 'OpenCode',
  basis: { is: 'recorded', of: 'opencode-ai 1.18.33' },
  marks: ['OPENCODE', 'HANDOFF_OPENCODE_SESSION'],
  caller: ({ OPENCODE, HANDOFF_OPENCODE_SESSION }) =>
    OPENCODE ? { agent: 'opencode', sessionId: HANDOFF_OPENCODE_SESSION || null, path: null } : null,
  ...sessionsOf(OPENCODE),
  identify: identifyExport,
  async fullness(ref, place) {
    const live = splitSessionPath(ref.path)
    return live && openCodeFullness(live, place)
  },
  hooks: openCodeHooks,
  setup: openCodeSetup,
  traces: ({ root, ...place }) => ({
    project: ['opencode.json', 'opencode.jsonc', '.opencode'].map((name) => join(root, name)),
    home: xdgFolders(place, 'opencode'),
  }),
  launch: openCodeLaunch,
}

/** The sessions in the database of OpenCode or its fork; what reads it is loaded only where there is one. */
function sessionsOf(product: Product): Pick<Adapter, 'lastWrite' | 'find' | 'read' | 'text'> {
  return {
    lastWrite: (place) => lastWrite(databasePath(place, product)),
    async find(place, roots) {
      const database = databasePath(place, product)
      if ((await lastWrite(database)) === null) return []
      return (await import('./read.ts')).listSessions(database, roots, place, product)
    },
    async *read(ref, options) {
      const live = splitSessionPath(ref.path)
      if (live === null) yield* readExportFile(ref, options)
      else yield* (await import('./read.ts')).readSession(ref, live, options)
    },
    async text(ref, options) {
      const live = splitSessionPath(ref.path)
      return live && (await import('./read.ts')).exportText(live, options, product)
    },
  }
}

/** Reads the file that `opencode export <id>` prints as a session; null when its first bytes are not one. */
async function identifyExport(path: string, head: string): Promise<SessionRef | null> {
  if (!/^\s*\{\s*"info"\s*:\s*\{/.test(head)) return null
  // Large changes may stand in `info`, so that the head does not hold all of it.
  const { info: found } = headerIn(head, 'messages')
  const info = fieldsOf(found ?? (await readExport(path, {}).catch(() => null))?.info)
  if (textOf(info.id) === '' || (textOf(info.directory) === '' && textOf(info.projectID) === '')) return null
  const { created: from, updated: to } = fieldsOf(info.time)
  const { titleOf } = await import('./events.ts')
  const told = { id: textOf(info.id), cwd: info.directory, from, to, title: titleOf(info) }
  return fileRef('opencode', path, await stat(path), told)
}

/** Throws `sessionUnreadable` when it is larger than one string may be, `sessionFormat` when its JSON is damaged. */
async function* readExportFile(ref: SessionRef, options: ReadOptions): Batches {
  const { openCodeEvents } = await import('./events.ts')
  for (const batch of openCodeEvents(await readExport(ref.path, options), options)) {
    options.signal?.throwIfAborted()
    yield batch
  }
}

async function readExport(path: string, options: ReadOptions): Promise<Fields> {
  const session = fieldsOf(parse(path, await readWhole(path, options)))
  if (listOf(session.messages) !== session.messages)
    throw sessionFormat(path, 'it holds no messages; write it with `opencode export <id>`')
  return session
}

function parse(path: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw sessionFormat(path, 'its JSON is cut off or damaged; write it again with `opencode export <id>`')
  }
}

/** What has been seen of OpenCode alone is left out. */
const { ask: _ask, fork: _fork, ...onlyStarts } = openCodeLaunch

/** Kilo 7.7.9, a fork of OpenCode: the same SQLite database, plugin and settings under other names. */
export const kilo: Adapter = {
  id: 'kilo',
  label: 'Kilo',
  basis: { is: 'recorded', of: '@kilocode/cli 7.7.9' },
  marks: ['KILO', 'KILO_PID'],
  sessionMarks: ['HANDOFF_OPENCODE_SESSION'],
  ...sessionsOf(KILO),
  // What it exports has the form of OpenCode, which takes it.
  identify: async () => null,
  hooks: openCodeHooks,
  // It reads the settings of OpenCode in a project as well: the plugin is one for both, and loaded once.
  setup: (place) => openCodeSetup(place, 'kilo', 'https://app.kilo.ai'),
  traces: ({ root, home, env }) => ({
    project: ['kilo.json', 'kilo.jsonc', '.kilo', '.kilocode'].map((name) => join(root, name)),
    home: xdgFolders({ home, env }, 'kilo'),
  }),
  launch: {
    ...onlyStarts,
    program: 'kilo',
    passEnv: [...openCodeLaunch.passEnv.filter((name) => !name.startsWith('OPENCODE')), 'KILO_*'],
  },
}
