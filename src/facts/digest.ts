import { folded, isContent } from '../text/blocks.ts'
import { plural } from '../text/count.ts'
import type { Config } from '../types/config.ts'
import type { Evidence, FileEvidence, TextFact, Turn } from '../types/evidence.ts'
import type { GitState } from '../types/git.ts'
import type { AgentId, PlanItem, SessionCut, SessionEvent } from '../types/session.ts'
import {
  checksOf,
  commandFacts,
  commandText,
  createCommandMap,
  failingChecks,
  failingQuestions,
  LEADING_CD,
  lastCheckOf,
  riskOf,
} from './commands.ts'
import { createDecisions, createReferences, createRules, mayAnswer, questionIn } from './decisions.ts'
import { fileFacts } from './file-facts.ts'
import { createFileMap } from './file-map.ts'
import { atHome, createResolver, findRoots, isProse, type Root, relative, withSlashes } from './paths.ts'
import { callsHandoff, isNote, isOwnCall, onlyLooks, ownShare, requestIn, withoutOwnText } from './shell.ts'
import {
  closingOf,
  commitsAfter,
  createTurns,
  createWorkLog,
  lastSaid,
  WORKTREE,
  withoutClosing,
} from './turns.ts'

/** What is known before the first event. No clock: times come from the events. */
export interface DigestContext {
  /** Directory the session was started in, absolute, as recorded; null when its format does not say. */
  sessionCwd: string | null
  home: string
}

/** What is known once the last event was read. */
export interface FinishInput {
  git: GitState | null
  goal: string
  focus: string | null
  /** The departing agent; null for a brief from git alone. */
  agent: { id: AgentId; label: string; cut?: SessionCut | undefined } | null
  sessionId: string | null
  config: Config
  skipped?: Partial<Record<'torn' | 'not-json' | 'unknown', number>>
  /** Rules that were pinned by hand. */
  pinned?: readonly TextFact[]
}

type Call = Extract<SessionEvent, { kind: 'call' }>
type Result = Extract<SessionEvent, { kind: 'result' }>
type Setting = Record<'model' | 'thinking' | 'version', string | null>

/** Calls waiting for their result at most. */
const MAX_PENDING = 2_000
/** The agent's plan counts while it is of so many turns or so many calls. */
const RECENT_TURNS = 3
const OLD_PLAN = 30
/** Turns whose names of files count. */
const NAMING_TURNS = 5

/**
 * The facts of one session in one pass over its events: one list of turns, one map of files, one map of commands, the person's
 * rules, decisions with their question. `finish` joins them with git and the goal. Pure: the same events and the same input give
 * the same facts. No text is cut inside a word, so that a whole value can still be found and redacted.
 */
export function createDigest({ sessionCwd, home }: DigestContext) {
  const turns = createTurns()
  const files = createFileMap(home)
  const commands = createCommandMap()
  const rules = createRules()
  const decisions = createDecisions()
  const references = createReferences()
  const work = createWorkLog(sessionCwd)
  const pending = new Map<string, Call & { turn: number; nth: number }>()
  const own = new Set<string>()
  const skills = new Set<string>()
  const settings: Setting = { model: null, thinking: null, version: null }
  let plan: { items: PlanItem[]; turn: number; calls: number } = { items: [], turn: 0, calls: 0 }
  let lastCwd = sessionCwd
  let calls = 0
  /** The newest edit of code, and what was counted when the agent spoke last. */
  let lastEdit = 0
  let said = { clock: 0, order: 0, calls: 0 }

  const from = (call: Pick<Call, 'cwd' | 'sub'>, byTool: boolean) => ({
    ...{ cwd: call.cwd ?? sessionCwd, sub: call.sub, byTool, turn: turns.count },
  })
  const edited = (path: string): void => {
    if (isProse(path) || (SCRATCH.test(path) && !SCRATCH.test(sessionCwd ?? ''))) return
    lastEdit = files.clock
    turns.edit(path)
    work.edited()
  }

  function settle(call: Call, result: Result) {
    const { action } = call
    const where = from(call, true)
    if (result.refused) {
      if (call.sub !== null || result.byClient) return
      const reason = folded(result.reason ?? '')
      if (reason !== '') rules.hear(reason, result.at)
      const isTold = reason !== '' || action.type === 'run' || action.type === 'edit'
      if (isTold)
        turns.step({ kind: 'refused', text: refusalOf(call, reason, where.cwd, home), at: result.at })
      return
    }
    if (action.type === 'read' && result.ok) for (const path of action.paths) files.touch(path, 'read', where)
    if (action.type === 'search' || action.type === 'other')
      for (const path of action.paths) files.touch(path, 'search', { ...where, byTool: false })
    if (action.type === 'run') ran(call, action.command, result)
    const changed = result.files ?? (action.type === 'edit' && result.ok ? action.files : [])
    for (const file of result.ok || action.type === 'edit' ? changed : []) {
      files.change(file, { ...where, byTool: action.type === 'edit' })
      edited(file.path)
    }
  }

  function ran(call: Call, command: string, result: Result) {
    const failed = !result.ok || (result.exitCode ?? 0) !== 0
    for (const path of files.ran(command, !failed, from(call, false))) edited(path)
    const { made, gone } = work.ran(command, result.text, failed, call.cwd)
    turns.dropCommits(gone)
    for (const text of made) turns.step({ kind: 'commit', text, at: result.at })
    if (!failed && /\bgh (?:pr|issue) |\bgit push\b/.test(command))
      references.hear(`${command}\n${result.text}`)
    if (ownShare(command) === 'none')
      commands.ran(command, { cwd: call.cwd ?? sessionCwd, by: call.by, edit: lastEdit }, result)
  }

  function hearPrompt({ text: whole, at }: Extract<SessionEvent, { kind: 'prompt' }>) {
    const text = requestIn(whole)
    if (text === null) {
      turns.tick(at)
      return
    }
    const reply = turns.lastReply()
    turns.prompt(text, mayAnswer(text) ? questionIn(reply) : null, at, text === '' && callsHandoff(whole))
    if (text === '') return
    decisions.prompt(text, reply, at)
    rules.hear(text, at)
    references.hear(text)
  }

  return {
    add(event: SessionEvent): void {
      const isMain = event.sub === null
      if (event.cwd !== null) {
        files.enter(event.cwd)
        if (isMain) lastCwd = event.cwd
      }
      switch (event.kind) {
        case 'prompt':
          // The prompt of a subagent was written by the agent.
          if (isMain) hearPrompt(event)
          return
        case 'reply':
          if (!isMain) return
          turns.reply(event.text, event.at)
          commands.hear(event.text)
          said = { clock: files.clock, order: commands.order, calls }
          decisions.reply()
          references.hear(event.text)
          return
        case 'call': {
          if (isOwnCall(event.tool, event.action)) {
            own.add(event.id)
            turns.call(isNote(event.tool, event.action) ? 'note' : 'own', event.at)
            return
          }
          const how = onlyLooks(event.action) ? 'look' : 'work'
          if (isMain && turns.call(how, event.at)) calls++
          pending.set(event.id, { ...event, turn: turns.count, nth: calls })
          if (pending.size > MAX_PENDING) pending.delete(pending.keys().next().value ?? '')
          return
        }
        case 'result': {
          if (own.delete(event.id)) return
          turns.tick(event.at)
          const call = pending.get(event.id)
          pending.delete(event.id)
          if (!event.ok && !event.refused) decisions.failed(event.id)
          if (call !== undefined) settle(call, event)
          else if (event.ok) for (const file of event.files ?? []) files.change(file, from(event, true))
          return
        }
        case 'plan':
          if (isMain) plan = { items: event.items, turn: turns.count, calls }
          return
        case 'question':
          decisions.question(event.id, event.text, event.options, event.at)
          return
        case 'answer':
          turns.step({ kind: 'answer', text: decisions.answer(event.id, event.text, event.at), at: event.at })
          return
        case 'proposal':
          decisions.proposal(event.text, event.accepted, event.at)
          turns.step({ kind: 'plan', text: event.text, at: event.at })
          return
        case 'compaction':
          if (isMain) turns.step({ kind: 'summary', text: withoutOwnText(event.summary), at: event.at })
          return
        case 'interrupt':
          if (!isMain) return
          decisions.interrupt()
          turns.step({ kind: 'interrupt', text: 'Interrupted by the user', at: event.at })
          return
        case 'skill': {
          const name = event.name.replace(/^(?:\/skill:|[/$])/, '').trim()
          if (name === '' || /^(?:git-)?handoff(?:$|[:\s])/.test(name)) return
          skills.delete(name)
          skills.add(name)
          return
        }
        case 'setting':
          if (!isMain) return
          settings.model = event.model ?? settings.model
          settings.thinking = event.thinking ?? settings.thinking
          settings.version = event.version ?? settings.version
          if (event.branch !== undefined) work.branch(event.branch)
          return
        case 'failure':
          if (isMain) turns.fail(event.text, event.at)
          return
      }
    },

    finish(input: FinishInput): Evidence {
      const roots = findRoots(input.git, {
        sessionCwd,
        directories: files.directories,
        touched: [...files.records.keys()],
      })
      const isElsewhere = !workedHere(input.git, roots)
      // Without a base commits count from the session's begin on, if it was of here.
      const git =
        input.git?.base === null && isElsewhere ? { ...input.git, commits: [], commitCount: 0 } : input.git
      const resolver = createResolver(git, roots, input.goal)
      const ending = turns.end(input.agent?.id !== 'plain')
      const since = isElsewhere ? [] : commitsAfter(git, ending.endedAt)
      const runs = commands.all()
      const staleAt = since.length > 0 ? Number.POSITIVE_INFINITY : lastEdit
      const failing = failingChecks(runs, staleAt)
      const last = lastSaid(ending.turns)
      const rest = last === null ? ending.turns : withoutClosing(ending.turns, last)
      const { files: listedFiles, outside } = fileFacts({
        ...{ records: files.records, git, resolver, home },
        goal: `${input.goal}\n${input.focus ?? ''}`,
        requests: ending.turns.slice(-NAMING_TURNS, -1).map(({ request }) => request),
        lastTurn: ending.turns.slice(-1).flatMap(messagesOf),
        turn: turns.count,
        keepUnverified: !input.config.validate.files,
      })
      const isStale = turns.count - plan.turn >= RECENT_TURNS || calls - plan.calls >= OLD_PLAN
      const otherPlace = (folder: string): string | null =>
        roots.length === 0 || relative(folder, roots) !== null || WORKTREE.test(folder)
          ? null
          : atHome(folder, home)
      const session = work.end(git, lastCwd, otherPlace)
      return {
        files: listedFiles,
        commands: commandFacts(runs, staleAt, roots, input.goal),
        constraints: [...(input.pinned ?? []), ...rules.standing()],
        information: [],
        decisions: decisions.all().filter(({ what }) => isContent(what)),
        questions: [
          ...failingQuestions(failing, roots),
          ...decisions.open(input.goal),
          ...(ending.failure === null ? [] : [riskOf(ending.failure.text, ending.failure.at)]),
        ],
        heard: {
          said: ending.turns.flatMap(({ request }) => (request === '' ? [] : [request])),
          changed: listedFiles.flatMap(({ path, evidence }) => (evidence.some(isChange) ? [path] : [])),
          isEdited: lastEdit > 0,
        },
        plan: (isStale ? [] : plan.items).filter(
          ({ status, text }) => (status === 'pending' || status === 'in_progress') && isContent(text),
        ),
        lastCheck: lastCheckOf(runs, staleAt, roots),
        checks: checksOf(runs),
        closing:
          last === null
            ? null
            : closingOf(ending.turns, last, {
                ...{
                  records: files.records,
                  resolver,
                  runs,
                  said,
                  commits: since,
                  calls: calls - said.calls,
                },
              }),
        turns: rest,
        forgotten: ending.forgotten,
        work:
          input.agent === null
            ? null
            : {
                ...session,
                isEdited: session.isEdited && lastEdit > 0,
                worktree: otherWorktree(git),
                ...running(),
                ...(input.agent.cut && { cut: input.agent.cut }),
                ...(isElsewhere ? { isElsewhere: true } : {}),
              },
        references: references.latest(),
        skills: [...skills],
        agent: input.agent && {
          ...{ id: input.agent.id, label: input.agent.label },
          ...(input.agent.cut && { until: input.agent.cut.until }),
          ...settings,
          session: input.sessionId,
        },
        messages: ending.messages,
        endedAt: ending.endedAt,
        limitations: limitationsOf(input, outside),
      }
    },
  }

  /** The newest command that has no result, and that the agent has not spoken since. */
  function running(): { running?: string } {
    for (const { sub, action, turn, nth } of turns.isOwn() ? [] : [...pending.values()].reverse())
      if (sub === null && action.type === 'run' && turn === turns.count && nth > said.calls)
        return { running: action.command.split('\n')[0] ?? '' }
    return {}
  }

  /** Whether the session worked in this repository: by its folder, or by most files that it touched. */
  function workedHere(git: GitState | null, roots: readonly Root[]): boolean {
    if (git === null) return true
    const here = [git.root, ...git.worktrees].map(withSlashes)
    if (sessionCwd === null || relative(withSlashes(sessionCwd), here) !== null) return true
    const paths = [...files.records.keys()].flatMap((key) => relative(key, roots) ?? [])
    return paths.filter((path) => git.files.has(path)).length * 2 > paths.length
  }

  /** The worktree that the session was in last, when it is not this one. */
  function otherWorktree(git: GitState | null): string | null {
    const cwd = lastCwd ?? ''
    const known = git?.worktrees
      .toSorted((a, b) => b.length - a.length)
      .find((top) => relative(cwd, [top]) !== null)
    if (git === null || known === undefined) return WORKTREE.test(cwd) ? atHome(cwd, home) : null
    return known === git.root ? null : (relative(known, [git.root]) ?? atHome(known, home))
  }
}
export type Digest = ReturnType<typeof createDigest>

const isChange = (evidence: FileEvidence): boolean =>
  ['edited', 'created', 'deleted', 'renamed', 'uncommitted'].includes(evidence)

/** What was said in a turn, in order. */
const messagesOf = ({ request, steps }: Turn): string[] => [
  request,
  ...steps.flatMap(({ kind, text }) => (kind === 'said' ? text : [])),
]

function refusalOf({ action, tool }: Call, reason: string, cwd: string | null, home: string): string {
  const place = (path: string): string =>
    cwd !== null && path.startsWith(`${cwd}/`) ? path.slice(cwd.length + 1) : atHome(path, home)
  const what =
    action.type === 'run'
      ? commandText(action.command.replace(LEADING_CD, ''))
      : action.type === 'edit'
        ? `edit of ${action.files.map(({ path }) => `\`${place(path)}\``).join(', ')}`
        : tool
  return reason === '' ? what : `${what}: "${reason}"`
}

const MAX_OUTSIDE = 4
/** Folders for the moment: what lies there is gone tomorrow. */
const SCRATCH = /^(?:\/private)?\/(?:tmp|var\/(?:tmp|folders))\//

function limitationsOf({ git, skipped = {} }: FinishInput, edited: readonly string[]): string[] {
  const outside = edited.filter((path) => !SCRATCH.test(path))
  const unread = (skipped['not-json'] ?? 0) + (skipped.torn ?? 0)
  const names = outside.slice(-MAX_OUTSIDE).map((path) => `\`${path}\``)
  return [
    ...(git === null ? ['No git repository: files are listed as the session named them.'] : []),
    ...(outside.length === 0
      ? []
      : [`${plural(outside.length, 'file')} outside the repository edited: ${names.reverse().join(', ')}.`]),
    ...(git?.shallow ? ['Shallow clone: older commits are not known.'] : []),
    ...(git?.sparse ? ['Sparse checkout: files outside it are not in the work tree.'] : []),
    ...(git && git.commitCount > git.commits.length
      ? [`Only the newest ${git.commits.length} of ${git.commitCount} commits since base were read.`]
      : []),
    ...(unread > 0 ? [`${plural(unread, 'line')} of the transcript could not be read.`] : []),
  ]
}
