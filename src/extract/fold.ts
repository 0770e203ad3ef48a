import type { PlanItem, SessionEvent } from '../types.ts'
import { type AgentWords, createAgentWords } from './agent-words.ts'
import { type Asks, createAsks } from './asks.ts'
import { type CommandLog, createCommandLog } from './command-log.ts'
import { createUnderstanding } from './deeds.ts'
import { createFileLog, type FileLog } from './file-log.ts'
import { createMentionLog, type MentionLog } from './mention-log.ts'
import { type Moment, momentOf } from './moment.ts'
import { isHandingOver, isOwnCall, withoutOwnText } from './own.ts'
import { proseLines, sentencesOf } from './prose.ts'
import { withoutReview } from './reviews.ts'
import { settleCall } from './settle.ts'
import { createTries, type Tries } from './tries.ts'
import { createTurns, type Turns } from './turns.ts'
import { createUserWords, type UserWords } from './user-words.ts'

export type Call = Extract<SessionEvent, { kind: 'call' }>
export type Result = Extract<SessionEvent, { kind: 'result' }>

/** Everything kept of a session while its events stream by; each part bounds its own memory. */
export interface Fold {
  files: FileLog
  commands: CommandLog
  mentions: MentionLog
  user: UserWords
  agent: AgentWords
  asks: Asks
  turns: Turns
  tries: Tries
  plan: PlanItem[]
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
    user: createUserWords(),
    agent: createAgentWords(),
    asks: createAsks(),
    turns: createTurns(),
    tries: createTries(),
    plan: [],
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
  const add = (event: SessionEvent): void => {
    const isMain = event.sub === null
    if (event.cwd !== null && event.cwd !== cwd && fold.cwds.size < MAX_CWDS) {
      cwd = event.cwd
      fold.cwds.add(cwd)
    }
    switch (event.kind) {
      case 'call':
        if (!fold.turns.call(callWeight(event), event.at)) {
          own.add(event.id)
          return
        }
        // A call that was written wrongly may have half a sentence for its name.
        if (event.by === 'agent' && /^[A-Za-z_][\w.:/-]*$/.test(event.tool)) fold.tools.add(event.tool)
        pending.set(event.id, { call: event, asOf: momentOf(fold.files, fold.commands) })
        if (pending.size > MAX_PENDING) settleOldest()
        return
      case 'result': {
        if (own.delete(event.id)) return
        fold.turns.tick(event.at)
        const call = pending.get(event.id)?.call
        pending.delete(event.id)
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
        const text = withoutOwnText(event.text).trim()
        fold.turns.prompt(text, event.at, isHandingOver(event.text))
        if (text === '') return
        fold.asks.prompt()
        fold.files.turn()
        const lines = proseLines(text)
        const own = withoutReview(lines)
        const sentences = sentencesOf(lines)
        fold.user.say(own === lines ? sentences : sentencesOf(own), event.at)
        fold.mentions.hear('user', text, fold.files.turns, sentences)
        return
      }
      case 'reply':
        if (!isMain) break
        if (!fold.turns.reply(event.text, event.at)) return
        fold.agent.say(event.text, event.at)
        fold.mentions.hear('agent', event.text, fold.files.turns)
        return
      case 'plan':
        if (isMain) fold.plan = event.items
        break
      case 'question':
        fold.asks.question(event.id, event.text, event.options, event.at)
        break
      case 'answer':
        if (fold.asks.answer(event.id, event.text, event.at)) {
          const sentences = sentencesOf(proseLines(event.text))
          fold.user.say(sentences, event.at)
          fold.mentions.hear('user', event.text, fold.files.turns, sentences)
        }
        break
      case 'proposal':
        fold.asks.proposal(event.text, event.accepted, event.at)
        if (event.accepted === true)
          fold.mentions.hear('plan', event.text, fold.files.turns, sentencesOf(proseLines(event.text)))
        break
      case 'compaction':
        if (isMain) {
          fold.agent.summarise(event.summary, event.at)
          fold.summary = event.summary
        }
        break
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
      while (pending.size > 0) settleOldest()
    },
  }
}

/** Words that begin a command which only looks. */
const LOOKS = new Set([
  ...['ls', 'cat', 'pwd', 'rg', 'grep', 'head', 'tail', 'find'],
  ...['git status', 'git diff', 'git log', 'git branch', 'git show', 'git rev-parse'],
])

function callWeight({ tool, action }: Call): 'work' | 'look' | 'own' {
  if (isOwnCall(tool, action)) return 'own'
  if (action.type === 'read' || action.type === 'search') return 'look'
  if (action.type !== 'run') return 'work'
  const command = action.command.replace(/^\s*(?:cd [^&;]+(?:&&|;)\s*)?/, '')
  const start = /^(?:git (?:rev-parse\b|\w+)|\w+)/.exec(command)?.[0] ?? ''
  return LOOKS.has(start) && !/[;&|]/.test(command) ? 'look' : 'work'
}

/** The last invocation stands last; handoff itself never counts (SPEC D6). */
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
  settings.thinking = event.thinking ?? settings.thinking
  settings.tools = event.tools ?? settings.tools
  settings.version = event.version ?? settings.version
}
