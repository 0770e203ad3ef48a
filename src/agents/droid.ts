import { existsSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Adapter, SetupEdit, SetupPlace } from '../types/agent.ts'
import type { Batches, PlanItem, ReadOptions, SessionRef } from '../types/session.ts'
import { blocksOf, contentText, eachRecord, translate } from './content.ts'
import { callOf, createSettings, type Draft, endOf, promptOf, replyOf, stamped } from './draft.ts'
import { type Fields, fieldsOf, itemsOf, listOf, numberIn, textOf, timeOf } from './fields.ts'
import { claudeHooks } from './hooks.ts'
import { type CalledBy, isOfPerson, withCalled } from './merge-by-time.ts'
import { fileRef, firstRecord, pathsIn, readEnds, recordAt, sessionsAt, timesIn } from './session-files.ts'
import { claudeEvents, hookGroups, mcpServer, readSettings, skillIn, usualLaunch } from './setup.ts'
import { actionBy, planItems, planStatus, TOOLS } from './tools.ts'

/** Factory Droid (`@factory/cli`; `droid` on npm stays at 0.215): a JSONL file per session, its model beside. Plans and compactions from continues 4.0.12 and git-ai (2026). */
export const droid: Adapter = {
  id: 'droid',
  label: 'Factory Droid',
  basis: { is: 'recorded', of: '@factory/cli 0.215 to 0.225.2' },
  marks: [],
  async find({ home }, roots, onUnread) {
    const folder = join(home, '.factory', 'sessions')
    const paths = pathsIn(folder, onUnread, true).filter((path) => path.endsWith('.jsonl'))
    return sessionsAt(
      paths.filter((path) => isOfPerson(path, subagents)),
      roots,
      onUnread,
      refOf,
    )
  },
  identify: async (path, head) => (/^\s*\{\s*"type"\s*:\s*"session_start"/.test(head) ? refOf(path) : null),
  read: (ref, options) => withCalled(ref, subagents, (one, sub) => read(one, sub, options)),
  hooks: claudeHooks,
  // Seen: hooks run at the start and the end of a turn, `exec` has none at the prompt. The rest: its documentation, rulesync (August 2026).
  setup: (place) => [...hooksOf(place), skillIn(place, '.factory'), mcpServer(place, '.factory', 'mcp.json')],
  traces: ({ root, home }) => ({ project: [join(root, '.factory')], home: [join(home, '.factory')] }),
  // `exec` only reads unless its person lets it do more.
  launch: {
    ...usualLaunch,
    program: 'droid',
    headless: (prompt) => ({ args: ['exec'], stdin: prompt }),
    passEnv: ['FACTORY_*'],
  },
}

/** A file of hooks alone has the events on top, and takes the place of those in the settings: where only these are, ours join them. */
function hooksOf(place: SetupPlace): SetupEdit[] {
  const file = (name: string): string => join(place.root, '.factory', name)
  const [own, settings] = [file('hooks.json'), file('settings.json')]
  const isInSettings = !existsSync(own) && fieldsOf(readSettings(settings)).hooks !== undefined
  // Ten seconds for each.
  return isInSettings
    ? hookGroups(settings, place, claudeEvents(10))
    : hookGroups(own, place, claudeEvents(10), [])
}

/** A subagent's session lies beside the one that called it (the notes of Agora and the tests of dd-flow, 2026). */
const subagents: CalledBy = {
  parentOf: (path) => textOf(firstRecord(readEnds(path)).callingSessionId),
  refOf,
}

function refOf(path: string): SessionRef | null {
  const ends = readEnds(path)
  const header = firstRecord(ends)
  if (!ends || header.type !== 'session_start') return null
  const told = fieldsOf(header.session)
  return fileRef('droid', path, ends, {
    id: textOf(header.id) || textOf(told.id) || basename(path, '.jsonl'),
    cwd: header.cwd,
    from: timesIn(ends.head)[0],
    to: timesIn(ends.tail).at(-1),
    title: textOf(header.sessionTitle) || textOf(header.title) || told.title,
  })
}

async function* read(ref: SessionRef, sub: string | null, options: ReadOptions): Batches {
  const settings = createSettings(sub)
  const stamp = { at: ref.startedAt, sub, cwd: ref.cwd }
  const { model } = recordAt(ref.path.replace(/\.jsonl$/, '.settings.json'))
  yield settings({ title: ref.title ?? '', model: textOf(model) }).map((draft) => stamped(draft, stamp))
  // What a subagent is asked are the words of the agent, which its call told.
  const isTold = ({ kind }: Draft): boolean => sub === null || kind !== 'prompt'
  const told = (record: Fields) => draftsOf(record)?.filter(isTold) ?? null
  yield* translate(
    ref.path,
    options,
    eachRecord(told, ({ timestamp }) => ({ ...stamp, at: timeOf(timestamp) })),
  )
}

function draftsOf(record: Fields): Draft[] | null {
  switch (record.type) {
    case 'message': {
      const { role, content, visibility } = fieldsOf(record.message)
      // What the client tells its person, such as that a request failed.
      if (visibility === 'user_only') return []
      return blocksOf(content).flatMap((block) => blockDrafts(block, role))
    }
    case 'todo_state':
      return [{ kind: 'plan', items: todos(record.todos) }]
    case 'compaction_state':
      return [{ kind: 'compaction', summary: textOf(record.summaryText) }]
    case 'agent_turn_outcome':
      return record.reason === 'completed' ? [] : [{ kind: 'failure', text: textOf(record.reason) }]
    case 'session_start':
    case 'session_end':
      return []
    default:
      return null
  }
}

/** What the client adds to the words of the person. */
const REMINDER = /<system-reminder>[\s\S]*?<\/system-reminder>/g

function blockDrafts(block: Fields, role: unknown): Draft[] {
  const text = textOf(block.text)
  switch (block.type) {
    case 'text':
      return role === 'user' ? promptOf(text.replace(REMINDER, '').trim()) : replyOf(text)
    case 'tool_use':
      return called(block)
    case 'tool_result':
      return [ended(block)]
    default:
      return []
  }
}

function called({ id, name, input: given }: Fields): Draft[] {
  const [tool, input] = [textOf(name), fieldsOf(given)]
  const pattern = textOf(input.pattern) || listOf(input.patterns).map(textOf).join(' ')
  const action = actionBy(TOOLS.get(tool), { ...input, pattern, path: input.path ?? input.folder })
  const call = callOf(textOf(id), tool, action)
  return tool === 'TodoWrite' ? [call, { kind: 'plan', items: todos(input.todos) }] : [call]
}

const EXIT = /\bexit(?:ed with)? code:? (\d+)/i

function ended({ tool_use_id: id, content, is_error: failed }: Fields): Draft {
  const text = contentText(content)
  const exitCode = numberIn(EXIT.exec(text.slice(-200))?.[1])
  return endOf(textOf(id), failed !== true && (exitCode ?? 0) === 0, text, { exitCode })
}

/** A list, or a text with a line for each: `1. [in_progress] Fix sub`. */
function todos(given: unknown): PlanItem[] {
  const told = Array.isArray(given) || typeof given === 'string' ? given : fieldsOf(given).todos
  if (typeof told !== 'string')
    return planItems(
      itemsOf(told).map((item) => ({ ...item, content: item.content ?? item.description ?? item.text })),
      'content',
    )
  return [...told.matchAll(/^[^\S\n]*(?:\d+\.|[-*])[^\S\n]*\[(\w+)\][^\S\n]*(\S.*)$/gm)].map(
    ([, word, text = '']) => ({ text: text.trim(), status: planStatus(word) }),
  )
}
