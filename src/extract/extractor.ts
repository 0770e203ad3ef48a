import { isReport } from '../text/announced.ts'
import type { Evidence, Step } from '../types/evidence.ts'
import type { SessionEvent } from '../types/session.ts'
import { readAssent, refusedIn } from './assent.ts'
import { firstKey, type Moment } from './file-log.ts'
import { type Call, createFold, type Fold } from './fold.ts'
import { type FinishInput, joinEvidence } from './join.ts'
import { isOutlined, outlineOf, proseLines, sentencesOf, shorten, withoutBlocks } from './prose.ts'
import { isHandingOver, isNote, isOwnCall, withoutOwnText } from './self-calls.ts'
import { settleCall } from './settle.ts'

/** What is known before the first event. No clock: times come from the events. */
export interface ExtractContext {
  /** Directory the session was started in, absolute, as recorded; null when its format does not say. */
  sessionCwd: string | null
  home: string
}

/** Calls waiting for their result at most; older ones count as attempts without an outcome. */
const MAX_PENDING = 2_000
const MAX_CWDS = 500

/**
 * Folds the events of one session as they stream, then joins them with git and the goal. Memory is bounded per kind of fact
 * and does not grow with the length of the session. Pure: the same events and input give the same evidence. Texts are never
 * cut inside a word, so that the caller can still find and redact whole values.
 *
 * Order of operations: (1) each call waits for its result; handoff's own traces are left out as they pass; (2) at the end,
 * calls without a result count as attempts; (3) the roots of the recorded checkout are inferred; (4) paths are made canonical,
 * renames followed, duplicates merged; (5) git's changes and commits join; (6) names in the goal, prompts and plan are
 * resolved; (7) what the parent handed down is merged unless taken back or settled; (8) everything is put in order.
 */
export function createExtractor(context: ExtractContext) {
  const fold = createFold(context)
  const pending = new Map<string, { call: Call; asOf: Moment }>()
  const own = new Set<string>()
  const giveUp = (id: string) => {
    const held = pending.get(id)
    pending.delete(id)
    if (held) settleCall(fold, held.call, null, held.asOf)
  }

  let plan: Step | null = null
  const tellPlan = (): void => {
    if (plan !== null) fold.turns.step(plan)
    plan = null
  }
  const add = (event: SessionEvent): void => {
    const isMain = event.sub === null
    if (event.cwd !== null && fold.cwds.size < MAX_CWDS) fold.cwds.add(event.cwd)
    if (isMain && event.cwd !== null) fold.lastCwd = event.cwd
    if (isMain && event.kind !== 'prompt' && event.kind !== 'proposal' && event.kind !== 'setting') tellPlan()
    switch (event.kind) {
      case 'call':
        if (!fold.turns.call(callWeight(event), event.at)) {
          own.add(event.id)
          return
        }
        if (event.by === 'agent' && TOOL_NAME.test(event.tool)) fold.tools.add(event.tool)
        if (isMain) fold.calls++
        pending.set(event.id, { call: event, asOf: momentOf(fold) })
        if (pending.size > MAX_PENDING) giveUp(firstKey(pending))
        return
      case 'result': {
        if (own.delete(event.id)) return
        fold.turns.tick(event.at)
        const call = pending.get(event.id)?.call
        // What a background job brings at last: the agent had stopped to wait for it.
        if (isMain && call === undefined && isReport(fold.turns.lastReply())) fold.turns.notice(event.at)
        pending.delete(event.id)
        if (!event.ok && !event.refused) fold.asks.failed(event.id)
        // No status is 1.5 or has 20 digits, and none such could be read back from a brief.
        const exitCode = Number.isSafeInteger(event.exitCode) ? event.exitCode : null
        settleCall(fold, call ?? null, { ...event, exitCode })
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
        if (!fold.turns.reply(event.text, event.at, fold.files.clock)) return
        fold.said = { clock: fold.files.clock, order: fold.commands.order, calls: fold.calls }
        if (isReport(event.text)) fold.reported = fold.said
        // An agent that speaks again has its answer, or went on without one.
        fold.asks.wentOn()
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
    add,
    finish(input: FinishInput): Evidence {
      tellPlan()
      for (const id of pending.keys()) giveUp(id)
      return joinEvidence(fold, input)
    },
  }
}

export type Extractor = ReturnType<typeof createExtractor>

/** This moment: for a call whose result may never come, and which is then counted at the end as of the time it was made. */
const momentOf = ({ files, commands }: Fold): Moment => ({
  // Behind the touch before it, ahead of the next.
  touch: files.clock + 0.5,
  edit: files.lastEdit,
  order: commands.order,
})

/** A model that loses its way calls tools by pieces of its own output. */
const TOOL_NAME = /^[A-Za-z][\w.:/-]{0,79}$/

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

const MAX_PICKS = 50
/** A row of a table. */
const ROW = /^\| ?(.*?) ?\|$/
const LONGEST_PICK = 240
/** A prompt longer than this with headings in it is a plan or an issue that was pasted. */
const LONG_PROMPT = 700

/** Takes a prompt of the main conversation; `plan` is one that was approved right before it. */
function hearPrompt(fold: Fold, event: Extract<SessionEvent, { kind: 'prompt' }>, plan: string | null): void {
  const { at } = event
  const said = withoutOwnText(event.text)
  const text = withoutMachineText(said).trim()
  // A notice of the machine begins no turn.
  if (text === '' && said.trim() !== '') {
    fold.turns.notice(at)
    return
  }
  const reply = fold.turns.lastReply()
  const assent = readAssent(text, reply)
  const isPasted = text.length > LONG_PROMPT && isOutlined(text)
  fold.turns.prompt(isPasted ? pastedOutline(text) : withPlan(text, plan), at, {
    handsOver: isHandingOver(event.text),
    to: assent === null ? refusedIn(text, reply) : assent.question,
  })
  if (isPasted) fold.turns.step({ kind: 'pasted', text, at })
  if (text === '') return
  if (assent !== null && assent.picked.length > 0 && !/[?？]\s*$/.test(text)) {
    const options = assent.picked.map((option) =>
      shorten(option.replace(/\s+/g, ' ').replace(ROW, '$1'), LONGEST_PICK),
    )
    const what = `"${shorten(text.replace(/\s+/g, ' '), LONGEST_PICK)}" → ${[...new Set(options)].join(' + ')}`
    fold.picks.push({ what, why: null, alternatives: [], by: 'user', source: 'user', at })
    if (fold.picks.length > MAX_PICKS) fold.picks.shift()
  }
  fold.asks.prompt()
  fold.files.turn()
  const own = isOutlined(text) ? text.slice(0, Math.max(0, text.search(/^#/m))) : text
  fold.standing.hear(own, at)
  fold.references.hear(own, 'user')
  fold.mentions.hear('user', text, fold.files.turns, sentencesOf(proseLines(text)))
}

/** What a client or a monitor put into the person's prompt: a block in a tag of its own making. */
const withoutMachineText = (text: string): string =>
  withoutBlocks(text, /^<([a-z]+[-_][\w-]*)(?:\s[^<>\n]*)?>/gm, /<\/([a-z]+[-_][\w-]*)>/g)

/** "Implement the following plan:" with the plan's name. */
const withPlan = (request: string, plan: string | null): string =>
  plan === null || !request.endsWith(':') ? request : `${request} ${outlineOf(plan)}`

function pastedOutline(text: string): string {
  const outline = outlineOf(text)
  const first = text.split('\n', 1)[0] ?? ''
  return /^#/.test(first) ? outline : `${first} ${outline}`
}
