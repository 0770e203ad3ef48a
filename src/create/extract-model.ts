import { checkTemplate } from '../brief/template.ts'
import type { Invocation } from '../command.ts'
import { isHandoffError } from '../errors/handoff-error.ts'
import { cannotAsk, modelUnknown } from '../errors/model.ts'
import { agentModel } from '../model/agent.ts'
import { type Conversation, conversationText, createConversation, squashed } from '../model/conversation.ts'
import { extractionPrompt, retryPrompt } from '../model/extraction-prompt.ts'
import { type Model, whyNoAnswer } from '../model/model.ts'
import { joinReply, type Reply, readReply, replyJsonSchema } from '../model/model-reply.ts'
import { loginsOf, providerModel } from '../model/provider.ts'
import { PHASES } from '../output/progress.ts'
import { mapTexts, textsOf } from '../secrets/hide-homes.ts'
import type { PickedSession } from '../session/pick-session.ts'
import { watchEvents } from '../session/read-session.ts'
import { callerMarks } from '../start/destination.ts'
import { successorEnv } from '../start/start-agent.ts'
import { readPlain } from '../store/plain-file.ts'
import type { Adapter } from '../types/agent.ts'
import type { Config } from '../types/config.ts'
import { installLine } from '../workspace/install-line.ts'
import { openReplyWords, type ReplyWords } from '../workspace/reply-words.ts'
import { timeLimit } from '../workspace/time-limit.ts'
import type { Workspace } from '../workspace/workspace.ts'
import { configuredModel, modelOfSession, whereModelIsSet } from './configured-model.ts'
import type { ExtractBy } from './create-request.ts'
import type { Facts } from './facts.ts'
import type { Input } from './gather.ts'

export interface Extraction {
  /** The session, its conversation noted down as it is read. */
  watch(picked: PickedSession): PickedSession
  /** Asks, and adds the answer to the facts. Throws when it is cancelled, and `modelUnknown` for a model that somebody named. */
  run(input: Input, facts: Facts): Promise<Facts>
}

/** Attempts: the second tells the model what was wrong with the first. */
const ATTEMPTS = 2

/** Who is asked. */
interface Asked {
  /** For the person. */
  label: string
  /** `session`: the model that the session names. */
  model(session: string | null): Model
  /** What is read for this call, or handed on. */
  env: Readonly<Record<string, string | undefined>>
  /** Who named the model; null: nobody did, it is that of the session. */
  namedBy: string | null
}

/**
 * Gets ready to ask a model about a session. Everything that can be wrong before is told here: an agent that cannot be asked, a package
 * that is not installed, a model nobody names, a template that cannot be filled. Throws
 * `cannotAsk`, `modelPackageMissing`, `usage`, `badTemplate`.
 */
export async function openExtraction(
  invocation: Invocation,
  workspace: Workspace,
  by: ExtractBy,
  { adapter }: PickedSession,
  config: Config,
): Promise<Extraction> {
  const { place, out } = invocation
  const template = await templateOf(workspace)
  const asked =
    by.is === 'provider'
      ? await serviceOf(by, place.env, workspace.root)
      : agentOf(invocation, workspace, adapter, config)
  const conversation = createConversation()
  let current: string | null = null
  return {
    watch: (picked) =>
      watchEvents(picked, (event) => {
        conversation.add(event)
        if (event.kind === 'setting' && event.sub === null) current = event.model ?? current
      }),
    async run(input, facts) {
      const most = `${config.extract.timeout / 1000} s`
      invocation.progress?.phase(PHASES.ask, most)
      out.say(`Asking ${asked.label}, for at most ${most}`)
      const model = asked.model(current)
      const words = openReplyWords(input.scanner, asked.env, config.secrets.allow)
      const heard = await cleaned(conversation, input, words)
      const question = extractionPrompt(
        {
          goal: heard.clean(input.request.goal),
          focus: heard.clean(input.request.focus ?? ''),
          limits: config.limits,
          schema: replyJsonSchema(),
          conversation: heard.text,
        },
        template,
      )
      const answer =
        heard.text === ''
          ? { attempts: 0, failed: 'the session holds no conversation' }
          : await askTwice({
              ...asked,
              model,
              place,
              question,
              timeout: config.extract.timeout,
              words,
              input,
            })
      const { attempts } = answer
      if ('failed' in answer) {
        out.warn(`${model.name} failed: ${answer.failed}; continuing without it`)
        return { ...facts, extraction: { mode: 'none', model: model.name, attempts } }
      }
      const { value, counts } = await words.clean(answer.reply)
      for (const [rule, count] of Object.entries(counts))
        out.warn(`${count} secret(s) replaced in the answer of ${model.name}: ${rule}`)
      const evidence = joinReply(facts.evidence, input.hide(value), {
        git: input.told,
        sessionCwd: input.picked?.ref.cwd ?? null,
        commands: heard.commands,
        isNamed: (path) => isNamedIn(heard.named, path.toLowerCase()),
        keepUnverified: !config.validate.files,
      })
      const mode = by.is === 'provider' ? 'model' : 'agent'
      return { ...facts, evidence, by, extraction: { mode, model: model.name, attempts } }
    },
  }
}

async function serviceOf(
  by: Extract<ExtractBy, { is: 'provider' }>,
  env: Asked['env'],
  root: string,
): Promise<Asked> {
  const model = await providerModel(by.provider, by.id, {
    env,
    installLine: (packages) => installLine(packages, root),
  })
  return {
    label: model.name,
    model: () => model,
    env: loginsOf(by.provider, env),
    namedBy: 'named by `--extract`',
  }
}

function agentOf(
  { place, out }: Invocation,
  { loaded }: Workspace,
  { launch, label }: Adapter,
  config: Config,
): Asked {
  if (launch?.ask === undefined) throw cannotAsk(label, 'it takes no single question.')
  const { ask, program, passEnv } = launch
  const chosen = configuredModel(config, label, ask)
  if (config.model.name !== null && config.model.useCurrent)
    out.warn('`model` is set and not used: `useCurrentModel` is true')
  const env = successorEnv(place.env, [...passEnv, ...loaded.own.passEnv], callerMarks())
  return {
    label,
    model: (session) =>
      agentModel({ label, program, ask, env, model: chosen ?? modelOfSession(session, ask) }),
    env,
    namedBy: chosen === null ? null : whereModelIsSet(loaded, place.root),
  }
}

type Answer = { attempts: number } & ({ reply: Reply } | { failed: string })

/** Asks, and once more where the answer cannot be used. */
async function askTwice({
  model,
  place,
  question,
  timeout,
  words,
  input,
  namedBy,
}: Omit<Asked, 'model'> & {
  model: Model
  place: Invocation['place']
  question: string
  timeout: number
  words: ReplyWords
  input: Input
}): Promise<Answer> {
  const limit = timeLimit(timeout, place.signal)
  const schema = replyJsonSchema()
  let prompt = question
  let attempts = 0
  let errors: string[] = []
  try {
    while (attempts < ATTEMPTS) {
      // Everything was cleaned; what is found all the same must not leave.
      const [hit] = await input.scanner.find(prompt)
      if (hit !== undefined)
        return { attempts, failed: `the request would have held a secret (${hit.rule}), so it was not sent` }
      attempts++
      const answer = readReply(await model.ask({ prompt, signal: limit.signal, schema }))
      if ('reply' in answer) return { attempts, reply: answer.reply }
      errors = await Promise.all(answer.errors.map(words.line))
      prompt = retryPrompt(question, errors)
    }
    return { attempts, failed: `no valid answer after ${attempts} attempts (${errors[0]})` }
  } catch (error) {
    place.signal?.throwIfAborted()
    if (limit.isOver()) return { attempts, failed: `no answer within ${timeout / 1000} s` }
    if (!isHandoffError(error) || error.code !== 'E_MODEL_UNKNOWN')
      // Who was asked is said anyway.
      return { attempts, failed: await words.line(whyNoAnswer(error)) }
    const told = String(error.data.said)
    if (namedBy !== null) throw modelUnknown(model.name, await words.line(told), namedBy)
    return { attempts, failed: await words.line(`there is no such model: ${told}`) }
  }
}

/** The conversation without secrets, and as one reads it in this repository. */
async function cleaned(conversation: Conversation, input: Input, words: ReplyWords) {
  const { scanner, hide, request, git, picked } = input
  const ran = [...conversation.commands().values()]
  const { value } = await scanner.redact(
    words.hidden({ turns: conversation.turns(), lines: ran.map(({ command }) => command) }),
  )
  const roots = [...(git?.worktrees ?? []), ...(picked?.ref.cwd ? [picked.ref.cwd] : [])]
  const clean = (text: string): string =>
    hide(roots.reduce((left, root) => left.replaceAll(`${root}/`, ''), words.hidden(text)))
  const turns = mapTexts(value.turns, clean)
  return {
    clean,
    text: conversationText(turns),
    /** What names a path, in lower case. */
    named: [request.goal, request.focus ?? '', ...textsOf(turns)].join('\n').toLowerCase(),
    commands: new Map(ran.map((command, i) => [squashed(clean(value.lines[i] ?? '')), command])),
  }
}

/** The repository's own question, if there is one. Throws `badTemplate`. */
async function templateOf({ repo }: Workspace): Promise<{ text: string; place: string } | null> {
  const place = '.handoff/templates/extraction.txt'
  const text = repo === null ? null : await readPlain(repo.root, place)
  if (text === null) return null
  checkTemplate('extraction', text, place)
  return { text, place }
}

/** The path, or a name that stands alone: `index.ts` in `lib/index.ts` is another file's. Both in lower case. */
function isNamedIn(text: string, path: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1)
  const has = (word: string, before: string): boolean =>
    new RegExp(`(?<!${before})${word.replace(/[^\w\s]/g, '\\$&')}(?![\\w/-]|\\.\\w)`).test(text)
  return has(path, '[\\w.-]') || (name.length > 3 && name.includes('.') && has(name, '[\\w./-]'))
}
