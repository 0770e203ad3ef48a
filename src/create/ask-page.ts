import { existsSync } from 'node:fs'
import { notesFrom, pageProblem, parseSlots } from '../brief/notes.ts'
import type { Invocation } from '../command.ts'
import { isHandoffError } from '../errors/handoff-error.ts'
import { usage } from '../errors/usage.ts'
import { cancelled, cannotAsk, modelUnknown } from '../errors/writing.ts'
import { atHome } from '../facts/paths.ts'
import { agentModel } from '../model/agent.ts'
import { conversationText, createConversation } from '../model/conversation.ts'
import { fenced, type Model, whyNoAnswer } from '../model/model.ts'
import { isModelId, loginsOf, providerModel } from '../model/provider.ts'
import { PHASES } from '../output/progress.ts'
import { mapTexts } from '../secrets/scanner.ts'
import type { PickedSession } from '../session/pick-session.ts'
import { watchEvents } from '../session/read-session.ts'
import { unattendedEnv } from '../start/agent-env.ts'
import type { Ask } from '../types/agent.ts'
import type { FrontMatter } from '../types/brief.ts'
import type { Config } from '../types/config.ts'
import { askForGood, takeInterrupts } from '../workspace/at-terminal.ts'
import { findProgram } from '../workspace/find-program.ts'
import { openReplyWords } from '../workspace/login-values.ts'
import { canLoad, installLine } from '../workspace/program-name.ts'
import { timeLimit } from '../workspace/time-limit.ts'
import type { Workspace } from '../workspace/workspace.ts'
import type { CreateRequest, ExtractBy } from './create-request.ts'
import type { Input, Task } from './gather.ts'
import { captureOf } from './page.ts'

/** A model that is asked for the page: the agent of the session, or one of a service. */
export type PageAsker = NonNullable<Awaited<ReturnType<typeof openPageAsker>>>

/** Who is asked. */
interface Asked {
  /** `session`: the model that the session names. */
  model(session: string | null): Model
  /** What is read for this call, or handed on. */
  env: Readonly<Record<string, string | undefined>>
  /** Who named the model; null: nobody did, it is that of the session. */
  namedBy: string | null
  /** It answers in a fork of the session, which it knows. */
  isFork: boolean
}

/**
 * Gets ready to ask for the page. `isTold`: somebody asked for it; else a person at a terminal is offered it. Null where nobody can be asked.
 * What can be wrong is told before anything is read: a package that is not installed, a model nobody names. Throws `cannotAsk`,
 * `modelPackageMissing`, `usage`.
 */
export async function openPageAsker(invocation: Invocation, task: Omit<Task, 'work'>, isTold: boolean) {
  const { place, out } = invocation
  const { workspace, picked, config } = task
  const { extract } = task.request
  if (picked === null) {
    if (isTold) out.warn('there is no session whose agent could be asked')
    return null
  }
  const service = extract === 'agent' ? null : extract
  const asked = await (service === null
    ? agentOf(invocation, task, picked, isTold)
    : serviceOf(service, place.env, workspace.root))
  if (asked === null) return null
  const conversation = asked.isFork ? null : createConversation()
  let current: string | null = null
  return {
    /** The session, what the question needs noted down as it is read. */
    watch: (session: PickedSession): PickedSession =>
      watchEvents(session, (event) => {
        conversation?.add(event)
        if (event.kind === 'setting' && event.sub === null) current = event.model ?? current
      }),
    /**
     * Asks once; the page becomes the notes. Says in one line why there is none, and gives who was asked. Throws when it is cancelled, and
     * `modelUnknown` for a model that somebody named.
     */
    async run(input: Input, contract: string): Promise<FrontMatter['extraction']> {
      const { scanner, request } = input
      const model = asked.model(current)
      if (!isTold && !(await isWanted(invocation, workspace, model, asked.isFork)))
        return { mode: 'none', attempts: 0 }
      const most = `${config.extract.timeout / 1000} s`
      invocation.progress?.phase(PHASES.ask, most)
      out.say(`Asking ${model.name} for the handoff page, for at most ${most}`)
      const words = openReplyWords(scanner, asked.env, config.secrets.allow)
      // Ctrl-C ends the question and not the brief.
      const stop = new AbortController()
      const limit = timeLimit(config.extract.timeout, place.signal, stop.signal)
      const giveBack = takeInterrupts(() => stop.abort(cancelled()))
      const none = async (reason: string, attempts = 1): Promise<FrontMatter['extraction']> => {
        out.warn(`${model.name} wrote no page: ${await words.line(reason)}; the brief quotes the session`)
        return { mode: 'none', model: model.name, attempts }
      }
      try {
        // Half a secret is not known for one, so it is replaced before the text is cut.
        const { value: said } = await scanner.redact(words.hidden(conversation?.messages() ?? null))
        const roots = [...(input.git?.worktrees ?? []), input.picked?.ref.cwd].flatMap((root) => root || [])
        const local = (text: string): string =>
          input.hide(roots.reduce((left, root) => left.replaceAll(`${root}/`, ''), text))
        const heard = said && conversationText(mapTexts(said, local))
        if (heard === '') return await none('the session holds no conversation', 0)
        const prompt = questionOf(words.hidden(request), contract, heard)
        const [hit] = await scanner.find(prompt)
        if (hit !== undefined) return await none(`the question would have held a secret (${hit.rule})`, 0)
        const answer = await words.clean(await model.ask({ prompt, signal: limit.signal }))
        for (const [rule, count] of Object.entries(answer.counts))
          out.warn(`${count} secret(s) replaced in the answer of ${model.name}: ${rule}`)
        const text = answer.value.trim().slice(0, MOST_PAGE)
        const problem = pageProblem(text)
        if (problem !== null) return await none(problem)
        const capture = captureOf(invocation, input, service === null ? undefined : { model: model.name })
        input.notes = { notes: notesFrom(parseSlots(text), capture), age: null }
        return { mode: service === null ? 'agent' : 'model', model: model.name, attempts: 1 }
      } catch (error) {
        place.signal?.throwIfAborted()
        if (stop.signal.aborted) return await none('you ended the question')
        if (limit.isOver()) return await none(`no answer within ${most}`)
        if (!isHandoffError(error) || error.code !== 'E_MODEL_UNKNOWN') return await none(whyNoAnswer(error))
        const told = await words.line(String(error.data.said))
        if (asked.namedBy !== null) throw modelUnknown(model.name, told, asked.namedBy)
        return await none(`there is no such model: ${told}`)
      } finally {
        giveBack()
      }
    },
  }
}

/** A person at a terminal, once or for good. */
async function isWanted(
  invocation: Invocation,
  { loaded: { own, ownFile } }: Workspace,
  { name }: Model,
  isFork: boolean,
): Promise<boolean> {
  if (own.narrative === 'always') return true
  // Who wants no page still wants the brief.
  return askForGood(
    invocation,
    { key: 'narrative', file: ownFile, shown: atHome(ownFile, invocation.place.home) },
    `Ask ${name} to write the handoff page? ${isFork ? 'It answers in a fork of its session' : 'It reads the conversation'}, which costs about one turn.`,
    'quote the session',
  )
}

async function serviceOf(
  { provider, id }: Exclude<ExtractBy, 'agent'>,
  env: Asked['env'],
  root: string,
): Promise<Asked> {
  const install = (packages: readonly string[]) => installLine(packages, root)
  const model = await providerModel(provider, id, { env, installLine: install, canLoad })
  return { model: () => model, env: loginsOf(provider, env), namedBy: 'named by `--extract`', isFork: false }
}

/** The agent of the session; null, with a warning, where it cannot be asked. */
async function agentOf(
  { place, out }: Invocation,
  { request, workspace: { loaded }, config }: Omit<Task, 'work'>,
  { adapter: { launch, label }, ref }: PickedSession,
  isTold: boolean,
): Promise<Asked | null> {
  const cannot = (why: string): null => {
    if (isTold) out.warn(`${label} cannot be asked: ${why}; the brief quotes the session`)
    return null
  }
  if (launch?.ask === undefined) return cannot('it takes no single question')
  const { ask: how, fork, program, passEnv } = launch
  const chosen = request.extract === null ? null : configuredModel(config, label, how)
  if ((await findProgram(program, place.env.PATH ?? '')) === null)
    return cannot(`\`${program}\` is not on PATH`)
  const { env } = unattendedEnv(place.env, [...passEnv, ...loaded.own.passEnv])
  // Some clients fork a session only where it was.
  const canFork = fork !== undefined && !(fork.inPlace && !existsSync(ref.cwd ?? ''))
  const forkOf = canFork ? { fork, session: ref } : null
  return {
    model: (session) =>
      agentModel({ label, program, ask: how, env, model: chosen ?? modelName(session, how), forkOf }),
    env,
    namedBy: chosen === null ? null : 'set as `model` in the configuration',
    isFork: canFork,
  }
}

/** The model that the configuration wants asked instead of the session's; null when it wants none. Throws `usage`, `cannotAsk`. */
function configuredModel(config: Config, label: string, how: Ask): string | null {
  const { name, useCurrent } = config.model
  if (useCurrent) return null
  if (name === null)
    throw usage(
      '`useCurrentModel` is false, and `model` names none.',
      'Set `model: provider/model`, or name it here: --extract <provider/model>.',
    )
  const own = `${how.provider}/`
  const id = name.startsWith(own) ? name.slice(own.length) : name
  // One that begins with a dash would be an option of the agent.
  if (modelName(id, how) === null)
    throw cannotAsk(label, `${JSON.stringify(name)} is no name of a model that it takes.`)
  return id
}

/** The name of a model where the agent takes such a name; else null. */
const modelName = (name: string | null, { needsProvider }: Ask): string | null =>
  name !== null && isModelId(name) && (needsProvider === undefined || name.includes('/')) ? name : null

/** The goal and the contract, and for whoever cannot know them the words of the session. */
const questionOf = ({ goal, focus }: CreateRequest, contract: string, conversation: string | null): string =>
  [
    'The user hands the work of this session over. The next session starts with this goal:',
    fenced('goal', goal),
    ...(focus === null ? [] : ['It looks at this first:', fenced('focus', focus)]),
    '',
    contract,
    'Your whole answer is that page; use no tool.',
    ...(conversation === null
      ? []
      : ['', 'This was said and done in the session:', fenced('conversation', conversation)]),
  ].join('\n')

/** Longest page that is kept, in UTF-16 units: as notes may be. */
const MOST_PAGE = 16_000
