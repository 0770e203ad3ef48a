import { basename, dirname, join } from 'node:path'
import type { Adapter } from '../types/agent.ts'
import type { Home } from '../types/config.ts'
import type { Batches, ReadOptions, SessionRef } from '../types/session.ts'
import { eachRecord, textBlocks, translate } from './content.ts'
import { callOf, createSettings, type Draft, endOf, promptOf, replyOf, usageOf } from './draft.ts'
import { type Fields, fieldsOf, sumOf, textOf, timeOf } from './fields.ts'
import { mergeByTime, type Side } from './merge-by-time.ts'
import {
  fileRef,
  firstRecord,
  namesIn,
  pathsIn,
  readEnds,
  recordAt,
  sessionsAt,
  timesIn,
} from './session-files.ts'
import { mcpServer, skillIn } from './setup.ts'
import { actionBy, isCopy, planItems, TOOLS } from './tools.ts'

/** Kimi Code 2.1.0 (`@moonshot-ai/kimi-code`), and 1 by public sessions of August 2026: a folder per session with the records of each agent. */
export const kimiCode: Adapter = {
  id: 'kimi-code',
  label: 'Kimi Code',
  basis: { is: 'recorded', of: '@moonshot-ai/kimi-code 2.1.0' },
  marks: [],
  async find(place, roots, onUnread) {
    const sessions = pathsIn(join(folderOf(place), 'sessions'), onUnread).flatMap((folder) =>
      pathsIn(folder, onUnread).map((session) => join(session, 'agents', 'main', WIRE)),
    )
    return sessionsAt(sessions, roots, onUnread, refOf)
  },
  identify: async (path, head) => (SIGN.test(head) ? refOf(path) : null),
  read,
  setup: (place) => [skillIn(place, '.agents'), mcpServer(place, '.kimi-code', 'mcp.json')],
  afterSetup: ['At its next start choose "Trust this folder": otherwise it ignores the server.'],
  traces: ({ root, ...place }) => ({ project: [join(root, '.kimi-code')], home: [folderOf(place)] }),
}

const folderOf = ({ home, env }: Home): string => env.KIMI_CODE_HOME || join(home, '.kimi-code')

const WIRE = 'wire.jsonl'
const SIGN = /^\{"type":"metadata","protocol_version":"/

function refOf(path: string): SessionRef | null {
  const ends = readEnds(path)
  if (ends === null || !SIGN.test(ends.head)) return null
  const session = dirname(dirname(dirname(path)))
  const { workDir, cwd, title, createdAt } = recordAt(join(session, 'state.json'))
  const from = createdAt ?? firstRecord(ends).created_at
  const to = timesIn(ends.tail, 'time').at(-1)
  return fileRef('kimi-code', path, ends, { id: basename(session), cwd: workDir ?? cwd, from, to, title })
}

function read(ref: SessionRef, options: ReadOptions): Batches {
  const agents = dirname(dirname(ref.path))
  const sides = namesIn(basename(agents) === 'agents' ? agents : '').flatMap((label): Side[] => {
    const path = join(agents, label, WIRE)
    const startedAt = timeOf(firstRecord(readEnds(path)).created_at)
    return path === ref.path || startedAt === null ? [] : [{ label, path, startedAt }]
  })
  const one = (path: string, sub: string | null): Batches =>
    translate(
      path,
      options,
      eachRecord(createDrafts(sub), ({ time }) => ({ at: timeOf(time), sub, cwd: ref.cwd })),
    )
  return mergeByTime(one(ref.path, null), sides, ({ path, label }) => one(path, label))
}

/** Other kinds say nothing the events need, or say again what another record tells. */
const IDLE =
  /^(?:agent|config|context|cron|file_history|full_compaction|goal|llm|mcp|metadata|micro_compaction|permission|plan_mode|plugin|profile|prompt|runtime|swarm_mode|token_counting|tools|turn|usage)(?:\.|$)/

function createDrafts(sub: string | null): (record: Fields) => Draft[] | null {
  const settings = createSettings(sub)
  // Each agent of a session counts its calls anew.
  const idOf = ({ toolCallId }: Fields): string => (sub === null ? '' : `${sub}/`) + textOf(toolCallId)
  const refused = new Set<string>()
  const calls = new Map<string, Fields>()
  return (record) => {
    switch (record.type) {
      case 'turn.prompt':
      case 'turn.steer':
        // What a subagent is asked, and what the client says by itself, has another origin.
        return fieldsOf(record.origin).kind === 'user' ? promptOf(textBlocks(record.input).join('\n')) : []
      case 'turn.cancel':
        return [{ kind: 'interrupt' }]
      case 'llm.request':
        return settings({ model: textOf(record.model) })
      case 'tools.update_store':
        return record.key === 'todo' ? [{ kind: 'plan', items: planItems(record.value, 'title') }] : []
      case 'context.apply_compaction':
        return [{ kind: 'compaction', summary: textOf(record.summary) }]
      case 'permission.record_approval_result':
        if (fieldsOf(record.result).decision !== 'approved') refused.add(idOf(record))
        return []
      case 'context.append_loop_event':
        return eventDrafts(fieldsOf(record.event))
      default:
        return IDLE.test(textOf(record.type)) ? [] : null
    }
  }

  function eventDrafts(event: Fields): Draft[] {
    const id = idOf(event)
    switch (event.type) {
      case 'content.part':
        return replyOf(textBlocks([event.part]).join(''))
      case 'tool.call': {
        calls.set(id, event)
        const [tool, args] = [textOf(event.name), fieldsOf(event.args)]
        return [callOf(id, tool, actionBy(TOOLS.get(tool), args), { cwd: textOf(args.cwd) || null })]
      }
      case 'tool.result':
        return ended(id, fieldsOf(event.result), calls.get(id) ?? {})
      case 'step.end': {
        const { inputOther, inputCacheRead, inputCacheCreation, output } = fieldsOf(event.usage)
        return usageOf(sumOf(inputOther, inputCacheRead, inputCacheCreation), sumOf(output))
      }
      default:
        return []
    }
  }

  function ended(id: string, { output, isError }: Fields, { name, display }: Fields): Draft[] {
    const text = textOf(output)
    const ok = isError !== true
    const code = /\nCommand failed with exit code: (\d+)\.$/.exec(text)
    const shown = ok && isCopy(TOOLS.get(textOf(name))) ? '' : text.slice(0, code?.index)
    const end = endOf(id, ok, shown, { exitCode: code && Number(code[1]), refused: refused.has(id) })
    const plan = textOf(fieldsOf(display).plan)
    return plan === '' ? [end] : [end, { kind: 'proposal', text: plan, accepted: ok }]
  }
}
