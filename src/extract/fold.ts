import type { DecisionFact, Step } from '../types/evidence.ts'
import type { PlanItem, SessionEvent } from '../types/session.ts'
import { type Asks, createAsks } from './asks.ts'
import { type CommandLog, createCommandLog } from './command-log.ts'
import { createUnderstanding } from './deeds.ts'
import { createFileLog, type FileLog } from './file-log.ts'
import { createMentionLog, type MentionLog } from './mention-log.ts'
import { type Moment, momentOf } from './moment.ts'
import { isNote, isOwnCall, withoutOwnText } from './own.ts'
import { hearPrompt } from './prompt.ts'
import { proseLines, sentencesOf } from './prose.ts'
import { createReferences, type References } from './references.ts'
import { settleCall } from './settle.ts'
import { createStanding, type Standing } from './standing.ts'
import { createStated, type Stated } from './stated.ts'
import { createTurns, type Turns } from './turns.ts'
import { createWorkLog, type WorkLog } from './work-log.ts'

export type Call = Extract<SessionEvent, { kind: 'call' }>
export type Result = Extract<SessionEvent, { kind: 'result' }>

/** Everything kept of a session while its events stream by; each part bounds its own memory. */
export interface Fold {
  files: FileLog
  commands: CommandLog
  mentions: MentionLog
  standing: Standing
  stated: Stated
  asks: Asks
  /** Options of the agent's messages that the person picked. */
  picks: DecisionFact[]
  turns: Turns
  work: WorkLog
  references: References
  /** Clock of the files and of the commands when the agent spoke last. */
  said: { clock: number; order: number; calls: number }
  /** Calls of the main conversation so far. */
  calls: number
  /** The agent's plan, and the turn that changed it last. */
  plan: { items: PlanItem[]; turn: number; calls: number }
  /** What the agent wrote when its context was summarised last, empty when it never was. */
  summary: string
  skills: string[]
  tools: Set<string>
  settings: { model: string | null; thinking: string | null; tools: string[] | null; version: string | null }
  understand: ReturnType<typeof createUnderstanding>
  /** Directories that calls were made in, and checkouts that the session added with `git worktree add`. */
  cwds: Set<string>
  worktrees: Set<string>
  /** Commands that were refused, and lines that also ran handoff. */
  leftOut: { text: string; why: string }[]
  sessionCwd: string | null
  home: string
}

/** Calls waiting for their result at most; older ones count as attempts without an outcome. */
const MAX_PENDING = 2_000
const MAX_CWDS = 500

/** Folds events one by one. `settle` counts the calls that never got a result; call it once no event follows. */
export function createFold(context: { sessionCwd: string | null; home: string }): {
  fold: Fold
  add(event: SessionEvent): void
  settle(): void
} {
  const fold: Fold = {
    files: createFileLog(),
    commands: createCommandLog(),
    mentions: createMentionLog(),
    standing: createStanding(),
    stated: createStated(),
    asks: createAsks(),
    picks: [],
    turns: createTurns(),
    work: createWorkLog(),
    references: createReferences(),
    said: { clock: 0, order: 0, calls: 0 },
    calls: 0,
    plan: { items: [], turn: 0, calls: 0 },
    summary: '',
    skills: [],
    tools: new Set(),
    settings: { model: null, thinking: null, tools: null, version: null },
    understand: createUnderstanding(context.home),
    cwds: new Set(),
    worktrees: new Set(),
    leftOut: [],
    sessionCwd: context.sessionCwd,
    home: context.home,
  }
  const pending = new Map<string, { call: Call; asOf: Moment }>()
  const own = new Set<string>()
  const settleOldest = () => {
    for (const [id, { call, asOf }] of pending) {
      pending.delete(id)
      settleCall(fold, call, null, asOf)
      break
    }
  }

  let cwd: string | null = null
  let plan: Step | null = null
  const tellPlan = (): void => {
    if (plan !== null) fold.turns.step(plan)
    plan = null
  }
  const add = (event: SessionEvent): void => {
    const isMain = event.sub === null
    if (event.cwd !== null && event.cwd !== cwd && fold.cwds.size < MAX_CWDS) {
      cwd = event.cwd
      fold.cwds.add(cwd)
    }
    if (isMain && event.kind !== 'prompt' && event.kind !== 'proposal' && event.kind !== 'setting') tellPlan()
    switch (event.kind) {
      case 'call':
        if (!fold.turns.call(callWeight(event), event.at)) {
          own.add(event.id)
          return
        }
        if (event.by === 'agent' && TOOL_NAME.test(event.tool)) fold.tools.add(event.tool)
        if (isMain) fold.calls++
        pending.set(event.id, { call: event, asOf: momentOf(fold.files, fold.commands) })
        if (pending.size > MAX_PENDING) settleOldest()
        return
      case 'result': {
        if (own.delete(event.id)) return
        fold.turns.tick(event.at)
        const call = pending.get(event.id)?.call
        pending.delete(event.id)
        if (!event.ok && !event.refused) fold.asks.failed(event.id)
        // No status is 1.5 or has 20 digits, and none such could be read back from a brief.
        settleCall(
          fold,
          call ?? null,
          event.exitCode === null || Number.isSafeInteger(event.exitCode)
            ? event
            : { ...event, exitCode: null },
        )
        return
      }
      case 'prompt': {
        // The prompt of a subagent was written by the agent.
        if (!isMain) break
        hearPrompt(fold, event, plan?.text ?? null)
        tellPlan()
        return
      }
      case 'reply':
        if (!isMain) break
        if (!fold.turns.reply(event.text, event.at)) return
        fold.said = { clock: fold.files.clock, order: fold.commands.order, calls: fold.calls }
        fold.stated.hear(event.text, event.at)
        fold.references.hear(event.text, 'agent')
        fold.mentions.hear('agent', event.text, fold.files.turns)
        return
      case 'plan':
        if (isMain) fold.plan = { items: event.items, turn: fold.files.turns, calls: fold.calls }
        break
      case 'question':
        fold.asks.question(event.id, event.text, event.options, event.at)
        break
      case 'answer': {
        const told = fold.asks.answer(event.id, event.text, event.at)
        fold.turns.step({ kind: 'answer', text: told ?? event.text, at: event.at })
        if (told === null) fold.mentions.hear('user', event.text, fold.files.turns)
        break
      }
      case 'proposal':
        fold.asks.proposal(event.text, event.accepted, event.at)
        // A plan that was approved with cleared context stands before the prompt that orders it.
        plan = { kind: 'plan', text: event.text, at: event.at }
        if (event.accepted === true)
          fold.mentions.hear('plan', event.text, fold.files.turns, sentencesOf(proseLines(event.text)))
        return
      case 'compaction':
        if (isMain) {
          fold.summary = event.summary
          fold.turns.step({ kind: 'summary', text: withoutOwnText(event.summary), at: event.at })
        }
        break
      case 'interrupt': {
        if (!isMain) break
        // What was picked right before was taken back.
        const asked = fold.turns.unansweredAt()
        if (asked !== null) fold.picks = fold.picks.filter(({ at }) => at !== asked)
        fold.turns.step({ kind: 'interrupt', text: 'Interrupted by the user', at: event.at })
        break
      }
      case 'skill':
        rememberSkill(fold.skills, event.name)
        return
      case 'setting':
        if (isMain) takeSettings(fold, event)
        return
      case 'failure':
        if (isMain) fold.turns.failure(event.text, event.at)
        return
      case 'usage':
        return
    }
    fold.turns.tick(event.at)
  }
  return {
    fold,
    add,
    settle() {
      tellPlan()
      while (pending.size > 0) settleOldest()
    },
  }
}

/** A model that loses its way calls tools by pieces of its own output. */
const TOOL_NAME = /^[A-Za-z][\w.:/-]{0,79}$/

/** Words that begin a command which only looks. */
const LOOKS = new Set([
  ...['ls', 'cat', 'pwd', 'rg', 'grep', 'head', 'tail', 'find'],
  ...['git status', 'git diff', 'git log', 'git branch', 'git show', 'git rev-parse'],
])

function callWeight({ tool, action }: Call): 'work' | 'look' | 'own' | 'note' {
  if (isOwnCall(tool, action)) return isNote(tool, action) ? 'note' : 'own'
  if (action.type === 'read' || action.type === 'search') return 'look'
  if (action.type !== 'run') return 'work'
  const command = action.command.replace(/^\s*(?:cd [^&;]+(?:&&|;)\s*)?/, '')
  const start = /^(?:git (?:rev-parse\b|\w+)|\w+)/.exec(command)?.[0] ?? ''
  return LOOKS.has(start) && !/[;&|]/.test(command) ? 'look' : 'work'
}

/** The last invocation stands last; handoff itself never counts. */
function rememberSkill(skills: string[], name: string) {
  const skill = name.replace(/^(?:\/skill:|[/$])/, '').trim()
  if (skill === '' || /^(?:git-)?handoff(?:$|[:\s])/.test(skill)) return
  const held = skills.indexOf(skill)
  if (held !== -1) skills.splice(held, 1)
  skills.push(skill)
  if (skills.length > 50) skills.shift()
}

function takeSettings(fold: Fold, event: Extract<SessionEvent, { kind: 'setting' }>) {
  const { settings } = fold
  settings.model = event.model ?? settings.model
  if (event.branch !== undefined) fold.work.branch(event.branch)
  settings.thinking = event.thinking ?? settings.thinking
  settings.tools = event.tools ?? settings.tools
  settings.version = event.version ?? settings.version
}
