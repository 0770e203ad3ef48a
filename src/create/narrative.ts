import { type Capture, notesFrom, pageProblem, parseSlots } from '../brief/notes.ts'
import { notesContract } from '../brief/template.ts'
import type { Invocation } from '../command.ts'
import { setOwn } from '../config/set-own.ts'
import { cancelled } from '../errors/writing.ts'
import { atHome } from '../facts/paths.ts'
import { agentModel } from '../model/agent.ts'
import { conversationText, createConversation } from '../model/conversation.ts'
import { fenced } from '../model/extraction-prompt.ts'
import { type Model, whyNoAnswer } from '../model/model.ts'
import { PHASES } from '../output/progress.ts'
import type { PickedSession } from '../session/pick-session.ts'
import { watchEvents } from '../session/read-session.ts'
import { callerMarks } from '../start/destination.ts'
import { successorEnv } from '../start/start-agent.ts'
import type { Adapter } from '../types/agent.ts'
import type { Config } from '../types/config.ts'
import { ask, mayAsk, takeInterrupts } from '../workspace/at-terminal.ts'
import { findProgram } from '../workspace/find-program.ts'
import { openReplyWords } from '../workspace/reply-words.ts'
import { timeLimit } from '../workspace/time-limit.ts'
import type { Workspace } from '../workspace/workspace.ts'
import { modelOfSession } from './configured-model.ts'
import { type CreateRequest, isWriting } from './create-request.ts'
import type { Input } from './gather.ts'

/** The agent of a session that may be asked for its page afterwards. */
export interface Narrative {
  /** The session, what the question needs noted down as it is read. */
  watch(picked: PickedSession): PickedSession
  /** Asks, once the session was read and has no notes; the page becomes the notes. Says in one line why there is none. */
  run(gathered: Input): Promise<void>
}

/**
 * Gets ready to ask the agent of a session for its page, in a fork of the session where its client has forks, else with what was said.
 * Null where nobody wants that: without `--ask` only a person at a terminal is offered it.
 */
export async function openNarrative(
  invocation: Invocation,
  asked: CreateRequest,
  { loaded: { own, ownFile } }: Workspace,
  picked: PickedSession | null,
  config: Config,
): Promise<Narrative | null> {
  const { place, out } = invocation
  const isTold = asked.ask === true
  const isOffered = asked.ask !== false && own.narrative !== 'never' && mayAsk(invocation) && isWriting(asked)
  if (!isTold && !(isOffered && asked.wantsNotes)) return null
  if (picked === null) {
    if (isTold) out.warn('there is no session whose agent could be asked')
    return null
  }
  const { adapter, ref } = picked
  const { launch, label } = adapter
  const why = await cannot(adapter, place.env.PATH ?? '')
  if (launch?.ask === undefined || why !== null) {
    if (isTold) out.warn(`${label} cannot be asked: ${why}; the brief quotes the session`)
    return null
  }
  const { ask: how, fork, program, passEnv } = launch
  const env = successorEnv(place.env, [...passEnv, ...own.passEnv], callerMarks())
  const conversation = fork === undefined ? createConversation() : null
  let current: string | null = null
  async function isWanted(model: Model): Promise<boolean> {
    if (isTold || own.narrative === 'always') return true
    const answer = await ask(invocation, (questions) =>
      questions.one({
        message: `Ask ${model.name} to write the handoff page? ${fork === undefined ? 'It reads the conversation' : 'It answers in a fork of its session'}, which costs about one turn.`,
        choices: [
          { value: 'yes', label: 'Yes' },
          { value: 'no', label: 'No', hint: 'quote the session' },
          { value: 'always', label: 'Always' },
          { value: 'never', label: 'Never' },
        ],
        initial: 'yes',
        // Who wants no page still wants the brief.
        onEscape: 'no',
      }),
    )
    if (answer === 'always' || answer === 'never') {
      await setOwn(ownFile, 'narrative', answer)
      out.say(`Saved in ${atHome(ownFile, place.home)}: narrative: ${answer}`)
    }
    return answer === 'yes' || answer === 'always'
  }

  return {
    watch: (session) =>
      watchEvents(session, (event) => {
        conversation?.add(event)
        if (event.kind === 'setting' && event.sub === null) current = event.model ?? current
      }),
    async run(gathered) {
      const { git, scanner, request } = gathered
      if (gathered.notes.notes !== null) return
      const forkOf = fork === undefined ? null : { fork, session: ref }
      const model = agentModel({
        label,
        program,
        ask: how,
        model: modelOfSession(current, how),
        env,
        forkOf,
      })
      if (!(await isWanted(model))) return
      const most = `${config.extract.timeout / 1000} s`
      invocation.progress?.phase(PHASES.ask, most)
      out.say(`Asking ${model.name} for the handoff page, for at most ${most}`)
      const words = openReplyWords(scanner, env, config.secrets.allow)
      const stop = new AbortController()
      const passOn = (): void => stop.abort(place.signal?.reason)
      place.signal?.addEventListener('abort', passOn, { once: true })
      const limit = timeLimit(config.extract.timeout, stop.signal)
      const giveBack = takeInterrupts(() => stop.abort(cancelled()))
      const none = async (reason: string): Promise<void> =>
        out.warn(`${model.name} wrote no page: ${await words.line(reason)}; the brief quotes the session`)
      try {
        const { value: said } = await scanner.redact(
          conversation === null ? '' : conversationText(conversation.turns()),
        )
        const prompt = questionOf(request.goal, words.hidden(said))
        const [hit] = await scanner.find(prompt)
        if (hit !== undefined) return await none(`the question would have held a secret (${hit.rule})`)
        const { value: page } = await words.clean(await model.ask({ prompt, signal: limit.signal }))
        const problem = pageProblem(page)
        if (problem !== null) return await none(problem)
        const capture: Capture = {
          capturedAt: place.now().toISOString(),
          capturedBySessionId: ref.id,
          branch: git?.branch ?? null,
          head: git?.head ?? null,
        }
        const notes = notesFrom(parseSlots(page.trim().slice(0, MOST_PAGE)), capture)
        gathered.notes = { notes, age: null, isNew: true }
      } catch (error) {
        place.signal?.throwIfAborted()
        if (stop.signal.aborted) return await none('you ended the question')
        if (limit.isOver()) return await none(`no answer within ${most}`)
        await none(whyNoAnswer(error))
      } finally {
        giveBack()
        place.signal?.removeEventListener('abort', passOn)
      }
    },
  }
}

/** Why the agent cannot be asked; null when it can. */
async function cannot({ launch }: Adapter, path: string): Promise<string | null> {
  if (launch?.ask === undefined) return 'it takes no single question'
  return (await findProgram(launch.program, path)) === null ? `\`${launch.program}\` is not on PATH` : null
}

/** What the agent is asked: the goal and the contract, and where it cannot know them the words of the session. */
function questionOf(goal: string, conversation: string): string {
  const told =
    conversation === ''
      ? []
      : ['', 'This was said and done in the session:', fenced('conversation', conversation)]
  return [
    'The user hands the work of this session over. The next session starts with this goal:',
    fenced('goal', goal),
    '',
    notesContract,
    'Your whole answer is that page; use no tool.',
    ...told,
  ].join('\n')
}

/** Longest page that is kept, in UTF-16 units: as notes may be. */
const MOST_PAGE = 16_000
